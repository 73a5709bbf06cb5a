package difference

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"cairn/internal/foundation/fault"

	"znkr.io/diff"
)

// Op says in which of two states something is.
type Op string

// The operations. Changed is of cells alone: a changed line is removed and added.
const (
	Same    Op = "same"
	Added   Op = "added"
	Removed Op = "removed"
	Changed Op = "changed"
)

// TextLine is a line of a text.
type TextLine struct {
	Op     Op     `json:"op" enum:"same,added,removed"`
	Text   string `json:"text" doc:"At most 2,000 bytes; longer ones end with …"`
	Before int    `json:"before,omitempty" doc:"Its number in the first state, from 1"`
	After  int    `json:"after,omitempty" doc:"Its number in the second"`
}

// FileDifference is how two states of a file differ.
type FileDifference struct {
	Lines []TextLine     `json:"lines,omitzero" nullable:"false" doc:"Of text: the lines that differ, with three around them; empty if there is no difference. Where the numbers jump, equal lines were left out"`
	Cells []NotebookCell `json:"cells,omitzero" nullable:"false" doc:"Of notebooks, instead of lines: all cells"`
	Cut   bool           `json:"cut,omitempty" doc:"There are more differences"`
}

// Limits of what is compared and shown.
const (
	TextBytes  = 8 << 20 // of one state of a text
	textLines  = 50_000
	shownLines = 5_000
	lineBytes  = 2_000

	carefulLines = 10_000 // of both states, of which the shortest difference is looked for
)

// Text compares two states of a text: TooLarge over 8 MiB or 50,000 lines, Invalid if one isn't text. Its time grows with the
// lines, not with their square.
func Text(before, after []byte) (FileDifference, error) {
	left, err := split(before)
	if err != nil {
		return FileDifference{}, err
	}
	right, err := split(after)
	if err != nil {
		return FileDifference{}, err
	}
	lines, cut := compare(left, right, shownLines)
	return FileDifference{Lines: lines, Cut: cut}, nil
}

func split(text []byte) ([]string, error) {
	switch {
	case len(text) > TextBytes:
		return nil, fault.New(fault.TooLarge, "The file has more than 8 MiB, so it can't be compared line by line. Download both states instead.")
	case bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text):
		return nil, fault.New(fault.Invalid, "The file isn't text, so it can't be compared line by line. Download both states instead.")
	case bytes.Count(text, []byte("\n")) > textLines:
		return nil, fault.New(fault.TooLarge, "The file has more than 50,000 lines, so it can't be compared line by line. Download both states instead.")
	case len(text) == 0:
		return nil, nil
	}
	return strings.Split(string(text), "\n"), nil
}

// compare returns at most so many lines in which two texts differ, with those around them, and whether there are more.
func compare(before, after []string, most int) (lines []TextLine, cut bool) {
	lines = []TextLine{}
	for _, hunk := range diff.Hunks(before, after, quick(len(before)+len(after))...) {
		x, y := hunk.PosX, hunk.PosY
		for _, edit := range hunk.Edits {
			if len(lines) == most {
				return lines, true
			}
			switch edit.Op {
			case diff.Match:
				lines = append(lines, TextLine{Same, shortened(after[y]), x + 1, y + 1})
				x, y = x+1, y+1
			case diff.Delete:
				lines = append(lines, TextLine{Removed, shortened(before[x]), x + 1, 0})
				x++
			case diff.Insert:
				lines = append(lines, TextLine{Added, shortened(after[y]), 0, y + 1})
				y++
			}
		}
	}
	return lines, false
}

// quick returns how many lines are compared: with few of them the shortest difference can be looked for.
func quick(lines int) []diff.Option {
	if lines > carefulLines {
		return []diff.Option{diff.Fast()}
	}
	return nil
}

func shortened(text string) string { return cutAt(text, lineBytes) }

// cutAt cuts a text that is longer than so many bytes.
func cutAt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return strings.Clone(text[:most]) + "…"
}
