// Package nbformat reads what Jupyter notebooks of all formats have in common.
package nbformat

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"

	"cairn/internal/foundation/fault"
)

// Text is a text in a notebook: a string, or the list of its lines.
type Text string

// UnmarshalJSON accepts both forms; anything else is an error.
func (t *Text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		whole, err := unquote(data)
		*t = Text(whole)
		return err
	}
	var lines []string
	if err := json.Unmarshal(data, &lines); err != nil {
		return err
	}
	*t = Text(strings.Join(lines, ""))
	return nil
}

// unquote decodes a JSON string. Pictures are long ones whose only escape is a final line break, so the text before the
// first escape is copied without a second look.
func unquote(data []byte) (string, error) {
	plain := max(bytes.IndexByte(data, '\\'), 0)
	if plain == 0 {
		plain = len(data) - 1
	}
	rest := ""
	err := json.Unmarshal(append([]byte{'"'}, data[plain:]...), &rest)
	return string(data[1:plain]) + rest, err
}

// Lines is a list of lines without their ends. A text alone stands for one of them.
type Lines []string

// UnmarshalJSON accepts both forms; anything else is an error.
func (l *Lines) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		whole, err := unquote(data)
		*l = Lines{whole}
		return err
	}
	return json.Unmarshal(data, (*[]string)(l))
}

// Count is a whole number, such as that of an execution. Programs that read all numbers as fractions write 3.0.
type Count int

// UnmarshalJSON accepts any number without a fraction; anything else is an error.
func (c *Count) UnmarshalJSON(data []byte) error {
	var number float64
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(data, &number); err != nil {
		return err
	}
	if number != math.Trunc(number) || math.Abs(number) > math.MaxInt32 {
		return &json.UnmarshalTypeError{Value: "number " + string(data), Type: reflect.TypeFor[Count]()}
	}
	*c = Count(number)
	return nil
}

// Strict returns JSON without the numbers that Python writes and JSON doesn't have, NaN and Infinity: they become null. Anything else
// stays, so what isn't JSON for another reason still isn't.
func Strict(source []byte) []byte {
	var strict bytes.Buffer
	written := 0
	for at := 0; at < len(source); at++ {
		switch source[at] {
		case '"':
			for at++; at < len(source) && source[at] != '"'; at++ {
				if source[at] == '\\' {
					at++
				}
			}
		case 'N', 'I', '-':
			for _, number := range []string{"NaN", "Infinity", "-Infinity"} {
				if bytes.HasPrefix(source[at:], []byte(number)) {
					strict.Write(source[written:at])
					strict.WriteString("null")
					written = at + len(number)
					at = written - 1
					break
				}
			}
		}
	}
	strict.Write(source[written:])
	return strict.Bytes()
}

// File is a notebook whose cells are not read yet. Their fields differ between the formats.
type File struct {
	Format   int // 3 or 4
	Metadata json.RawMessage
	Cells    []json.RawMessage
}

// Read reads a notebook; Invalid when it isn't one.
func Read(source []byte) (File, error) {
	source = bytes.TrimPrefix(source, []byte("\xef\xbb\xbf"))
	var top struct {
		Format     *Count            `json:"nbformat"`
		Metadata   json.RawMessage   `json:"metadata"`
		Cells      []json.RawMessage `json:"cells"`
		Worksheets []struct {
			Cells []json.RawMessage `json:"cells"`
		} `json:"worksheets"`
	}
	err := json.Unmarshal(source, &top)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		source = Strict(source)
		err = json.Unmarshal(source, &top)
	}
	if err != nil {
		return File{}, unreadable(source, err)
	}
	switch {
	case top.Format == nil:
		return File{}, fault.New(fault.Invalid, "This isn't a Jupyter notebook: it doesn't state its format (nbformat).")
	case *top.Format < 3 || *top.Format > 4:
		return File{}, fault.New(fault.Invalid, "This notebook has format %d; formats 3 and 4 can be read. Save it with a current Jupyter.", *top.Format)
	}
	file := File{Format: int(*top.Format), Metadata: top.Metadata, Cells: top.Cells}
	for _, sheet := range top.Worksheets {
		file.Cells = append(file.Cells, sheet.Cells...)
	}
	return file, nil
}

// unreadable says why a source isn't a notebook.
func unreadable(source []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(source)) == 0:
		return fault.New(fault.Invalid, "This isn't a Jupyter notebook: the file is empty.")
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(source[:min(int(syntax.Offset), len(source))], []byte("\n"))
		return fault.Wrap(err, fault.Invalid, "This isn't a Jupyter notebook: it isn't valid JSON (line %d).", line)
	case errors.As(err, &kind) && kind.Field != "":
		return fault.Wrap(err, fault.Invalid, "This isn't a Jupyter notebook: its %q is a JSON %s.", kind.Field, kind.Value)
	}
	return fault.Wrap(err, fault.Invalid, "This isn't a Jupyter notebook: its JSON is something else.")
}
