package parquet

import (
	"encoding/binary"
	"errors"
)

var errDamaged = errors.New("the file is damaged")

// thrift reads Thrift's compact protocol, in which Parquet writes what it says about itself. After an error, everything
// that it returns is zero and every loop ends.
type thrift struct {
	rest []byte
	err  error
}

// Types of fields.
const (
	thriftTrue, thriftFalse     = 1, 2
	thriftByte                  = 3
	thriftI16, thriftI32        = 4, 5
	thriftI64, thriftDouble     = 6, 7
	thriftBinary                = 8
	thriftList, thriftSet       = 9, 10
	thriftMap, thriftStruct     = 11, 12
	thriftDepth             int = 24
)

func (t *thrift) fail() { t.err, t.rest = errDamaged, nil }

func (t *thrift) byte() byte {
	if len(t.rest) == 0 {
		t.fail()
		return 0
	}
	first := t.rest[0]
	t.rest = t.rest[1:]
	return first
}

func (t *thrift) unsigned() uint64 {
	value, length := binary.Uvarint(t.rest)
	if length <= 0 {
		t.fail()
		return 0
	}
	t.rest = t.rest[length:]
	return value
}

func (t *thrift) integer() int64 {
	value := t.unsigned()
	return int64(value>>1) ^ -int64(value&1)
}

func (t *thrift) binary() []byte {
	length := t.unsigned()
	if length > uint64(len(t.rest)) {
		t.fail()
		return nil
	}
	value := t.rest[:length]
	t.rest = t.rest[length:]
	return value
}

// fields calls a function for each field of a structure, which reads its value or leaves it by returning false.
func (t *thrift) fields(read func(id int16, kind byte) bool) { t.fieldsAt(thriftDepth, read) }

func (t *thrift) fieldsAt(depth int, read func(id int16, kind byte) bool) {
	id := int16(0)
	for t.err == nil {
		head := t.byte()
		kind := head & 15
		if kind == 0 {
			return
		}
		if step := head >> 4; step > 0 {
			id += int16(step)
		} else {
			id = int16(t.integer())
		}
		if !read(id, kind) {
			t.skip(kind, depth)
		}
	}
}

// list calls a function for each element of a list of structures or the like, which must read it.
func (t *thrift) list(read func(kind byte)) {
	length, kind := t.listHead()
	for ; length > 0 && t.err == nil; length-- {
		read(kind)
	}
}

func (t *thrift) listHead() (length uint64, kind byte) {
	head := t.byte()
	if length = uint64(head >> 4); length == 15 {
		length = t.unsigned()
	}
	return length, head & 15
}

// skip leaves out a value. Every element of a list takes a byte at least, so no length lets it run on.
func (t *thrift) skip(kind byte, depth int) {
	if depth == 0 {
		t.fail()
	}
	switch kind {
	case thriftTrue, thriftFalse: // the type is the value
	case thriftByte:
		t.byte()
	case thriftI16, thriftI32, thriftI64:
		t.unsigned()
	case thriftDouble:
		for range 8 {
			t.byte()
		}
	case thriftBinary:
		t.binary()
	case thriftList, thriftSet:
		length, kind := t.listHead()
		for ; length > 0 && t.err == nil; length-- {
			t.skipElement(kind, depth-1)
		}
	case thriftMap:
		length := t.unsigned()
		if length == 0 {
			return
		}
		kinds := t.byte()
		for ; length > 0 && t.err == nil; length-- {
			t.skipElement(kinds>>4, depth-1)
			t.skipElement(kinds&15, depth-1)
		}
	case thriftStruct:
		t.fieldsAt(depth-1, func(int16, byte) bool { return t.err != nil })
	default:
		t.fail()
	}
}

// skipElement leaves out an element of a list, where truth values take a byte.
func (t *thrift) skipElement(kind byte, depth int) {
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftByte
	}
	t.skip(kind, depth)
}
