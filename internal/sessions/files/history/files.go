package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
)

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
		_, err := r.store.Restore(r.ctx, r.version, path.Join(r.top, name), r.root, rootRelative(name), options)
		if !errors.Is(err, versions.ErrExists) {
			return err
		}
		if err := r.putAside(r.conflict(name)); err != nil {
			return err
		}
	}
	return versions.ErrExists
}

// rootRelative returns a path as os.Root has it.
func rootRelative(name string) string {
	if name == "" {
		return "."
	}
	return name
}

// conflict returns the first path below a name whose kind differs from that in the version.
func (r *restoring) conflict(name string) (found string) {
	found = name
	_ = r.store.Walk(r.ctx, r.version, path.Join(r.top, name), func(full string, entry versions.Entry, _ func() *versions.Content) error {
		here := strings.TrimPrefix(strings.TrimPrefix(full, r.top), "/")
		about, err := r.root.Lstat(rootRelative(here))
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

// writeBeside restores a path under another name in the same folder.
func (r *restoring) writeBeside(name string, made time.Time) (string, error) {
	if err := r.makeParents(name); err != nil {
		return "", err
	}
	folder, base := path.Split(name)
	for {
		written := folder + engine.BesideName(base, made, r.nameInUse(folder))
		_, err := r.store.Restore(r.ctx, r.version, path.Join(r.top, name), r.root, written, versions.RestoreOptions{Exclusive: true})
		if !errors.Is(err, versions.ErrExists) {
			return written, err
		}
	}
}

// nameInUse returns a function that reports whether a name in a folder is in use.
func (r *restoring) nameInUse(folder string) func(name string) bool {
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

// putAside renames an existing file so that the restored one can take its name.
func (r *restoring) putAside(name string) error {
	folder, base := path.Split(name)
	return r.root.Rename(name, folder+engine.BesideName(base, r.now, r.nameInUse(folder)))
}

// fill restores a whole folder, and deletes nothing that the version hasn't got.
func (r *restoring) fill() error {
	for range 20 {
		_, err := r.store.Restore(r.ctx, r.version, r.top, r.root, ".", versions.RestoreOptions{})
		if !errors.Is(err, versions.ErrExists) {
			return err
		}
		if err := r.putAside(r.conflict("")); err != nil {
			return err
		}
	}
	return versions.ErrExists
}
