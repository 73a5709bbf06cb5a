package comparator

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// textLines is how many lines of a text are compared one by one.
const textLines = 50_000

// line is a line of an output.
type line struct {
	shown string // what a reader sees
	kind  kind
	known bool // the rest is filled in: only for lines that differ
	key   string
	dates []moment

	skeleton string
	numbers  []float64
}

// text is a form of an output as lines, with the pictures that are within it.
type text struct {
	lines    []line
	pictures []string // base64
}

// textOf returns the lines of a form; false if it has too many, or isn't what its type says.
func textOf(mime string, c content) (text, bool) {
	kind, found := kindOf(mime), text{}
	var shown []string
	ok := c.kept && strings.Count(c.text, "\n") < textLines
	switch {
	case !ok:
		return text{}, false
	case kind == markup, kind == drawing:
		shown, found.pictures, ok = markupLines(c.text)
	case kind == values:
		shown, ok = jsonLines(c.text)
	case kind == plain:
		shown = onScreen(c.text)
	default:
		ok = false
	}
	found.lines = make([]line, 0, len(shown))
	for _, one := range shown {
		if !strings.HasPrefix(one, unstable) {
			found.lines = append(found.lines, line{shown: one, kind: kind})
		}
	}
	return found, ok
}

func (l *line) look() {
	if l.known {
		return
	}
	l.known = true
	l.key, l.dates = moments(masked(l.shown, l.kind))
	l.skeleton, l.numbers = apart(l.key)
}

// likeness is how two lines relate.
type likeness int

const (
	same   likeness = iota
	marked          // after what the rules replace
	near            // some numbers differ within tolerance
	spaced          // only in white space
	unlike
)

// like returns how two lines relate, and the largest relative difference of their numbers.
func (l *line) like(run *line, ranAt time.Time) (likeness, float64) {
	if l.shown == run.shown {
		return same, 0
	}
	l.look()
	run.look()
	if !pass(l.dates, run.dates, run.shown, ranAt) {
		return unlike, 0
	}
	if l.key == run.key {
		return marked, 0
	}
	if l.skeleton != run.skeleton {
		return unlike, 0
	}
	least := absolute
	if l.kind == drawing && strings.HasPrefix(l.shown, "<") {
		least = gridStep
	}
	largest, ok := nearly(l.numbers, run.numbers, least)
	switch {
	case !ok:
		return unlike, 0
	case len(l.numbers) == 0 || strings.Join(strings.Fields(l.key), "") == strings.Join(strings.Fields(run.key), ""):
		return spaced, 0
	}
	return near, largest
}

// compareTexts compares line by line. White space may differ beside numbers that do, because columns are as wide as these.
func compareTexts(author, run text, ranAt time.Time) (verdict Verdict, largest float64, normalized bool) {
	if len(author.lines) != len(run.lines) {
		return Different, 0, false
	}
	counts := [unlike + 1]int{}
	for i := range author.lines {
		how, share := author.lines[i].like(&run.lines[i], ranAt)
		counts[how]++
		largest = max(largest, share)
	}
	switch {
	case counts[unlike] > 0, counts[spaced] > 0 && counts[near] == 0:
		return Different, 0, false
	case counts[near] > 0:
		return WithinTolerance, largest, false
	}
	return Identical, 0, counts[marked] > 0
}

// variesAlike reports whether each line in which the run differs from the author's also differs between two runs.
func variesAlike(author, run, again text, ranAt time.Time) bool {
	if len(author.lines) != len(run.lines) || len(run.lines) != len(again.lines) {
		return len(run.lines) != len(again.lines)
	}
	for i := range run.lines {
		if how, _ := author.lines[i].like(&run.lines[i], ranAt); how < spaced {
			continue
		}
		if how, _ := run.lines[i].like(&again.lines[i], ranAt); how < spaced {
			return false
		}
	}
	return true
}

// canonical returns what lines are aligned by when a difference is shown: numbers have five digits, dates all of theirs.
func (l *line) canonical() string {
	l.look()
	if len(l.numbers) == 0 && len(l.dates) == 0 {
		return l.key
	}
	var out strings.Builder
	for _, one := range l.dates {
		out.WriteString(one.text)
	}
	at := 0
	for part := range strings.SplitSeq(l.skeleton, "\x01") {
		out.WriteString(part)
		if at < len(l.numbers) {
			number := l.numbers[at]
			if math.Abs(number) <= absolute {
				number = 0
			}
			out.WriteString(strconv.FormatFloat(number, 'e', 4, 64))
			at++
		}
	}
	return out.String()
}
