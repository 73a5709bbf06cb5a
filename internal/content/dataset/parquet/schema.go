package parquet

import (
	"fmt"
	"strings"
)

// Physical types.
const (
	typeBoolean = iota
	typeInt32
	typeInt64
	typeInt96
	typeFloat
	typeDouble
	typeBytes
	typeFixed
)

// meaning is what a physical value stands for.
type meaning byte

const (
	meansItself meaning = iota
	meansText
	meansDecimal
	meansDate
	meansTime
	meansTimestamp
	meansUnsigned
	meansUUID
	meansHalf // a float of 16 bits
	meansInterval
	meansList
	meansMap
)

// node is a field of the schema, with those below it.
type node struct {
	name     string
	repeated bool
	children []*node

	// The levels of a value that is there: how many fields on the way to it are optional or repeated, and how many repeated.
	definition, repetition int

	physical  int
	length    int // of fixed values, in bytes
	meaning   meaning
	scale     int
	precision int
	unit      int64 // of times and timestamps: how many a second has
	utc       bool
	bits      int // of integers, where the annotation says so
	leaf      int // position among the columns that have values; -1 for a group
}

const (
	depthLimit = 16
	nodesLimit = 20_000
)

// element is a field as the file lists it.
type element struct {
	node

	required bool
	children int
}

func (t *thrift) element() element {
	e := element{required: true}
	e.leaf = -1
	physical := -1
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftI32:
			physical = int(t.integer())
		case id == 2 && kind == thriftI32:
			e.length = int(t.integer())
		case id == 3 && kind == thriftI32:
			repetition := t.integer()
			e.required, e.repeated = repetition == 0, repetition == 2
		case id == 4 && kind == thriftBinary:
			e.name = strings.ToValidUTF8(string(t.binary()), "\ufffd")
		case id == 5 && kind == thriftI32:
			e.children = int(t.integer())
		case id == 6 && kind == thriftI32:
			e.convert(t.integer())
		case id == 7 && kind == thriftI32:
			e.scale = int(t.integer())
		case id == 8 && kind == thriftI32:
			e.precision = int(t.integer())
		case id == 10 && kind == thriftStruct:
			t.logical(&e)
		default:
			return false
		}
		return true
	})
	e.physical = physical
	return e
}

// convert sets the meaning from the older of the two annotations.
func (e *element) convert(converted int64) {
	switch converted {
	case 0, 4, 19:
		e.meaning = meansText
	case 1, 2:
		e.meaning = meansMap
	case 3:
		e.meaning = meansList
	case 5:
		e.meaning = meansDecimal
	case 6:
		e.meaning = meansDate
	case 7:
		e.meaning, e.unit = meansTime, 1_000
	case 8:
		e.meaning, e.unit = meansTime, 1_000_000
	case 9:
		e.meaning, e.unit, e.utc = meansTimestamp, 1_000, true
	case 10:
		e.meaning, e.unit, e.utc = meansTimestamp, 1_000_000, true
	case 11, 12, 13, 14:
		e.meaning, e.bits = meansUnsigned, 8<<(converted-11)
	case 15, 16, 17, 18:
		e.bits = 8 << (converted - 15)
	case 21:
		e.meaning = meansInterval
	}
}

// logical reads the newer annotation, a union.
func (t *thrift) logical(e *element) {
	simple := map[int16]meaning{1: meansText, 2: meansMap, 3: meansList, 4: meansText, 6: meansDate, 12: meansText, 14: meansUUID, 15: meansHalf}
	t.fields(func(id int16, kind byte) bool {
		if kind != thriftStruct {
			return false
		}
		if found := simple[id]; found != 0 {
			e.meaning = found
			return false
		}
		switch id {
		case 5:
			e.meaning = meansDecimal
			t.fields(func(id int16, kind byte) bool {
				switch {
				case id == 1 && kind == thriftI32:
					e.scale = int(t.integer())
				case id == 2 && kind == thriftI32:
					e.precision = int(t.integer())
				default:
					return false
				}
				return true
			})
		case 7, 8:
			e.meaning = meansTime
			if id == 8 {
				e.meaning = meansTimestamp
			}
			t.clock(e)
		case 10:
			t.fields(func(id int16, kind byte) bool {
				if id == 2 && kind == thriftFalse {
					e.meaning = meansUnsigned
				}
				if id != 1 || kind != thriftByte {
					return false
				}
				e.bits = int(t.byte())
				return true
			})
		default:
			return false
		}
		return true
	})
}

