package engine

import (
	"context"
	"io"
	"time"
)

// Versioner is an engine that keeps versions of its sessions' work: states of the work folder that can be looked into and
// brought back, whatever the session's phase is and even after Retire. Paths are relative to the work folder, with slashes,
// as bytes: names need not be valid UTF-8; "" is the folder itself.
//
// The work of an engine that is none is what its folder holds now: it has no earlier states, every end of a session is a Stop, and
// a deleted session is removed at once.
//
// Whether an engine keeps versions may depend on what is installed elsewhere. Such an engine has a method KeepsVersions() bool too; while
// it reports false, the engine counts as none.
type Versioner interface {
	Engine

	// Versions returns versions of a session, newest first, and how many there are in all. NotFound for unknown sessions.
	Versions(ctx context.Context, id string, filter VersionFilter) (versions []Version, total int, err error)

	// Version returns one version of a session; NotFound.
	Version(ctx context.Context, id, version string) (Version, error)

	// SaveVersion makes a version of the work as it is now, with a name (1 to 200 characters): such versions are kept as
	// long as the session. Unavailable says why nothing can be saved, such as a full disk or a reached quota.
	SaveVersion(ctx context.Context, id, name string) (Version, error)

	// VersionFiles returns what is in a folder of a version, folders first, then by name; NotFound if there is no such
	// folder.
	VersionFiles(ctx context.Context, id, version, path string) ([]VersionFile, error)

	// OpenVersion opens a file of a version; NotFound if there is no such file, or if it is a link. An empty version means
	// the present state; that of retired sessions is their last version.
	OpenVersion(ctx context.Context, id, version, path string) (VersionContent, error)

	// ArchiveVersion writes a version as Archive writes the present state, which is that of the last version for retired
	// sessions.
	ArchiveVersion(ctx context.Context, id, version string, w io.Writer) error

	// ExportWork writes all of a version, in a form that ImportWork of another engine reads. An error cuts it, and ImportWork notices.
	ExportWork(ctx context.Context, id, version string, w io.Writer) error

	// ImportWork makes the work of a session that was never started, which its first launch then goes on with. What an earlier call left
	// is replaced. Conflict if the session was started; Unavailable says why the work can't be written.
	ImportWork(ctx context.Context, id, owner string, r io.Reader) error

	// RestoreVersion brings a file, a folder or everything back, and returns the path that was written. In place, it first
	// makes a version of the present state, and it leaves alone what versions leave out, so nothing is lost. NotFound if the
	// version has no such path; Unavailable says why it can't be written. A retired session has to be started first.
	RestoreVersion(ctx context.Context, id string, restore Restore) (path string, err error)

	// StopBecause is Stop, and says why for the version that the stop makes: VersionStop or VersionIdle.
	StopBecause(ctx context.Context, id string, cause VersionCause) error

	// Retire stops the session, completes its last version, and then deletes its work; its versions stay, and Start makes
	// the work anew from the last one. The engine still lists it, as Ended. If its last version can't be made, the work stays
	// too, until Retire is called again or Remove. Unknown sessions: nil. Remove ends all of it, its versions included.
	Retire(ctx context.Context, id string) error

	// Unretire takes Retire back: the session's versions no longer go first when room is needed, and its work is made anew
	// from the last of them, so that something can be restored into it before it is started. It returns once the first is
	// recorded. Unknown sessions, and those that weren't retired: nil.
	Unretire(ctx context.Context, id string) error

	// AssignOwner says who owns a session that Start was given without an owner, which begins to have versions; a Status says that
	// it is Unowned. Unknown sessions, batch sessions, and those that have an owner: nil, and nothing changes.
	AssignOwner(ctx context.Context, id, owner string) error

	// History returns what the versions of an owner's sessions take.
	History(ctx context.Context, owner string) (History, error)

	// LimitHistory says how many bytes the versions of an owner may take on this engine from now on, because others have some of the
	// quota; 0: no limit. It is forgotten when the engine is closed, and holds besides the engine's own limit.
	LimitHistory(ctx context.Context, owner string, bytes int64) error
}

// VersionCause says why a version was made.
type VersionCause string

// The causes.
const (
	VersionTimer   VersionCause = "timer"   // the work had changed
	VersionStop    VersionCause = "stop"    // the session was stopped by its user or the operators, or ended on its own
	VersionIdle    VersionCause = "idle"    // it was stopped because nothing happened in it
	VersionLimit   VersionCause = "limit"   // it was stopped because it used too much
	VersionRestore VersionCause = "restore" // before another version was restored in place
	VersionNamed   VersionCause = "named"   // its user asked for it
	VersionLost    VersionCause = "lost"    // found after a crash
)

// Version is a state of a session's work.
type Version struct {
	ID          string // a UUID; later versions have later ids
	At          time.Time
	Cause       VersionCause
	Name        string // of VersionNamed
	Files       int
	Bytes       int64 // of its files
	StoredBytes int64 // that it added to what its owner's versions take
	Added       int   // files since the version before
	Modified    int
	Deleted     int
	LeftOut     []LeftOut // paths that aren't in it, and why, bounded as ShortLeftOut does
}

// VersionFilter chooses versions.
type VersionFilter struct {
	Path         string // only versions in which this file is new, changed or gone; "": all
	Offset, Most int
}

// VersionFile is a file or folder of a version.
type VersionFile struct {
	Name     string // as bytes
	Folder   bool
	Link     bool // a symbolic link
	Bytes    int64
	Modified time.Time
}

// VersionContent is an open file of a version.
type VersionContent struct {
	io.ReadSeekCloser

	Bytes    int64
	Modified time.Time
	Digest   string // SHA-256 in hexadecimal of the list of its chunks; equal for equal content of one owner. Empty for the present state
}

// Restore says what is brought back.
type Restore struct {
	Version string
	Path    string
	InPlace bool // replaces what is there; else it is put beside it, with the version's time in its name
}

// History is what the versions of an owner take.
type History struct {
	StoredBytes int64
	QuotaBytes  int64 // 0: none
}

// Saving is the state of a session's versions, as a Versioner's Status reports it.
type Saving struct {
	At       time.Time // of the last version; zero: none yet
	Versions int
	Stopped  string // a sentence about why no versions are made at the moment; "" while they are
	Retired  bool   // its work is in its versions alone

	// Restored are the paths that were last restored in place since the session came to Running, newest last, so that pages
	// that show an earlier state can tell; "" is everything. AddRestored bounds it.
	Restored []RestoredPath
}

// RestoredPath is a path that was restored in place.
type RestoredPath struct {
	Path string // in the work folder, as bytes
	At   time.Time
}
