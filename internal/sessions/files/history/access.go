package history

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/workarchive"
)

// Access implements what people ask of versions: the part of engine.Versioner that needs nothing of a session's processes.
type Access struct{ manager *Manager }

// Access returns what people ask of the versions.
func (m *Manager) Access() *Access { return &Access{m} }

// find returns the work of a session that has a record; NotFound.
func (m *Manager) find(id string) (*Work, error) {
	if work := m.options.Find(id); work != nil {
		if state := work.session.State(); state.Phase != "" && !state.Gone {
			return work, nil
		}
	}
	return nil, engine.ErrUnknownSession
}

// reading calls do with the versions of a session's owner, of which the session has at least one.
func (m *Manager) reading(id string, do func(*Work, *versions.Store) error) error {
	work, err := m.find(id)
	if err != nil {
		return err
	}
	store, done, err := work.store()
	if err != nil {
		return err
	}
	defer done()
	return readingFault(do(work, store))
}

// Versions implements engine.Versioner.
func (a *Access) Versions(ctx context.Context, id string, filter engine.VersionFilter) (list []engine.Version, total int, err error) {
	err = a.manager.reading(id, func(_ *Work, store *versions.Store) error {
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

// Version implements engine.Versioner.
func (a *Access) Version(_ context.Context, id, version string) (found engine.Version, err error) {
	err = a.manager.reading(id, func(work *Work, store *versions.Store) error {
		one, err := work.version(store, version)
		found = describe(one)
		return err
	})
	return found, err
}

// SaveVersion implements engine.Versioner.
func (a *Access) SaveVersion(ctx context.Context, id, name string) (engine.Version, error) {
	if err := engine.CheckVersionName(name); err != nil {
		return engine.Version{}, err
	}
	work, err := a.manager.find(id)
	if err != nil {
		return engine.Version{}, err
	}
	if !work.hasVersions() {
		return engine.Version{}, fault.New(fault.Unavailable, "There's no work of this session that can be saved now: it's deleted, or isn't anybody's.")
	}
	saved, err := work.save(ctx, engine.VersionNamed, name)
	if err != nil {
		return engine.Version{}, fault.Wrap(err, fault.Unavailable, "%s", a.manager.stoppedSaving(err))
	}
	return describe(saved.Version), nil
}

// VersionFiles implements engine.Versioner.
func (a *Access) VersionFiles(_ context.Context, id, version, folder string) (list []engine.VersionFile, err error) {
	if err := checkPath(folder); err != nil {
		return nil, err
	}
	err = a.manager.reading(id, func(work *Work, store *versions.Store) error {
		if _, err := work.version(store, version); err != nil {
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

// OpenVersion implements engine.Versioner.
func (a *Access) OpenVersion(_ context.Context, id, version, name string) (engine.VersionContent, error) {
	work, err := a.manager.find(id)
	if err == nil {
		err = checkPath(name)
	}
	if err != nil {
		return engine.VersionContent{}, err
	}
	if version == "" {
		if version = work.PendingVersion(); version == "" {
			return work.openPresent(name)
		}
	}
	store, done, err := work.store()
	if err != nil {
		return engine.VersionContent{}, err
	}
	var opened *versions.Content
	if _, err = work.version(store, version); err == nil {
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
func (w *Work) openPresent(name string) (opened engine.VersionContent, err error) {
	missing := func(err error) error {
		return fault.Wrap(err, fault.NotFound, "The session's work has no file %s that can be read.", fault.Quote(name))
	}
	root, owner, err := w.openWork()
	if err != nil {
		return opened, missing(err)
	}
	defer root.Close()
	err = runAsAccount(owner, func() error {
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

// ArchiveVersion implements engine.Versioner.
func (a *Access) ArchiveVersion(ctx context.Context, id, version string, w io.Writer) error {
	return a.manager.reading(id, func(work *Work, store *versions.Store) error {
		if _, err := work.version(store, version); err != nil {
			return err
		}
		err := workarchive.WriteVersion(ctx, store, version, folders.Work, w)
		if err != nil {
			return fault.Wrap(err, fault.Unavailable, "The archive of the version couldn't be written. The version itself is kept: try again in a while.")
		}
		return nil
	})
}

// History implements engine.Versioner.
func (a *Access) History(_ context.Context, owner string) (engine.History, error) {
	found := engine.History{QuotaBytes: a.manager.quota(folderOf(owner))}
	store, done, err := a.manager.stores.use(folderOf(owner), false)
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

// LimitHistory implements engine.Versioner.
func (a *Access) LimitHistory(_ context.Context, owner string, bytes int64) error {
	a.manager.mu.Lock()
	defer a.manager.mu.Unlock()
	if bytes == 0 {
		delete(a.manager.limits, folderOf(owner))
	} else {
		a.manager.limits[folderOf(owner)] = bytes
	}
	return nil
}

// RestoreVersion implements engine.Versioner.
func (a *Access) RestoreVersion(ctx context.Context, id string, restore engine.Restore) (written string, err error) {
	if err := checkPath(restore.Path); err != nil {
		return "", err
	}
	err = a.manager.reading(id, func(work *Work, store *versions.Store) error {
		written, err = work.restore(ctx, store, restore)
		return err
	})
	return written, err
}
