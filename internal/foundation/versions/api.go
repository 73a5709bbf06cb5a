package versions

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// What can go wrong. All errors of this package that have such a reason match it with errors.Is, and what the system said too.
var (
	ErrNotFound = errors.New("there is no such version, or no such path in it")
	ErrInUse    = errors.New("another process uses these versions")
	ErrQuota    = errors.New("the versions take as much as they may")
	ErrFull     = errors.New("the disk is full")
	ErrReadOnly = errors.New("the disk can't be written")
	ErrDamaged  = errors.New("a part of the versions is missing or isn't what was written")
	ErrExists   = errors.New("there is something of that name already")
	ErrClosed   = errors.New("the versions are closed")
)

// Options are how a store works.
type Options struct {
	Now func() time.Time // nil: time.Now
}

// Store has all versions of one owner, in a folder of its own. Its methods may be called at the same time, also within
// filetree.As: it uses its own files with the rights of this process in any case.
type Store struct{ storeState }

// Open opens the store in a folder, which it makes (0700) if it is missing. ErrInUse if another process, or another Store
// of this one, has it open. What a crash left unfinished is dropped.
func Open(folder string, options Options) (*Store, error) { return open(folder, options) }

// Close ends the use of a store, after the calls under way. It never loses a version.
func (s *Store) Close() error { return s.close() }

// Reason says why something isn't in a version.
type Reason string

// The reasons. Only Elsewhere isn't told, nor counted in Usage.
const (
	Cache      Reason = "cache"      // it is recreated when needed
	Checkpoint Reason = "checkpoint" // of Jupyter, which versions replace
	TooLarge   Reason = "too-large"  // the file has more bytes than Request.FileBytes
	Special    Reason = "special"    // a pipe, a socket or a device
	Changing   Reason = "changing"   // the file changed each time it was read; if it is in the version before, that content is kept
	Unreadable Reason = "unreadable" // its permissions close it, or the disk can't read it
	TooDeep    Reason = "too-deep"   // more than filetree.MaxDepth folders inside each other
	TooMany    Reason = "too-many"   // beyond Request.Entries; the path is "" then, for everything else
	Elsewhere  Reason = "elsewhere"  // it belongs to somebody else, such as datasets
)

// LeftOut is a path that isn't in a version.
type LeftOut struct {
	Path   string `json:"path"` // as everywhere; as EscapePath writes it in JSON
	Reason Reason `json:"reason"`
}

// Root is a folder that is saved under a name, as the topmost folder of a version. Paths in versions begin with the name,
// such as work/repo/a.ipynb; they are bytes with slashes, and "" is the folder of all roots.
type Root struct {
	Name   string   // without slashes, such as "work"
	Folder *os.Root // nil: there is none at the moment, and the version has none
	// LeaveOut says what isn't saved, given the path below the root; "" is saved. nil: LeaveOutCaches.
	LeaveOut func(path string, isFolder bool) Reason
}

// Request is what Save saves.
type Request struct {
	Line  string // whose versions these are, such as a session's id: any text of 1 to 200 bytes
	Cause string // any text, as a version has it later
	Name  string // likewise
	Roots []Root
	// Always makes a version even if nothing changed since the last one of the line.
	Always bool
	// FileBytes is how many bytes a file may have without its holes; 0: any.
	FileBytes int64
	// Entries is how many files, folders and links all roots may have; 0: a million.
	Entries int
	// StoredBytes is how much the store may take afterwards; 0: anything. Beyond it, Save returns ErrQuota.
	StoredBytes int64
}

// Usage is what a root takes on the disk, left out or not.
type Usage struct {
	Bytes   int64     // on the disk, each file, folder and link at least 4 KiB; a file with several names counts for each
	Files   int       // including folders and everything else, without the root itself
	Changed time.Time // when something in it last changed; times that programs can set don't count
	Err     error     // filetree.ErrTooMany or filetree.ErrTooDeep: the numbers are of what was seen until then
}

// Saved is what Save found.
type Saved struct {
	Version Version // the new one, or the line's last one if nothing changed
	Changed bool    // false: nothing was written, because nothing changed but times
	Usage   map[string]Usage
}

// Save makes a version of the roots as they are now, which is complete and on the disk when it returns, or doesn't exist.
// Nothing changed if the paths, contents, permissions and targets of links are those of the line's last version. A file
// that hasn't changed since isn't read.
//
// Call it within filetree.As for folders of others. It never follows a link, waits for a pipe or reads a hole. On an error
// nothing is lost that was saved before, and the next Save may succeed; the Usage is returned with ErrQuota, ErrFull and
// ErrReadOnly too, as far as it is known.
func (s *Store) Save(ctx context.Context, request Request) (Saved, error) {
	return s.save(ctx, request)
}

// Forget drops what is in memory about the files of a line since its last Save: call it when its session has stopped.
func (s *Store) Forget(line string) { s.forget(line) }

// Version is a state of the roots.
type Version struct {
	ID          string // a UUID; later versions of a store have later ids, whatever the clock does
	Line        string
	At          time.Time
	Cause       string
	Name        string
	Roots       []RootCounts // in the order of their names
	StoredBytes int64        // that it added to the store
	LeftOut     []LeftOut    // at most 200; from Get alone
	MoreLeftOut int          // how many more there were
}

// RootCounts are the numbers of a root of a version.
type RootCounts struct {
	Name     string `json:"name"`
	Files    int    `json:"files"`           // regular files
	Bytes    int64  `json:"bytes"`           // of these, without holes
	Added    int    `json:"added,omitempty"` // files and links since the version before
	Modified int    `json:"modified,omitempty"`
	Deleted  int    `json:"deleted,omitempty"`
}

