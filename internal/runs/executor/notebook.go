package executor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"cairn/internal/foundation/humanize"

	"cairn/internal/content/nbformat"
	"cairn/internal/foundation/fault"
)

// Limits of what is executed. Jupyter closes a connection over which more than 10 MiB of JSON come, and each byte may need
// six in JSON.
const (
	sourceLimit = 64 << 20 // bytes of a notebook
	codeLimit   = 1 << 20  // bytes of the code of a cell
)

// notebook is a notebook in format 4.5, as far as a run changes it.
type notebook struct {
	metadata    object
	cells       []*cell
	code        []*cell // those with code
	kernel      string  // the name of the kernel that it wants; may be empty
	language    string  // its language; may be empty
	allowErrors bool    // in every cell
}

type object = map[string]json.RawMessage

// cell is a cell with its outputs.
type cell struct {
	kind        string // code, markdown or raw
	id          string
	metadata    object
	source      string
	attachments json.RawMessage // nil: none
	skip        bool
	mayRaise    bool
	at          int // the index among all cells

	count   json.RawMessage // null, or the number of its execution
	stored  json.RawMessage // the outputs that its author stored, if it is skipped
	outputs []*output
	kept    int64 // bytes of the outputs
	cut     bool  // there were more outputs
	waiting bool  // the next output replaces the others
}

// read reads a notebook of format 3 or 4. Its faults are Invalid and TooLarge.
func read(source []byte) (*notebook, error) {
	if len(source) > sourceLimit {
		return nil, fault.New(fault.TooLarge, "This notebook has more than %s. Clear large outputs and save it again.", humanize.Bytes(sourceLimit))
	}
	if !utf8.Valid(source) {
		return nil, fault.New(fault.Invalid, "This isn't a Jupyter notebook: it isn't UTF-8 text.")
	}
	file, err := nbformat.Read(source)
	if err != nil {
		return nil, err
	}
	book := &notebook{metadata: objectOf(file.Metadata)}
	for i, raw := range file.Cells {
		one, err := readCell(raw, file.Format)
		if err != nil {
			return nil, fault.Wrap(err, fault.KindOf(err), "Cell %d of this notebook %s", i+1, fault.MessageOf(err))
		}
		one.at = i
		book.cells = append(book.cells, one)
		if one.kind == "code" && strings.TrimSpace(one.source) != "" {
			book.code = append(book.code, one)
		}
		if book.language == "" && file.Format == 3 {
			book.language = textOf(objectOf(raw)["language"])
		}
	}
	if len(book.code) == 0 {
		return nil, fault.New(fault.Invalid, "This notebook has no code to execute.")
	}
	book.nameCells()
	kernel := objectOf(book.metadata["kernelspec"])
	book.kernel = textOf(kernel["name"])
	for _, language := range []json.RawMessage{objectOf(book.metadata["language_info"])["name"], kernel["language"]} {
		if text := textOf(language); text != "" {
			book.language = text
		}
	}
	for _, section := range []string{"execution", "nbsphinx"} {
		book.allowErrors = book.allowErrors || isTrue(objectOf(book.metadata[section])["allow_errors"])
	}
	book.allowErrors = book.allowErrors || isTrue(book.metadata["allow_errors"])
	return book, nil
}

// readCell reads a cell; the messages of its faults lack a subject.
func readCell(raw json.RawMessage, format int) (*cell, error) {
	var written struct {
		Type        string         `json:"cell_type"`
		ID          string         `json:"id"`
		Source      *nbformat.Text `json:"source"`
		Input       *nbformat.Text `json:"input"` // of code in format 3
		Level       nbformat.Count `json:"level"` // of headings in format 3
		Metadata    json.RawMessage
		Attachments json.RawMessage
		Outputs     json.RawMessage
		Count       json.RawMessage `json:"execution_count"`
	}
	if err := json.Unmarshal(raw, &written); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "can't be read. Open and save the notebook with Jupyter.")
	}
	if format == 3 && written.Type == "code" {
		written.Source = written.Input
	}
	if written.Source == nil {
		return nil, fault.New(fault.Invalid, "has no source. Open and save the notebook with Jupyter.")
	}
	one := &cell{
		kind: written.Type, id: written.ID, source: string(*written.Source), metadata: objectOf(written.Metadata), count: json.RawMessage("null"),
	}
	if len(objectOf(written.Attachments)) > 0 {
		one.attachments = written.Attachments
	}
	switch written.Type {
	case "code":
		one.readTags()
	case "markdown", "raw":
	case "heading":
		one.kind, one.source = "markdown", strings.Repeat("#", int(min(max(written.Level, 1), 6)))+" "+one.source
	default:
		return nil, fault.New(fault.Invalid, "has the type %s, which Jupyter doesn't know.", fault.Quote(written.Type))
	}
	if one.kind == "code" && len(one.source) > codeLimit {
		return nil, fault.New(fault.TooLarge, "has more than %s of code, the most that can be executed.", humanize.Bytes(codeLimit))
	}
	if one.skip && format == 4 && bytes.HasPrefix(written.Outputs, []byte("[")) {
		one.stored = written.Outputs
		if number := 0; json.Unmarshal(written.Count, &number) == nil {
			one.count = written.Count
		}
	}
	return one, nil
}

func (c *cell) readTags() {
	var tags []string
	_ = json.Unmarshal(c.metadata["tags"], &tags)
	c.skip = slices.Contains(tags, "skip-execution")
	c.mayRaise = slices.Contains(tags, "raises-exception") || isTrue(c.metadata["raises-exception"])
}

var cellID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// nameCells gives an id to each cell without a valid one of its own; the notebooks before format 4.5 have none.
func (n *notebook) nameCells() {
	taken := map[string]bool{}
	for _, one := range n.cells {
		if !cellID.MatchString(one.id) || taken[one.id] {
			one.id = ""
		}
		taken[one.id] = true
	}
	for i, one := range n.cells {
		for number := i + 1; one.id == ""; number += len(n.cells) {
			if id := fmt.Sprintf("cell-%d", number); !taken[id] {
				one.id, taken[id] = id, true
			}
		}
	}
}

// objectOf returns the fields of a JSON object; those of anything else are none.
func objectOf(text json.RawMessage) object {
	fields := object{}
	if json.Unmarshal(text, &fields) != nil || fields == nil {
		return object{}
	}
	return fields
}

func textOf(value json.RawMessage) (text string) {
	_ = json.Unmarshal(value, &text)
	return text
}

func isTrue(value json.RawMessage) bool { return string(value) == "true" }
