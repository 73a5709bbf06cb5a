package dataset

import (
	"bytes"
	"regexp"
	"strings"
)

// columnsLimit is the number of cells kept per record.
const columnsLimit = 60

// records reads records as in RFC 4180 and interprets deviations as people mean them: a quote in the middle of a cell,
// or one that is never closed, is an ordinary character. encoding/csv keeps whole records, however long and wide: a
// line of four million commas costs a hundred times its size.
type records struct {
	rest      []byte // lines end with \n
	delimiter byte

	cells   [][]byte // of the last record, valid until the next one
	more    int      // the number of its cells beyond columnsLimit
	literal bool     // a quote was never closed: from there on quotes have no meaning
}

func (r *records) row() [][]byte { return r.cells }

func (r *records) dropped() int { return r.more }

// next reads a record and skips empty lines; it returns false at the end.
func (r *records) next() bool {
	r.cells, r.more = r.cells[:0], 0
	r.rest = bytes.TrimLeft(r.rest, "\n")
	if len(r.rest) == 0 {
		return false
	}
	for {
		cell, last := r.cell()
		if len(r.cells) < columnsLimit {
			r.cells = append(r.cells, cell)
		} else {
			r.more++
		}
		if last {
			return true
		}
	}
}

// cell reads a cell and its delimiter, and reports whether the record ends with it.
func (r *records) cell() (cell []byte, last bool) {
	if !r.literal && len(r.rest) > 0 && r.rest[0] == '"' {
		if cell, last, ok := r.quoted(); ok {
			return cell, last
		}
		r.literal = true
	}
	for i, b := range r.rest {
		if b == r.delimiter || b == '\n' {
			cell, r.rest = r.rest[:i], r.rest[i+1:]
			return cell, b == '\n'
		}
	}
	cell, r.rest = r.rest, nil
	return cell, true
}

// quoted reads a quoted cell; ok is false when the quote isn't closed.
func (r *records) quoted() (cell []byte, last, ok bool) {
	doubled := false
	for i := 1; i < len(r.rest); i++ {
		if r.rest[i] != '"' {
			continue
		}
		after := r.rest[i+1:]
		switch {
		case len(after) > 0 && after[0] == '"':
			doubled = true
			i++
			continue
		case len(after) > 0 && after[0] != r.delimiter && after[0] != '\n':
			continue
		}
		if cell = r.rest[1:i]; doubled {
			cell = bytes.ReplaceAll(cell, []byte(`""`), []byte(`"`))
		}
		last = len(after) == 0 || after[0] == '\n'
		r.rest = after[min(1, len(after)):]
		return cell, last, true
	}
	return nil, false, false
}

// sampleRows is the number of records from which the format of a table is guessed.
const sampleRows = 20

// sample returns the first records of a text, split by a delimiter.
func sample(text []byte, delimiter byte) [][]string {
	source := records{rest: text, delimiter: delimiter}
	var rows [][]string
	for len(rows) < sampleRows && source.next() {
		rows = append(rows, texted(source.cells))
	}
	return rows
}

func texted(cells [][]byte) []string {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = string(cell)
	}
	return row
}

// findDelimiter returns the delimiter that splits most of the first records into the same number of cells, or one less or more where
// the last ones are missing. Among equals it's the one that makes twice as many cells, then the one whose numbers of cells are the
// same more often, and then the one that is rarest in texts and numbers. A blank stands for columns that blanks align.
func findDelimiter(text []byte) (delimiter byte, rows [][]string) {
	delimiter = ','
	var best split
	for _, candidate := range []byte("\t;|,") {
		found := sample(text, candidate)
		if one := splitOf(found); one.isBetterThan(best) {
			delimiter, best, rows = candidate, one, found
		}
	}
	if rows == nil && isAligned(text) {
		return ' ', sample(tabbed(text), '\t')
	}
	if rows == nil {
		rows = sample(text, delimiter)
	}
	return delimiter, rows
}

// split says how evenly a delimiter splits records.
type split struct {
	cells int // the most common number, which must be more than one
	same  int // records with that number
	near  int // and with one less or more
}

func splitOf(rows [][]string) (found split) {
	counts := map[int]int{}
	for _, row := range rows {
		if counts[len(row)]++; len(row) > 1 && counts[len(row)] > found.same {
			found.cells, found.same = len(row), counts[len(row)]
		}
	}
	if found.same > 0 {
		found.near = found.same + counts[found.cells+1]
		if found.cells > 2 {
			found.near += counts[found.cells-1]
		}
	}
	return found
}

func (s split) isBetterThan(than split) bool {
	switch {
	case s.near != than.near:
		return s.near > than.near
	case s.cells >= 2*than.cells && s.cells > 0:
		return true
	case than.cells >= 2*s.cells:
		return false
	}
	return s.same > than.same
}

// isAligned reports whether blanks align the columns of the first lines: all have as many words, more than one, and more than a
// blank is somewhere between or before them.
func isAligned(text []byte) bool {
	words, lines, wide := 0, 0, false
	for line := range bytes.Lines(text) {
		found := bytes.Fields(line)
		if len(found) == 0 {
			continue
		}
		if lines++; lines == 1 {
			words = len(found)
		}
		if len(found) != words || words < 2 {
			return false
		}
		wide = wide || bytes.Contains(line, []byte("  ")) || line[0] == ' '
		if lines == sampleRows {
			break
		}
	}
	return lines > 1 && wide
}

// tabbed puts a tab for the blanks between words, and removes those around them.
func tabbed(text []byte) []byte {
	lines := make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		lines = append(append(lines, bytes.Join(bytes.Fields(line), []byte("\t"))...), '\n')
	}
	return lines
}

// separatorLine is how spreadsheets are told the delimiter of a file.
var separatorLine = regexp.MustCompile(`^(?i:"sep=(.)"|sep=(.))\n`)

// withoutSeparator skips a line that names the delimiter; 0 if there is none.
func withoutSeparator(text []byte) (rest []byte, delimiter byte) {
	found := separatorLine.FindSubmatch(text)
	if found == nil {
		return text, 0
	}
	return text[len(found[0]):], append(found[1], found[2]...)[0]
}

// withoutComments skips comment lines at the beginning and returns the last of them: in some tables it names the columns. If all
// lines begin so, they are the data, and marked is true.
func withoutComments(text []byte) (rest []byte, last string, marked bool) {
	rest = text
	for bytes.HasPrefix(rest, []byte("#")) {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		last, rest = strings.TrimSpace(strings.TrimLeft(string(line), "#")), after
	}
	if len(bytes.TrimSpace(rest)) == 0 && last != "" {
		return text, "", true
	}
	return rest, last, false
}
