package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
)

// fileCache keeps what was fetched from the web as files of one folder, at most limit bytes of them: those that were not
// asked for longest make room. A file's name says which address it is from and what is in it, its time when it was
// fetched, so a start needs no other record.
type fileCache struct {
	folder string
	limit  int64
	known  func(format string) bool // formats that are kept

	mutex sync.Mutex
	files map[string]cachedFile // by digest of the address
	total int64
}

type cachedFile struct {
	address, digest, format string // digests of the address and of the content
	size                    int64
	fetched, used           time.Time
	version                 version
}

// version is what the source calls this state of its file, to be asked whether it still holds. It is forgotten at a
// restart: that costs one fetch.
type version struct{ tag, modified string }

var cachedFileName = regexp.MustCompile(`^([0-9a-f]{32})-([0-9a-f]{32})\.([a-z]+)$`)

func digestOf(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:16])
}

func (c *fileCache) path(cached cachedFile) string {
	return filepath.Join(c.folder, cached.address+"-"+cached.digest+"."+cached.format)
}

func openFileCache(folder string, limit int64, known func(format string) bool) (*fileCache, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	c := &fileCache{folder: folder, limit: limit, known: known, files: map[string]cachedFile{}}
	found, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, file := range found {
		info, err := file.Info()
		if err != nil {
			return nil, err
		}
		cached := cachedFile{size: info.Size(), fetched: info.ModTime(), used: info.ModTime()}
		parts := cachedFileName.FindStringSubmatch(file.Name())
		if parts != nil {
			cached.address, cached.digest, cached.format = parts[1], parts[2], parts[3]
		}
		known := c.known(cached.format)
		if older, twice := c.files[cached.address]; twice && older.fetched.After(cached.fetched) {
			known = false
		}
		if !known { // half a file of a server that was killed
			if err := os.RemoveAll(filepath.Join(folder, file.Name())); err != nil {
				return nil, err
			}
			continue
		}
		if err := c.replace(cached); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// find gives the file of an address, and notes that it was asked for.
func (c *fileCache) find(address string, now time.Time) (cachedFile, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	key := digestOf([]byte(address))
	cached, ok := c.files[key]
	if ok {
		cached.used = now
		c.files[key] = cached
	}
	return cached, ok
}

// put writes a file down, whole or not at all.
func (c *fileCache) put(address, format string, content []byte, version version, now time.Time) error {
	cached := cachedFile{
		address: digestOf([]byte(address)), digest: digestOf(content), format: format, size: int64(len(content)),
		fetched: now, used: now, version: version,
	}
	file, err := os.CreateTemp(c.folder, ".new-*")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	err = cmp.Or(err, file.Close(), os.Chtimes(file.Name(), now, now))
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err == nil {
		err = os.Rename(file.Name(), c.path(cached))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return c.replace(cached)
}

// renew notes that the source still has what is kept of an address.
func (c *fileCache) renew(address string, now time.Time) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	key := digestOf([]byte(address))
	cached, ok := c.files[key]
	if !ok {
		return nil // it has just made room
	}
	cached.fetched = now
	c.files[key] = cached
	return os.Chtimes(c.path(cached), now, now)
}

// forget removes what is kept of an address.
func (c *fileCache) forget(address string) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	key := digestOf([]byte(address))
	cached, ok := c.files[key]
	if !ok {
		return nil
	}
	delete(c.files, key)
	c.total -= cached.size
	return os.Remove(c.path(cached))
}

// replace makes a written file the one of its address, and room when there is too much.
func (c *fileCache) replace(cached cachedFile) error {
	older, twice := c.files[cached.address]
	c.files[cached.address] = cached
	c.total += cached.size
	var err error
	if twice {
		c.total -= older.size
		if c.path(older) != c.path(cached) {
			err = os.Remove(c.path(older))
		}
	}
	for c.total > c.limit && err == nil {
		var oldest cachedFile
		for _, other := range c.files {
			if oldest.address == "" || other.used.Before(oldest.used) {
				oldest = other
			}
		}
		delete(c.files, oldest.address)
		c.total -= oldest.size
		err = os.Remove(c.path(oldest))
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
