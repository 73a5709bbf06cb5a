package hierarchy

import (
	"fmt"
	"strings"
)

// Limits of types: how deep they are in each other, and how many members one has.
const typeDepth, membersLimit = 8, 1_000

// datatype is the type of values.
type datatype struct {
	class  uint64
	size   int
	bits   uint64
	base   *datatype
	names  []string // of members, or of values of an enumeration
	inner  []*datatype
	places []int
	values []byte
	shape  []int
}

// Classes of types.
const (
	classInteger = iota
	classFloat
	classTime
	classString
	classBits
	classOpaque
	classCompound
	classReference
	classEnum
	classSequence
	classArray
	classComplex
)

func parseType(c *cursor, depth int) (*datatype, error) {
	head := c.number(1)
	version := head >> 4
	t := &datatype{class: head & 15, bits: c.number(3)}
	t.size = int(c.number(4))
	if c.bad || depth > typeDepth || t.size < 0 {
		return nil, errDamaged
	}
	var err error
	switch t.class {
	case classInteger, classBits:
		c.take(4)
	case classFloat:
		c.take(12)
	case classTime:
		c.take(2)
	case classOpaque:
		c.take(int(t.bits & 0xff))
	case classCompound:
		err = t.members(c, version, depth)
	case classEnum:
		if t.base, err = parseType(c, depth+1); err != nil {
			return nil, err
		}
		count := int(t.bits & 0xffff)
		for range min(count, membersLimit) {
			t.names = append(t.names, c.name(version))
		}
		t.values = c.take(count * t.base.size)
	case classSequence, classComplex:
		t.base, err = parseType(c, depth+1)
	case classArray:
		rank := int(c.number(1))
		if version < 3 {
			c.take(3)
		}
		for range min(rank, ranksLimit) {
			t.shape = append(t.shape, int(c.number(4)))
		}
		if version < 3 {
			c.take(4 * rank)
		}
		t.base, err = parseType(c, depth+1)
	}
	if c.bad {
		err = errDamaged
	}
	return t, err
}

// name reads the name of a member, which earlier versions fill up to eight bytes.
func (c *cursor) name(version uint64) string {
	name := c.word()
	if over := (len(name) + 1) % 8; version < 3 && over > 0 {
		c.take(8 - over)
	}
	return name
}

func (t *datatype) members(c *cursor, version uint64, depth int) error {
	for range min(int(t.bits&0xffff), membersLimit) {
		t.names = append(t.names, c.name(version))
		width := 4
		for version >= 3 && width > 1 && t.size < 1<<(8*(width-1)) {
			width--
		}
		t.places = append(t.places, int(c.number(width)))
		if version == 1 {
			c.take(28)
		}
		member, err := parseType(c, depth+1)
		if err != nil {
			return err
		}
		t.inner = append(t.inner, member)
	}
	return nil
}

// name returns what people call a type.
func (t *datatype) name() string {
	switch t.class {
	case classInteger:
		if t.bits&8 == 0 {
			return fmt.Sprintf("uint%d", t.size*8)
		}
		return fmt.Sprintf("int%d", t.size*8)
	case classFloat:
		return fmt.Sprintf("float%d", t.size*8)
	case classTime:
		return "time"
	case classString:
		return fmt.Sprintf("string (%d bytes)", t.size)
	case classBits:
		return fmt.Sprintf("bits (%d)", t.size*8)
	case classOpaque:
		return fmt.Sprintf("opaque (%d bytes)", t.size)
	case classReference:
		return "reference"
	case classEnum:
		if t.isTruth() {
			return "boolean"
		}
		return cut("enumeration ("+strings.Join(t.names[:min(len(t.names), valuesShown)], ", ")+")", valueLength)
	case classSequence:
		if t.bits&15 == 1 {
			return "string"
		}
		return "sequence of " + t.base.name()
	case classComplex:
		return fmt.Sprintf("complex%d", t.size*8)
	case classArray:
		return cut(fmt.Sprintf("array %v of %s", t.shape, t.base.name()), valueLength)
	case classCompound:
		var members []string
		for i, member := range t.inner[:min(len(t.inner), valuesShown)] {
			members = append(members, t.names[i]+": "+member.name())
		}
		if len(t.inner) > valuesShown {
			members = append(members, "…")
		}
		return cut("compound ("+strings.Join(members, ", ")+")", valueLength)
	default:
		return "unknown"
	}
}

// isTruth reports whether an enumeration is what h5py writes for truth values.
func (t *datatype) isTruth() bool {
	return t.class == classEnum && len(t.names) == 2 && t.names[0] == "FALSE" && t.names[1] == "TRUE"
}
