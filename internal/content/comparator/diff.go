package comparator

import (
	"strings"
	"unicode/utf8"

	"znkr.io/diff"
)

// Limits of what is shown of a difference.
const (
	diffLines    = 300     // of one output
	resultLines  = 10_000  // of all outputs together
	comparedRows = 5_000   // of each side, after what both begin with
	allRows      = 200_000 // that are compared of all outputs together, both sides counted
	lineBytes    = 400
)

// Line is a line of a text difference.
type Line struct {
	Op   Op     `json:"op"`
	Text string `json:"text"`
}

// Op says in which of two texts a line is.
type Op string

// A line is in both texts, only in the run's, or only in the author's.
const (
	Same    Op = "same"
	Added   Op = "added"
	Removed Op = "removed"
)

// gap is the text of a line that stands for some that are the same.
const gap = "…"

// difference returns the lines in which two texts differ, with some around them, and whether there are more; and how many rows it
// compared.
func difference(author, run []line, limit int) (lines []Line, cut bool, rows int) {
	begin := 0
	for begin < min(len(author), len(run)) && author[begin].canonical() == run[begin].canonical() {
		begin++
	}
	begin = max(0, begin-3)
	left, leftCut := keys(author[begin:])
	right, rightCut := keys(run[begin:])
	cut = leftCut || rightCut
	rows = len(left) + len(right)
	limit = min(limit, diffLines)
	if begin > 0 {
		lines = append(lines, Line{Same, gap})
	}
	end := 0
	for _, hunk := range diff.Hunks(left, right) {
		if hunk.PosX > end && end > 0 {
			lines = append(lines, Line{Same, gap})
		}
		x, y := hunk.PosX, hunk.PosY
		for _, edit := range hunk.Edits {
			if len(lines) >= limit {
				return lines[:min(len(lines), limit)], true, rows
			}
			switch edit.Op {
			case diff.Match:
				lines = append(lines, Line{Same, shortened(run[begin+y].shown)})
				x, y = x+1, y+1
			case diff.Delete:
				lines = append(lines, Line{Removed, shortened(author[begin+x].shown)})
				x++
			case diff.Insert:
				lines = append(lines, Line{Added, shortened(run[begin+y].shown)})
				y++
			}
		}
		end = hunk.EndX
	}
	return lines, cut, rows
}

func keys(lines []line) (all []string, cut bool) {
	cut = len(lines) > comparedRows
	for i := range lines[:min(len(lines), comparedRows)] {
		all = append(all, lines[i].canonical())
	}
	return all, cut
}

// only returns the lines of a text that the other side lacks.
func only(op Op, all []line, limit int) (lines []Line, cut bool) {
	limit = min(limit, diffLines, len(all))
	for _, one := range all[:limit] {
		lines = append(lines, Line{op, shortened(one.shown)})
	}
	return lines, limit < len(all)
}

// shortened cuts a long line.
func shortened(text string) string {
	if len(text) <= lineBytes {
		return text
	}
	end := lineBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) + "…"
}
