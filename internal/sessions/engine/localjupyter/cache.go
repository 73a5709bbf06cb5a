package localjupyter

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

	"cairn/internal/filetree"
)

// The caches are folders below Dir/cache.
const (
	repositoriesCache = "repositories"
	environmentsCache = "environments"
	datasetsCache     = "datasets"
	downloadsCache    = "downloads"
)

// cache is a folder of entries that sessions share. Each entry is a folder, with its size in a file beside it, whose
// time is that of the last use. A folder without that file is incomplete and is created again.
type cache struct {
	folder string
	most   int64 // bytes; the least recently used entries are removed first
	shared bool  // sessions read its entries directly; the entries of other caches are mounted or copied

	mu   sync.Mutex
	jobs map[string]*job // by key, while somebody works on the entry or waits for it
}

// job is the work on one entry.
type job struct {
	token   chan struct{} // has one token while somebody works
	callers int           // those who work, wait or read
	said    string        // the progress of the one who works
	reading *semaphore.Weighted
}

const allReaders = math.MaxInt32

const sizeSuffix = ".size"

// nextSuffix is the suffix of the folder in which an entry's successor is created.
const nextSuffix = ".next"

// keyOf derives an entry's name from its inputs.
func keyOf(parts ...string) string {
	digest := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(digest[:16])
}

// openCache creates the folder. Sessions can reach an entry of a shared one if they know its key, but can't list any.
func openCache(folder string, most int64, shared bool) (*cache, error) {
	opened := &cache{folder: folder, most: most, shared: shared, jobs: map[string]*job{}}
	if shared {
		return opened, makeFolder(folder, passable)
	}
	return opened, makeFolder(folder, private)
}

// lock waits until nobody else works on the entry, and meanwhile reports the others' progress.
func (c *cache) lock(ctx context.Context, key string, hear func(said string)) (unlock func(), err error) {
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

func (c *cache) leave(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	current := c.jobs[key]
	if current.callers--; current.callers == 0 {
		delete(c.jobs, key)
	}
}

// read prevents the entry from being replaced until done is called. Call it with the lock.
func (c *cache) read(key string) (done func()) {
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

// replace replaces the entry by its successor, once nobody reads it anymore. Call it with the lock.
func (c *cache) replace(ctx context.Context, key string) error {
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
	return root.Rename(key+nextSuffix, key)
}

// say reports progress to those who wait for the entry.
func (c *cache) say(key, detail string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if current := c.jobs[key]; current != nil {
		current.said = detail
	}
}

func (c *cache) heard(key string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if current := c.jobs[key]; current != nil {
		return current.said
	}
	return ""
}

// share reports the progress to this session and to those who wait for the same entry.
func (c *cache) share(key string, tell func(string)) (told, hear func(string)) {
	told = func(detail string) { c.say(key, detail); tell(detail) }
	hear = func(said string) { tell(strings.TrimSuffix("Another session is doing the same: "+said, ": ")) }
	return told, hear
}

func (c *cache) path(key string) string { return filepath.Join(c.folder, key) }

// has reports whether the entry is complete.
func (c *cache) has(key string) bool {
	_, missing := os.Stat(c.path(key))
	_, half := os.Stat(c.path(key) + sizeSuffix)
	return missing == nil && half == nil
}

// fresh returns an empty folder for an entry.
func (c *cache) fresh(key string, userID int) (*os.Root, error) {
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := errors.Join(c.drop(root, key), ownFolder(root, key, userID)); err != nil {
		return nil, err
	}
	if c.shared {
		if err := root.Chmod(key, 0o755); err != nil {
			return nil, err
		}
	}
	return root.OpenRoot(key)
}

// open returns the folder of an entry.
func (c *cache) open(key string) (*os.Root, error) {
	root, err := os.OpenRoot(c.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenRoot(key)
}

func (c *cache) drop(root *os.Root, key string) error {
	if err := root.Remove(key + sizeSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return removeTree(root, key)
}

// keep records that the entry is complete and was used now.
func (c *cache) keep(key string) error {
	total, err := diskUse(c.path(key))
	if err != nil {
		return err
	}
	return os.WriteFile(c.path(key)+sizeSuffix, []byte(strconv.FormatInt(total, 10)), 0o600)
}

// diskUse returns the space that a folder takes on the disk.
func diskUse(folder string) (total int64, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	err = filetree.Walk(context.Background(), root, ".", filetree.Limits{}, func(entry *filetree.Entry) error {
		total += entry.Stat.Blocks * 512
		return nil
	})
	return total, err
}

// used records the use of an entry whose size hasn't changed.
func (c *cache) used(key string) error {
	now := time.Now()
	return os.Chtimes(c.path(key)+sizeSuffix, now, now)
}

// evict removes incomplete entries, and then entries until the rest is small enough. It keeps those that somebody works
// on, and those that sessions use. Sessions record what they use while they work on it, so inUse is called when nobody
// does.
func (c *cache) evict(inUse func(key string) bool) error {
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
		if total <= c.most {
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
func (c *cache) dropIdle(root *os.Root, name string, inUse func(key string) bool) (bool, error) {
	key := strings.TrimSuffix(name, nextSuffix)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	unlock, err := c.lock(over, key, func(string) {})
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
func (c *cache) evictHalves(root *os.Root, inUse func(key string) bool) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if c.has(entry.Name()) || !entry.IsDir() {
			continue
		}
		if _, err := c.dropIdle(root, entry.Name(), inUse); err != nil {
			return err
		}
	}
	return nil
}
