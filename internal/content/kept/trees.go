package kept

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
)

const (
	treeName       = "tree"           // the files of a version
	repositoryName = "repository.git" // the same as a bare git repository
	usedName       = "used"           // whose time says when somebody last asked for a tree
	stagingPrefix  = ".new-"
	treesKeep      = 14 * 24 * time.Hour // since somebody last asked, unless a session has it
	removalTime    = 10 * time.Minute
)

// storedFinder says which version of a store has the files of a version of an entry.
type storedFinder interface {
	find(ctx context.Context, id string, number int) (found storedVersion, err error)
}

// trees are the versions that this server has as folders.
type trees struct {
	folder string
	vault  vault
	store  storedFinder
	now    func() time.Time

	mu     sync.Mutex
	making map[string]*making // by the name of the folder; protected by mu
}

// making is a tree that is being made, for which several may wait.
type making struct {
	done chan struct{}
	err  error
}

func newTrees(folder string, in vault, store storedFinder, now func() time.Time) *trees {
	return &trees{folder: folder, vault: in, store: store, now: now, making: map[string]*making{}}
}

func (t *trees) at(id string, number int) string {
	return filepath.Join(t.folder, fmt.Sprintf("%s-v%d", id, number))
}

// path returns the folder with the files of a version, which is made if it isn't there. NotFound for a version that this server doesn't
// keep, Gone for one that was withdrawn.
func (t *trees) path(ctx context.Context, kept catalog.Kept) (string, error) {
	found, err := t.store.find(ctx, kept.ID, kept.Number)
	if err != nil {
		return "", err
	}
	folder := t.at(kept.ID, kept.Number)
	tree := filepath.Join(folder, treeName)
	used := filepath.Join(folder, usedName)
	if now := t.now(); os.Chtimes(used, now, now) == nil {
		return tree, nil
	}
	return tree, t.once(ctx, folder, func() error {
		if _, err := os.Stat(used); err == nil {
			return nil
		}
		return t.build(folder, func(root *os.Root) error {
			return t.vault.restore(context.WithoutCancel(ctx), kept.ID, found.stored, root)
		})
	})
}

// put makes the tree of a version from the folder in which its files were put together, which is gone afterwards.
func (t *trees) put(id string, number int, built string) error {
	folder := t.at(id, number)
	if _, err := os.Stat(folder); err == nil {
		return t.remove(built)
	}
	if err := os.WriteFile(filepath.Join(built, usedName), nil, 0o600); err != nil {
		return err
	}
	return os.Rename(built, folder)
}

// once calls build unless another caller's call for the same folder is under way, for which it waits.
func (t *trees) once(ctx context.Context, folder string, build func() error) error {
	t.mu.Lock()
	known := t.making[folder]
	if known == nil {
		known = &making{done: make(chan struct{})}
		t.making[folder] = known
		go func() {
			known.err = build()
			t.mu.Lock()
			delete(t.making, folder)
			t.mu.Unlock()
			close(known.done)
		}()
	}
	t.mu.Unlock()
	select {
	case <-known.done:
		return known.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// build fills a new folder and moves it to its place.
func (t *trees) build(folder string, fill func(*os.Root) error) error {
	built, root, err := t.stage()
	if err != nil {
		return err
	}
	err = fill(root)
	if err == nil {
		err = os.WriteFile(filepath.Join(built, usedName), nil, 0o600)
	}
	err = errors.Join(err, root.Close())
	if err == nil {
		if err = os.Rename(built, folder); err == nil {
			return nil
		}
		if _, missing := os.Stat(filepath.Join(folder, usedName)); missing == nil { // another process was faster
			err = nil
		}
	}
	return errors.Join(err, t.remove(built))
}

// stage makes an empty folder for files that are put together. Accounts of sessions pass through it to what is in it.
func (t *trees) stage() (path string, root *os.Root, err error) {
	if err = os.MkdirAll(t.folder, 0o711); err != nil { //nolint:gosec // as documented
		return "", nil, err
	}
	if path, err = os.MkdirTemp(t.folder, stagingPrefix+"*"); err != nil {
		return "", nil, err
	}
	if err = os.Chmod(path, 0o711); err == nil { //nolint:gosec // as documented
		root, err = os.OpenRoot(path)
	}
	return path, root, err
}

// remove deletes a folder of trees.
func (t *trees) remove(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), removalTime)
	defer cancel()
	root, err := os.OpenRoot(t.folder)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	defer root.Close()
	name := filepath.Base(path)
	if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !strings.HasPrefix(name, stagingPrefix) { // nobody finds it from now on
		gone := fmt.Sprintf("%sgone-%d-%s", stagingPrefix, t.now().UnixNano(), name)
		if err := root.Rename(name, gone); err != nil {
			return err
		}
		name = gone
	}
	return filetree.Remove(ctx, root, name)
}

// sweep removes the trees that nobody asked for lately and that no session has, and what a crash left of others.
func (t *trees) sweep(inUse func(catalog.Kept) bool) error {
	found, err := os.ReadDir(t.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var faults []error
	for _, one := range found {
		path := filepath.Join(t.folder, one.Name())
		looked := path
		if !strings.HasPrefix(one.Name(), stagingPrefix) {
			looked = filepath.Join(path, usedName)
		}
		about, err := os.Stat(looked)
		switch {
		case err == nil && t.now().Sub(about.ModTime()) < treesKeep:
			continue
		case err == nil && !strings.HasPrefix(one.Name(), stagingPrefix):
			var kept catalog.Kept
			id, number, _ := strings.Cut(one.Name(), "-v")
			if _, err := fmt.Sscanf(number, "%d", &kept.Number); err != nil {
				continue
			}
			if kept.ID = id; inUse(kept) {
				continue
			}
		}
		faults = append(faults, t.remove(path))
	}
	return errors.Join(faults...)
}

// forget removes the trees of an entry.
func (t *trees) forget(id string) error {
	found, err := filepath.Glob(filepath.Join(t.folder, id+"-v*"))
	faults := []error{err}
	for _, path := range found {
		faults = append(faults, t.remove(path))
	}
	return errors.Join(faults...)
}

var errNotKept = fault.New(fault.NotFound, "This server has no files of that version.")
