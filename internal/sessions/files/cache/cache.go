package cache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"cairn/internal/sessions/files/folders"
)

// Cache is a folder of entries that sessions share. Each entry is a folder, with its size in a file beside it, whose
// time is that of the last use. A folder without that file is incomplete and is created again.
type Cache struct {
	folder string
	most   int64 // bytes; the least recently used entries are removed first
	shared bool  // sessions read its entries directly; the entries of other caches are mounted or copied

	// mu guards the fields below.
	mu   sync.Mutex
	jobs map[string]*job // by key, while somebody works on the entry or waits for it
}

// job is the work on one entry.
type job struct {
	token   chan struct{} // has one token while somebody works
	callers int           // those who work, wait or hold the entry
	said    string        // the progress of the one who works
	reading *semaphore.Weighted
}

const allReaders = math.MaxInt32

const sizeSuffix = ".size"

// NextSuffix is the suffix of the folder in which an entry's successor is created.
const NextSuffix = ".next"

// KeyOf derives an entry's name from its inputs.
func KeyOf(parts ...string) string {
	digest := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(digest[:16])
}

// Open creates the folder. Sessions can reach an entry of a shared one if they know its key, but can't list any.
func Open(folder string, most int64, shared bool) (*Cache, error) {
	opened := &Cache{folder: folder, most: most, shared: shared, jobs: map[string]*job{}}
	if shared {
		return opened, folders.Make(folder, folders.Passable)
	}
	return opened, folders.Make(folder, folders.Private)
}

// Lock waits until nobody else works on the entry, and meanwhile passes their progress to hear every second. It returns the
// cause of the context's end if that comes first.
func (c *Cache) Lock(ctx context.Context, key string, hear func(said string)) (unlock func(), err error) {
	c.mu.Lock()
	current := c.jobs[key]
	if current == nil {
		current = &job{token: make(chan struct{}, 1), reading: semaphore.NewWeighted(allReaders)}
		c.jobs[key] = current
	}
	current.callers++
	c.mu.Unlock()
	unlock = func() {
		c.say(key, "") // the next one starts again
		<-current.token
		c.leave(key)
	}
	select {
	case current.token <- struct{}{}:
		return unlock, nil
	default:
	}
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		hear(c.heard(key))
		select {
		case current.token <- struct{}{}:
			return unlock, nil
		case <-ctx.Done():
			c.leave(key)
			return nil, context.Cause(ctx)
		case <-ticks.C:
		}
	}
}

func (c *Cache) leave(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	current := c.jobs[key]
	if current.callers--; current.callers == 0 {
		delete(c.jobs, key)
	}
}

// Hold prevents the entry from being replaced until done is called. Call it with the entry's lock.
func (c *Cache) Hold(key string) (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	current := c.jobs[key]
	current.callers++
	current.reading.TryAcquire(1) // nobody replaces it now
	return func() {
		current.reading.Release(1)
		c.leave(key)
	}
}

// Replace replaces the entry by its successor, once nobody holds it anymore. Call it with the entry's lock.
func (c *Cache) Replace(ctx context.Context, key string) error {
	c.mu.Lock()
	reading := c.jobs[key].reading
	c.mu.Unlock()
	if err := reading.Acquire(ctx, allReaders); err != nil {
		return context.Cause(ctx)
	}
	defer reading.Release(allReaders)
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := c.drop(root, key); err != nil {
		return err
	}
	return root.Rename(key+NextSuffix, key)
}

// say reports progress to those who wait for the entry.
func (c *Cache) say(key, detail string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if current := c.jobs[key]; current != nil {
		current.said = detail
	}
}

func (c *Cache) heard(key string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if current := c.jobs[key]; current != nil {
		return current.said
	}
	return ""
}

// Share returns two functions: told reports progress to this session and to those who wait for the same entry, and hear is
// for Lock.
func (c *Cache) Share(key string, tell func(string)) (told, hear func(string)) {
	told = func(detail string) { c.say(key, detail); tell(detail) }
	hear = func(said string) { tell(strings.TrimSuffix("Another session is doing the same: "+said, ": ")) }
	return told, hear
}

