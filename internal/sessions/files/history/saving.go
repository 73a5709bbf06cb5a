package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

const (
	savingTime  = 30 * time.Minute // how long one version may take
	closingTime = 10 * time.Second // how long it may continue when the engine is closed
)

// hasVersions reports whether versions are made of the work as it is in the folder.
func (w *Work) hasVersions() bool {
	state := w.session.State()
	return state.Owner != "" && !state.Batch && state.Phase != "" && !state.Gone && !w.IsPending()
}

// isDue reports whether a version has to be made now, so that no change gets older than Versions.Every.
func (w *Work) isDue() bool {
	if !w.hasVersions() {
		return false
	}
	every, between := w.manager.options.Versions.Every, w.manager.options.Interval
	w.mu.Lock()
	defer w.mu.Unlock()
	since := w.manager.options.Now().Sub(w.lookedAt)
	return w.lookedAt.IsZero() || since < 0 || since >= every-min(between, every/2)
}

// isLost reports whether the session ended without a last version: the server was killed, or couldn't save.
func (w *Work) isLost() bool {
	switch w.session.State().Phase {
	case engine.Ended, engine.Failed, engine.Full:
		return w.Record().Unsaved && w.hasVersions()
	case engine.Starting, engine.Running:
	}
	return false
}

// cause returns why a version is made: another one after a crash.
func (w *Work) cause(usual engine.VersionCause) engine.VersionCause {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unchecked {
		return engine.VersionLost
	}
	return usual
}

// SaveChanged makes a version of a running session if one is due and something changed, and returns what its folders take.
func (w *Work) SaveChanged(ctx context.Context) map[string]versions.Usage {
	if !w.isDue() {
		return nil
	}
	saved, err := w.save(ctx, w.cause(engine.VersionTimer), "")
	if err != nil {
		return nil // the folders are measured as without versions
	}
	return saved.Usage
}

// SaveStopped makes the last version of a session whose processes have ended. It takes up to half an hour, and ends early when
// the engine is closed. An error is logged, and Saving says it, too.
func (w *Work) SaveStopped(cause engine.VersionCause) error {
	if !w.hasVersions() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), savingTime)
	defer cancel()
	defer context.AfterFunc(w.manager.options.Closing, func() { time.AfterFunc(closingTime, cancel) })()
	_, err := w.save(ctx, w.cause(cause), "")
	if err == nil {
		w.mu.Lock()
		w.record.Unsaved = false
		w.mu.Unlock()
		if store, done, err := w.store(); err == nil {
			store.Forget(w.session.ID())
			done()
		}
	}
	return err
}

// save makes a version unless nothing changed; one with a name in any case.
func (w *Work) save(ctx context.Context, cause engine.VersionCause, name string) (versions.Saved, error) {
	w.files.Lock()
	defer w.files.Unlock()
	return w.saveFiles(ctx, cause, name)
}

// saveFiles makes a version, if necessary after making room for it. w.files must be held.
func (w *Work) saveFiles(ctx context.Context, cause engine.VersionCause, name string) (versions.Saved, error) {
	saved, err := w.trySave(ctx, cause, name)
	if err != nil && (errors.Is(err, versions.ErrQuota) || errors.Is(err, versions.ErrFull)) && w.manager.makeRoom(ctx, w, err) {
		saved, err = w.trySave(ctx, cause, name)
	}
	if w.session.State().Gone || err != nil && ctx.Err() != nil {
		return saved, err
	}
	changed, record := w.noteSaved(saved, err)
	if err != nil {
		w.manager.options.Logger.Warn("no version of a session's work can be made", "session", w.session.ID(), "cause", cause, "error", err)
	}
	if record {
		w.saveRecord()
	}
	if changed {
		w.manager.options.Changed()
	}
	return saved, err
}

// noteSaved notes what came of making a version. It reports whether people have to know, and whether the record has to be
// written: a backup reads it.
func (w *Work) noteSaved(saved versions.Saved, err error) (changed, record bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.stopped
	w.lookedAt = w.manager.options.Now()
	if err != nil {
		w.stopped = w.manager.stoppedSaving(err)
		return saved.Changed || w.stopped != before, false
	}
	w.stopped, w.unchecked = "", false
	w.record.SavedAt = saved.Version.At
	if saved.Changed {
		w.record.Saved++
		partial := slices.ContainsFunc(saved.Version.LeftOut, irretrievable) || saved.Version.MoreLeftOut > 0
		record = w.record.Saved == 1 || w.record.Partial != partial
		w.record.Partial = partial
	}
	return saved.Changed || before != "", record
}