// clock reads the unit of times, and whether they are in UTC.
func (t *thrift) clock(e *element) {
	e.utc = false
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && (kind == thriftTrue || kind == thriftFalse):
			e.utc = kind == thriftTrue
			return false
		case id == 2 && kind == thriftStruct:
			t.fields(func(id int16, _ byte) bool {
				e.unit = map[int16]int64{1: 1_000, 2: 1_000_000, 3: 1_000_000_000}[id]
				return false
			})
			return true
		default:
			return false
		}
	})
}

// tree builds the tree of fields from the file's list of them, which is in the order of a walk.
func tree(list []element) (root *node, err error) {
	leaves := 0
	var build func(depth, definition, repetition int) (*node, error)
	build = func(depth, definition, repetition int) (*node, error) {
		if len(list) == 0 || depth > depthLimit {
			return nil, errDamaged
		}
		e := list[0]
		list = list[1:]
		found := &e.node
		if depth > 0 && !e.required {
			definition++
		}
		if depth > 0 && e.repeated {
			repetition++
		}
		found.definition, found.repetition = definition, repetition
		if e.children > len(list) || e.children < 0 {
			return nil, errDamaged
		}
		for range e.children {
			child, err := build(depth+1, definition, repetition)
			if err != nil {
				return nil, err
			}
			found.children = append(found.children, child)
		}
		if e.children == 0 && depth > 0 {
			if e.physical < typeBoolean || e.physical > typeFixed || e.physical == typeFixed && (e.length <= 0 || e.length > 1<<16) {
				return nil, errDamaged
			}
			found.leaf = leaves
			leaves++
		}
		return found, nil
	}
	root, err = build(0, 0, 0)
	if err == nil && len(list) > 0 {
		err = errDamaged
	}
	return root, err
}

// leaves returns the fields with values below a field, in their order.
func (n *node) leaves() []*node {
	if n.leaf >= 0 {
		return []*node{n}
	}
	var found []*node
	for _, child := range n.children {
		found = append(found, child.leaves()...)
	}
	return found
}

// typeName returns what people call the type.
func (n *node) typeName() string {
	name := n.single()
	if n.repeated {
		name = "list"
	}
	return name
}

func (n *node) single() string {
	zone := ""
	if n.utc {
		zone = ", UTC"
	}
	unit := map[int64]string{1_000: "ms", 1_000_000: "µs", 1_000_000_000: "ns"}[n.unit]
	switch n.meaning {
	case meansList:
		return "list"
	case meansMap:
		return "map"
	case meansText:
		return "string"
	case meansDecimal:
		return fmt.Sprintf("decimal(%d, %d)", n.precision, n.scale)
	case meansDate:
		return "date"
	case meansTime:
		return "time[" + unit + "]"
	case meansTimestamp:
		return "timestamp[" + unit + zone + "]"
	case meansUUID:
		return "uuid"
	case meansHalf:
		return "float16"
	case meansInterval:
		return "interval"
	case meansUnsigned:
		return fmt.Sprintf("uint%d", n.bits)
	}
	if n.bits > 0 {
		return fmt.Sprintf("int%d", n.bits)
	}
	if n.leaf < 0 {
		return "struct"
	}
	return [...]string{"boolean", "int32", "int64", "timestamp[ns]", "float", "double", "binary", "binary"}[n.physical]
}
