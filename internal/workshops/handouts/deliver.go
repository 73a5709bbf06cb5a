package handouts

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// Target is a running session.
type Target struct {
	Session string // its id
	engine.Target
}

// How says what became of a file.
type How string

// What can become of a file.
const (
	New      How = "new"      // nothing was at its path
	There    How = "there"    // it was at its path already
	Replaced How = "replaced" // it replaced an earlier content that nobody had changed
	Beside   How = "beside"   // it lies beside what has its name
)

// Placed is a file that a session has.
type Placed struct {
	Path string `json:"path"` // as in the bundle
	At   string `json:"at"`   // where it lies now, in the work folder
	How  How    `json:"how"`

	// Kept is where the version lies that somebody saved at the path in the moment when the file was written; almost always "".
	Kept string `json:"kept,omitempty"`
}

// Delivered says what became of each file, in the order of the bundle, without those that an error is about.
type Delivered struct {
	Files []Placed `json:"files"`
}

// deliverTime is how long a delivery to a session may take, however slowly its server answers.
const deliverTime = 10 * time.Minute

// Deliver puts the files of a bundle into a running session, beside what its people changed and never over it. It may be called again
// with the same bundle, after an error or a crash, and makes no second copies as long as nobody has changed the first ones meanwhile;
// callers that know what was delivered can leave it out. Only one delivery to a session may go on at a time: two of them could choose
// the same free name.
//
// A file that the session's server refuses doesn't stop the others: the error is then about all that are refused. A server that can't be
// understood or doesn't answer ends the delivery. Errors are faults; with each of them, what was delivered is returned too.
//
// The look at a path and the save are two requests, because Jupyter's API has no condition for a save. What somebody saves between them
// through the catalog, in any page, is kept beside by the session's front (engine.WhoHeader), and Placed.Kept says where. What remains:
// a program in the session, or somebody on a hub without the front, writes a file in the milliseconds between the two requests, and
// nothing keeps that. A page that was opened before sees at its next save that the file is newer, and asks.
//
// Links can't be seen through Jupyter's API. A link to a folder is that folder, and one to a file counts by that file's content, so that
// nothing is written over through it but what was handed out. One that leads nowhere looks like nothing; the file is written to where
// it leads or, if that can't be, laid beside.
func Deliver(ctx context.Context, to Target, bundle Bundle) (Delivered, error) {
	if err := bundle.check(); err != nil {
		return Delivered{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, deliverTime, errLate)
	defer cancel()
	d := &delivery{contents: openContents(to), folders: map[string]bool{".": true}}
	var delivered Delivered
	var refused []error
	for _, file := range bundle.Files {
		placed, err := d.place(ctx, file)
		switch {
		case err == nil:
			delivered.Files = append(delivered.Files, placed)
		case isRefusal(err) && ctx.Err() == nil:
			refused = append(refused, fault.Wrap(err, fault.Unavailable, "The session's server doesn't take %s.", fault.Quote(file.Path)))
		default:
			return delivered, errors.Join(explain(err), errors.Join(refused...))
		}
	}
	return delivered, errors.Join(refused...)
}

// explain returns the fault for an error that ends a delivery.
func explain(err error) error {
	if isNonsense(err) {
		return fault.Wrap(err, fault.BadUpstream, "The session's server gave an answer that can't be used.")
	}
	return fault.Wrap(err, fault.Unavailable, "The session's server isn't responding.")
}

// delivery is a delivery to one session.
type delivery struct {
	*contents

	folders map[string]bool // whether they are there, as far as that was asked
}

// place puts a file into the session. The look at its path comes last before the save, so that little can happen in between.
func (d *delivery) place(ctx context.Context, file File) (Placed, error) {
	folder, err := d.makeFolders(ctx, path.Dir(file.Path))
	if err != nil {
		return Placed{}, err
	}
	open := false
	if len(file.Before) > 0 {
		if open, err = d.isOpen(ctx, file.Path); err != nil {
			return Placed{}, err
		}
	}
	beside, isBeside, err := d.findBeside(ctx, file, folder)
	if err != nil {
		return Placed{}, err
	}
	besides := Placed{Path: file.Path, At: beside, How: Beside}
	if folder != path.Dir(file.Path) {
		return d.save(ctx, file, besides, isBeside)
	}
	here, err := d.look(ctx, file.Path)
	if err != nil {
		return Placed{}, err
	}
	placed := Placed{Path: file.Path, At: file.Path}
	switch {
	case here.is(file):
		placed.How = There
		return placed, nil
	case isBeside: // since an earlier delivery of it, when something else was at its path, or a kernel worked for it
		return besides, nil
	case here.state == absent:
		placed.How = New
	case here.state == known && !open && slices.Contains(file.Before, Digest(here.content)):
		placed.How = Replaced
	default:
		return d.save(ctx, file, besides, false)
	}
	saved, err := d.save(ctx, file, placed, false)
	if !isRefusal(err) {
		return saved, err
	}
	if here, err = d.look(ctx, file.Path); err != nil || here.is(file) {
		return placed, err
	}
	return d.save(ctx, file, besides, false)
}

// save saves a file where it is to be placed, unless it is there.
func (d *delivery) save(ctx context.Context, file File, placed Placed, isThere bool) (Placed, error) {
	if isThere {
		return placed, nil
	}
	if placed.At == "" {
		return placed, errTooManyCopies
	}
	var err error
	placed.Kept, err = d.contents.save(ctx, placed.At, file.Content)
	return placed, err
}

// is reports whether what was found is the content of a file.
func (f found) is(file File) bool { return f.state == known && bytes.Equal(f.content, file.Content) }

// findBeside returns the first path beside a file's own, in a folder, that is free or has its content already; "" if there is none.
func (d *delivery) findBeside(ctx context.Context, file File, folder string) (at string, isThere bool, err error) {
	for number := 1; number <= besideLimit; number++ {
		at = path.Join(folder, besideName(path.Base(file.Path), number))
		here, err := d.look(ctx, at)
		if err != nil || here.state == absent || here.is(file) {
			return at, here.is(file), err
		}
	}
	return "", false, nil
}

var errTooManyCopies = errors.New("there are too many copies of the file")

// makeFolders makes a folder with those above it. It returns the folder, or, where something else has the name of one of them, the
// last that is there.
func (d *delivery) makeFolders(ctx context.Context, folder string) (string, error) {
	there, done := ".", ""
	for part := range strings.SplitSeq(folder, "/") {
		done = path.Join(done, part)
		isThere, asked := d.folders[done]
		if !asked {
			var err error
			if isThere, err = d.makeFolder(ctx, done); err != nil {
				return "", err
			}
			d.folders[done] = isThere
		}
		if !isThere {
			return there, nil
		}
		there = done
	}
	return there, nil
}
