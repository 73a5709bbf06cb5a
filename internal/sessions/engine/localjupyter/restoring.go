package localjupyter

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"cairn/internal/fault"
	"cairn/internal/filetree"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter/folders"
	"cairn/internal/versions"
)

// bring names the version that a session's folders are made from before anything else is done with them. What is in them
// until then isn't worth anything.
type bring struct {
	Session string // whose version it is: the session itself if it was retired
	Version string // or theLast
}

// theLast stands for the last version of the session, whatever that is.
const theLast = "last"

// lastVersion returns a session's last version.
func (s *session) lastVersion(store *versions.Store) (versions.Version, error) {
	found, _, err := store.List(context.Background(), s.id, versions.Filter{Most: 1})
	if err == nil && len(found) == 0 {
		err = errNoVersion
	}
	if err != nil {
		return versions.Version{}, readingFault(err)
	}
	return found[0], nil
}

// restoredPath is engine.RestoredPath; JSON has no bytes but text.
type restoredPath struct {
	Path string // as versions.EscapePath writes it
	At   time.Time
}

// RestoreVersion implements engine.Historian.
func (e *Engine) RestoreVersion(ctx context.Context, id string, restore engine.Restore) (written string, err error) {
	if err := checkPath(restore.Path); err != nil {
		return "", err
	}
	err = e.reading(id, func(known *session, store *versions.Store) error {
		written, err = known.restore(ctx, store, restore)
		return err
	})
	return written, err
}

func (s *session) restore(ctx context.Context, store *versions.Store, restore engine.Restore) (written string, err error) {
	found, err := s.version(store, restore.Version)
	if err == nil {
		_, err = store.Stat(restore.Version, inWork(restore.Path))
	}
	if err != nil {
		return "", pathFault(err, restore.Path)
	}
	s.files.Lock()
	defer s.files.Unlock()
	if err := s.mayRestore(); err != nil {
		return "", err
	}
	if restore.InPlace {
		if _, err := s.saveFiles(ctx, engine.VersionRestore, ""); err != nil {
			return "", fault.Wrap(err, fault.Unavailable, "Nothing was restored, because the present state can't be saved first. %s", s.engine.stoppedSaving(err))
		}
	}
	root, owner, err := s.openWork()
	if err != nil {
		return "", cannotRestore(err)
	}
	defer root.Close()
	written = restore.Path
	r := restoring{ctx: ctx, store: store, version: restore.Version, root: root, top: folders.Work, now: s.engine.options.Now(), keep: leaveOutOfWork}
	err = as(owner, func() error {
		if restore.InPlace {
			return r.replace(restore.Path)
		}
		written, err = r.beside(restore.Path, found.At)
		return err
	})
	if err == nil && restore.InPlace && restore.Path == "" && !s.live() { // programs have files there open, such as databases
		err = s.restoreHome(ctx, store, restore.Version)
	}
	if restore.InPlace {
		s.noteRestored(restore.Path)
	}
	if err != nil {
		return "", cannotRestore(err)
	}
	return written, nil
}

// mayRestore returns an error while the work folder isn't what its user sees.
func (s *session) mayRestore() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.gone || s.removal != nil:
		return unknownSession()
	case s.record.Bring != nil:
		return fault.New(fault.Unavailable, "The session's work isn't back yet. Bring the session back, and restore again in a moment.")
	case s.record.Phase == engine.Starting:
		return fault.New(fault.Unavailable, "The session is starting. Restore again in a moment.")
	case !s.hasVersions():
		return errNoVersion
	}
	return nil
}

// cannotRestore says why something can't be written.
func cannotRestore(err error) error {
	if _, told := errors.AsType[*fault.Fault](err); told {
		return err
	}
	switch {
	case folders.IsFull(err), errors.Is(err, versions.ErrFull):
		return fault.Wrap(err, fault.Unavailable, "It can't be restored: this server's disk is full. All versions are kept. Delete files, or tell the operators.")
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Unavailable, "It can't be restored: the permissions of a folder don't allow it. All versions are kept. Restore it beside the present one.")
	case errors.Is(err, versions.ErrDamaged):
		return fault.Wrap(err, fault.Unavailable, "It can't be restored: that part of the version is damaged. Try an earlier one, and tell the operators.")
	}
	return fault.Wrap(err, fault.Unavailable, "It couldn't be restored. All versions are kept: try again in a while.")
}

