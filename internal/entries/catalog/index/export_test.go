package index

import (
	"math/rand/v2"
	"testing"
)

// Random makes entries and queries for tests of other packages' stores.
type Random struct{ world *randomWorld }

// NewRandom returns the same ones for the same seed.
func NewRandom(seed uint64) Random {
	return Random{&randomWorld{Rand: rand.New(rand.NewPCG(seed, seed))}}
}

// IntN returns a number below n.
func (r Random) IntN(n int) int { return r.world.IntN(n) }

// Document creates an entry.
func (r Random) Document(id string) Document { return r.world.document(id) }

// Query creates a query.
func (r Random) Query() Query { return r.world.query() }

// Compare fails the test unless a search finds what the scan finds.
func Compare(t *testing.T, search func(Query) (Result, error), scan *Scan, query Query) {
	t.Helper()
	compare(t, search, scan, query)
}
