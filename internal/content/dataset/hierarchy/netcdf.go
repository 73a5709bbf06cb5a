package hierarchy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"cairn/internal/content/dataset/bounded"
)

// netCDF reads the header of a classic NetCDF file, in which the highest byte comes first:
// https://docs.unidata.ucar.edu/nug/current/file_format_specifications.html
type netCDF struct {
	tree       *Tree
	rest       []byte
	bad        bool
	wide       bool // numbers of elements have 8 bytes
	offset     int  // bytes of a place in the file
	records    int64
	dimensions []Dimension
	room       int
	full       bool // there are more variables than are shown
}

const headerBytes = 4 << 20

var (
	classicTypes = []string{"", "int8", "char", "int16", "int32", "float32", "float64", "uint8", "uint16", "uint32", "int64", "uint64"}
	classicSizes = []int{0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8}
)

// Tags of the lists in a header.
const tagDimensions, tagVariables, tagAttributes = 10, 11, 12

func readNetCDF(tree *Tree, source *bounded.Reader, size int64) error {
	content, err := source.Bytes(0, min(size, headerBytes))
	if err != nil {
		return err
	}
	n := &netCDF{tree: tree, rest: content[3:], room: attributesTotal}
	version := n.take(1)
	if n.bad || version[0] != 1 && version[0] != 2 && version[0] != 5 {
		return errDamaged
	}
	n.wide, n.offset = version[0] == 5, 4
	if version[0] != 1 {
		n.offset = 8
	}
	n.records = n.count()
	if unset := int64(1)<<32 - 1; !n.wide && n.records == unset || n.records < 0 { // as it is being written
		n.records = 0
	}
	tree.Nodes = append(tree.Nodes, Node{Kind: KindGroup})
	n.list(tagDimensions, func() {
		name, length := n.name(), n.count()
		if length == 0 {
			n.dimensions = append(n.dimensions, Dimension{n.records, cut(name, nameLength), true})
		} else {
			n.dimensions = append(n.dimensions, Dimension{length, cut(name, nameLength), false})
		}
	})
	n.attributes(&tree.Nodes[0])
	n.list(tagVariables, n.variable)
	if n.full || n.bad && size > headerBytes && len(tree.Nodes) > 1 {
		tree.Complete = false
		return nil
	}
	if n.bad {
		return errors.Join(errDamaged, io.ErrUnexpectedEOF)
	}
	return nil
}

func (n *netCDF) take(length int64) []byte {
	if length < 0 || length > int64(len(n.rest)) {
		n.bad, n.rest = true, nil
		return make([]byte, min(max(length, 0), 8))
	}
	taken := n.rest[:length]
	n.rest = n.rest[length:]
	return taken
}

func (n *netCDF) count() int64 {
	if n.wide {
		return int64(binary.BigEndian.Uint64(n.take(8)))
	}
	return int64(binary.BigEndian.Uint32(n.take(4)))
}

// padded reads bytes, and those up to a multiple of four.
func (n *netCDF) padded(length int64) []byte {
	taken := n.take(length)
	if over := length % 4; over > 0 && !n.bad {
		n.take(4 - over)
	}
	return taken
}

func (n *netCDF) name() string { return string(n.padded(n.count())) }

// list calls a function for each element of a list, which reads it.
func (n *netCDF) list(tag uint32, each func()) {
	found, count := binary.BigEndian.Uint32(n.take(4)), n.count()
	if found != tag && (found != 0 || count != 0) {
		n.bad = true
	}
	for ; count > 0 && !n.bad; count-- {
		each()
	}
}

func (n *netCDF) attributes(node *Node) {
	n.list(tagAttributes, func() {
		name, kind, count := n.name(), binary.BigEndian.Uint32(n.take(4)), n.count()
		if kind == 0 || int(kind) >= len(classicSizes) || count < 0 || count > headerBytes {
			n.bad = true
			return
		}
		content := n.padded(count * int64(classicSizes[kind]))
		if !n.bad {
			node.describe(name, classicText(int(kind), content), &n.room)
		}
	})
}

func classicText(kind int, content []byte) string {
	if kind == 2 {
		return strings.TrimRight(string(content), "\x00")
	}
	var shown []string
	for size := classicSizes[kind]; len(content) >= size; content = content[size:] {
		if len(shown) == valuesShown {
			shown = append(shown, "…")
			break
		}
		if kind == 5 || kind == 6 {
			shown = append(shown, float(content[:size], true))
		} else {
			shown = append(shown, integer(content[:size], true, strings.HasPrefix(classicTypes[kind], "int")))
		}
	}
	return strings.Join(shown, ", ")
}

func (n *netCDF) variable() {
	if len(n.tree.Nodes) >= nodesLimit {
		n.tree.Complete, n.full, n.rest, n.bad = false, true, nil, true
		return
	}
	node := Node{Name: cut(n.name(), nameLength), Depth: 1, Kind: KindVariable}
	for count := n.count(); count > 0 && !n.bad; count-- {
		at := n.count()
		if at < 0 || at >= int64(len(n.dimensions)) || len(node.Dimensions) >= 1024 {
			n.bad = true
			return
		}
		if len(node.Dimensions) < ranksLimit {
			node.Dimensions = append(node.Dimensions, n.dimensions[at])
		}
	}
	n.attributes(&node)
	kind := binary.BigEndian.Uint32(n.take(4))
	_ = n.count() // its size in bytes
	n.take(int64(n.offset))
	if kind == 0 || int(kind) >= len(classicTypes) {
		n.bad = true
	}
	if n.bad {
		return
	}
	node.Type = classicTypes[kind]
	n.tree.Nodes = append(n.tree.Nodes, node)
}

// String describes a dimension, for tests and logs.
func (d Dimension) String() string {
	text := strconv.FormatInt(d.Size, 10)
	if d.Unlimited {
		text += "+"
	}
	if d.Name != "" {
		text = fmt.Sprintf("%s=%s", d.Name, text)
	}
	return text
}
