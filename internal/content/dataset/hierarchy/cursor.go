package hierarchy

import (
	"bytes"
	"strings"
)

// cursor reads fields one after the other. Behind the end everything is zero, and bad is set.
type cursor struct {
	rest []byte
	bad  bool
}

func (c *cursor) take(length int) []byte {
	if length < 0 || length > len(c.rest) {
		c.bad, c.rest = true, nil
		return nil
	}
	taken := c.rest[:length]
	c.rest = c.rest[length:]
	return taken
}

// number reads an unsigned number of 8 bytes at most, the lowest first.
func (c *cursor) number(length int) uint64 {
	value := uint64(0)
	for i, one := range c.take(length) {
		if i < 8 {
			value |= uint64(one) << (8 * i)
		}
	}
	return value
}

// size reads a number that counts bytes or elements; one that is no int64 is bad.
func (c *cursor) size(length int) int64 {
	value := int64(c.number(length))
	if value < 0 {
		c.bad = true
		return 0
	}
	return value
}

// word reads a text up to a zero byte.
func (c *cursor) word() string {
	end := bytes.IndexByte(c.rest, 0)
	if end < 0 {
		c.bad, c.rest = true, nil
		return ""
	}
	text := string(c.rest[:end])
	c.rest = c.rest[end+1:]
	return text
}

// padded reads a number of bytes, and those up to a multiple of another number.
func (c *cursor) padded(length, multiple int) []byte {
	taken := c.take(length)
	if over := length % multiple; over > 0 {
		c.take(min(multiple-over, len(c.rest)))
	}
	return taken
}

// cut makes a text valid and shortens it to a number of characters.
func cut(text string, length int) string {
	if len(text) > 4*length { // of which a character may take four
		text = text[:4*length]
	}
	text = strings.ToValidUTF8(strings.TrimRight(text, "\x00"), "\ufffd")
	for i := range text {
		if length--; length < 0 {
			return text[:i] + "…"
		}
	}
	return text
}
