package comparator

import (
	"slices"
)

// Verdict is what a comparison says of a cell or of one of its outputs.
type Verdict string

// The verdicts of outputs, the best first.
const (
	Identical       Verdict = "IDENTICAL"        // after normalizing what says where and when something ran
	WithinTolerance Verdict = "WITHIN_TOLERANCE" // numbers differ by at most 1e-12, or a millionth of themselves
	LooksTheSame    Verdict = "LOOKS_THE_SAME"   // a picture differs in what a person doesn't see
	Varies          Verdict = "VARIES"           // it differs between two fresh runs too
	Different       Verdict = "DIFFERENT"
)

// The verdicts that only cells can have.
const (
	NotRun           Verdict = "NOT_RUN"            // the run didn't reach it, or ran something else in its place
	NothingToCompare Verdict = "NOTHING_TO_COMPARE" // the author stored no output of it
)

// order of the verdicts, the worst last: a cell has that of its worst output.
var order = []Verdict{NothingToCompare, Identical, WithinTolerance, LooksTheSame, Varies, NotRun, Different}

func worst(a, b Verdict) Verdict { return order[max(slices.Index(order, a), slices.Index(order, b))] }

// Note is something else to know of a cell or an output. It changes no verdict.
type Note string

// The notes.
const (
	NoteSkipped    Note = "SKIPPED"    // tagged skip-execution
	NoteSource     Note = "SOURCE"     // the run has no cell with this source
	NoteStderr     Note = "STDERR"     // what was written to standard error differs
	NoteNormalized Note = "NORMALIZED" // times, addresses, paths or ids differ
	NoteMessage    Note = "MESSAGE"    // the same exception with another message
	NoteDigest     Note = "DIGEST"     // too large, or not readable: compared byte for byte
	NoteSize       Note = "SIZE"       // pictures of different sizes
	NoteMissing    Note = "MISSING"    // only the author's notebook has it
	NoteExtra      Note = "EXTRA"      // only the run has it
	NoteFormat     Note = "FORMAT"     // DIFFERENT, but only in how the same values are written, or in the scale of a picture
)

// Counts are numbers of cells with code. Those without any are in none of them.
type Counts struct {
	Total   int `json:"total"`
	Skipped int `json:"skipped"` // tagged skip-execution
	Missed  int `json:"missed"`  // NOT_RUN though the author stored outputs
	Ran     int `json:"ran"`     // to their end, or to the exception that the author stored or allows
	Same    int `json:"same"`    // IDENTICAL
	Close   int `json:"close"`   // WITHIN_TOLERANCE and LOOKS_THE_SAME
	Differs int `json:"differs"` // DIFFERENT, also because of an exception
	Format  int `json:"format"`  // of these, the ones with NoteFormat
	Varies  int `json:"varies"`  // VARIES
}

// Compared is how many cells have outputs that were compared; 0 says that the notebook has nothing to compare.
func (c Counts) Compared() int { return c.Same + c.Close + c.Differs + c.Varies }

// Result is the comparison of two notebooks.
type Result struct {
	Counts  Counts  `json:"counts"`
	Largest float64 `json:"largestRelativeDifference"` // of numbers within tolerance
	Cells   []Cell  `json:"cells"`                     // of the author's notebook, in its order
}

// Worst returns the worst verdict of the cells. NOT_RUN and DIFFERENT say that the run didn't give what the author stored.
func (r Result) Worst() Verdict {
	found := NothingToCompare
	for _, cell := range r.Cells {
		found = worst(found, cell.Verdict)
	}
	return found
}

