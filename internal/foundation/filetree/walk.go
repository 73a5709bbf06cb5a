package filetree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// MaxDepth is the most levels of entries that a walk goes down. It holds a descriptor for each of them.
const MaxDepth = 200

// A tree beyond the limits of a walk.
var (
	ErrTooDeep = errors.New("folders are nested too deep")
	ErrTooMany = errors.New("there are too many files and folders")
)

// Limits bound a walk.
type Limits struct {
	Depth   int // of entries, 1 being those in the folder itself; at most MaxDepth, which 0 means
	Entries int // files, folders and all else; 0: no limit
}

// Entry is what a walk has come to: a file, a folder, a link or anything else. It is good until visit returns.
type Entry struct {
	Name  string
	Depth int         // 1 in the folder that is walked
	Stat  unix.Stat_t // of the entry itself, also if it is a link

	walk *walk
}

// IsFolder reports whether it is a folder.
func (e *Entry) IsFolder() bool { return e.Stat.Mode&unix.S_IFMT == unix.S_IFDIR }

// IsFile reports whether it is a regular file.
func (e *Entry) IsFile() bool { return e.Stat.Mode&unix.S_IFMT == unix.S_IFREG }

// Path returns the path below the folder that is walked, with slashes.
func (e *Entry) Path() string {
	var text strings.Builder
	for _, level := range e.walk.levels[1:] {
		text.WriteString(level.name)
		text.WriteByte('/')
	}
	text.WriteString(e.Name)
	return text.String()
}

// Open opens a regular file for reading; fs.ErrNotExist if it is another one by now.
func (e *Entry) Open() (*os.File, error) {
	// Without O_NONBLOCK, opening a pipe that took its place would wait for a writer.
	opened, err := openat(e.walk.folder(), e.Name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY)
	var about unix.Stat_t
	if err == nil {
		if err = unix.Fstat(opened, &about); err == nil && (about.Dev != e.Stat.Dev || about.Ino != e.Stat.Ino || !e.IsFile()) {
			err = fs.ErrNotExist
		}
		if err != nil {
			_ = unix.Close(opened)
		}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: e.Name, Err: err}
	}
	return os.NewFile(uintptr(opened), e.Name), nil
}

// Target returns what a link points to.
func (e *Entry) Target() (string, error) {
	for size := 256; ; size *= 4 {
		target := make([]byte, size)
		length, err := unix.Readlinkat(e.walk.folder(), e.Name, target)
		if err != nil {
			return "", &fs.PathError{Op: "readlink", Path: e.Name, Err: err}
		}
		if length < size {
			return string(target[:length]), nil
		}
	}
}

// Refresh looks at its name again, when another file may have taken it; fs.ErrNotExist if there is none.
func (e *Entry) Refresh() error {
	if err := unix.Fstatat(e.walk.folder(), e.Name, &e.Stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return &fs.PathError{Op: "stat", Path: e.Name, Err: err}
	}
	return nil
}

// Chown changes the owner and group of the entry; of a link, not of what it points to.
func (e *Entry) Chown(user, group int) error {
	if err := unix.Fchownat(e.walk.folder(), e.Name, user, group, unix.AT_SYMLINK_NOFOLLOW); err != nil && !vanished(err) {
		return &fs.PathError{Op: "chown", Path: e.Name, Err: err}
	}
	return nil
}

// walk is a walk under way.
type walk struct {
	limits Limits
	levels []level // the folders that it is in, the topmost first
	buffer []byte
	seen   int
}

type level struct {
	name   string
	folder int      // descriptor
	names  []string // read and not visited yet
}

func (w *walk) folder() int { return w.levels[len(w.levels)-1].folder }

// Walk calls visit for everything below a folder, for folders before what is in them. If visit returns fs.SkipDir for a
// folder, the walk doesn't go into it; any other error ends the walk. So do ErrTooDeep and ErrTooMany. What vanishes
// meanwhile, and what is closed to us, is left out; folders of the account that it runs in are opened up (u+rx).
//
// One entry costs a stat; the memory is that of 1,000 names for each level.
func Walk(ctx context.Context, root *os.Root, name string, limits Limits, visit func(*Entry) error) error {
	if limits.Depth <= 0 || limits.Depth > MaxDepth {
		limits.Depth = MaxDepth
	}
	top, err := openTop(root, name, reading)
	if err != nil {
		return err
	}
	w := &walk{limits: limits, levels: []level{{folder: top}}, buffer: make([]byte, batchBytes)}
	defer func() {
		for len(w.levels) > 0 {
			w.leave()
		}
	}()
	for len(w.levels) > 0 {
		name, err := w.next()
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && name != "" {
			err = w.visit(name, visit)
		}
		if err != nil {
			return err
		}
		if name == "" {
			w.leave()
		}
	}
	return nil
}

// next returns the next name of the folder that the walk is in; "" at its end.
func (w *walk) next() (name string, err error) {
	current := &w.levels[len(w.levels)-1]
	if len(current.names) == 0 {
		current.names, err = readNames(current.folder, w.buffer)
		if vanished(err) {
			err = nil // the folder was removed
		}
	}
	if err != nil || len(current.names) == 0 {
		return "", err
	}
	name, current.names = current.names[0], current.names[1:]
	return name, nil
}

func (w *walk) leave() {
	last := len(w.levels) - 1
	_ = unix.Close(w.levels[last].folder)
	w.levels = w.levels[:last]
}

func (w *walk) visit(name string, visit func(*Entry) error) error {
	if w.seen++; w.limits.Entries > 0 && w.seen > w.limits.Entries {
		return ErrTooMany
	}
	entry := &Entry{Name: name, Depth: len(w.levels), walk: w}
	if entry.Depth > w.limits.Depth {
		return ErrTooDeep
	}
	if err := unix.Fstatat(w.folder(), name, &entry.Stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return unlessGone(err)
	}
	err := visit(entry)
	if !entry.IsFolder() || err != nil {
		if errors.Is(err, fs.SkipDir) {
			err = nil
		}
		return err
	}
	folder, err := openFolder(w.folder(), name, reading)
	if err == nil {
		w.levels = append(w.levels, level{name: name, folder: folder})
	}
	return unlessGone(err)
}

// unlessGone drops the errors of what vanished or is closed to us.
func unlessGone(err error) error {
	if vanished(err) || closedToUs(err) {
		return nil
	}
	return err
}
