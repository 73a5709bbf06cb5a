package codehost

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"cairn/internal/fault"
)

// Cache keeps answers of hosts as files of one folder, at most limit bytes of them: those that were not asked for
// longest make room. A file's time is when its answer was last known to be true; its first line is the status and the
// tag of the answer. Several hosts may share one.
type Cache struct {
	folder string
	limit  int64

	mutex sync.Mutex
	files map[string]cachedFile // by name
	total int64
}

type cachedFile struct {
	size int64 // on disk
	used time.Time
}

// blockSize is what a file takes at least: small answers may be many.
const blockSize = 4_096

// kept is an answer of the cache.
type kept struct {
	status  int
	tag     string
	checked time.Time
	body    []byte
}

// OpenCache takes up what a server before this one left.
func OpenCache(folder string, limit int64) (*Cache, error) {
	c := &Cache{folder: folder, limit: limit, files: map[string]cachedFile{}}
	if err := c.takeUp(); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The folder %s for answers of code hosts cannot be used.", folder)
	}
	return c, nil
}

func (c *Cache) takeUp() error {
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return err
	}
	found, err := os.ReadDir(c.folder)
	if err != nil {
		return err
	}
	for _, file := range found {
		if len(file.Name()) != len(nameOf("")) { // half a file of a server that was killed
			if err := os.RemoveAll(filepath.Join(c.folder, file.Name())); err != nil {
				return err
			}
			continue
		}
		info, err := file.Info()
		if err != nil {
			return err
		}
		if err := c.add(file.Name(), cachedFile{info.Size(), info.ModTime()}); err != nil {
			return err
		}
	}
	return nil
}

func nameOf(address string) string {
	digest := sha256.Sum256([]byte(address))
	return hex.EncodeToString(digest[:16])
}

// find gives what is kept of an address; false when nothing is, or when it is damaged.
func (c *Cache) find(address string, now time.Time) (kept, bool) {
	name := nameOf(address)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	known, ok := c.files[name]
	if !ok {
		return kept{}, false
	}
	path := filepath.Join(c.folder, name)
	info, err := os.Stat(path)
	if err != nil {
		return kept{}, false
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return kept{}, false
	}
	head, body, ok := strings.Cut(string(content), "\n")
	answer := kept{checked: info.ModTime(), body: []byte(body)}
	if _, err := fmt.Sscanf(head, "%d %q", &answer.status, &answer.tag); err != nil || !ok {
		return kept{}, false
	}
	known.used = now
	c.files[name] = known
	return answer, true
}

// put writes an answer down, whole or not at all.
func (c *Cache) put(address string, answer kept) error {
	file, err := os.CreateTemp(c.folder, ".new-*")
	if err != nil {
		return err
	}
	size, err := fmt.Fprintf(file, "%d %q\n%s", answer.status, answer.tag, answer.body)
	err = cmp.Or(err, file.Close(), os.Chtimes(file.Name(), answer.checked, answer.checked))
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(c.folder, nameOf(address)))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return c.add(nameOf(address), cachedFile{int64(size), answer.checked})
}

// touch notes that what is kept of an address was true at a time.
func (c *Cache) touch(address string, checked time.Time) error {
	return os.Chtimes(filepath.Join(c.folder, nameOf(address)), checked, checked)
}

// add counts a file, and makes room when there is too much.
func (c *Cache) add(name string, file cachedFile) error {
	file.size = max(file.size, blockSize)
	c.total += file.size - c.files[name].size
	c.files[name] = file
	for c.total > c.limit {
		oldest := ""
		for other, known := range c.files {
			if oldest == "" || known.used.Before(c.files[oldest].used) {
				oldest = other
			}
		}
		c.total -= c.files[oldest].size
		delete(c.files, oldest)
		if err := os.Remove(filepath.Join(c.folder, oldest)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
