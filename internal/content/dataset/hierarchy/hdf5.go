package hierarchy

import (
	"errors"
	"slices"
	"strings"

	"cairn/internal/content/dataset/bounded"
)

// hdf5 reads the tree of an HDF5 file: https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html
type hdf5 struct {
	source  *bounded.Reader
	tree    *Tree
	size    int64
	base    int64
	offsets int // bytes of an address
	lengths int // bytes of a length

	room   int               // for attributes
	steps  int               // left for values: those elsewhere may refer to others, and so on
	seen   map[int64]string  // paths by addresses of objects
	scales map[int64]string  // names of dimensions by addresses of objects
	axes   map[int][][]int64 // addresses of the dimensions of nodes
	heapAt int64             // address of the global heap that was read last
	heap   []byte
}

const signature = "\x89HDF\r\n\x1a\n"

func readHDF5(tree *Tree, source *bounded.Reader, size int64) error {
	h := &hdf5{
		source: source, tree: tree, size: size, room: attributesTotal, steps: stepsLimit, seen: map[int64]string{}, scales: map[int64]string{},
		axes: map[int][][]int64{}, heapAt: -1,
	}
	root, err := h.superblock()
	if err != nil {
		return err
	}
	err = h.object(root, "", "", 0)
	if errors.Is(err, bounded.ErrLimit) && len(tree.Nodes) > 0 {
		tree.Complete, err = false, nil
	}
	for at, axes := range h.axes {
		for i, scales := range axes {
			if len(scales) > 0 && i < len(tree.Nodes[at].Dimensions) {
				tree.Nodes[at].Dimensions[i].Name = h.scales[scales[0]]
			}
		}
	}
	return err
}

// superblock finds where the file begins, and returns the address of its root.
func (h *hdf5) superblock() (root int64, err error) {
	for at := int64(0); at < h.size; at = max(512, at*2) {
		begin, err := h.source.Bytes(at, min(112, h.size-at))
		if err != nil {
			return 0, err
		}
		if !strings.HasPrefix(string(begin), signature) {
			continue
		}
		c := &cursor{rest: begin[8:]}
		version := c.number(1)
		if version < 2 {
			c.take(4)
		}
		h.offsets, h.lengths = int(c.number(1)), int(c.number(1))
		if h.offsets < 2 || h.offsets > 8 || h.lengths < 2 || h.lengths > 8 {
			return 0, errDamaged
		}
		switch version {
		case 0, 1:
			c.take(9 + 4*int(version))
			h.base = c.size(h.offsets)
			c.take(3*h.offsets + h.offsets)
		case 2, 3:
			c.take(1)
			h.base = c.size(h.offsets)
			c.take(2 * h.offsets)
		default:
			return 0, errDamaged
		}
		root = c.size(h.offsets)
		if c.bad {
			return 0, errDamaged
		}
		return root, nil
	}
	return 0, errDamaged
}

// at reads a part of the file at an address.
func (h *hdf5) at(address, length int64) (*cursor, error) {
	if address < 0 || length < 0 || address > h.size || length > h.size {
		return nil, errDamaged
	}
	content, err := h.source.Bytes(h.base+address, length)
	return &cursor{rest: content}, err
}

// signed reads a part that begins with a sign.
func (h *hdf5) signed(address, length int64, sign string) (*cursor, error) {
	c, err := h.at(address, length)
	if err == nil && string(c.take(len(sign))) != sign {
		err = errDamaged
	}
	return c, err
}

// Types of messages in the headers of objects.
const (
	messageDataspace    = 0x01
	messageLinkInfo     = 0x02
	messageDatatype     = 0x03
	messageLink         = 0x06
	messageAttribute    = 0x0c
	messageContinuation = 0x10
	messageSymbols      = 0x11
	messageAttributes   = 0x15
)

type message struct {
	kind, flags uint64
	content     []byte
}