func (s *session) noteRestored(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := engine.AddRestored(s.saving().Restored, engine.RestoredPath{Path: name, At: s.engine.options.Now()})
	s.record.Restored = nil
	for _, one := range list {
		s.record.Restored = append(s.record.Restored, restoredPath{versions.EscapePath(one.Path), one.At})
	}
	if err := s.save(); err != nil {
		s.engine.options.Logger.Error("a session's record cannot be written", "session", s.id, "error", err)
	}
	s.engine.signal()
}

// restoring writes parts of a version into one of a session's folders.
type restoring struct {
	ctx     context.Context //nolint:containedctx // of one call
	store   *versions.Store
	version string
	root    *os.Root
	top     string // the folder's name in the version
	now     time.Time
	keep    func(path string, isFolder bool) versions.Reason
}

// replace restores a path in its place. What can't be replaced, such as a folder where the version has a file, is kept
// under another name.
func (r *restoring) replace(name string) error {
	if err := r.makeParents(name); err != nil {
		return err
	}
	options := versions.RestoreOptions{Delete: true, Keep: func(path string, isFolder bool) bool { return r.keep(path, isFolder) != "" }}
	for range 20 { // each time, something more is put aside
		_, err := r.store.Restore(r.ctx, r.version, path.Join(r.top, name), r.root, at(name), options)
		if !errors.Is(err, versions.ErrExists) {
			return err
		}
		if err := r.putAside(r.inTheWay(name)); err != nil {
			return err
		}
	}
	return versions.ErrExists
}

// at is a path as os.Root has it.
func at(name string) string {
	if name == "" {
		return "."
	}
	return name
}

