package notebook

import (
	"encoding/json"
	"strings"

	"cairn/internal/content/nbformat"
)

// file is a notebook, parsed as far as needed to show any part of it. Format 3 is converted to format 4.
type file struct {
	title, language, kernel string
	cells                   []json.RawMessage // cells of either format
}

// cell is one cell. Its JSON names are those of both formats; read fills in those of format 4.
type cell struct {
	Type           string                     `json:"cell_type"` // markdown, code, raw; heading in format 3
	Source         nbformat.Text              `json:"source"`
	Outputs        []output                   `json:"outputs"`
	ExecutionCount *nbformat.Count            `json:"execution_count"`
	Attachments    map[string]json.RawMessage `json:"attachments"`

	// Format 3.
	Input        nbformat.Text   `json:"input"`
	PromptNumber *nbformat.Count `json:"prompt_number"`
	Language     string          `json:"language"`
	Level        nbformat.Count  `json:"level"`
}

// output is one output of a code cell, in either format.
type output struct {
	Type           string                     `json:"output_type"` // stream, display_data, execute_result, error; pyout, pyerr
	Name           string                     `json:"name"`
	Stream         string                     `json:"stream"` // format 3
	Text           nbformat.Text              `json:"text"`
	Data           map[string]json.RawMessage `json:"data"`
	Metadata       json.RawMessage            `json:"metadata"`
	ErrorName      string                     `json:"ename"`
	ErrorValue     string                     `json:"evalue"`
	Traceback      nbformat.Lines             `json:"traceback"`
	ExecutionCount *nbformat.Count            `json:"execution_count"`

	// Format 3, where the forms of an output are beside its type, under short names.
	PromptNumber *nbformat.Count `json:"prompt_number"`
	HTML         json.RawMessage `json:"html"`
	SVG          json.RawMessage `json:"svg"`
	PNG          json.RawMessage `json:"png"`
	JPEG         json.RawMessage `json:"jpeg"`
	Latex        json.RawMessage `json:"latex"`
	JSON         json.RawMessage `json:"json"`
	Script       json.RawMessage `json:"javascript"`
}

// titleCells is the number of cells searched for the first heading.
const titleCells = 20

// read parses a notebook; Invalid when it isn't one.
func read(source []byte) (file, error) {
	read, err := nbformat.Read(source)
	if err != nil {
		return file{}, err
	}
	f := file{cells: read.Cells}
	f.readMetadata(read.Metadata)
	return f, nil
}

// SearchText returns as Markdown, about limit bytes of it, what searches find a notebook by: its headings and texts, then its
// code; "" if the source isn't a notebook.
func SearchText(source []byte, limit int) string {
	f, err := read(source)
	if err != nil {
		return ""
	}
	var texts, code strings.Builder
	for _, raw := range f.cells {
		var one cell
		if json.Unmarshal(raw, &one) != nil {
			continue
		}
		switch {
		case (one.Type == "markdown" || one.Type == "heading") && texts.Len() < limit:
			texts.WriteString(string(one.Source) + "\n\n")
		case one.Type == "code" && code.Len() < limit:
			code.WriteString(strings.ReplaceAll(string(one.Source), "~~~", "") + "\n")
		}
	}
	if texts.Len() < limit && code.Len() > 0 {
		texts.WriteString("~~~\n" + code.String() + "~~~\n")
	}
	return texts.String()
}

// readMetadata reads what it can; metadata may have any shape.
func (f *file) readMetadata(metadata json.RawMessage) {
	var top map[string]json.RawMessage
	_ = json.Unmarshal(metadata, &top)
	f.title, f.language, f.kernel = "", field(top["language_info"], "name"), field(top["kernelspec"], "display_name")
	_ = json.Unmarshal(top["title"], &f.title)
	if f.language == "" {
		f.language = field(top["kernelspec"], "language")
	}
	for _, raw := range f.cells[:min(len(f.cells), titleCells)] {
		if f.title != "" && f.language != "" {
			break
		}
		cell, _ := readCell(raw)
		if f.language == "" && cell.Type == "code" {
			f.language = cell.Language
		}
		if f.title == "" && cell.Type == "markdown" {
			f.title = firstHeading(string(cell.Source))
		}
	}
	f.title, f.language, f.kernel = label(f.title), label(f.language), label(f.kernel)
}

// field returns a text field of an object, or "".
func field(object json.RawMessage, name string) string {
	value := ""
	_ = json.Unmarshal(fieldsOf(object)[name], &value)
	return value
}

// fieldsOf returns the fields of an object; none of anything else.
func fieldsOf(object json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(object, &fields)
	return fields
}

// firstHeading returns the text of the first heading of level 1 on its own line.
func firstHeading(source string) string {
	for line := range strings.Lines(source) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.Trim(strings.TrimSpace(title), "#*_` ")
		}
	}
	return ""
}

// label shortens a text to one line.
func label(value string) string {
	value = strings.Join(strings.Fields(strings.ToValidUTF8(value, "")), " ")
	if runes := []rune(value); len(runes) > 200 {
		return string(runes[:199]) + "…"
	}
	return value
}

// readCell reads a cell of either format as format 4. It returns an error for unreadable parts; the rest is set.
func readCell(raw json.RawMessage) (cell, error) {
	var c cell
	err := json.Unmarshal(raw, &c)
	if c.Source == "" {
		c.Source = c.Input
	}
	if c.ExecutionCount == nil {
		c.ExecutionCount = c.PromptNumber
	}
	if c.Type == "heading" {
		c.Type = "markdown"
		c.Source = nbformat.Text(strings.Repeat("#", int(min(max(c.Level, 1), 6))) + " " + strings.Join(strings.Fields(string(c.Source)), " "))
	}
	for i := range c.Outputs {
		c.Outputs[i].modernise()
	}
	return c, err
}

// modernise converts an output from format 3 to format 4.
func (o *output) modernise() {
	switch o.Type {
	case "pyout":
		o.Type = "execute_result"
	case "pyerr":
		o.Type = "error"
	}
	if o.Name == "" {
		o.Name = o.Stream
	}
	if o.ExecutionCount == nil {
		o.ExecutionCount = o.PromptNumber
	}
	if o.Data != nil || (o.Type != "execute_result" && o.Type != "display_data") {
		return
	}
	o.Data = map[string]json.RawMessage{}
	for mime, content := range map[string]json.RawMessage{
		"text/html": o.HTML, "image/svg+xml": o.SVG, "image/png": o.PNG, "image/jpeg": o.JPEG,
		"text/latex": o.Latex, "application/json": o.JSON, "application/javascript": o.Script,
	} {
		if content != nil {
			o.Data[mime] = content
		}
	}
	if text, err := json.Marshal(string(o.Text)); err == nil && o.Text != "" {
		o.Data["text/plain"] = text
	}
}