// messages returns the messages of an object.
func (h *hdf5) messages(address int64) (found []message, err error) {
	begin, err := h.at(address, min(32, max(h.size-h.base-address, 0)))
	if err != nil {
		return nil, err
	}
	isNew, ordered := strings.HasPrefix(string(begin.rest), "OHDR"), false
	var first, length int64
	if isNew {
		before := len(begin.rest)
		begin.take(5)
		flags := begin.number(1)
		ordered = flags&4 != 0
		if flags&32 != 0 {
			begin.take(16)
		}
		if flags&16 != 0 {
			begin.take(4)
		}
		length = begin.size(1 << (flags & 3))
		first = address + int64(before-len(begin.rest))
	} else {
		if begin.number(1) != 1 {
			return nil, errDamaged
		}
		begin.take(7)
		length, first = begin.size(4), address+16
	}
	if begin.bad {
		return nil, errDamaged
	}
	block, err := h.at(first, length)
	if err != nil {
		return nil, err
	}
	for blocks := []*cursor{block}; len(blocks) > 0; blocks = blocks[1:] {
		for c := blocks[0]; ; {
			one, ok := nextMessage(c, isNew, ordered)
			if !ok {
				break
			}
			if len(found) > messagesLimit {
				return nil, bounded.ErrLimit
			}
			if one.kind != messageContinuation {
				found = append(found, one)
				continue
			}
			at := &cursor{rest: one.content}
			more, err := h.continuation(at.size(h.offsets), at.size(h.lengths), isNew)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, more)
		}
	}
	return found, nil
}

func (h *hdf5) continuation(address, length int64, isNew bool) (*cursor, error) {
	if !isNew {
		return h.at(address, length)
	}
	if length < 8 {
		return nil, errDamaged
	}
	c, err := h.signed(address, length, "OCHK")
	if err == nil {
		c.rest = c.rest[:len(c.rest)-4] // without the checksum
	}
	return c, err
}

// nextMessage reads a message; false at the end.
func nextMessage(c *cursor, isNew, ordered bool) (one message, ok bool) {
	if isNew {
		one.kind = c.number(1)
		length := int(c.number(2))
		one.flags = c.number(1)
		if ordered {
			c.take(2)
		}
		one.content = c.take(length)
		return one, !c.bad
	}
	one.kind = c.number(2)
	length := int(c.number(2))
	one.flags = c.number(1)
	c.take(3)
	one.content = c.take(length)
	return one, !c.bad
}

// unshared returns the content of a message, which may be kept in another object.
func (h *hdf5) unshared(one message) ([]byte, error) {
	if one.flags&2 == 0 {
		return one.content, nil
	}
	c := &cursor{rest: one.content}
	version, kind := c.number(1), c.number(1)
	if version == 1 {
		c.take(6)
	}
	if version == 3 && kind == 1 { // in a heap of the whole file
		return nil, errDamaged
	}
	others, err := h.messages(c.size(h.offsets))
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		if other.kind == one.kind && other.flags&2 == 0 {
			return other.content, nil
		}
	}
	return nil, errDamaged
}

