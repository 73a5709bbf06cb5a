package dataset

import (
	"bytes"
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
	dropped int      // the number of its cells beyond columnsLimit
	literal bool     // a quote was never closed: from there on quotes have no meaning
}

// next reads a record and skips empty lines; it returns false at the end.
func (r *records) next() bool {
	r.cells, r.dropped = r.cells[:0], 0
	r.rest = bytes.TrimLeft(r.rest, "\n")
	if len(r.rest) == 0 {
		return false
	}
	for {
		cell, last := r.cell()
		if len(r.cells) < columnsLimit {
			r.cells = append(r.cells, cell)
		} else {
			r.dropped++
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

// findDelimiter returns the delimiter that splits most of the first records into the same number of cells; among
// equals, the one that is rarest in texts and numbers.
func findDelimiter(text []byte) (delimiter byte, rows [][]string) {
	delimiter, best := ',', 0
	for _, candidate := range []byte("\t;|,") {
		found := sample(text, candidate)
		if agreeing := agreement(found); agreeing > best {
			delimiter, best, rows = candidate, agreeing, found
		}
	}
	if rows == nil {
		rows = sample(text, delimiter)
	}
	return delimiter, rows
}

// agreement counts the records with the most common number of cells, which must be more than one.
func agreement(rows [][]string) int {
	counts := map[int]int{}
	most := 0
	for _, row := range rows {
		if counts[len(row)]++; len(row) > 1 {
			most = max(most, counts[len(row)])
		}
	}
	return most
}

// withoutComments skips comment lines at the beginning and returns the last of them: in some tables it names the
// columns.
func withoutComments(text []byte) (rest []byte, last string) {
	for bytes.HasPrefix(text, []byte("#")) {
		line, after, _ := bytes.Cut(text, []byte("\n"))
		last, text = strings.TrimSpace(strings.TrimLeft(string(line), "#")), after
	}
	return text, last
}
