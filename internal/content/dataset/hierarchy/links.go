package hierarchy

import (
	"errors"
	"io"
	"math/bits"
)

func isShort(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// link is a name in a group: of an object at an address, or of a path elsewhere.
type link struct {
	name    string
	address int64
	target  string
}

// symbols returns the links of a group of the older kind: a tree of tables, and a heap of their names.
func (h *hdf5) symbols(tree, heap int64) ([]link, error) {
	head, err := h.signed(heap, int64(8+2*h.lengths+h.offsets), "HEAP")
	if err != nil {
		return nil, err
	}
	head.take(4)
	length := head.size(h.lengths)
	head.take(h.lengths)
	names, err := h.at(head.size(h.offsets), length)
	if err != nil {
		return nil, err
	}
	var links []link
	err = h.symbolTree(tree, depthLimit, func(address int64) error {
		return h.symbolTable(address, names.rest, &links)
	})
	return links, err
}

func (h *hdf5) symbolTree(address int64, depth int, each func(address int64) error) error {
	head, err := h.signed(address, int64(8+2*h.offsets), "TREE")
	if err != nil {
		return err
	}
	head.take(1)
	level, count := head.number(1), int64(head.number(2))
	content, err := h.at(address+int64(8+2*h.offsets), count*int64(h.lengths+h.offsets))
	if err != nil {
		return err
	}
	for range count {
		content.take(h.lengths)
		child := content.size(h.offsets)
		switch {
		case content.bad || depth == 0:
			return errDamaged
		case level > 0:
			err = h.symbolTree(child, depth-1, each)
		default:
			err = each(child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (h *hdf5) symbolTable(address int64, names []byte, links *[]link) error {
	head, err := h.signed(address, 8, "SNOD")
	if err != nil {
		return err
	}
	head.take(2)
	count := int64(head.number(2))
	content, err := h.at(address+8, count*int64(2*h.offsets+24))
	if err != nil {
		return err
	}
	at := func(offset int64) string {
		c := &cursor{rest: names}
		c.take(int(min(offset, int64(len(names)))))
		return c.word()
	}
	for range count {
		if len(*links) > nodesLimit {
			return nil
		}
		one := link{name: at(content.size(h.offsets)), address: content.size(h.offsets)}
		kind := content.number(4)
		content.take(4)
		scratch := &cursor{rest: content.take(16)}
		if kind == 2 {
			one.target = at(int64(scratch.number(4)))
		}
		*links = append(*links, one)
	}
	return nil
}

// link reads a link of the newer kind.
func (h *hdf5) link(content []byte) (found link, err error) {
	c := &cursor{rest: content}
	c.take(1)
	flags, kind := c.number(1), uint64(0)
	if flags&8 != 0 {
		kind = c.number(1)
	}
	if flags&4 != 0 {
		c.take(8)
	}
	if flags&16 != 0 {
		c.take(1)
	}
	found.name = string(c.take(int(c.size(1 << (flags & 3)))))
	switch kind {
	case 0:
		found.address = c.size(h.offsets)
	case 1:
		found.target = string(c.take(int(c.number(2))))
	case 64:
		outside := &cursor{rest: c.take(int(c.number(2)))}
		outside.take(1)
		found.target = outside.word() + ": " + outside.word()
	default:
		found.target = "?"
	}
	if c.bad || found.name == "" {
		return link{}, errDamaged
	}
	return found, nil
}

// denseLinks returns the links of a group that has many.
func (h *hdf5) denseLinks(c *cursor) (links []link, err error) {
	c.take(1)
	if c.number(1)&1 != 0 {
		c.take(8)
	}
	err = h.dense(c.number(h.offsets), c.number(h.offsets), func(content []byte) error {
		one, err := h.link(content)
		if err == nil && len(links) <= nodesLimit {
			links = append(links, one)
		}
		return err
	})
	return links, err
}

// denseAttributes describes a node that has many attributes.
func (h *hdf5) denseAttributes(c *cursor, address int64, place int) error {
	c.take(1)
	if c.number(1)&1 != 0 {
		c.take(2)
	}
	return h.dense(c.number(h.offsets), c.number(h.offsets), func(content []byte) error {
		return h.attribute(content, address, place)
	})
}

// dense calls a function for each object in a heap, in the order of its index; nothing where there is no heap.
func (h *hdf5) dense(heap, index uint64, each func([]byte) error) error {
	if none := uint64(1)<<(8*h.offsets) - 1; heap == none || index == none {
		return nil
	}
	from, err := h.openHeap(int64(heap))
	if err != nil {
		return err
	}
	return h.index(int64(index), func(kind uint64, record []byte) error {
		switch {
		case kind == 5 && len(record) > 4: // links by name, behind a hash
			record = record[4:]
		case kind == 8: // attributes by name
		default:
			return errDamaged
		}
		content, err := from.object(record)
		if err != nil {
			return err
		}
		return each(content)
	})
}

// widthOf returns how many bytes numbers up to the largest take.
func widthOf(largest uint64) int { return (bits.Len64(largest) + 7) / 8 }

// index calls a function for each record of a tree of version 2.
func (h *hdf5) index(address int64, each func(kind uint64, record []byte) error) error {
	c, err := h.signed(address, int64(16+h.offsets+2), "BTHD")
	if err != nil {
		return err
	}
	c.take(1)
	kind, nodeSize, recordSize, depth := c.number(1), c.size(4), int64(c.number(2)), int(c.number(2))
	c.take(2)
	root, count := c.size(h.offsets), int64(c.number(2))
	if c.bad || recordSize == 0 || recordSize > nodeSize || depth > 16 || nodeSize > 1<<20 {
		return errDamaged
	}
	// How many records a node may have decides how many bytes their numbers take.
	most := (nodeSize - 10) / recordSize
	width, total := widthOf(uint64(most)), []uint64{uint64(most)}
	for level := 1; level <= depth; level++ {
		pointer := h.pointer(width, level, total)
		here := uint64(max(nodeSize-10-pointer, 0) / (recordSize + pointer))
		high, sum := bits.Mul64(here+1, total[level-1])
		if high > 0 {
			return errDamaged
		}
		total = append(total, sum+here)
	}
	var walk func(address, count int64, level int) error
	walk = func(address, count int64, level int) error {
		sign, pointer := "BTLF", int64(0)
		if level > 0 {
			sign, pointer = "BTIN", h.pointer(width, level, total)
		}
		c, err := h.signed(address, 6+count*recordSize+(count+1)*pointer, sign)
		if err != nil {
			return err
		}
		c.take(2)
		for range count {
			if err := each(kind, c.take(int(recordSize))); err != nil {
				return err
			}
		}
		for ; level > 0 && len(c.rest) > 0; count-- {
			child, records := c.size(h.offsets), c.size(width)
			c.take(int(pointer) - h.offsets - width)
			if c.bad {
				return errDamaged
			}
			if err := walk(child, records, level-1); err != nil {
				return err
			}
		}
		return nil
	}
	if count == 0 {
		return nil
	}
	return walk(root, count, depth)
}

// pointer returns the size of a pointer from a node of a level to one below.
func (h *hdf5) pointer(width, level int, total []uint64) int64 {
	size := h.offsets + width
	if level > 1 {
		size += widthOf(total[level-1])
	}
	return int64(size)
}
