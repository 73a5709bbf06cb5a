package localjupyter

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/internal/filetree"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter/folders"
	"cairn/internal/versions"
)

// savingTime is how long one version may take; closingTime is how long it may continue when the engine is closed.
const savingTime = 30 * time.Minute

// savedState is what is known about the versions of a session in this process.
type savedState struct {
	lookedAt time.Time // when its files were last compared with its last version; zero: never
	first    bool      // they haven't been since a crash, after which what changed was nearly lost
	stopped  string    // as engine.Saving
}

// hasVersions requires the lock. It reports whether versions are made of the work as it is in the folder.
func (s *session) hasVersions() bool {
	return s.record.Spec.Owner != "" && s.record.Spec.Batch == nil && s.record.Bring == nil && s.record.Phase != "" && !s.gone
}

// isDue reports whether a version has to be made now, so that no change gets older than Versions.Every.
func (s *session) isDue() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	every, between := s.engine.options.Versions.Every, s.engine.options.WatchEvery
	since := s.engine.options.Now().Sub(s.saved.lookedAt)
	return s.hasVersions() && (s.saved.lookedAt.IsZero() || since < 0 || since >= every-min(between, every/2))
}

// saveChanged makes a version of a running session if something changed, and returns what its folders take.
func (s *session) saveChanged(ctx context.Context) map[string]versions.Usage {
	if !s.isDue() {
		return nil
	}
	s.mu.Lock()
	cause := engine.VersionTimer
	if s.saved.first {
		cause = engine.VersionLost
	}
	s.mu.Unlock()
	saved, err := s.saveVersion(ctx, cause, "")
	if err != nil {
		return nil // the folders are measured as without versions
	}
	return saved.Usage
}

// saveStopped makes the last version of a session whose processes have ended. It continues when the caller gives up.
func (s *session) saveStopped(cause engine.VersionCause) error {
	s.mu.Lock()
	wanted := s.hasVersions()
	if s.saved.first {
		cause = engine.VersionLost
	}
	s.mu.Unlock()
	if !wanted || s.engine.dead.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), savingTime)
	defer cancel()
	defer context.AfterFunc(s.engine.background, func() { time.AfterFunc(closingTime, cancel) })()
	_, err := s.saveVersion(ctx, cause, "")
	if err == nil {
		s.mu.Lock()
		s.record.Unsaved = false
		s.mu.Unlock()
		if store, done, err := s.history(); err == nil {
			store.Forget(s.id)
			done()
		}
	}
	return err
}

// saveVersion makes a version unless nothing changed; one with a name in any case.
func (s *session) saveVersion(ctx context.Context, cause engine.VersionCause, name string) (versions.Saved, error) {
	s.files.Lock()
	defer s.files.Unlock()
	return s.saveFiles(ctx, cause, name)
}

// saveFiles requires the lock of the files.
func (s *session) saveFiles(ctx context.Context, cause engine.VersionCause, name string) (versions.Saved, error) {
	saved, err := s.trySave(ctx, cause, name)
	if err != nil && (errors.Is(err, versions.ErrQuota) || errors.Is(err, versions.ErrFull)) && s.engine.makeRoomForVersions(ctx, s, err) {
		saved, err = s.trySave(ctx, cause, name)
	}
	if s.engine.dead.Load() {
		return saved, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, partial := s.saved.stopped, s.record.Partial
	if saved.Changed {
		partial = slices.ContainsFunc(saved.Version.LeftOut, irretrievable) || saved.Version.MoreLeftOut > 0
	}
	switch {
	case err == nil:
		s.saved.stopped, s.saved.first = "", false
		s.saved.lookedAt = s.engine.options.Now()
		s.record.SavedAt = saved.Version.At
		if saved.Changed {
			s.record.Saved++
		}
		if s.record.Saved == 1 && saved.Changed || s.record.Partial != partial { // a backup reads them
			s.record.Partial = partial
			if err := s.save(); err != nil {
				s.engine.options.Logger.Error("a session's record cannot be written", "session", s.id, "error", err)
			}
		}
	case ctx.Err() != nil:
		return saved, err
	default:
		s.saved.lookedAt = s.engine.options.Now()
		s.saved.stopped = s.engine.stoppedSaving(err)
		s.engine.options.Logger.Warn("no version of a session's work can be made", "session", s.id, "cause", cause, "error", err)
	}
	if saved.Changed || s.saved.stopped != before {
		s.engine.signal()
	}
	return saved, err
}

func (s *session) trySave(ctx context.Context, cause engine.VersionCause, name string) (saved versions.Saved, err error) {
	if s.engine.disks.IsFull() && (cause == engine.VersionTimer || cause == engine.VersionNamed) && !s.engine.makeRoomForVersions(ctx, s, errReserve) {
		return saved, errReserve
	}
	s.mu.Lock()
	owned := s.historyName()
	s.mu.Unlock()
	store, done, err := s.engine.histories.use(owned, true)
	if err != nil {
		return saved, err
	}
	defer done()
	folder, err := os.OpenRoot(s.folder)
	if err != nil {
		return saved, err
	}
	defer folder.Close()
	request := versions.Request{
		Line: s.id, Cause: string(cause), Name: name, Always: name != "", FileBytes: s.engine.options.Versions.FileLimit,
		Entries: s.engine.options.Limits.Files, StoredBytes: s.engine.options.Versions.Quota,
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
	err = as(owner, func() error {
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

// as runs work with the rights of an account for files, unless that is our own.
func as(account int, work func() error) error {
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

// saving requires the lock.
func (s *session) saving() engine.Saving {
	saving := engine.Saving{At: s.record.SavedAt, Versions: s.record.Saved, Stopped: s.saved.stopped}
	saving.Retired = s.record.Bring != nil && s.record.Bring.Session == s.id && !s.record.RetiredAt.IsZero()
	for _, one := range s.record.Restored {
		if path, err := versions.UnescapePath(one.Path); err == nil {
			saving.Restored = append(saving.Restored, engine.RestoredPath{Path: path, At: one.At})
		}
	}
	return saving
}

// markName is the file that says that an engine is open.
const markName = "open"

// noteCrash creates a mark that Close removes, and finds out whether an earlier engine left it because it was killed.
func (e *Engine) noteCrash() {
	file, err := os.OpenFile(filepath.Join(e.options.Dir, markName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = file.Close()
	}
	if e.crashed = errors.Is(err, fs.ErrExist); err != nil && !e.crashed {
		e.options.Logger.Warn("it can't be noted that this server runs, so a crash won't be noticed", "error", err)
	}
}

func (e *Engine) dropMark() { _ = os.Remove(filepath.Join(e.options.Dir, markName)) }
