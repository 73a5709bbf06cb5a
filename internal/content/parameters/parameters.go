// Package parameters reads which values a notebook can be run with, and writes chosen ones into it.
//
// It follows the convention of papermill (https://papermill.readthedocs.io/en/latest/usage-parameterize.html): the first
// code cell tagged "parameters" assigns the defaults, and a cell tagged "injected-parameters" right after it assigns what
// was chosen. The code is a stranger's, so nothing here executes any of it: a small grammar of literals is read, for Python
// and for R, and what the grammar doesn't have can be seen and can't be set.
package parameters

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// The languages in which parameters can be read and written.
const (
	languagePython = "python"
	languageR      = "R"
)

// The limits of what is read from a notebook. A value that somebody chose has those of Check.
const (
	maxCell       = 64 << 10 // bytes of a cell
	maxParameters = 100
	maxValue      = 64 << 10 // bytes of a value in JSON
	maxName       = 100      // characters
	maxDepth      = 32       // brackets around a value
	maxNumber     = 4300     // characters of a number: Python reads no longer one, and R fails far above
	maxKey        = 1000     // bytes of a name in an object for R, which fails far above
	maxUnread     = 20       // lines
	maxText       = 200      // characters of an unread line
	maxHelp       = 500      // characters
)

// Type says which values a parameter takes.
type Type string

// The types. Nothing can be set where the type is unknown.
const (
	String  Type = "string"
	Integer Type = "integer"
	Number  Type = "number"
	Boolean Type = "boolean"
	List    Type = "list"
	Object  Type = "object"
	Unknown Type = "unknown"
)

// Parameter is a name to which a notebook assigns a value. Help has at most 500 characters, Name 100, Default 64 KiB.
type Parameter struct {
	Name     string          `json:"name" doc:"The name of the variable"`
	Type     Type            `json:"type" enum:"string,integer,number,boolean,list,object,unknown" doc:"unknown: it can be seen and can't be set"`
	Nullable bool            `json:"nullable,omitempty" doc:"null is a value too"`
	Default  json.RawMessage `json:"default,omitempty" doc:"What the notebook assigns; absent when that is nothing or no literal"`
	Help     string          `json:"help,omitempty" doc:"The comment beside it"`

	listed bool // R: the default is written as list(...), so it must not become a vector
}

// Declared is what a notebook says about its parameters, in the order of the cell. There are at most 100.
type Declared struct {
	Language   string      `json:"language,omitempty" enum:"python,R" doc:"Absent: the notebook is in another language"`
	Parameters []Parameter `json:"parameters"`
	Unread     []string    `json:"unread,omitempty" doc:"Lines of the cell that can't be read, at most 20 of at most 200 characters"`
}

// Read reads the parameters of a notebook, and executes nothing. Without a cell for them, or in a language other than
// Python and R, it has none. What is over a limit is unread: more than 64 KiB of the cell, 100 parameters, or 100 characters
// of a name. A name that is assigned more than once counts where it is assigned last. The error is Invalid: this is no
// notebook of format 4.
func Read(source []byte) (Declared, error) {
	read, err := open(source)
	if err != nil {
		return Declared{}, err
	}
	return read.declared(), nil
}

// Write returns the notebook with a cell that assigns the given values in the order in which the notebook declares them,
// right after the cell with the defaults. It takes the place of any that was written before; without values there is none.
// Everything else stays byte for byte. The error is that of Read or of Declared.Check.
func Write(source []byte, values map[string]json.RawMessage) ([]byte, error) {
	read, err := open(source)
	if err != nil {
		return nil, err
	}
	declared := read.declared()
	chosen, err := declared.check(values)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return read.with(nil), nil
	}
	return read.with(read.injected(declared.assignments(chosen))), nil
}

// readCell reads the code of the cell, line by line.
func (d *Declared) readCell(source string) {
	source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	read, rest := source, ""
	if len(source) > maxCell {
		end := strings.LastIndexByte(source[:maxCell+1], '\n') + 1
		read, rest = source[:end], source[end:]
	}
	r := d.Language == languageR
	if !r && strings.HasPrefix(strings.TrimSpace(read), "%%") {
		read, rest = "", source // Jupyter gives such a cell to another program
	}
	s := scanner{text: read, r: r}
	blocked := false // an indented line may belong to the one before, which can't be read
	for s.at < len(s.text) {
		start := s.at
		s.space()
		if c := s.peek(); c == '#' || c == '\n' || s.at == len(s.text) {
			s.endLine()
			continue
		}
		indented := s.at > start
		if !indented || (r && !blocked) {
			found, ok := s.statements()
			if ok && d.add(found) {
				blocked = slices.ContainsFunc(found, func(p Parameter) bool { return p.Type == Unknown })
				s.endLine()
				continue
			}
			blocked = true
		}
		s.at = start
		s.skipLine()
		d.addUnread(s.text[start:s.at])
	}
	d.addUnread(rest)
}

// add adds what a line declares, unless there would be too many parameters.
func (d *Declared) add(found []Parameter) bool {
	place := func(name string) int {
		return slices.IndexFunc(d.Parameters, func(p Parameter) bool { return p.Name == name })
	}
	fresh := 0
	for _, each := range found {
		if place(each.Name) < 0 {
			fresh++
		}
	}
	if len(d.Parameters)+fresh > maxParameters {
		return false
	}
	for _, each := range found {
		if at := place(each.Name); at >= 0 {
			d.Parameters[at] = each
		} else {
			d.Parameters = append(d.Parameters, each)
		}
	}
	return true
}

func (d *Declared) addUnread(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if len(d.Unread) == maxUnread {
			return
		}
		if line = strings.TrimRight(line, " \t\f"); line != "" {
			d.Unread = append(d.Unread, shortened(line, maxText))
		}
	}
}

func shortened(text string, most int) string {
	for at := range text {
		if most--; most < 0 {
			return text[:at]
		}
	}
	return text
}

// encode returns JSON as Jupyter writes it: &, < and > are no escapes.
func encode(content any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(content) // strings, and structures of them, which have no error
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