// Root returns the numbers of a root; zeros if the version hasn't got it.
func (v Version) Root(name string) RootCounts {
	for _, root := range v.Roots {
		if root.Name == name {
			return root
		}
	}
	return RootCounts{Name: name}
}

// Filter chooses versions.
type Filter struct {
	Path         string // only those in which this file or link is new, changed or gone since the version before; "": all
	Offset, Most int    // Most 0: none, for their number
}

// List returns versions of a line, newest first, and how many there are in all. None for an unknown line.
func (s *Store) List(ctx context.Context, line string, filter Filter) (versions []Version, total int, err error) {
	return s.list(ctx, line, filter)
}

// Get returns a version; ErrNotFound.
func (s *Store) Get(id string) (Version, error) { return s.get(id) }

// Line is a series of versions.
type Line struct {
	Name        string
	Versions    int
	Last        Version
	StoredBytes int64 // that its versions added, when they were made
}

// Lines returns all lines that have versions, by name.
func (s *Store) Lines() []Line { return s.lines() }

// StoredBytes returns how much the store takes on the disk, including what Sweep would free.
func (s *Store) StoredBytes() int64 { return s.storedBytes() }

// Kind is what a name in a version stands for.
type Kind byte

// The kinds.
const (
	File   Kind = 'f'
	Folder Kind = 'd'
	Link   Kind = 'l'
)

// Entry is a file, folder or link of a version.
type Entry struct {
	Name     string // as bytes
	Kind     Kind
	Mode     uint32 // permissions alone
	Bytes    int64  // of a file, holes included
	Holes    int64  // of these
	Modified time.Time
	Target   string // of a link
	Digest   string // of a file: 64 hexadecimal digits, equal for equal content; it isn't the SHA-256 of the content
}

// Files returns what is in a folder of a version, folders first, then by name; ErrNotFound.
func (s *Store) Files(id, folder string) ([]Entry, error) { return s.files(id, folder) }

// Stat returns one entry of a version; ErrNotFound.
func (s *Store) Stat(id, path string) (Entry, error) { return s.stat(id, path) }

// Content is an open file of a version. Every part of it is compared with its digest before it is returned.
type Content struct {
	io.ReadSeekCloser

	Entry Entry
}

// Open opens a file of a version; ErrNotFound if there is no file of that path.
func (s *Store) Open(id, path string) (*Content, error) { return s.openFile(id, path) }

// Walk calls visit for everything in a folder of a version, or for the one file, folders before what is in them, by name;
// open is for files. If visit returns fs.SkipDir for a folder, it isn't entered; any other error ends the walk.
func (s *Store) Walk(ctx context.Context, id, path string, visit func(path string, entry Entry, open func() *Content) error) error {
	return s.walk(ctx, id, path, visit)
}

// Restored is what Restore has written.
type Restored struct {
	Files, Folders, Links int
	Bytes                 int64
}

// Restore writes a file, a folder or a link of a version into a folder, at a path below it, whose parents must exist.
// A file or link replaces a file or link of that name at once (temporary name, then rename), and a folder is merged with
// what is there: files that aren't in the version stay. With Delete set, those go, after all else was written. ErrExists if
// a folder is where a file should be, or the reverse; ErrNotFound.
//
// Call it within filetree.As for folders of others: whoever runs it owns what is written. Permissions (without set-user-ID
// and set-group-ID), times, links and holes are those of the version. It follows no link, also not in at.
func (s *Store) Restore(ctx context.Context, id, path string, into *os.Root, at string, options RestoreOptions) (Restored, error) {
	return s.restore(ctx, id, path, into, at, options)
}

// RestoreOptions are how Restore works.
type RestoreOptions struct {
	// Exclusive returns ErrExists if anything is at the path.
	Exclusive bool
	// Delete removes what is in the folder and not in the version. Keep spares paths below it, such as what versions leave
	// out; nil: everything that LeaveOutCaches names.
	Delete bool
	Keep   func(path string, isFolder bool) bool
}

// Delete deletes versions for good: Sweep makes their content unreadable. Unknown ids are skipped.
func (s *Store) Delete(ids ...string) error { return s.deleteVersions(ids, true) }

// DeleteLine deletes all versions of a line likewise.
func (s *Store) DeleteLine(line string) error { return s.deleteLine(line) }

// Policy says which versions are kept besides the last of each line and those with a name.
type Policy struct {
	All    time.Duration // everything of this time, such as 24 h
	Hourly time.Duration // the last of each hour
	Daily  time.Duration // the last of each day (UTC)
}

// DefaultPolicy is everything of the last day, hourly for two days, daily for 30.
var DefaultPolicy = Policy{All: 24 * time.Hour, Hourly: 48 * time.Hour, Daily: 30 * 24 * time.Hour}

// Retain deletes the versions of all lines that a policy doesn't keep, and returns how many they were. Versions from the
// future, after the clock stepped back, are kept.
func (s *Store) Retain(policy Policy) (deleted int, err error) { return s.retain(policy) }

// Sweep frees what no version needs: packs of which more than half is unneeded, and all of what Delete and DeleteLine
// took. It reads trees only if something was deleted since the last time, so call it often: at most every hour is "real
// deletion". It waits for each Save under way, and does nothing while a
// Copy or a Verify is.
func (s *Store) Sweep(ctx context.Context) (freed int64, err error) { return s.sweep(ctx) }

// Verify reads everything that versions need, and compares it with its digests. The error is ErrDamaged with the first
// versions and paths concerned, at most 20.
func (s *Store) Verify(ctx context.Context) error { return s.verify(ctx) }

// Copy writes a store with all versions complete at this moment into an empty or missing folder, for a backup, while
// others are saved. Open opens it.
func (s *Store) Copy(ctx context.Context, folder string) error { return s.copyTo(ctx, folder) }
