package hierarchy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// internal are the attributes by which libraries connect dimensions.
var internal = map[string]bool{
	"CLASS": true, "NAME": true, "DIMENSION_LIST": true, "REFERENCE_LIST": true, "_Netcdf4Dimid": true, "_Netcdf4Coordinates": true, "_nc3_strict": true,
}

// attribute reads an attribute of a node.
func (h *hdf5) attribute(content []byte, address int64, place int) error {
	c := &cursor{rest: content}
	version, flags := c.number(1), c.number(1)
	nameSize, typeSize, spaceSize := int(c.number(2)), int(c.number(2)), int(c.number(2))
	multiple := 1
	switch version {
	case 1:
		multiple, flags = 8, 0
	case 3:
		c.take(1)
	}
	name := strings.TrimRight(string(c.padded(nameSize, multiple)), "\x00")
	typeAt, spaceAt := c.padded(typeSize, multiple), c.padded(spaceSize, multiple)
	if c.bad || version < 1 || version > 3 {
		return errDamaged
	}
	node := &h.tree.Nodes[place]
	typed, err := h.unshared(message{messageDatatype, flags & 1 << 1, typeAt})
	if err != nil {
		return err
	}
	space, err := h.unshared(message{messageDataspace, flags & 2, spaceAt})
	if err != nil {
		return err
	}
	kind, err := parseType(&cursor{rest: typed}, 0)
	if err != nil {
		return err
	}
	shape, err := h.shape(&cursor{rest: space})
	if err != nil {
		return err
	}
	if name == "DIMENSION_LIST" {
		h.axes[place] = h.dimensions(c.rest, len(node.Dimensions))
	}
	value := h.values(kind, shape, c.rest)
	if name == "NAME" {
		h.scales[address] = value
	}
	if !internal[name] {
		node.describe(name, value, &h.room)
	}
	return nil
}

// dimensions returns the addresses of the objects that name each axis.
func (h *hdf5) dimensions(content []byte, axes int) (found [][]int64) {
	c := &cursor{rest: content}
	for range axes {
		one := &cursor{rest: h.elsewhere(c, h.offsets)}
		var scales []int64
		if len(one.rest) >= h.offsets {
			scales = append(scales, one.size(h.offsets))
		}
		found = append(found, scales)
	}
	return found
}

// values returns the text of values.
func (h *hdf5) values(kind *datatype, shape []Dimension, content []byte) string {
	count := int64(1)
	for _, dimension := range shape {
		if dimension.Size > 0 && count > math.MaxInt64/dimension.Size {
			count = math.MaxInt64
			break
		}
		count *= dimension.Size
	}
	c := &cursor{rest: content}
	var shown []string
	for range min(count, valuesShown) {
		one := h.value(c, kind)
		if c.bad {
			break
		}
		shown = append(shown, one)
	}
	if count > valuesShown {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// value reads a value and returns its text.
func (h *hdf5) value(c *cursor, kind *datatype) string {
	if h.steps--; h.steps < 0 {
		c.bad = true
		return ""
	}
	if kind.class == classSequence {
		content := h.elsewhere(c, kind.base.size)
		if kind.bits&15 == 1 {
			return string(content[:min(len(content), 4*valueLength)])
		}
		one, shown := &cursor{rest: content}, []string{}
		for len(one.rest) > 0 && len(shown) < valuesShown && kind.base.size > 0 && !one.bad {
			shown = append(shown, h.value(one, kind.base))
		}
		return "[" + strings.Join(shown, ", ") + "]"
	}
	content := c.take(kind.size)
	if c.bad {
		return ""
	}
	switch kind.class {
	case classInteger, classBits:
		return integer(content, kind.bits&1 == 1, kind.class == classInteger && kind.bits&8 != 0)
	case classFloat:
		return float(content, kind.bits&1 == 1)
	case classString:
		if end := bytes.IndexByte(content, 0); end >= 0 {
			content = content[:end]
		}
		return strings.TrimRight(string(content[:min(len(content), 4*valueLength)]), " ")
	case classEnum:
		for i, name := range kind.names {
			if size := kind.base.size; size == len(content) && bytes.Equal(kind.values[i*size:(i+1)*size], content) {
				if kind.isTruth() {
					return strings.ToLower(name)
				}
				return name
			}
		}
		return integer(content, kind.base.bits&1 == 1, true)
	case classCompound:
		return h.compound(kind, content)
	case classArray:
		one, shown := &cursor{rest: content}, []string{}
		for len(one.rest) >= max(kind.base.size, 1) && len(shown) < valuesShown && !one.bad {
			shown = append(shown, h.value(one, kind.base))
		}
		return "[" + strings.Join(shown, ", ") + "]"
	case classReference:
		return "(reference)"
	default:
		return fmt.Sprintf("0x%x", content[:min(len(content), valuesShown)])
	}
}

func (h *hdf5) compound(kind *datatype, content []byte) string {
	var shown []string
	for i, member := range kind.inner[:min(len(kind.inner), valuesShown)] {
		one := &cursor{rest: content}
		one.take(kind.places[i])
		shown = append(shown, kind.names[i]+": "+h.value(one, member))
	}
	return "{" + strings.Join(shown, ", ") + "}"
}

const collectionBytes = 1 << 20

// elsewhere reads where in the global heap a value is, and returns it: nothing if it isn't there.
func (h *hdf5) elsewhere(c *cursor, width int) []byte {
	count, address, wanted := c.size(4), c.number(h.offsets), c.number(4)
	if c.bad || count == 0 || width < 1 {
		return nil
	}
	if int64(address) != h.heapAt {
		h.heapAt, h.heap = int64(address), nil
		head, err := h.signed(int64(address), int64(8+h.lengths), "GCOL")
		if err != nil {
			return nil
		}
		head.take(4)
		whole, err := h.at(int64(address), min(head.size(h.lengths), collectionBytes))
		if err != nil {
			return nil
		}
		whole.take(8 + h.lengths)
		h.heap = whole.rest
	}
	for heap := (&cursor{rest: h.heap}); len(heap.rest) > 0 && !heap.bad && h.steps > 0; h.steps-- {
		index := heap.number(2)
		heap.take(6)
		length := heap.size(h.lengths)
		if index == 0 || length > int64(len(heap.rest)) {
			return nil
		}
		content := heap.padded(int(length), 8)
		if index == wanted {
			return content[:min(int64(len(content)), count*int64(width))]
		}
	}
	return nil
}

func integer(content []byte, bigFirst, signed bool) string {
	if len(content) > 8 || len(content) == 0 {
		return fmt.Sprintf("0x%x", content)
	}
	value := uint64(0)
	for i := range content {
		at := len(content) - 1 - i
		if bigFirst {
			at = i
		}
		value = value<<8 | uint64(content[at])
	}
	if !signed {
		return strconv.FormatUint(value, 10)
	}
	unused := 64 - 8*len(content)
	return strconv.FormatInt(int64(value<<unused)>>unused, 10)
}

func float(content []byte, bigFirst bool) string {
	var order binary.ByteOrder = binary.LittleEndian
	if bigFirst {
		order = binary.BigEndian
	}
	switch len(content) {
	case 4:
		return strconv.FormatFloat(float64(math.Float32frombits(order.Uint32(content))), 'g', -1, 32)
	case 8:
		return strconv.FormatFloat(math.Float64frombits(order.Uint64(content)), 'g', -1, 64)
	default:
		return fmt.Sprintf("0x%x", content)
	}
}
