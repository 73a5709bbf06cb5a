package hierarchy

import "math/bits"

// fractalHeap keeps small objects in blocks whose sizes double from row to row.
type fractalHeap struct {
	h                   *hdf5
	offsetWidth         int // of heap IDs, in bytes
	lengthWidth         int
	columns             int64
	start, most         int64 // the smallest and the largest block with objects, in bytes
	root                int64
	rows                int64 // of the root; 0 where it is a block with objects
	block               []byte
	blockFrom, blockEnd int64 // which part of the heap it is
}

func (h *hdf5) openHeap(address int64) (*fractalHeap, error) {
	c, err := h.signed(address, int64(26+12*h.lengths+3*h.offsets), "FRHP")
	if err != nil {
		return nil, err
	}
	c.take(3)
	filters := c.number(2)
	c.take(1)
	longest := c.number(4)
	c.take(10*h.lengths + 2*h.offsets)
	heap := &fractalHeap{h: h, columns: int64(c.number(2)), start: c.size(h.lengths), most: c.size(h.lengths)}
	heap.offsetWidth = (int(c.number(2)) + 7) / 8
	c.take(2)
	heap.root, heap.rows = c.size(h.offsets), int64(c.number(2))
	heap.lengthWidth = widthOf(min(longest, uint64(heap.most)))
	if c.bad || filters > 0 || heap.columns == 0 || heap.start < 1 || heap.most < heap.start || heap.most > 1<<24 || heap.rows > 64 || heap.offsetWidth > 8 {
		return nil, errDamaged
	}
	return heap, nil
}

// object returns an object by its ID: from a block, or from the ID itself. Large ones, which have a place of their own, are
// damaged to us.
func (f *fractalHeap) object(id []byte) ([]byte, error) {
	c := &cursor{rest: id}
	switch head := c.number(1); head >> 4 & 3 {
	case 0:
		offset, length := c.size(f.offsetWidth), c.size(f.lengthWidth)
		if c.bad {
			return nil, errDamaged
		}
		return f.managed(offset, length)
	case 2:
		content := c.take(int(head&15) + 1)
		if c.bad {
			return nil, errDamaged
		}
		return content, nil
	default:
		return nil, errDamaged
	}
}

func (f *fractalHeap) managed(offset, length int64) ([]byte, error) {
	if f.block == nil || offset < f.blockFrom || offset >= f.blockEnd {
		if err := f.find(offset); err != nil {
			return nil, err
		}
	}
	at := offset - f.blockFrom
	if at < 0 || length < 0 || at+length > int64(len(f.block)) {
		return nil, errDamaged
	}
	return f.block[at : at+length], nil
}

// find reads the block that contains an offset.
func (f *fractalHeap) find(offset int64) error {
	address, rows, from := f.root, f.rows, int64(0)
	for range depthLimit {
		if rows == 0 {
			return f.read(address, from, f.start)
		}
		row, column, start, size := f.place(offset - from)
		if row >= rows {
			return errDamaged
		}
		// Entries of rows with blocks of objects come first; all have the same size, as nothing is filtered.
		head := int64(5 + f.h.offsets + f.offsetWidth)
		c, err := f.h.at(address+head+(row*f.columns+column)*int64(f.h.offsets), int64(f.h.offsets))
		if err != nil {
			return err
		}
		address, from = c.size(f.h.offsets), from+start
		if size <= f.most {
			return f.read(address, from, size)
		}
		rows = int64(bits.Len64(uint64(size))-bits.Len64(uint64(f.start*f.columns))) + 1
		if rows <= 0 {
			return errDamaged
		}
	}
	return errDamaged
}

// place returns where in a block of blocks an offset is, and the beginning and size of the block there.
func (f *fractalHeap) place(offset int64) (row, column, start, size int64) {
	size = f.start
	for row = range int64(64) {
		if row > 1 {
			size *= 2
		}
		if width := size * f.columns; offset < start+width || width <= 0 {
			column = (offset - start) / max(size, 1)
			return row, column, start + column*size, size
		}
		start += size * f.columns
	}
	return 64, 0, 0, size
}

func (f *fractalHeap) read(address, from, size int64) error {
	c, err := f.h.signed(address, size, "FHDB")
	if err != nil {
		return err
	}
	// Offsets count from the beginning of the block, of which the sign was taken.
	f.block = append([]byte("FHDB"), c.rest...)
	f.blockFrom, f.blockEnd = from, from+size
	return nil
}