// object adds a group, a variable or a type with all that is in it. One that can't be read becomes a node that says so.
func (h *hdf5) object(address int64, path, name string, depth int) error {
	if len(h.tree.Nodes) >= nodesLimit {
		h.tree.Complete = false
		return nil
	}
	node := Node{Name: cut(name, nameLength), Depth: depth, Kind: KindGroup}
	if before, seen := h.seen[address]; seen {
		node.Kind, node.Target = KindLink, before
		h.tree.Nodes = append(h.tree.Nodes, node)
		return nil
	}
	h.seen[address] = cut("/"+strings.TrimPrefix(path, "/"), pathLength)
	place := len(h.tree.Nodes)
	h.tree.Nodes = append(h.tree.Nodes, node)
	links, hide, err := h.describe(address, name, place)
	switch {
	case err != nil && (errors.Is(err, errDamaged) || isShort(err)) && depth > 0:
		h.tree.Nodes[place] = Node{Name: node.Name, Depth: depth, Kind: KindUnreadable}
		return nil
	case err != nil:
		return err
	case hide:
		h.tree.Nodes = h.tree.Nodes[:place]
		delete(h.axes, place)
		return nil
	case depth >= depthLimit && len(links) > 0:
		h.tree.Complete = false
		return nil
	}
	slices.SortStableFunc(links, func(a, b link) int { return strings.Compare(a.name, b.name) })
	for _, each := range links {
		if each.target != "" {
			if len(h.tree.Nodes) >= nodesLimit {
				h.tree.Complete = false
				return nil
			}
			h.tree.Nodes = append(h.tree.Nodes, Node{Name: cut(each.name, nameLength), Depth: depth + 1, Kind: KindLink, Target: cut(each.target, nameLength)})
			continue
		}
		if err := h.object(each.address, path+"/"+cut(each.name, nameLength), each.name, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// describe reads an object into its node, and returns what it links to. It is hidden if it is a dimension alone.
func (h *hdf5) describe(address int64, name string, place int) (links []link, hide bool, err error) {
	messages, err := h.messages(address)
	if err != nil {
		return nil, false, err
	}
	node := &h.tree.Nodes[place]
	hasSpace, hasType := false, false
	for _, one := range messages {
		c := &cursor{rest: one.content}
		var more []link
		switch one.kind {
		case messageDataspace:
			node.Dimensions, err = h.dataspace(one)
			hasSpace = true
		case messageDatatype:
			node.Type, hasType = "unknown", true
			if content, sharedErr := h.unshared(one); sharedErr == nil {
				if found, err := parseType(&cursor{rest: content}, 0); err == nil {
					node.Type = found.name()
				}
			}
		case messageSymbols:
			more, err = h.symbols(c.size(h.offsets), c.size(h.offsets))
		case messageLink:
			var found link
			if found, err = h.link(one.content); err == nil {
				more = []link{found}
			}
		case messageLinkInfo:
			more, err = h.denseLinks(c)
		case messageAttribute:
			err = h.attribute(one.content, address, place)
		case messageAttributes:
			err = h.denseAttributes(c, address, place)
		}
		if err != nil && !errors.Is(err, errDamaged) {
			return nil, false, err
		}
		if err != nil && one.kind != messageAttribute && one.kind != messageAttributes {
			return nil, false, err
		}
		links = append(links, more...)
		if len(links) > nodesLimit {
			h.tree.Complete = false
			links = links[:nodesLimit]
		}
	}
	slices.SortStableFunc(node.Attributes, func(a, b Attribute) int { return strings.Compare(a.Name, b.Name) })
	switch {
	case hasType && hasSpace:
		node.Kind = KindVariable
	case hasType:
		node.Kind = KindType
	}
	if scale, isScale := h.scales[address]; isScale && strings.HasPrefix(scale, netCDFDimension) {
		h.scales[address] = cut(name, nameLength)
		return nil, true, nil
	} else if isScale {
		h.scales[address] = cut(name, nameLength)
		if len(node.Dimensions) == 1 {
			node.Dimensions[0].Name = h.scales[address]
		}
	}
	return links, false, nil
}

// netCDFDimension is how NetCDF-4 marks a dimension that has no values.
const netCDFDimension = "This is a netCDF dimension but not a netCDF variable"

// dataspace reads the shape of a variable.
func (h *hdf5) dataspace(one message) ([]Dimension, error) {
	content, err := h.unshared(one)
	if err != nil {
		return nil, err
	}
	return h.shape(&cursor{rest: content})
}

const ranksLimit = 32

func (h *hdf5) shape(c *cursor) ([]Dimension, error) {
	version, rank, flags := c.number(1), int(c.number(1)), c.number(1)
	if version == 1 {
		c.take(5)
	} else if kind := c.number(1); version == 2 && kind == 2 {
		return []Dimension{{Size: 0}}, nil // no value at all
	}
	if version < 1 || version > 2 || rank > ranksLimit || c.bad {
		return nil, errDamaged
	}
	dimensions := make([]Dimension, rank)
	for i := range dimensions {
		dimensions[i].Size = c.size(h.lengths)
	}
	if flags&1 != 0 {
		for i := range dimensions {
			most := c.number(h.lengths)
			dimensions[i].Unlimited = most == 1<<(8*h.lengths)-1
		}
	}
	if c.bad {
		return nil, errDamaged
	}
	return dimensions, nil
}
