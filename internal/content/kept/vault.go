package kept

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
)

// filesRoot is the root of a stored version that has an entry's files.
const filesRoot = "files"

// storePause is how often a store is tried that another process, or another request, has open.
const storePause = 50 * time.Millisecond

// vault has a store of versions for each entry.
type vault struct {
	folder string
}

func (v vault) path(id string) string { return filepath.Join(v.folder, id[len(id)-2:], id) }

// with calls use with the store of an entry, which nobody else has open meanwhile.
func (v vault) with(ctx context.Context, id string, use func(*versions.Store) error) error {
	if err := os.MkdirAll(filepath.Dir(v.path(id)), 0o700); err != nil {
		return err
	}
	ticks := time.NewTicker(storePause)
	defer ticks.Stop()
	for {
		store, err := versions.Open(v.path(id), versions.Options{})
		if err == nil {
			return errors.Join(use(store), store.Close())
		}
		if !errors.Is(err, versions.ErrInUse) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticks.C:
		}
	}
}

// save stores the files of a folder as a version of an entry, and returns what it is called there. When it returns, they are on the disk.
func (v vault) save(ctx context.Context, id string, files *os.Root, count int) (stored string, err error) {
	err = v.with(ctx, id, func(store *versions.Store) error {
		saved, err := store.Save(ctx, versions.Request{
			Line: id, Cause: "content", Always: true,
			Roots: []versions.Root{{Name: filesRoot, Folder: files, LeaveOut: func(string, bool) versions.Reason { return "" }}},
		})
		if err != nil {
			return err
		}
		if of := saved.Version.Root(filesRoot); of.Files != count { // they were just written, and nobody else has them
			return errors.Join(fault.New(fault.Internal, "%d of %d files were stored", of.Files, count), store.Delete(saved.Version.ID))
		}
		stored = saved.Version.ID
		return nil
	})
	return stored, explainStore(err)
}

// restore writes the files of a stored version into an empty folder.
func (v vault) restore(ctx context.Context, id, stored string, into *os.Root) error {
	return explainStore(v.with(ctx, id, func(store *versions.Store) error {
		_, err := store.Restore(ctx, stored, filesRoot, into, treeName, versions.RestoreOptions{Exclusive: true})
		return err
	}))
}

// drop deletes a stored version that no entry has.
func (v vault) drop(ctx context.Context, id, stored string) error {
	return v.with(ctx, id, func(store *versions.Store) error {
		err := store.Delete(stored)
		if err == nil {
			_, err = store.Sweep(ctx)
		}
		return err
	})
}

// prune deletes the stored versions of an entry from before a time that aren't among known ones: those that a crash left. A store that
// somebody has open is left for the next time.
func (v vault) prune(ctx context.Context, id string, known []string, before time.Time) error {
	store, err := versions.Open(v.path(id), versions.Options{})
	if errors.Is(err, versions.ErrInUse) {
		return nil
	}
	if err != nil {
		return err
	}
	found, _, err := store.List(ctx, id, versions.Filter{Most: math.MaxInt32})
	if err == nil {
		found = slices.DeleteFunc(found, func(one versions.Version) bool { return slices.Contains(known, one.ID) || !one.At.Before(before) })
	}
	for _, one := range found {
		err = errors.Join(err, store.Delete(one.ID))
	}
	if len(found) > 0 {
		_, swept := store.Sweep(ctx)
		err = errors.Join(err, swept)
	}
	return errors.Join(err, store.Close())
}

// forget deletes everything of an entry.
func (v vault) forget(id string) error { return os.RemoveAll(v.path(id)) }

// entries returns the ids of all entries with a store.
func (v vault) entries() ([]string, error) {
	found, err := Stores(v.folder)
	return slices.Collect(maps.Keys(found)), err
}

// Stores returns the stores in a folder, by the ids of their entries.
func Stores(folder string) (map[string]string, error) {
	found, err := filepath.Glob(filepath.Join(folder, "??", "*"))
	stores := map[string]string{}
	for _, path := range found {
		if id := filepath.Base(path); isID(id) {
			stores[id] = path
		}
	}
	return stores, err
}

// StoreIn returns where the store of an entry is in a folder of stores.
func StoreIn(folder, id string) string { return vault{folder}.path(id) }

func explainStore(err error) error {
	switch {
	case errors.Is(err, versions.ErrFull):
		return fault.Wrap(err, fault.Unavailable, "The disk of this server is full. Nothing is lost: it goes on once its operators have made room.")
	case errors.Is(err, versions.ErrDamaged):
		return fault.Wrap(err, fault.Internal, "A part of the kept files is missing or isn't what was written. The operators can bring it back from a backup.")
	case errors.Is(err, versions.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.Internal, "The kept files of this version are missing. The operators can bring them back from a backup.")
	}
	return err
}
