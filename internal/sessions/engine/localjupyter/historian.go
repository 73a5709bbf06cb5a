package localjupyter

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"cairn/internal/fault"
	"cairn/internal/filetree"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter/folders"
	"cairn/internal/sessions/engine/localjupyter/workarchive"
	"cairn/internal/versions"
)

var _ engine.Historian = (*Engine)(nil)

// known returns a session that has a record; NotFound.
func (e *Engine) known(id string) (*session, error) {
	if known := e.find(id); known != nil {
		if _, there := known.status(); there {
			return known, nil
		}
	}
	return nil, unknownSession()
}

// reading calls do with the versions of a session's owner, of which the session has at least one.
func (e *Engine) reading(id string, do func(*session, *versions.Store) error) error {
	known, err := e.known(id)
	if err != nil {
		return err
	}
	store, done, err := known.history()
	if err != nil {
		return err
	}
	defer done()
	return readingFault(do(known, store))
}

// version returns a version of a session: others of its owner's sessions aren't found.
func (s *session) version(store *versions.Store, id string) (versions.Version, error) {
	found, err := store.Get(id)
	if err == nil && found.Line != s.id {
		err = errNoVersion
	}
	return found, err
}

// Versions implements engine.Historian.
func (e *Engine) Versions(ctx context.Context, id string, filter engine.VersionFilter) (list []engine.Version, total int, err error) {
	err = e.reading(id, func(_ *session, store *versions.Store) error {
		wanted := versions.Filter{Offset: filter.Offset, Most: filter.Most}
		if filter.Path != "" {
			wanted.Path = inWork(filter.Path)
		}
		found, count, err := store.List(ctx, id, wanted)
		for _, one := range found {
			list = append(list, describe(one))
		}
		total = count
		return err
	})
	if errors.Is(err, errNoVersion) { // nothing of its owner was ever saved
		return nil, 0, nil
	}
	return list, total, err
}

// Version implements engine.Historian.
func (e *Engine) Version(_ context.Context, id, version string) (found engine.Version, err error) {
	err = e.reading(id, func(known *session, store *versions.Store) error {
		one, err := known.version(store, version)
		found = describe(one)
		return err
	})
	return found, err
}

// checkPath returns NotFound unless a path may be one in the work folder.
func checkPath(name string) error {
	if name != "" && (!filepath.IsLocal(name) || path.Clean(name) != name || strings.ContainsRune(name, 0)) {
		return fault.New(fault.NotFound, "The version has no file or folder %s.", fault.Quote(name))
	}
	return nil
}

// inWork is a path of the work folder in versions.
func inWork(name string) string { return path.Join(folders.Work, name) }

// describe is a version as people see it: of the work.
func describe(one versions.Version) engine.Version {
	work := one.Root(folders.Work)
	found := engine.Version{
		ID: one.ID, At: one.At, Cause: engine.VersionCause(one.Cause), Name: one.Name, Files: work.Files, Bytes: work.Bytes,
		StoredBytes: one.StoredBytes, Added: work.Added, Modified: work.Modified, Deleted: work.Deleted,
	}
	var out []engine.LeftOut
	for _, left := range one.LeftOut {
		if name, inside := cutWork(left.Path); inside {
			out = append(out, engine.LeftOut{What: versions.EscapePath(name), Why: whyLeftOut[left.Reason]})
		}
	}
	found.LeftOut = engine.ShortLeftOut(out)
	return found
}

// cutWork returns the path in the work folder of a path of a version.
func cutWork(name string) (string, bool) {
	if name == "" || name == folders.Work {
		return "", true
	}
	const prefix = folders.Work + "/"
	if len(name) > len(prefix) && name[:len(prefix)] == prefix {
		return name[len(prefix):], true
	}
	return "", false
}

var whyLeftOut = map[versions.Reason]string{
	versions.Cache:      "Programs make it again when they need it.",
	versions.Checkpoint: "Versions replace Jupyter's checkpoints.",
	versions.TooLarge:   "The file is larger than what versions keep.",
	versions.Special:    "It's a pipe, a socket or a device.",
	versions.Changing:   "It changed whenever it was read. If the version before has it, this version has that content.",
	versions.Unreadable: "It couldn't be read.",
	versions.TooDeep:    "Its folders are nested too deep.",
	versions.TooMany:    "There are too many files: everything else isn't in this version.",
}

// SaveVersion implements engine.Historian.
func (e *Engine) SaveVersion(ctx context.Context, id, name string) (engine.Version, error) {
	if err := engine.CheckVersionName(name); err != nil {
		return engine.Version{}, err
	}
	known, err := e.known(id)
	if err != nil {
		return engine.Version{}, err
	}
	known.mu.Lock()
	wanted := known.hasVersions()
	known.mu.Unlock()
	if !wanted {
		return engine.Version{}, fault.New(fault.Unavailable, "There's no work of this session that can be saved now: it's deleted, or isn't anybody's.")
	}
	saved, err := known.saveVersion(ctx, engine.VersionNamed, name)
	if err != nil {
		return engine.Version{}, fault.Wrap(err, fault.Unavailable, "%s", e.stoppedSaving(err))
	}
	return describe(saved.Version), nil
}

