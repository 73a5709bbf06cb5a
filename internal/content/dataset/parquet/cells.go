package parquet

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"cairn/internal/content/dataset/bounded"
)

// longestText is the most that is kept of a cell, in bytes; leavesLimit the most columns with values in a cell.
const (
	longestText = 2_000
	leavesLimit = 24
)

// cells reads the cells of a column in a group of rows.
type cells struct {
	field  *node
	leaves []*values // below the field
	text   strings.Builder
}

func (f *File) cellsOf(field *node, from group) (*cells, error) {
	result := &cells{field: field}
	found := field.leaves()
	if len(found) > leavesLimit {
		return nil, bounded.ErrLimit
	}
	for _, leaf := range found {
		result.leaves = append(result.leaves, newValues(f, leaf, from.chunks[leaf.leaf]))
	}
	return result, nil
}

// release gives back the memory for pages.
func (c *cells) release() {
	for _, each := range c.leaves {
		each.release()
	}
}

// next returns the text of the next row.
func (c *cells) next() (string, error) {
	if c.field.leaf >= 0 && !c.field.repeated {
		one, err := c.leaves[0].next()
		return one.text, err
	}
	c.text.Reset()
	if _, err := c.leaves[0].peek(); err != nil {
		return "", err
	}
	isNull, _, err := c.write(c.field, c.leaves)
	if err != nil || isNull {
		return "", err
	}
	return c.text.String(), nil
}

// put adds to the text, up to its longest.
func (c *cells) put(text string) {
	if c.text.Len() < longestText {
		c.text.WriteString(text)
	}
}

// write writes what the leaves have for a field, and returns how many of the leaves are below it.
func (c *cells) write(field *node, leaves []*values) (isNull bool, used int, err error) {
	if field.repeated {
		used, err = c.list(field, field, leaves)
		return false, used, err
	}
	return c.one(field, leaves)
}

// list writes all that a repeated field has: itself each time, or the only field in it.
func (c *cells) list(repeated, item *node, leaves []*values) (used int, err error) {
	level, err := leaves[0].peek()
	if err != nil {
		return 0, err
	}
	if level.definition < repeated.definition {
		c.put("[]")
		return pass(repeated, leaves)
	}
	c.put("[")
	for {
		if _, used, err = c.one(item, leaves); err != nil {
			return 0, err
		}
		if level, err = leaves[0].peek(); err != nil {
			return 0, err
		}
		if level.ended || level.repetition < repeated.repetition {
			break
		}
		c.put(", ")
	}
	c.put("]")
	return used, nil
}

// pass reads one value of every leaf below a field that has none.
func pass(field *node, leaves []*values) (used int, err error) {
	for range field.leaves() {
		if _, err := leaves[used].next(); err != nil {
			return 0, err
		}
		used++
	}
	return used, nil
}

// one writes a single value of a field, an element if it is repeated.
func (c *cells) one(field *node, leaves []*values) (isNull bool, used int, err error) {
	if field.leaf >= 0 {
		value, err := leaves[0].next()
		switch {
		case err != nil:
			return false, 0, err
		case value.isNull:
			c.put("null")
		case value.isWord:
			c.put(quoted(value.text))
		default:
			c.put(value.text)
		}
		return value.isNull, 1, nil
	}
	level, err := leaves[0].peek()
	if err != nil {
		return false, 0, err
	}
	if level.definition < field.definition {
		used, err = pass(field, leaves)
		c.put("null")
		return true, used, err
	}
	if repeated := field.unwrapped(); repeated != nil {
		item := repeated
		if len(repeated.children) == 1 && !repeated.children[0].repeated {
			item = repeated.children[0]
		}
		used, err = c.list(repeated, item, leaves)
		return false, used, err
	}
	c.put("{")
	for i, child := range field.children {
		if i > 0 {
			c.put(", ")
		}
		c.put(quoted(child.name) + ": ")
		_, more, err := c.write(child, leaves[used:])
		if err != nil {
			return false, 0, err
		}
		used += more
	}
	c.put("}")
	return false, used, nil
}

// unwrapped returns the repeated field within a list or map, which is its content.
func (n *node) unwrapped() *node {
	if (n.meaning == meansList || n.meaning == meansMap) && len(n.children) == 1 && n.children[0].repeated {
		return n.children[0]
	}
	return nil
}

// quoted returns a text in JSON.
func quoted(text string) string {
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "")
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	var written strings.Builder
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // of a text that is valid
	return strings.TrimSuffix(written.String(), "\n")
}
