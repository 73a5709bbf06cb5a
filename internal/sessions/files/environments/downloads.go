package environments

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/machine/packageindex"
)

// downloads caches files that pip downloads, by digest.
type downloads struct{ *cache.Cache }

const downloadedName = "file"

// Open returns a complete file.
func (d downloads) Open(digest string) (*os.File, error) {
	if !d.Has(digest) {
		return nil, os.ErrNotExist
	}
	_ = d.Touch(digest)
	return os.Open(filepath.Join(d.Path(digest), downloadedName))
}

// Create returns an error while another session downloads the same file: pip wouldn't wait that long.
func (d downloads) Create(digest string) (packageindex.Draft, error) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	unlock, err := d.Lock(over, digest, func(string) {})
	if err != nil {
		return nil, err
	}
	file, err := d.create(digest)
	if err != nil {
		unlock()
		return nil, err
	}
	return &download{File: file, cache: d.Cache, digest: digest, unlock: unlock}, nil
}

func (d downloads) create(digest string) (*os.File, error) {
	root, err := d.Cache.Create(digest, 0)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(downloadedName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// download is a file in transfer, with the lock of its digest.
type download struct {
	*os.File

	cache  *cache.Cache
	digest string
	unlock func()
}

// Keep adds the file to the cache.
func (d *download) Keep() error {
	if err := d.Close(); err != nil {
		return err
	}
	if err := d.cache.Complete(d.digest); err != nil {
		return err
	}
	d.unlock()
	return nil
}

// Drop removes what was downloaded.
func (d *download) Drop() {
	defer d.unlock()
	_ = errors.Join(d.Close(), d.cache.Drop(d.digest))
}
