package index

import (
	"bytes"
	"container/heap"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/tidwall/btree"
)

// first returns a part of the members of a bitmap in an order. If there are many, it walks through all entries in that
// order; if there are few, it sorts them.
func (ix *Index) first(order *btree.BTreeG[uint32], compare func(a, b uint32) int, found *roaring.Bitmap, offset, limit int) []uint32 {
	size := int(found.GetCardinality())
	if offset >= size || limit <= 0 {
		return nil
	}
	end := min(offset+limit, size)
	if end*order.Len() < ix.bounds.walk*size*size { // a walk visits end/size of all entries, a sort visits size of them
		return walk(order, found, offset, end)
	}
	return smallest(found.ToArray(), compare, end)[offset:]
}

func walk(order *btree.BTreeG[uint32], found *roaring.Bitmap, offset, end int) []uint32 {
	result := make([]uint32, 0, end-offset)
	seen := 0
	order.Scan(func(ordinal uint32) bool {
		if found.Contains(ordinal) {
			if seen >= offset {
				result = append(result, ordinal)
			}
			seen++
		}
		return seen < end
	})
	return result
}

// smallest returns the count smallest values in order; it may reorder the values.
func smallest[Value any](values []Value, compare func(a, b Value) int, count int) []Value {
	if count < len(values)/4 {
		best := &largestFirst[Value]{values: slices.Clone(values[:count]), compare: compare}
		heap.Init(best)
		for _, value := range values[count:] {
			if compare(value, best.values[0]) < 0 {
				best.values[0] = value
				heap.Fix(best, 0)
			}
		}
		values = best.values
	}
	slices.SortFunc(values, compare)
	return values[:count]
}

type largestFirst[Value any] struct {
	values  []Value
	compare func(a, b Value) int
}

func (h *largestFirst[Value]) Len() int           { return len(h.values) }
func (h *largestFirst[Value]) Less(i, j int) bool { return h.compare(h.values[i], h.values[j]) > 0 }
func (h *largestFirst[Value]) Swap(i, j int)      { h.values[i], h.values[j] = h.values[j], h.values[i] }
func (h *largestFirst[Value]) Push(any)           {}
func (h *largestFirst[Value]) Pop() any           { return nil }

func (ix *Index) newest(found *roaring.Bitmap, offset, limit int) []uint32 {
	return ix.first(ix.byNewest, ix.compareNewest, found, offset, limit)
}

func (ix *Index) byNames(found *roaring.Bitmap, offset, limit int) []uint32 {
	return ix.first(ix.byName, ix.compareNames, found, offset, limit)
}

// most returns the entries in an order that has only some of them, then the others in another order.
func (ix *Index) most(
	order *btree.BTreeG[uint32], found *roaring.Bitmap, offset, limit int, others func(found *roaring.Bitmap, offset, limit int) []uint32,
) []uint32 {
	var first []uint32
	order.Scan(func(ordinal uint32) bool {
		if found.Contains(ordinal) {
			first = append(first, ordinal)
		}
		return len(first) < offset+limit
	})
	result := first[min(offset, len(first)):]
	if missing := limit - len(result); missing > 0 {
		rest := roaring.AndNot(found, roaring.BitmapOf(first...))
		result = append(result, others(rest, max(0, offset-len(first)), missing)...)
	}
	return result
}

// cleanFirst returns the entries that ran clean, the latest run first, then the others, newest first.
func (ix *Index) cleanFirst(found *roaring.Bitmap, offset, limit int) []uint32 {
	ran := roaring.And(found, ix.outcomes[clean].bitmap())
	result := ix.first(ix.clean, ix.compareRan, ran, offset, limit)
	if missing := limit - len(result); missing > 0 {
		others := ix.newest(roaring.AndNot(found, ran), max(0, offset-int(ran.GetCardinality())), missing)
		result = append(result, others...)
	}
	return result
}

// named returns the range of byName whose folded names begin with a text.
func (ix *Index) named(prefix string) (begin, end int) {
	count := ix.byName.Len()
	nameAt := func(i int) []byte {
		ordinal, _ := ix.byName.GetAt(i)
		return ix.textsOf(&ix.documents[ordinal]).name
	}
	begins := []byte(prefix)
	begin = sort.Search(count, func(i int) bool { return bytes.Compare(nameAt(i), begins) >= 0 })
	end = begin + sort.Search(count-begin, func(i int) bool { return !bytes.HasPrefix(nameAt(begin+i), begins) })
	return begin, end
}
