// Package memory caches values in memory: a bounded number of them, each until its own expiry, and all of them only
// until they may be outdated.
package memory

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache keeps the values that were used last. It is safe for concurrent use.
type Cache[Key comparable, Value any] struct {
	now func() time.Time

	mu         sync.Mutex
	recent     *simplelru.LRU[Key, *item[Value]]
	generation uint64 // how often everything was dropped
}

// item is kept by pointer: the list copies its values on the stack several times, which large ones would make grow.
type item[Value any] struct {
	value Value
	until time.Time
}

// New returns a cache for at most size values, at least one.
func New[Key comparable, Value any](size int, now func() time.Time) *Cache[Key, Value] {
	recent, err := simplelru.NewLRU[Key, *item[Value]](size, nil)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &Cache[Key, Value]{now: now, recent: recent}
}

// Get returns the value of a key unless it has expired, and the generation that Put needs.
func (c *Cache[Key, Value]) Get(key Key) (value Value, generation uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.recent.Get(key)
	if !ok || !c.now().Before(found.until) {
		return value, c.generation, false
	}
	return found.value, c.generation, true
}

// Put keeps a value until a time, or until room is needed. It keeps nothing if everything was dropped since Get
// returned this generation: the value may be outdated by now.
func (c *Cache[Key, Value]) Put(key Key, value Value, until time.Time, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation == c.generation {
		c.recent.Add(key, &item[Value]{value, until})
	}
}

// Forget drops all values, and those being read.
func (c *Cache[Key, Value]) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.recent.Purge()
}
