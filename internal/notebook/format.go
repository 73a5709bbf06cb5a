package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"cairn/internal/fault"
)

// file is a notebook, read as far as is needed to show any part of it. Format 3 is turned into the words of format 4.
type file struct {
	title, language, kernel string
	cells                   []json.RawMessage // each a cell of either format
}

// cell is one cell. Its JSON names are those of both formats; read fills the ones of format 4.
type cell struct {
	Type           string                     `json:"cell_type"` // markdown, code, raw; heading in format 3
	Source         multiline                  `json:"source"`
	Outputs        []json.RawMessage          `json:"outputs"`
	ExecutionCount *int                       `json:"execution_count"`
	Attachments    map[string]json.RawMessage `json:"attachments"`

	// Format 3.
	Input        multiline `json:"input"`
	PromptNumber *int      `json:"prompt_number"`
	Language     string    `json:"language"`
	Level        int       `json:"level"`
}

// output is one output of a code cell, in either format.
type output struct {
	Type           string                     `json:"output_type"` // stream, display_data, execute_result, error; pyout, pyerr
	Name           string                     `json:"name"`
	Stream         string                     `json:"stream"` // format 3
	Text           multiline                  `json:"text"`
	Data           map[string]json.RawMessage `json:"data"`
	ErrorName      string                     `json:"ename"`
	ErrorValue     string                     `json:"evalue"`
	Traceback      []string                   `json:"traceback"`
	ExecutionCount *int                       `json:"execution_count"`
	PromptNumber   *int                       `json:"prompt_number"` // format 3
}

// multiline is a text as notebooks have it: one string, or the list of its lines.
type multiline string

// UnmarshalJSON reads both spellings; anything else is an error.
func (t *multiline) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var whole string
		err := json.Unmarshal(data, &whole)
		*t = multiline(whole)
		return err
	}
	var lines []string
	if err := json.Unmarshal(data, &lines); err != nil {
		return err
	}
	*t = multiline(strings.Join(lines, ""))
	return nil
}

// titleCells is how many cells are looked through for the first heading.
const titleCells = 20

// read reads a notebook; Invalid when it is none.
func read(source []byte) (file, error) {
	source = bytes.TrimPrefix(source, []byte("\xef\xbb\xbf"))
	var top struct {
		Format     *int              `json:"nbformat"`
		Metadata   json.RawMessage   `json:"metadata"`
		Cells      []json.RawMessage `json:"cells"`
		Worksheets []struct {
			Cells []json.RawMessage `json:"cells"`
		} `json:"worksheets"`
	}
	if err := json.Unmarshal(source, &top); err != nil {
		return file{}, unreadable(source, err)
	}
	switch {
	case top.Format == nil:
		return file{}, fault.New(fault.Invalid, "This is no Jupyter notebook: it does not say its format (nbformat).")
	case *top.Format < 3 || *top.Format > 4:
		return file{}, fault.New(fault.Invalid, "This notebook has format %d; formats 3 and 4 can be shown. Save it with a current Jupyter.", *top.Format)
	}
	f := file{cells: top.Cells}
	for _, sheet := range top.Worksheets {
		f.cells = append(f.cells, sheet.Cells...)
	}
	f.readMetadata(top.Metadata)
	return f, nil
}

// unreadable says why a source is no notebook.
func unreadable(source []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(source)) == 0:
		return fault.New(fault.Invalid, "This is no Jupyter notebook: the file is empty.")
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(source[:min(int(syntax.Offset), len(source))], []byte("\n"))
		return fault.Wrap(err, fault.Invalid, "This is no Jupyter notebook: it is no valid JSON (line %d).", line)
	case errors.As(err, &kind) && kind.Field != "":
		return fault.Wrap(err, fault.Invalid, "This is no Jupyter notebook: its %q is a JSON %s.", kind.Field, kind.Value)
	}
	return fault.Wrap(err, fault.Invalid, "This is no Jupyter notebook: its JSON is of another kind.")
}

// readMetadata takes what is readable; metadata may have any shape.
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

// field gives a text of an object, or nothing.
func field(object json.RawMessage, name string) string {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(object, &fields)
	value := ""
	_ = json.Unmarshal(fields[name], &value)
	return value
}

// firstHeading gives the text of the first heading of level 1 that stands on a line of its own.
func firstHeading(source string) string {
	for line := range strings.Lines(source) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.Trim(strings.TrimSpace(title), "#*_` ")
		}
	}
	return ""
}

// label makes a short text of one line.
func label(value string) string {
	value = strings.Join(strings.Fields(strings.ToValidUTF8(value, "")), " ")
	if runes := []rune(value); len(runes) > 200 {
		return string(runes[:199]) + "…"
	}
	return value
}

// readCell reads a cell of either format into the words of format 4. What cannot be read is an error; the rest is there.
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
		c.Source = multiline(strings.Repeat("#", min(max(c.Level, 1), 6)) + " " + strings.Join(strings.Fields(string(c.Source)), " "))
	}
	return c, err
}

// namesOfFormat3 are the keys of an output's data in format 3.
var namesOfFormat3 = map[string]string{
	"text": "text/plain", "html": "text/html", "svg": "image/svg+xml", "png": "image/png", "jpeg": "image/jpeg",
	"latex": "text/latex", "json": "application/json", "javascript": "application/javascript",
}

// readOutput reads an output of either format into the words of format 4.
func readOutput(raw json.RawMessage) (output, error) {
	var o output
	err := json.Unmarshal(raw, &o)
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
	if o.Data == nil && (o.Type == "execute_result" || o.Type == "display_data") {
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(raw, &fields)
		o.Data = map[string]json.RawMessage{}
		for name, value := range fields {
			if mime, ok := namesOfFormat3[name]; ok {
				o.Data[mime] = value
			}
		}
	}
	return o, err
}
