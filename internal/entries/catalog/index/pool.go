package index

import "sync"

// Lists as long as the index is large, which most searches need for a moment. Allocating them each time was a third of the garbage.
var sharedBits, sharedCounts sync.Pool

// borrow returns a list of zeros from a pool.
func borrow[Value uint32 | uint64](pool *sync.Pool, length int) []Value {
	if shared, ok := pool.Get().(*[]Value); ok && cap(*shared) >= length {
		list := (*shared)[:length]
		clear(list)
		return list
	}
	return make([]Value, length, length+length/8)
}

// giveBack returns a list that nobody uses anymore to its pool.
func giveBack[Value uint32 | uint64](pool *sync.Pool, list []Value) { pool.Put(&list) }
