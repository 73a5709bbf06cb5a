package comparator

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"cairn/internal/comparator/comparatortest"

	"znkr.io/diff"
)

// cell is a cell as both tools see it.
type cell struct {
	Type    string          `json:"cell_type"`
	Count   *int            `json:"execution_count"`
	Prompt  *int            `json:"prompt_number"`
	Outputs []output        `json:"outputs"`
	Input   json.RawMessage `json:"input"`
}

type output struct {
	Type  string                     `json:"output_type"`
	Name  string                     `json:"name"`
	Text  multiline                  `json:"text"`
	Data  map[string]json.RawMessage `json:"data"`
	Error string                     `json:"ename"`
	Value string                     `json:"evalue"`
}

// multiline is a text, or the list of its lines.
type multiline string

// UnmarshalJSON accepts both forms.
func (t *multiline) UnmarshalJSON(data []byte) error {
	var lines []string
	if json.Unmarshal(data, &lines) != nil {
		var whole string
		if err := json.Unmarshal(data, &whole); err != nil {
			return err
		}
		lines = []string{whole}
	}
	*t = multiline(strings.Join(lines, ""))
	return nil
}

// codeCells returns the cells with code of both notebooks, which both tools pair by their places here.
func codeCells(one comparatortest.Case) (author, run []cell, err error) {
	read := func(source []byte) (cells []cell, err error) {
		var top struct {
			Cells      []cell `json:"cells"`
			Worksheets []struct {
				Cells []cell `json:"cells"`
			} `json:"worksheets"`
		}
		if err := json.Unmarshal(source, &top); err != nil {
			return nil, err
		}
		for _, sheet := range top.Worksheets {
			top.Cells = append(top.Cells, sheet.Cells...)
		}
		return slices.DeleteFunc(top.Cells, func(one cell) bool { return one.Type != "code" }), nil
	}
	if author, err = read(one.Author); err != nil {
		return nil, nil, err
	}
	run, err = read(one.Run)
	return author, run, err
}

// unlooked are the keys that nbval leaves out.
var unlooked = []string{"application/vnd.jupyter.widget-view+json", "image/png", "image/jpeg"}

// nbval compares the texts of each key in order; streams are merged by their names and shown as on a terminal, and numbers
// of executions are left out. It runs the author's cells itself, so those that weren't run are compared too unless they
// have no outputs.
func nbval(one comparatortest.Case) (bool, error) {
	author, run, err := codeCells(one)
	if err != nil || len(author) != len(run) {
		return false, err
	}
	for i := range author {
		if author[i].Count == nil && author[i].Prompt == nil && len(author[i].Outputs) == 0 {
			continue
		}
		if !maps.EqualFunc(keyed(author[i].Outputs), keyed(run[i].Outputs), slices.Equal[[]string]) {
			return false, nil
		}
	}
	return true, nil
}

func keyed(outputs []output) map[string][]string {
	all := map[string][]string{}
	streams := map[string]string{}
	for _, one := range outputs {
		switch one.Type {
		case "stream":
			streams[one.Name] += string(one.Text)
		case "error":
			all["ename"] = append(all["ename"], one.Error)
			all["evalue"] = append(all["evalue"], one.Value)
		}
		for mime, content := range one.Data {
			if !slices.Contains(unlooked, mime) {
				all[mime] = append(all[mime], plain(content))
			}
		}
	}
	for name, text := range streams {
		all[name] = []string{overwritten(text)}
	}
	return all
}

// plain returns a text as one, and JSON as it is written by everybody alike.
func plain(content json.RawMessage) string {
	var text multiline
	if text.UnmarshalJSON(content) == nil {
		return string(text)
	}
	var value any
	if json.Unmarshal(content, &value) != nil {
		return string(content)
	}
	written, _ := json.Marshal(value)
	return string(written)
}

var (
	toLineStart = regexp.MustCompile(`(?m)^.*\r([^\n])`)
	backspace   = regexp.MustCompile(`[^\n]\x08`)
)

// overwritten drops what carriage returns and backspaces overwrite.
func overwritten(text string) string {
	for backspace.MatchString(text) {
		text = backspace.ReplaceAllString(text, "")
	}
	return toLineStart.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "$1")
}

// Limits and the likeness of nbdime's strict predicates.
const (
	streamLimit = 1_000
	textLimit   = 10_000
	likeness    = 0.95
)

// nbdime takes outputs for the same by its strict predicates; numbers of executions and metadata are left out.
func nbdime(one comparatortest.Case) (bool, error) {
	author, run, err := codeCells(one)
	if err != nil || len(author) != len(run) {
		return false, err
	}
	for i := range author {
		if !slices.EqualFunc(author[i].Outputs, run[i].Outputs, strictly) {
			return false, nil
		}
	}
	return true, nil
}

func strictly(a, b output) bool {
	if a.Type != b.Type || a.Name != b.Name || a.Error != b.Error || a.Value != b.Value {
		return false
	}
	if a.Type == "stream" {
		return similar(first(string(a.Text), streamLimit), first(string(b.Text), streamLimit))
	}
	return maps.EqualFunc(a.Data, b.Data, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) }) || formsAlike(a.Data, b.Data)
}

var pointer = regexp.MustCompile(`0x[a-f0-9]{8,16}`)

func formsAlike(a, b map[string]json.RawMessage) bool {
	if len(a) != len(b) {
		return false
	}
	for mime, content := range a {
		other, ok := b[mime]
		if !ok {
			return false
		}
		x, y := plain(content), plain(other)
		alike := x == y
		switch {
		case strings.HasPrefix(mime, "image/") && mime != "image/svg+xml", strings.HasSuffix(mime, "json"):
		case mime == "text/plain" && !strings.Contains(x, "\n") && !strings.Contains(y, "\n"):
			alike = pointer.ReplaceAllString(x, "") == pointer.ReplaceAllString(y, "")
		default:
			alike = similar(first(x, textLimit), first(y, textLimit))
		}
		if !alike {
			return false
		}
	}
	return true
}

func first(text string, limit int) string { return text[:min(limit, len(text))] }

// similar reports whether more than 95 in 100 of the characters of two texts are in both, in order.
func similar(a, b string) bool {
	if a == b {
		return true
	}
	both := 0
	for _, edit := range diff.Edits([]rune(a), []rune(b)) {
		if edit.Op == diff.Match {
			both++
		}
	}
	return float64(2*both) > likeness*float64(len([]rune(a))+len([]rune(b)))
}
