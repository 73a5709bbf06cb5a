package localjupyter

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"cairn/internal/packageindex"
)

// downloads caches files that pip downloads, by digest.
type downloads struct{ *cache }

const downloadedName = "file"

// Open returns a complete file.
func (d downloads) Open(digest string) (*os.File, error) {
	if !d.has(digest) {
		return nil, os.ErrNotExist
	}
	_ = d.used(digest)
	return os.Open(filepath.Join(d.path(digest), downloadedName))
}

// Create returns an error while another session downloads the same file: pip wouldn't wait that long.
func (d downloads) Create(digest string) (packageindex.Draft, error) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	unlock, err := d.lock(over, digest, func(string) {})
	if err != nil {
		return nil, err
	}
	file, err := d.create(digest)
	if err != nil {
		unlock()
		return nil, err
	}
	return &download{File: file, cache: d.cache, digest: digest, unlock: unlock}, nil
}

func (d downloads) create(digest string) (*os.File, error) {
	root, err := d.fresh(digest, 0)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(downloadedName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// download is a file in transfer, with the lock of its digest.
type download struct {
	*os.File

	cache  *cache
	digest string
	unlock func()
}

// Keep adds the file to the cache.
func (d *download) Keep() error {
	if err := d.Close(); err != nil {
		return err
	}
	if err := d.cache.keep(d.digest); err != nil {
		return err
	}
	d.unlock()
	return nil
}

// Drop removes what was downloaded.
func (d *download) Drop() {
	defer d.unlock()
	root, err := os.OpenRoot(d.cache.folder)
	if err != nil {
		return
	}
	defer root.Close()
	_ = errors.Join(d.Close(), d.cache.drop(root, d.digest))
}