// saveRecord writes the session's record where nobody can be told that it fails.
func (w *Work) saveRecord() {
	if err := w.session.Save(); err != nil {
		w.manager.options.Logger.Error("a session's record cannot be written", "session", w.session.ID(), "error", err)
	}
}

func (w *Work) trySave(ctx context.Context, cause engine.VersionCause, name string) (saved versions.Saved, err error) {
	options := w.manager.options
	if options.Disk.IsFull() && (cause == engine.VersionTimer || cause == engine.VersionNamed) && !w.manager.makeRoom(ctx, w, errReserve) {
		return saved, errReserve
	}
	store, done, err := w.manager.stores.use(w.folder(), true)
	if err != nil {
		return saved, err
	}
	defer done()
	folder, err := os.OpenRoot(w.session.Folder())
	if err != nil {
		return saved, err
	}
	defer folder.Close()
	request := versions.Request{
		Line: w.session.ID(), Cause: string(cause), Name: name, Always: name != "", FileBytes: options.Versions.FileLimit,
		Entries: options.Entries, StoredBytes: w.manager.quota(w.folder()),
	}
	owner := os.Geteuid()
	for _, one := range keptRoots {
		root, err := openKept(folder, one.Name)
		if err != nil {
			return saved, err
		}
		if root != nil {
			defer root.Close()
			if owner, err = filetree.Owner(root); err != nil {
				return saved, err
			}
		}
		one.Folder = root
		request.Roots = append(request.Roots, one)
	}
	err = runAsAccount(owner, func() error {
		saved, err = store.Save(ctx, request)
		return err
	})
	if err == nil && saved.Changed {
		saved.Version, err = store.Get(saved.Version.ID) // with what is left out
	}
	return saved, err
}

// irretrievable reports whether nobody can make again what is left out.
func irretrievable(one versions.LeftOut) bool {
	return one.Reason != versions.Cache && one.Reason != versions.Checkpoint && one.Reason != versions.Special
}

// runAsAccount runs work with the rights of an account for files, unless that is our own.
func runAsAccount(account int, work func() error) error {
	if account == os.Geteuid() {
		return work()
	}
	return filetree.As(account, work)
}

// keptRoots are the folders of a session that are in versions.
var keptRoots = []versions.Root{
	{Name: folders.Home, LeaveOut: leaveOutOfHome},
	{Name: folders.Work, LeaveOut: leaveOutOfWork},
}

// openKept opens one of them, which the session may have closed to itself; nil if there is none.
func openKept(folder *os.Root, name string) (*os.Root, error) {
	about, err := folder.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !about.IsDir() {
		return nil, nil
	}
	if err == nil && about.Mode().Perm()&0o700 != 0o700 {
		err = folder.Chmod(name, about.Mode().Perm()|0o700)
	}
	if err != nil {
		return nil, err
	}
	return folder.OpenRoot(name)
}

// leaveOutOfWork leaves out the datasets, and what programs make again.
func leaveOutOfWork(path string, isFolder bool) versions.Reason {
	if path == engine.DataFolder && isFolder {
		return versions.Elsewhere
	}
	return versions.LeaveOutCaches(path, isFolder)
}

// leaveOutOfHome keeps settings and packages: not what programs make again, nor what changes whenever a cell runs.
func leaveOutOfHome(path string, isFolder bool) versions.Reason {
	switch {
	case path == ".local/share/jupyter/runtime", path == ".npm", path == ".conda/pkgs", path == ".ipython/profile_default/security",
		path == ".ipython/profile_default/pid", strings.HasPrefix(path, ".ipython/profile_default/history.sqlite"),
		strings.HasPrefix(path, ".local/share/jupyter/nbsignatures.db"):
		return versions.Cache
	}
	return versions.LeaveOutCaches(path, isFolder)
}
