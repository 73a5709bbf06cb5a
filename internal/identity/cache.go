package identity

import (
	"sync"
	"time"
)

// cacheLimit bounds what a cache holds; when it is full, it starts anew.
const cacheLimit = 10_000

// cache keeps values until a time of their own.
type cache[Key comparable, Value any] struct {
	mutex  sync.Mutex
	values map[Key]cached[Value]
}

type cached[Value any] struct {
	value Value
	until time.Time
}

func newCache[Key comparable, Value any]() *cache[Key, Value] {
	return &cache[Key, Value]{values: map[Key]cached[Value]{}}
}

func (c *cache[Key, Value]) get(key Key, now time.Time) (Value, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	found, ok := c.values[key]
	return found.value, ok && now.Before(found.until)
}

func (c *cache[Key, Value]) put(key Key, value Value, until time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.values) >= cacheLimit {
		clear(c.values)
	}
	c.values[key] = cached[Value]{value, until}
}
