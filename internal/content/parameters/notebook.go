package parameters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cairn/internal/content/nbformat"
	"cairn/internal/foundation/fault"
)

// The tags of the two cells, which papermill has given them.
const (
	tagParameters = "parameters"
	tagInjected   = "injected-parameters"
)

// span is a part of a notebook's file.
type span struct{ start, end int }

// cell is what must be known of a cell.
type cell struct {
	span

	id     string
	tags   []string // of a cell of code alone
	source json.RawMessage
}

// notebook is a file in which the cells have been found. It is changed by cutting and pasting, so the rest stays as it is.
type notebook struct {
	source     []byte
	minor      nbformat.Count // the second number of the format
	language   string         // empty for one that can't be read
	list       span           // the list of cells
	cells      []cell
	parameters int // the cell with the defaults, or -1
}

// open finds the cells of a notebook of format 4.
func open(source []byte) (notebook, error) {
	file, err := nbformat.Read(source)
	if err != nil {
		return notebook{}, err
	}
	if file.Format != 4 {
		return notebook{}, fault.New(fault.Invalid, "This notebook has format %d; parameters are in notebooks of format 4. Save it with a current Jupyter.", file.Format)
	}
	n := notebook{source: source, language: languageOf(file.Metadata)}
	text := strict(source)
	names, spans := parts(text)
	for i, name := range names {
		switch name {
		case "nbformat_minor":
			_ = json.Unmarshal(text[spans[i].start:spans[i].end], &n.minor) // Jupyter takes a missing one for 0
		case "cells":
			n.list = spans[i]
		}
	}
	_, spans = parts(text[n.list.start:n.list.end])
	for _, each := range spans {
		n.cells = append(n.cells, cellAt(text, span{n.list.start + each.start, n.list.start + each.end}))
	}
	n.parameters = slices.IndexFunc(n.cells, func(c cell) bool { return slices.Contains(c.tags, tagParameters) })
	return n, nil
}

// cellAt reads what must be known of the cell at a place.
func cellAt(text []byte, at span) cell {
	var found struct {
		Kind     string `json:"cell_type"`
		ID       string `json:"id"`
		Metadata struct {
			Tags []string `json:"tags"`
		} `json:"metadata"`
		Source json.RawMessage `json:"source"`
	}
	_ = json.Unmarshal(text[at.start:at.end], &found) // a cell in which these have other types is none of the two
	made := cell{span: at, id: found.ID, source: found.Source}
	if found.Kind == "code" {
		made.tags = found.Metadata.Tags
	}
	return made
}

// parts returns where the values of a JSON object or list are, and their names in an object. The text must be valid.
func parts(text []byte) ([]string, []span) {
	var names []string
	var spans []span
	decoder := json.NewDecoder(bytes.NewReader(text))
	if opening, err := decoder.Token(); err == nil && (opening == json.Delim('{') || opening == json.Delim('[')) {
		for decoder.More() {
			if opening == json.Delim('{') {
				name, err := decoder.Token()
				if err != nil {
					break
				}
				names = append(names, fmt.Sprint(name))
			}
			var value json.RawMessage
			if err := decoder.Decode(&value); err != nil {
				break
			}
			end := int(decoder.InputOffset())
			spans = append(spans, span{end - len(value), end})
		}
	}
	return names, spans
}

// strict returns JSON of the same length in which numbers stand for what only Python has, NaN and Infinity, and blanks for a
// mark of the order of bytes.
func strict(source []byte) []byte {
	text := bytes.Clone(source)
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		copy(text, "   ")
	}
	quoted := false
	for at := 0; at < len(text); at++ {
		switch c := text[at]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			at++
		case !quoted && bytes.HasPrefix(text[at:], []byte("NaN")):
			copy(text[at:], "111")
		case !quoted && bytes.HasPrefix(text[at:], []byte("Infinity")):
			copy(text[at:], "11111111")
		}
	}
	return text
}

// languageOf returns the language of a notebook from its metadata, as Jupyter finds it.
func languageOf(metadata json.RawMessage) string {
	var found struct {
		Kernel struct {
			Name     string `json:"name"`
			Language string `json:"language"`
		} `json:"kernelspec"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	}
	_ = json.Unmarshal(metadata, &found) // where something has another type, the rest says it
	kernel := strings.ToLower(found.Kernel.Name)
	language := found.Kernel.Language
	switch {
	case language != "":
	case found.Language.Name != "":
		language = found.Language.Name
	case strings.HasPrefix(kernel, languagePython):
		language = languagePython
	case kernel == "ir":
		language = languageR
	}
	switch strings.ToLower(language) {
	case "python":
		return languagePython
	case "r":
		return languageR
	}
	return ""
}

func (n notebook) declared() Declared {
	declared := Declared{Language: n.language, Parameters: []Parameter{}}
	if n.parameters < 0 || n.language == "" {
		return declared
	}
	var source nbformat.Text
	_ = json.Unmarshal(n.cells[n.parameters].source, &source) // a source that isn't text has no line to read
	declared.readCell(string(source))
	return declared
}

// former reports whether a cell is one that was injected before.
func (n notebook) former(at int) bool {
	return at != n.parameters && slices.Contains(n.cells[at].tags, tagInjected)
}

// with returns the notebook with a cell after that of the parameters, or with none if it is nil, and without any other that
// was injected.
func (n notebook) with(added []byte) []byte {
	if len(n.cells) == 0 {
		return bytes.Clone(n.source)
	}
	last := n.list.start + 1
	made := bytes.Clone(n.source[:last])
	first := true
	for i, each := range n.cells {
		between := n.source[last:each.start]
		last = each.end
		if n.former(i) {
			continue
		}
		before := bytes.Replace(between, []byte(","), nil, 1)
		if first {
			between, first = before, false
		}
		made = append(append(made, between...), n.source[each.start:each.end]...)
		if i == n.parameters && added != nil {
			made = append(append(append(made, ','), before...), indented(added, string(before))...)
		}
	}
	return append(made, n.source[last:]...)
}

// indented returns a cell indented as the one that has this before it, whose indentation is twice that of the file.
func indented(cell []byte, before string) []byte {
	end := strings.LastIndexByte(before, '\n')
	if end < 0 {
		return cell
	}
	prefix := before[end+1:]
	var made bytes.Buffer
	_ = json.Indent(&made, cell, prefix, prefix[:len(prefix)/2]) // the cell is valid JSON: it was just encoded
	return made.Bytes()
}

// injected returns a cell with this code.
func (n notebook) injected(code string) []byte {
	type metadata struct {
		Tags []string `json:"tags"`
	}
	id := ""
	if n.minor >= 5 { // cells have had ids since then, which differ
		taken := map[string]bool{}
		for i, each := range n.cells {
			taken[each.id] = !n.former(i) || taken[each.id]
		}
		id = tagInjected
		for count := 2; taken[id]; count++ {
			id = fmt.Sprintf("%s-%d", tagInjected, count)
		}
	}
	return encode(struct {
		Kind     string    `json:"cell_type"`
		Count    *int      `json:"execution_count"`
		ID       string    `json:"id,omitempty"`
		Metadata metadata  `json:"metadata"`
		Outputs  [0]string `json:"outputs"`
		Source   []string  `json:"source"`
	}{Kind: "code", ID: id, Metadata: metadata{[]string{tagInjected}}, Source: strings.SplitAfter(code, "\n")})
}
