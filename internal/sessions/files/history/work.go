package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

// Session is the session whose work has versions.
type Session interface {
	// ID returns its id.
	ID() string
	// Folder returns the path of its folder.
	Folder() string
	// State returns what it's doing.
	State() State
	// Save writes the session's record, with what Record returns.
	Save() error
	// Discard moves what is left of its folders to where it's deleted.
	Discard() error
	// MakeFolders makes empty folders that belong to the session's account, in place of what is left of others, and opens the
	// folder that they are in.
	MakeFolders() (*os.Root, error)
	// Enqueue runs do after all that the session was asked for before, unless the engine is closed.
	Enqueue(do func(context.Context) error)
	// Remove deletes the session with its versions, and returns when that is done or the context ends.
	Remove(ctx context.Context) error
}

// State is what a session is doing.
type State struct {
	Owner    string // empty: nobody's
	Batch    bool
	Phase    engine.Phase // empty: it was never started
	Wanted   bool         // the last request is a start, and nothing ended it
	Removing bool
	Gone     bool // removed
}

// Record is what is known about the versions of a session. It's part of the session's record.
type Record struct {
	History        string          // the name of the folder of its owner's versions; empty: none was made yet
	Saved          int             // how many versions it has, as far as is known
	SavedAt        time.Time       // when the last one was made
	Partial        bool            // the last one left out something that nobody can make again, such as a file that is too large
	Unsaved        bool            // it ran since its last version that was made of ended processes
	PendingRestore *RestoreRequest `json:"Bring"` // what its folders are to be made from before anything else is done with them; nil: they are its work
	Imported       bool            // its first work came from another engine, and is there
	RetiredAt      time.Time       // when that was left to its versions
	Restored       []RestoredPath  // as in engine.Saving
}

// isRetired reports whether the session of this id left its work to its versions.
func (r Record) isRetired(id string) bool {
	return r.PendingRestore != nil && r.PendingRestore.Session == id && !r.RetiredAt.IsZero()
}

// RestoreRequest names the version that a session's folders are made from before anything else is done with them. What is in
// them until then isn't worth anything.
type RestoreRequest struct {
	Session string // whose version it is: the session itself if it was retired
	Version string // or Latest
}

// Latest stands for the last version of the session, whatever that is.
const Latest = "last"

// RestoredPath is engine.RestoredPath; JSON has no bytes but text.
type RestoredPath struct {
	Path string // as versions.EscapePath writes it
	At   time.Time
}

// Work is the work of one session, with its versions.
type Work struct {
	manager *Manager
	session Session

	// files is held while a version is made or restored.
	files sync.Mutex

	// mu guards the fields below. No method of the session is called while it's held: a session that holds its own lock may
	// call the methods that only read or change them.
	mu        sync.Mutex
	record    Record
	lookedAt  time.Time // when the files were last compared with the last version; zero: never
	unchecked bool      // they haven't been since a crash, after which what changed was nearly lost
	stopped   string    // as in engine.Saving
}

// NewWork returns the work of a session, of which nothing is known yet.
func (m *Manager) NewWork(session Session) *Work { return &Work{manager: m, session: session} }

// Record returns what is known about the versions.
func (w *Work) Record() Record {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.record
}

// Load takes what an earlier engine knew. After a crash, what changed since the last version was nearly lost.
func (w *Work) Load(record Record, crashed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.record, w.unchecked = record, crashed
}

// change changes the record and saves it; if that fails, undo takes the change back.
func (w *Work) change(do, undo func(*Record)) error {
	w.mu.Lock()
	do(&w.record)
	w.mu.Unlock()
	err := w.session.Save()
	if err != nil {
		w.mu.Lock()
		undo(&w.record)
		w.mu.Unlock()
	}
	return err
}

// Request makes the next launch begin with a version of another session; only a session that was never started may.
func (w *Work) Request(from engine.FromVersion) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.record.PendingRestore = &RestoreRequest{Session: from.Session, Version: from.Version}
}

// IsPending reports whether the folders are to be made from a version before anything else is done with them.
func (w *Work) IsPending() bool { return w.Record().PendingRestore != nil }

