// Package diskcache caches content as files in one folder. Where the content comes from and how long it is fresh is up
// to its users, packages codehost and preview.
package diskcache

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache is a folder of at most limit bytes; the least recently read items are evicted. Each item is one file: a line of
// JSON about the content, then the content. The file's modification time is when the content was last known to be
// current. M is what the owner needs to know about the content, encoded as JSON.
type Cache[M any] struct {
	folder string
	limit  int64

	mu     sync.Mutex
	recent *simplelru.LRU[string, int64] // sizes on disk in bytes, by file name
	total  int64
}

// Item is a cached item. It must be closed.
type Item[M any] struct {
	*io.SectionReader // the content

	About   M
	Digest  string // of the content, 32 hexadecimal digits
	Checked time.Time

	file *os.File
}

// Close closes the item's file. Until then the content stays readable, even when the item is replaced.
func (i *Item[M]) Close() error { return i.file.Close() }

// header is the first line of a file.
type header[M any] struct {
	About  M      `json:"about"`
	Digest string `json:"digest"`
}

const (
	// blockSize is the least that a file occupies on disk, in bytes. It limits the number of small files.
	blockSize = 4_096
	nameSize  = 32
)

// Open opens a folder with the items of earlier processes, and removes everything else from it.
func Open[M any](folder string, limit int64) (*Cache[M], error) {
	recent, err := simplelru.NewLRU[string, int64](math.MaxInt, nil)
	if err != nil {
		return nil, err
	}
	c := &Cache[M]{folder: folder, limit: limit, recent: recent}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	found, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	files := make([]os.FileInfo, 0, len(found))
	for _, entry := range found {
		info, err := entry.Info()
		if err != nil {
			return nil, err
		}
		if len(entry.Name()) != nameSize || !info.Mode().IsRegular() { // a temporary file of a process that was killed
			if err := os.RemoveAll(c.path(entry.Name())); err != nil {
				return nil, err
			}
			continue
		}
		files = append(files, info)
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range files {
		c.add(info.Name(), info.Size())
	}
	return c, c.makeRoom()
}

// DigestOf returns the digest of content as in Item.
func DigestOf(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:nameSize/2])
}

func (c *Cache[M]) path(name string) string { return filepath.Join(c.folder, name) }

// Get returns the item of a key, or nil if there is none or it can't be read.
func (c *Cache[M]) Get(key string) *Item[M] {
	name := DigestOf([]byte(key))
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.recent.Get(name); !ok {
		return nil
	}
	item, err := open[M](c.path(name))
	if err != nil { // damaged, or removed by hand
		_ = c.remove(name)
		return nil
	}
	return item
}

func open[M any](path string) (*Item[M], error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	item, err := read[M](file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return item, nil
}

func read[M any](file *os.File) (*Item[M], error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(file).ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var about header[M]
	if err := json.Unmarshal(line, &about); err != nil {
		return nil, err
	}
	begin := int64(len(line))
	return &Item[M]{
		SectionReader: io.NewSectionReader(file, begin, info.Size()-begin),
		About:         about.About, Digest: about.Digest, Checked: info.ModTime(), file: file,
	}, nil
}

// Put replaces the item of a key atomically.
func (c *Cache[M]) Put(key string, about M, content []byte, checked time.Time) error {
	line, err := json.Marshal(header[M]{about, DigestOf(content)})
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(c.folder, ".new-*")
	if err != nil {
		return err
	}
	size, err := io.Copy(file, io.MultiReader(bytes.NewReader(append(line, '\n')), bytes.NewReader(content)))
	err = cmp.Or(err, file.Close(), os.Chtimes(file.Name(), checked, checked))
	name := DigestOf([]byte(key))
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		err = os.Rename(file.Name(), c.path(name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	c.add(name, size)
	return c.makeRoom()
}

// Touch records when the item of a key was last known to be current. It does nothing if the item is gone.
func (c *Cache[M]) Touch(key string, checked time.Time) error {
	return ignoreMissing(os.Chtimes(c.path(DigestOf([]byte(key))), checked, checked))
}

// Delete removes the item of a key, if there is one.
func (c *Cache[M]) Delete(key string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.remove(DigestOf([]byte(key)))
}

func (c *Cache[M]) add(name string, size int64) {
	size = max(size, blockSize)
	former, _ := c.recent.Peek(name)
	c.total += size - former
	c.recent.Add(name, size)
}

func (c *Cache[M]) makeRoom() error {
	for c.total > c.limit {
		oldest, _, _ := c.recent.GetOldest()
		if err := c.remove(oldest); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cache[M]) remove(name string) error {
	size, _ := c.recent.Peek(name)
	c.total -= size
	c.recent.Remove(name)
	return ignoreMissing(os.Remove(c.path(name)))
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
