package kept

import (
	"context"
	"errors"
	"os"

	"cairn/internal/foundation/versions"
)

// Work carries out the oldest task that nobody works on, as Run does; false if there is none.
func (s *Service) Work(ctx context.Context) (bool, error) {
	one, ok, err := s.store.claim(ctx, s.worker, s.options.Now().Add(holdTime), true)
	if ok && err == nil {
		s.work(ctx, one)
	}
	return ok, err
}

// Claim takes the oldest task that nobody works on, and returns what carries it out.
func (s *Service) Claim(ctx context.Context) (work func(), ok bool, err error) {
	one, ok, err := s.store.claim(ctx, s.worker, s.options.Now().Add(holdTime), true)
	return func() { s.work(ctx, one) }, ok, err
}

// StoredVersions are the versions in the store of an entry, and how many bytes it takes.
func (f *Files) StoredVersions(ctx context.Context, id string) (ids []string, bytes int64, err error) {
	err = f.vault.with(ctx, id, func(store *versions.Store) error {
		found, _, err := store.List(ctx, id, versions.Filter{Most: 1000})
		for _, one := range found {
			ids = append(ids, one.ID)
		}
		bytes = store.StoredBytes()
		return err
	})
	return ids, bytes, err
}

// Entries are the ids of entries with a store.
func (f *Files) Entries() ([]string, error) { return f.vault.entries() }

// Orphan stores a version of an entry of which the catalog doesn't know, as a server leaves it that is killed before it has written one.
func (f *Files) Orphan(ctx context.Context, id, folder string, count int) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	_, err = f.vault.save(ctx, id, root, count)
	return errors.Join(err, root.Close())
}
