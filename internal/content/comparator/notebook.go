package comparator

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"time"

	"cairn/internal/content/nbformat"
	"cairn/internal/foundation/fault"
)

// Limits of a notebook.
const (
	notebookBytes   = 160 << 20
	notebookCells   = 20_000
	notebookOutputs = 20_000   // that aren't texts of a stream
	cellOutputs     = 1_000    // likewise
	outputForms     = 20       // MIME types of one output
	nameBytes       = 200      // of an id or a MIME type
	keptBytes       = 16 << 20 // of all outputs together
	textBytes       = 1 << 20  // of one text
	pictureBytes    = 8 << 20  // of one picture, in base64
)

// Notebook is what a comparison needs of a notebook.
type Notebook struct {
	cells  []*cell // those with code
	stored bool    // some have outputs
	limits budget
}

// budget is what may still be kept of a notebook.
type budget struct{ bytes, outputs int }

// cell is a cell with code.
type cell struct {
	id       string
	position int // among all cells
	source   digest
	blank    bool
	skipped  bool      // by its tag skip-execution
	raises   bool      // by its tag raises-exception
	executed bool      // it has the number that the kernel gave it, or outputs
	ranAt    time.Time // zero if unknown

	stdout, stderr stream
	shown          []*output
	failure        *failure
	rest           content // outputs beyond the limits, as JSON
}

// stream is all that was written to standard output or standard error.
type stream struct {
	content
	index int // of its first output
}

// output is what was displayed, in one or several forms by MIME type.
type output struct {
	index int // among the outputs of the cell
	forms map[string]content
}

// failure is the exception that a cell ended with.
type failure struct {
	index int
	name  string
	text  content // its message
}

// Read reads a notebook of format 3 or 4, of which it keeps at most 16 MiB and nothing of source itself; Invalid when
// source isn't one, TooLarge when it has more than 160 MiB or 20,000 cells.
func Read(source []byte) (*Notebook, error) {
	source = bytes.TrimSpace(bytes.TrimPrefix(source, []byte("\xef\xbb\xbf")))
	switch {
	case len(source) > notebookBytes:
		return nil, fault.New(fault.TooLarge, "The notebook is larger than 160 MiB, so it can't be compared.")
	case len(source) == 0:
		return nil, fault.New(fault.Invalid, "This isn't a Jupyter notebook: the file is empty.")
	}
	if !json.Valid(source) {
		source = nbformat.Strict(source)
	}
	if !json.Valid(source) {
		return nil, fault.New(fault.Invalid, "This isn't a Jupyter notebook: it isn't valid JSON, or nested too deep.")
	}
	var format value
	lists := []value{nil} // of cells
	for name, part := range value(source).members() {
		switch name {
		case "nbformat":
			format = part
		case "cells":
			lists[0] = part
		case "worksheets":
			for sheet := range part.elements() {
				lists = append(lists, sheet.member("cells"))
			}
		}
	}
	if one := strings.TrimSuffix(string(format), ".0"); one != "3" && one != "4" {
		return nil, fault.New(fault.Invalid, "This isn't a Jupyter notebook of format 3 or 4, so it can't be compared. Save it with a current Jupyter.")
	}
	n := &Notebook{limits: budget{keptBytes, notebookOutputs}}
	position := 0
	for _, list := range lists {
		for part := range list.elements() {
			if position++; position > notebookCells {
				return nil, fault.New(fault.TooLarge, "The notebook has more than 20,000 cells, so it can't be compared.")
			}
			if one := readCell(part, &n.limits); one != nil {
				one.position = position - 1
				n.cells = append(n.cells, one)
				n.stored = n.stored || one.comparable()
			}
		}
	}
	return n, nil
}

// readCell returns nil for a cell without code.
func readCell(part value, limits *budget) *cell {
	c := &cell{}
	var kind string
	var outputs value
	for name, one := range part.members() {
		switch name {
		case "cell_type":
			kind = short(one)
		case "id":
			c.id = short(one)
		case "source", "input":
			source := newKeeper(textBytes)
			one.write(source)
			c.source, c.blank = digest(source.hash.Sum(nil)), source.bytes == 0
			if trimmed := bytes.TrimSpace(source.text.Bytes()); source.bytes <= textBytes {
				c.source, c.blank = sha256.Sum256(trimmed), len(trimmed) == 0
			}
		case "metadata":
			c.readMetadata(one)
		case "execution_count", "prompt_number":
			c.executed = c.executed || one.begins() != 'n'
		case "outputs":
			outputs = one
		}
	}
	if kind != "code" {
		return nil
	}
	c.blank = c.blank || c.source == digest{}
	c.readOutputs(outputs, limits)
	c.executed = c.executed || outputs.begins() == '[' && len(space(outputs[1:])) > 1
	return c
}

func (c *cell) readMetadata(metadata value) {
	for tag := range metadata.member("tags").elements() {
		switch short(tag) {
		case "skip-execution":
			c.skipped = true
		case "raises-exception":
			c.raises = true
		}
	}
	began := short(metadata.member("execution").member("iopub.execute_input"))
	c.ranAt, _ = time.Parse(time.RFC3339Nano, began)
}

// short returns a text that isn't longer than names are; "" for others.
func short(v value) string {
	if len(v) > nameBytes {
		return ""
	}
	return v.text()
}

// comparable reports whether the cell has outputs that a verdict depends on.
func (c *cell) comparable() bool {
	return !c.stdout.empty() || len(c.shown) > 0 || c.failure != nil || !c.rest.empty()
}
