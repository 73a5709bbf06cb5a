package catalog

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// row is an entry as lists show it: read often, and expensive to build.
type row struct {
	Resource

	card string // the description as a line of plain text
}

// rowCache caches the rows that were shown recently. The mirror drops a row before it counts the change that outdated
// it as applied; readers compare that count with the database's, so an outdated row is never shown.
type rowCache struct {
	mutex      sync.Mutex
	recent     *lru.Cache[string, *row]
	generation uint64 // the number of times that rows were dropped
}

const (
	rowsKept = 20_000
	// longDescription is the size from which a row isn't cached: a few of them would displace all others.
	longDescription = 4_000
)

func newRowCache() *rowCache {
	recent, err := lru.New[string, *row](rowsKept)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &rowCache{recent: recent}
}

// get returns the cached rows, and the generation that put needs.
func (c *rowCache) get(ids []string) (rows map[string]*row, generation uint64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	rows = make(map[string]*row, len(ids))
	for _, id := range ids {
		if found, ok := c.recent.Get(id); ok {
			rows[id] = found
		}
	}
	return rows, c.generation
}

// put caches rows that were read after get returned this generation, unless some were dropped since: they may be
// outdated already.
func (c *rowCache) put(rows []*row, generation uint64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.generation != generation {
		return
	}
	for _, one := range rows {
		if len(one.Description) <= longDescription {
			c.recent.Add(one.ID, one)
		}
	}
}

func (c *rowCache) drop(ids []string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.generation++
	for _, id := range ids {
		c.recent.Remove(id)
	}
}