// Cell is the comparison of one cell with code.
type Cell struct {
	ID          string       `json:"id,omitempty"` // empty in notebooks before format 4.5
	Author      int          `json:"author"`       // its place among all cells of the author's notebook, from 0
	Run         int          `json:"run"`          // and of the executed one; -1 if that has no such cell
	Verdict     Verdict      `json:"verdict"`
	Failed      string       `json:"failed,omitempty"` // the name of an exception that the author neither stored nor allows
	Notes       []Note       `json:"notes,omitempty"`
	Largest     float64      `json:"largestRelativeDifference,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
}

// Difference is an output that isn't identical. Pictures are found by their places.
type Difference struct {
	MIME    string  `json:"mime"`   // the compared form; those of streams and exceptions are Jupyter's own
	Author  int     `json:"author"` // its place among the outputs of the author's cell; -1 if only the run has it
	Run     int     `json:"run"`    // likewise, -1 if the run lacks it
	Verdict Verdict `json:"verdict"`
	Notes   []Note  `json:"notes,omitempty"`
	Largest float64 `json:"largestRelativeDifference,omitempty"`
	Pixels  float64 `json:"differingPixels,omitempty"` // share of a picture's, from 0 to 1
	Lines   []Line  `json:"lines,omitempty"`
	Cut     bool    `json:"cut,omitempty"` // there are more lines
}

// comparison is the work of one call of Compare.
type comparison struct {
	author, run, again *Notebook
	lines, rows        int // that may still be shown, and compared to show them
	recent             []recent
}

// recent is a text that was read: each is needed up to four times in a row.
type recent struct {
	mime   string
	digest digest
	text   text
	ok     bool
}

// recents is how many texts are held at a time: those of the author and of two runs.
const recents = 3

// textOf returns a form as lines. Their fields are filled in on the way, so they belong to this comparison alone.
func (c *comparison) textOf(mime string, form content) (text, bool) {
	for _, one := range c.recent {
		if one.mime == mime && one.digest == form.digest {
			return one.text, one.ok
		}
	}
	found, ok := textOf(mime, form)
	if len(c.recent) == recents {
		c.recent = c.recent[1:]
	}
	c.recent = append(c.recent, recent{mime, form.digest, found, ok})
	return found, ok
}

// Compare says how the run's outputs differ from the author's. Again is a second fresh run in the same environment, or nil:
// what also differs between the two runs varies on its own. Cells that only the run has are left out. In an executed
// notebook, cells that the run didn't reach have neither a number nor outputs. The notebooks aren't changed, so calls may
// share them. Its time is bounded, whatever they contain.
func Compare(author, run, again *Notebook) Result {
	c := &comparison{author: author, run: run, again: again, lines: resultLines, rows: allRows}
	inRun := align(author, run)
	var inAgain map[*cell]*cell
	if again != nil {
		inAgain = align(author, again)
	}
	result := Result{Cells: []Cell{}}
	for _, one := range author.cells {
		if one.blank {
			continue
		}
		found := c.cell(one, inRun[one], inAgain[one])
		result.Largest = max(result.Largest, found.Largest)
		result.Counts.add(one, inRun[one], found)
		result.Cells = append(result.Cells, found)
	}
	return result
}

func (c *Counts) add(author, run *cell, found Cell) {
	c.Total++
	if author.skipped {
		c.Skipped++
		return
	}
	if run != nil && run.executed && found.Failed == "" {
		c.Ran++
	}
	switch found.Verdict {
	case NotRun:
		if author.comparable() {
			c.Missed++
		}
	case Identical:
		c.Same++
	case WithinTolerance, LooksTheSame:
		c.Close++
	case Varies:
		c.Varies++
	case Different:
		c.Differs++
		if slices.Contains(found.Notes, NoteFormat) {
			c.Format++
		}
	}
}

// align finds the cell of a run for each of the author's: that with its id, else the first without one that has its source.
// A cell with the same id but another source doesn't match.
func align(author, run *Notebook) map[*cell]*cell {
	byID := map[string]*cell{}
	for _, one := range run.cells {
		if byID[one.id] == nil && one.id != "" {
			byID[one.id] = one
		}
	}
	found, taken := map[*cell]*cell{}, map[*cell]bool{}
	for _, one := range author.cells {
		if match := byID[one.id]; match != nil && !taken[match] {
			taken[match] = true
			if match.source == one.source {
				found[one] = match
			}
		}
	}
	bySource := map[digest][]*cell{}
	for _, one := range run.cells {
		if !taken[one] {
			bySource[one.source] = append(bySource[one.source], one)
		}
	}
	for _, one := range author.cells {
		if rest := bySource[one.source]; found[one] == nil && len(rest) > 0 {
			found[one], bySource[one.source] = rest[0], rest[1:]
		}
	}
	return found
}
