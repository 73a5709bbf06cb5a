package index

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// set is a set of ordinals. Most words are rare, and the members of a rare one are far apart: a bitmap would spend
// sixty bytes on each container with one or two members, so up to fewest members are a plain list.
type set struct {
	few  []uint32 // sorted
	many *roaring.Bitmap
	last uint32 // one more than the last member added to many; 0: unknown. An entry is added to the sets of its words repeatedly
}

const fewest = 200

func (s *set) add(ordinal uint32) {
	if s.many != nil {
		if s.last != ordinal+1 {
			s.many.Add(ordinal)
			s.last = ordinal + 1
		}
		return
	}
	at, found := slices.BinarySearch(s.few, ordinal)
	if found {
		return
	}
	if len(s.few) == fewest {
		s.many = roaring.BitmapOf(s.few...)
		s.many.Add(ordinal)
		s.few, s.last = nil, ordinal+1
		return
	}
	if cap(s.few) == len(s.few) { // grown by little: there are hundreds of thousands of these
		grown := make([]uint32, len(s.few), len(s.few)+1+len(s.few)/2)
		copy(grown, s.few)
		s.few = grown
	}
	s.few = slices.Insert(s.few, at, ordinal)
}

func (s *set) remove(ordinal uint32) {
	if s.many != nil {
		s.many.Remove(ordinal)
		s.last = 0
		return
	}
	if at, found := slices.BinarySearch(s.few, ordinal); found {
		s.few = slices.Delete(s.few, at, at+1)
	}
}

// gathered is the number of members that are put into a bitmap at once while an index is built: each bitmap is a cache
// miss.
const gathered = 32

// gather adds a member that isn't smaller than the previous ones; call seal before using the set.
func (s *set) gather(ordinal uint32) {
	if s.last == ordinal+1 {
		return
	}
	s.last = ordinal + 1
	if len(s.few) == fewest || (s.many != nil && len(s.few) == gathered) {
		s.flush()
	}
	s.few = append(s.few, ordinal)
}

func (s *set) flush() {
	if s.many == nil {
		s.many = roaring.BitmapOf(s.few...)
		s.few = make([]uint32, 0, gathered)
		return
	}
	s.many.AddMany(s.few)
	s.few = s.few[:0]
}

// seal ends the gathering.
func (s *set) seal() {
	if s.many != nil {
		s.flush()
		s.few = nil
	}
	s.trim()
}

// trim frees unused capacity.
func (s *set) trim() {
	if s.many != nil {
		s.many.RunOptimize()
		s.many = s.many.Clone()
	} else {
		s.few = slices.Clip(slices.Clone(s.few))
	}
}

func (s *set) size() int {
	if s.many != nil {
		return int(s.many.GetCardinality())
	}
	return len(s.few)
}

// highest returns the highest member of a set that isn't empty.
func (s *set) highest() uint32 {
	if s.many != nil {
		return s.many.Maximum()
	}
	return s.few[len(s.few)-1]
}

// bitmap returns the members; the result must not be changed.
func (s *set) bitmap() *roaring.Bitmap {
	switch {
	case s == nil:
		return roaring.New()
	case s.many != nil:
		return s.many
	}
	return roaring.BitmapOf(s.few...)
}

// sizeWithin counts the members that are also in a bitmap.
func (s *set) sizeWithin(bitmap *roaring.Bitmap) int {
	if s.many != nil {
		return int(s.many.AndCardinality(bitmap))
	}
	count := 0
	for _, ordinal := range s.few {
		if bitmap.Contains(ordinal) {
			count++
		}
	}
	return count
}

// union returns the members of any of the sets; the caller owns the result.
func union(sets []*set) *roaring.Bitmap {
	var large []*roaring.Bitmap
	members, highest := 0, uint32(0) // of the others
	for _, one := range sets {
		switch size := one.size(); {
		case size == 0:
		case size > largestScattered:
			large = append(large, one.many)
		default:
			members += size
			highest = max(highest, one.highest())
		}
	}
	var scattered *roaring.Bitmap
	if members < int(highest)/sparse {
		scattered = sorted(sets, members)
	} else {
		scattered = dense(sets, highest)
	}
	if len(large) == 0 {
		return scattered
	}
	result := roaring.FastOr(large...)
	result.Or(scattered)
	return result
}

const (
	// largestScattered is the size up to which the members of a set are combined one by one: it takes longer to merge the
	// containers of hundreds of such sets. No container of a bitmap of this size is a dense one.
	largestScattered = 4096
	// sparse: when at least one entry in so many is a member, members are combined as bits, without sorting.
	sparse = 1000
)

// sorted combines small sets with few members.
func sorted(sets []*set, members int) *roaring.Bitmap {
	list := make([]uint32, 0, members)
	for _, one := range sets {
		switch size := one.size(); {
		case size > largestScattered:
		case one.many != nil:
			list = list[:len(list)+size]
			one.many.ManyIterator().NextMany(list[len(list)-size:])
		default:
			list = append(list, one.few...)
		}
	}
	slices.Sort(list)
	return roaring.BitmapOf(list...)
}

// dense combines small sets by a bit for each entry.
func dense(sets []*set, highest uint32) *roaring.Bitmap {
	bits := borrow[uint64](&sharedBits, int(highest/64)+1)
	defer giveBack(&sharedBits, bits)
	for _, one := range sets {
		switch {
		case one.size() > largestScattered:
		case one.many != nil:
			one.many.WriteDenseTo(bits)
		default:
			for _, ordinal := range one.few {
				bits[ordinal/64] |= 1 << (ordinal % 64)
			}
		}
	}
	return roaring.FromDense(bits, true)
}

// intersect returns the members that all bitmaps have in common, without changing them. It starts with the smallest, so
// that an empty result is found early. Without bitmaps it returns nil.
func intersect(bitmaps []*roaring.Bitmap) *roaring.Bitmap {
	switch len(bitmaps) {
	case 0:
		return nil
	case 1:
		return bitmaps[0]
	}
	type sized struct {
		*roaring.Bitmap

		size uint64
	}
	sorted := make([]sized, len(bitmaps))
	for i, one := range bitmaps {
		sorted[i] = sized{one, one.GetCardinality()}
	}
	slices.SortFunc(sorted, func(a, b sized) int { return cmp.Compare(a.size, b.size) })
	result := roaring.And(sorted[0].Bitmap, sorted[1].Bitmap)
	for _, one := range sorted[2:] {
		if result.IsEmpty() {
			break
		}
		result.And(one.Bitmap)
	}
	return result
}