// inTheWay returns the first path below a name whose kind differs from that in the version.
func (r *restoring) inTheWay(name string) (found string) {
	found = name
	_ = r.store.Walk(r.ctx, r.version, path.Join(r.top, name), func(full string, entry versions.Entry, _ func() *versions.Content) error {
		here := strings.TrimPrefix(strings.TrimPrefix(full, r.top), "/")
		about, err := r.root.Lstat(at(here))
		if err != nil {
			if entry.Kind == versions.Folder {
				return fs.SkipDir
			}
			return nil
		}
		if about.IsDir() != (entry.Kind == versions.Folder) {
			found = here
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// beside restores a path under another name in the same folder.
func (r *restoring) beside(name string, made time.Time) (string, error) {
	if err := r.makeParents(name); err != nil {
		return "", err
	}
	folder, base := path.Split(name)
	for {
		written := folder + engine.BesideName(base, made, r.taken(folder))
		_, err := r.store.Restore(r.ctx, r.version, path.Join(r.top, name), r.root, written, versions.RestoreOptions{Exclusive: true})
		if !errors.Is(err, versions.ErrExists) {
			return written, err
		}
	}
}

func (r *restoring) taken(folder string) func(name string) bool {
	return func(name string) bool {
		_, err := r.root.Lstat(folder + name)
		return err == nil
	}
}

// makeParents makes the folders above a path. A file or link of such a name is kept under another one.
func (r *restoring) makeParents(name string) error {
	for i := range name {
		if name[i] != '/' {
			continue
		}
		folder := name[:i]
		about, err := r.root.Lstat(folder)
		if err == nil && !about.IsDir() {
			if err = r.putAside(folder); err == nil {
				err = fs.ErrNotExist
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = r.root.Mkdir(folder, 0o755)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// putAside renames what has a name.
func (r *restoring) putAside(name string) error {
	folder, base := path.Split(name)
	return r.root.Rename(name, folder+engine.BesideName(base, r.now, r.taken(folder)))
}

// restoreHome restores settings and packages, of which nothing is deleted that the version hasn't got.
func (s *session) restoreHome(ctx context.Context, store *versions.Store, version string) error {
	folder, err := os.OpenRoot(s.folder)
	if err != nil {
		return err
	}
	defer folder.Close()
	root, err := openKept(folder, folders.Home)
	if err != nil || root == nil {
		return err
	}
	defer root.Close()
	return s.fill(ctx, store, version, folders.Home, root)
}

// fill writes one of the folders of a version, with the rights of the account that owns the folder.
func (s *session) fill(ctx context.Context, store *versions.Store, version, name string, root *os.Root) error {
	if _, err := store.Stat(version, name); errors.Is(err, versions.ErrNotFound) {
		return nil // it had none
	}
	owner, err := filetree.Owner(root)
	if err != nil {
		return err
	}
	r := restoring{ctx: ctx, store: store, version: version, root: root, top: name, now: s.engine.options.Now(), keep: leaveOutOfHome}
	return as(owner, func() error { return r.fill() })
}

func (r *restoring) fill() error {
	for range 20 {
		_, err := r.store.Restore(r.ctx, r.version, r.top, r.root, ".", versions.RestoreOptions{})
		if !errors.Is(err, versions.ErrExists) {
			return err
		}
		if err := r.putAside(r.inTheWay("")); err != nil {
			return err
		}
	}
	return versions.ErrExists
}

// bringing returns the version that the folders are to be made from, with its store; nil if they are as they should be.
func (s *session) bringing() (wanted *bring, store *versions.Store, done func(), err error) {
	s.mu.Lock()
	if s.record.Bring != nil {
		copied := *s.record.Bring
		wanted = &copied
	}
	owner := s.record.Spec.Owner
	s.mu.Unlock()
	if wanted == nil {
		return nil, nil, nil, nil
	}
	from := s
	if wanted.Session != s.id {
		from = s.engine.find(wanted.Session)
		if from == nil {
			return nil, nil, nil, errNoVersion
		}
		from.mu.Lock()
		same := from.record.Spec.Owner == owner && owner != ""
		from.mu.Unlock()
		if !same {
			return nil, nil, nil, errNoVersion
		}
	}
	if store, done, err = from.history(); err != nil {
		return nil, nil, nil, err
	}
	if wanted.Version == theLast {
		last, failed := from.lastVersion(store)
		wanted.Version, err = last.ID, failed
	} else {
		_, err = from.version(store, wanted.Version)
	}
	if err != nil {
		done()
		return nil, nil, nil, readingFault(err)
	}
	return wanted, store, done, nil
}

// bringHome makes the home folder anew if the session's folders are to be made from a version. That has to be done before its
// server starts; the work follows meanwhile.
func (s *session) bringHome(ctx context.Context, root *os.Root) error {
	wanted, store, done, err := s.bringing()
	if err != nil || wanted == nil {
		return err
	}
	defer done()
	return s.bring(ctx, store, wanted.Version, root, folders.Home)
}

// bringWork makes the work folder anew likewise, and then the session's folders are its own.
func (s *session) bringWork(ctx context.Context, root *os.Root, tell func(string)) error {
	wanted, store, done, err := s.bringing()
	if err != nil || wanted == nil {
		return err
	}
	defer done()
	tell("Bringing back the saved work")
	if err := s.bring(ctx, store, wanted.Version, root, folders.Work); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Bring, s.record.RetiredAt = nil, time.Time{}
	return s.save()
}

func (s *session) bring(ctx context.Context, store *versions.Store, version string, root *os.Root, name string) error {
	folder, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := s.fill(ctx, store, version, name, folder); err != nil {
		return cannotRestore(err)
	}
	return nil
}

// discard moves what is left of folders that a version replaces into one that is deleted.
func (s *session) discard() error {
	removed := filepath.Join(filepath.Dir(s.folder), folders.RemovedPrefix+s.id+"-"+rand.Text())
	made := false
	for _, name := range []string{folders.Work, folders.Home, folders.Datasets, folders.Clone, folders.Source, folders.Temporary} {
		if _, err := os.Lstat(filepath.Join(s.folder, name)); err != nil {
			continue
		}
		if !made {
			if err := os.Mkdir(removed, folders.Private); err != nil {
				return err
			}
			made = true
		}
		if err := os.Rename(filepath.Join(s.folder, name), filepath.Join(removed, name)); err != nil {
			return err
		}
	}
	if made && s.engine.begin() { // else the next New deletes it
		go func() {
			defer s.engine.work.Done()
			s.engine.deleteFolder(removed)
		}()
	}
	return nil
}