// BeginLaunch forgets when the files were last looked at.
func (w *Work) BeginLaunch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lookedAt, w.unchecked = time.Time{}, false
}

// BeginRun notes that the files will change from now on. An empty owner means that they have no versions.
func (w *Work) BeginRun(owner string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.record.Unsaved, w.record.Restored = true, nil
	w.name(owner)
}

// name names the folder of the owner's versions, which stays the same when the owner's address changes. w.mu must be held.
func (w *Work) name(owner string) {
	if w.record.History == "" && owner != "" {
		w.record.History = folderOf(owner)
	}
}

// SetOwner makes an owner that of all versions; undo takes that back.
func (w *Work) SetOwner(owner string) (undo func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.name(owner)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.record.History = ""
	}
}

// folder returns the name of the folder of the owner's versions; "" without an owner.
func (w *Work) folder() string {
	state := w.session.State()
	if state.Batch {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.name(state.Owner)
	return w.record.History
}

// store opens the versions of the session's owner; NotFound if there are none.
func (w *Work) store() (store *versions.Store, done func(), err error) {
	name := w.folder()
	if name == "" {
		return nil, nil, errNoVersion
	}
	store, done, err = w.manager.stores.use(name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errNoVersion
	}
	if err != nil {
		return nil, nil, readingFault(err)
	}
	return store, done, nil
}

// version returns a version of the session: others of its owner's sessions aren't found.
func (w *Work) version(store *versions.Store, id string) (versions.Version, error) {
	found, err := store.Get(id)
	if err == nil && found.Line != w.session.ID() {
		err = errNoVersion
	}
	return found, err
}

// latestVersion returns the session's last version.
func (w *Work) latestVersion(store *versions.Store) (versions.Version, error) {
	found, _, err := store.List(context.Background(), w.session.ID(), versions.Filter{Most: 1})
	if err == nil && len(found) == 0 {
		err = errNoVersion
	}
	if err != nil {
		return versions.Version{}, readingFault(err)
	}
	return found[0], nil
}

// Saving returns the state of the versions.
func (w *Work) Saving() engine.Saving {
	w.mu.Lock()
	record, stopped := w.record, w.stopped
	w.mu.Unlock()
	saving := engine.Saving{At: record.SavedAt, Versions: record.Saved, Stopped: stopped, Retired: record.isRetired(w.session.ID())}
	for _, one := range record.Restored {
		if path, err := versions.UnescapePath(one.Path); err == nil {
			saving.Restored = append(saving.Restored, engine.RestoredPath{Path: path, At: one.At})
		}
	}
	return saving
}

// PendingVersion returns the version of its own that the work is made from at the next launch; "" if its folder has the work.
func (w *Work) PendingVersion() string {
	pending := w.Record().PendingRestore
	if pending == nil || pending.Session != w.session.ID() {
		return ""
	}
	if pending.Version != Latest {
		return pending.Version
	}
	store, done, err := w.store()
	if err != nil {
		return pending.Version // which isn't found
	}
	defer done()
	if last, err := w.latestVersion(store); err == nil {
		return last.ID
	}
	return pending.Version
}

// Delete deletes the versions of the session for good.
func (w *Work) Delete() error {
	name := w.Record().History
	if name == "" {
		return nil
	}
	store, done, err := w.store()
	if errors.Is(err, errNoVersion) {
		return nil
	}
	if err != nil {
		return err
	}
	defer done()
	if err := store.DeleteLine(w.session.ID()); err != nil {
		return readingFault(err)
	}
	w.manager.sweepSoon(name)
	return nil
}

// openWork opens the work folder, and returns the account that owns it.
func (w *Work) openWork() (root *os.Root, owner int, err error) {
	folder, err := os.OpenRoot(w.session.Folder())
	if err != nil {
		return nil, 0, err
	}
	defer folder.Close()
	root, err = openKept(folder, folders.Work)
	if err == nil && root == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, 0, err
	}
	if owner, err = filetree.Owner(root); err != nil {
		_ = root.Close()
	}
	return root, owner, err
}