// Folder returns the path of the folder of all entries.
func (c *Cache) Folder() string { return c.folder }

// Path returns the path of an entry.
func (c *Cache) Path(key string) string { return filepath.Join(c.folder, key) }

// Has reports whether the entry is complete.
func (c *Cache) Has(key string) bool {
	_, missing := os.Stat(c.Path(key))
	_, half := os.Stat(c.Path(key) + sizeSuffix)
	return missing == nil && half == nil
}

// Create returns an empty folder for an entry.
func (c *Cache) Create(key string, userID int) (*os.Root, error) {
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := errors.Join(c.drop(root, key), folders.Own(root, key, userID)); err != nil {
		return nil, err
	}
	if c.shared {
		if err := root.Chmod(key, 0o755); err != nil {
			return nil, err
		}
	}
	return root.OpenRoot(key)
}

// OpenEntry returns the folder of an entry.
func (c *Cache) OpenEntry(key string) (*os.Root, error) {
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenRoot(key)
}

// Drop removes an entry. Call it with the entry's lock.
func (c *Cache) Drop(key string) error {
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return c.drop(root, key)
}

func (c *Cache) drop(root *os.Root, key string) error {
	if err := root.Remove(key + sizeSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return folders.Remove(root, key)
}

// Complete records that the entry is complete and was used now.
func (c *Cache) Complete(key string) error {
	total, err := folders.DiskUse(c.Path(key))
	if err != nil {
		return err
	}
	return os.WriteFile(c.Path(key)+sizeSuffix, []byte(strconv.FormatInt(total, 10)), 0o600)
}

// Touch records the use of an entry whose size hasn't changed.
func (c *Cache) Touch(key string) error {
	now := time.Now()
	return os.Chtimes(c.Path(key)+sizeSuffix, now, now)
}

// Evict removes incomplete entries, and then entries until the rest is small enough and nothing is lacking on the disk. It keeps
// those that somebody works on, and those that sessions use. Sessions pin what they use while they hold its lock, so inUse is
// called when nobody does.
func (c *Cache) Evict(inUse func(key string) bool, lacking func() bool) error {
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := c.evictHalves(root, inUse); err != nil {
		return err
	}
	sizes, err := fs.Glob(root.FS(), "*"+sizeSuffix)
	if err != nil {
		return err
	}
	type entry struct {
		key   string
		bytes int64
		used  time.Time
	}
	var entries []entry
	var total int64
	for _, name := range sizes {
		about, err := root.Stat(name)
		if err != nil {
			continue
		}
		text, _ := root.ReadFile(name)
		bytes, _ := strconv.ParseInt(string(text), 10, 64)
		total += bytes
		entries = append(entries, entry{strings.TrimSuffix(name, sizeSuffix), bytes, about.ModTime()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.used.UnixNano(), b.used.UnixNano()) })
	for _, oldest := range entries {
		if total <= c.most && !lacking() {
			break
		}
		dropped, err := c.dropIdle(root, oldest.key, inUse)
		if err != nil {
			return err
		}
		if !dropped {
			continue
		}
		total -= oldest.bytes
	}
	return nil
}

// dropIdle removes an entry, or its incomplete successor, unless somebody works on it or uses it.
func (c *Cache) dropIdle(root *os.Root, name string, inUse func(key string) bool) (bool, error) {
	key := strings.TrimSuffix(name, NextSuffix)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	unlock, err := c.Lock(over, key, func(string) {})
	if err != nil {
		return false, nil // it is busy
	}
	defer unlock()
	if inUse(key) {
		return false, nil
	}
	return true, c.drop(root, name)
}

// evictHalves removes what failed or interrupted launches left.
func (c *Cache) evictHalves(root *os.Root, inUse func(key string) bool) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if c.Has(entry.Name()) || !entry.IsDir() {
			continue
		}
		if _, err := c.dropIdle(root, entry.Name(), inUse); err != nil {
			return err
		}
	}
	return nil
}