// VersionFiles implements engine.Historian.
func (e *Engine) VersionFiles(_ context.Context, id, version, folder string) (list []engine.VersionFile, err error) {
	if err := checkPath(folder); err != nil {
		return nil, err
	}
	err = e.reading(id, func(known *session, store *versions.Store) error {
		if _, err := known.version(store, version); err != nil {
			return err
		}
		found, err := store.Files(version, inWork(folder))
		for _, one := range found {
			entry := engine.VersionFile{Name: one.Name, Folder: one.Kind == versions.Folder, Link: one.Kind == versions.Link, Modified: one.Modified}
			if one.Kind == versions.File {
				entry.Bytes = one.Bytes
			}
			list = append(list, entry)
		}
		return pathFault(err, folder)
	})
	return list, err
}

// pathFault says that a version has no such path.
func pathFault(err error, name string) error {
	if errors.Is(err, versions.ErrNotFound) {
		return fault.Wrap(err, fault.NotFound, "The version has no file or folder %s.", fault.Quote(name))
	}
	return err
}

// openContent keeps a store open as long as a file of it.
type openContent struct {
	io.ReadSeekCloser

	done func()
}

// Close implements io.Closer.
func (c openContent) Close() error {
	defer c.done()
	return c.ReadSeekCloser.Close()
}

// OpenVersion implements engine.Historian.
func (e *Engine) OpenVersion(_ context.Context, id, version, name string) (engine.VersionContent, error) {
	known, err := e.known(id)
	if err == nil {
		err = checkPath(name)
	}
	if err != nil {
		return engine.VersionContent{}, err
	}
	if version == "" {
		if version = known.broughtBy(); version == "" {
			return known.openPresent(name)
		}
	}
	store, done, err := known.history()
	if err != nil {
		return engine.VersionContent{}, err
	}
	var opened *versions.Content
	if _, err = known.version(store, version); err == nil {
		opened, err = store.Open(version, inWork(name))
	}
	if err != nil {
		done()
		return engine.VersionContent{}, readingFault(pathFault(err, name))
	}
	return engine.VersionContent{
		ReadSeekCloser: openContent{opened, done}, Bytes: opened.Entry.Bytes, Modified: opened.Entry.Modified, Digest: opened.Entry.Digest,
	}, nil
}

// openPresent opens a file of the work folder with the rights of the session.
func (s *session) openPresent(name string) (opened engine.VersionContent, err error) {
	missing := func(err error) error {
		return fault.Wrap(err, fault.NotFound, "The session's work has no file %s that can be read.", fault.Quote(name))
	}
	root, owner, err := s.openWork()
	if err != nil {
		return opened, missing(err)
	}
	defer root.Close()
	err = as(owner, func() error {
		file, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		about, err := file.Stat()
		if err == nil && !about.Mode().IsRegular() {
			err = errors.New("it's no regular file")
		}
		if err != nil {
			return errors.Join(err, file.Close())
		}
		opened = engine.VersionContent{ReadSeekCloser: file, Bytes: about.Size(), Modified: about.ModTime()}
		return nil
	})
	if err != nil {
		return engine.VersionContent{}, missing(err)
	}
	return opened, nil
}

// openWork opens the work folder, and returns the account that owns it.
func (s *session) openWork() (root *os.Root, owner int, err error) {
	folder, err := os.OpenRoot(s.folder)
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

// broughtBy returns the version of its own that its work is made from at the next launch; "" if its folder has the work.
func (s *session) broughtBy() string {
	s.mu.Lock()
	version := ""
	if s.record.Bring != nil && s.record.Bring.Session == s.id {
		version = s.record.Bring.Version
	}
	s.mu.Unlock()
	if version != theLast {
		return version
	}
	store, done, err := s.history()
	if err != nil {
		return version // which isn't found
	}
	defer done()
	if last, err := s.lastVersion(store); err == nil {
		version = last.ID
	}
	return version
}

// ArchiveVersion implements engine.Historian.
func (e *Engine) ArchiveVersion(ctx context.Context, id, version string, w io.Writer) error {
	return e.reading(id, func(known *session, store *versions.Store) error {
		if _, err := known.version(store, version); err != nil {
			return err
		}
		err := workarchive.WriteVersion(ctx, store, version, folders.Work, w)
		if err != nil {
			return fault.Wrap(err, fault.Unavailable, "The archive of the version couldn't be written. The version itself is kept: try again in a while.")
		}
		return nil
	})
}

// StopBecause implements engine.Historian.
func (e *Engine) StopBecause(ctx context.Context, id string, cause engine.VersionCause) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	return known.await(ctx, known.stop(cause), "The session is still being stopped.")
}

// Own implements engine.Historian.
func (e *Engine) Own(_ context.Context, id, owner string) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.gone || known.record.Phase == "" || known.record.Spec.Owner != "" || known.record.Spec.Batch != nil {
		return nil
	}
	spec := known.record.Spec
	spec.Owner = owner
	if err := spec.Validate(); err != nil {
		return err
	}
	known.record.Spec = spec
	known.historyName()
	if err := known.save(); err != nil {
		known.record.Spec.Owner, known.record.History = "", ""
		return fault.Wrap(err, fault.Unavailable, "The session's record can't be saved. Tell the operators.")
	}
	e.signal()
	return nil
}

// History implements engine.Historian.
func (e *Engine) History(_ context.Context, owner string) (engine.History, error) {
	found := engine.History{QuotaBytes: e.options.Versions.Quota}
	store, done, err := e.histories.use(historyName(owner), false)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, readingFault(err)
	}
	defer done()
	found.StoredBytes = store.StoredBytes()
	return found, nil
}
