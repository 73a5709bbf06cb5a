package kept

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"cairn/internal/content/dataset"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/githttp"
)

// Files finds kept files by their addresses, for whoever has checked who may see them. A nil one has none.
type Files struct {
	trees *trees
	vault vault
	store *Store

	// MayRead returns NotFound unless the caller may see an entry. It is set once there is a catalog to ask.
	MayRead func(ctx context.Context, id string) error
	// Secret signs links; nil: there are none.
	Secret []byte
}

// OpenFiles opens the stores in a folder, and the trees in another one, which may be deleted at any time while no server runs.
func OpenFiles(store *Store, folder, cache string, now func() time.Time) *Files {
	in := vault{folder}
	return &Files{
		trees: newTrees(cache, in, store, now), vault: in, store: store,
		MayRead: func(context.Context, string) error { return errNotKept },
	}
}

// findTime limits how long a question waits that has no end of its own. A tree that takes longer is made all the same.
const findTime = 10 * time.Minute

// Path returns the file or folder of an address as entries have it; false for an address of something else. It makes the tree of
// the version if this server doesn't have it yet.
func (f *Files) Path(address string) (path string, ok bool, err error) {
	kept, ok := catalog.ParseKept(address)
	if !ok || f == nil {
		return "", false, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), findTime)
	defer cancel()
	path, err = f.trees.path(ctx, kept)
	if err != nil || kept.File == "" {
		return path, true, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return "", true, err
	}
	defer root.Close()
	if _, err := root.Stat(kept.File); err != nil {
		return "", true, errNotKept
	}
	return filepath.Join(path, filepath.FromSlash(kept.File)), true, nil
}

// Has reports whether this server keeps the files of an address, without making a tree.
func (f *Files) Has(ctx context.Context, kept catalog.Kept) bool {
	_, err := f.store.find(ctx, kept.ID, kept.Number)
	return err == nil
}

// RepositoryPath returns the bare repository behind the address of a kept one; "" if there is none.
func (f *Files) RepositoryPath(address string) string {
	kept, ok := catalog.ParseKept(address)
	if !ok || f == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), findTime)
	defer cancel()
	path, err := f.trees.repository(ctx, kept)
	if err != nil {
		return ""
	}
	return path
}

// OpenDataset opens the files of an address as a dataset.
func (f *Files) OpenDataset(address string) (tree *dataset.Tree, ok bool, err error) {
	kept, ok := catalog.ParseKept(address)
	if !ok || f == nil {
		return nil, false, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), findTime)
	defer cancel()
	path, err := f.trees.path(ctx, kept)
	if err != nil {
		return nil, true, err
	}
	tree, err = dataset.Open(path, ".")
	return tree, true, err
}

// Read returns a kept file, of at most so many bytes.
func (f *Files) Read(ctx context.Context, address string, most int64) (content []byte, modified time.Time, err error) {
	kept, ok := catalog.ParseKept(address)
	if !ok || kept.File == "" || f == nil {
		return nil, modified, errNotKept
	}
	path, err := f.trees.path(ctx, kept)
	if err != nil {
		return nil, modified, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, modified, err
	}
	defer root.Close()
	about, err := root.Stat(kept.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, modified, errNotKept
	case err == nil && about.Size() > most:
		return nil, modified, fault.New(fault.TooLarge, "This file is too large to be shown here.")
	case err != nil:
		return nil, modified, err
	}
	content, err = root.ReadFile(kept.File)
	return content, about.ModTime(), err
}

// GitHandler serves kept repositories to git: those that everybody may see, and those of callers who may see them.
func (f *Files) GitHandler(authenticate func(*http.Request) (context.Context, error)) *githttp.Handler {
	return githttp.New(func(r *http.Request, path string) (string, error) {
		kept, ok := catalog.ParseKept("https://this" + path)
		if !ok {
			return "", errNotKept
		}
		ctx, err := authenticate(r)
		if err != nil {
			return "", err
		}
		if err := f.MayRead(ctx, kept.ID); err != nil {
			return "", err
		}
		return f.trees.repository(ctx, kept)
	})
}
