package dataset

import (
	"bytes"
	"math"
)

// Kinds of columns.
const (
	kindNumber = "NUMBER"
	kindDate   = "DATE"
	kindText   = "TEXT"
	kindEmpty  = "EMPTY"
)

// series holds the values of a column by row.
type series struct {
	count  int
	values []float64 // NaN where a row has none; may end after the last value
}

func (s *series) set(row int, value float64) {
	s.count++
	s.extend(row)
	s.values = append(s.values, value)
}

// extend lengthens the series to this many rows.
func (s *series) extend(rows int) {
	for len(s.values) < rows {
		s.values = append(s.values, math.NaN())
	}
}

// column collects the cells of one column.
type column struct {
	filled           int // cells with a value
	numbers, moments series

	typeName string // what the file calls its type
	isText   bool   // neither numbers nor dates are looked for
	comma    bool   // numbers may have a decimal comma
	layout   string // of dates and times; the first value decides whether there are any
}

// add adds the cell of a row; rows are counted from 0.
func (c *column) add(row int, cell []byte) {
	cell = bytes.TrimSpace(cell)
	if isMissing(cell) {
		return
	}
	c.filled++
	if c.isText {
		return
	}
	if number, ok := parseNumber(cell, c.comma); ok {
		c.numbers.set(row, number)
	} else if c.filled == 1 || c.layout != "" {
		if moment, layout := parseMoment(cell, c.layout); layout != "" {
			c.layout = layout
			c.moments.set(row, moment)
		}
	}
}

// kind returns the kind of nine out of ten values. The others count as missing in statistics and plots.
func (c *column) kind() string {
	switch {
	case c.filled == 0:
		return kindEmpty
	case c.numbers.count*10 >= c.filled*9:
		return kindNumber
	case c.moments.count*10 >= c.filled*9:
		return kindDate
	default:
		return kindText
	}
}

// ascendingValues returns the values if every row has one and they are strictly ascending, that is, if they order the rows;
// otherwise nil.
func (c *column) ascendingValues(rows int) []float64 {
	for _, one := range []series{c.numbers, c.moments} {
		if one.count != rows || rows < 2 {
			continue
		}
		for i := range one.values[1:] {
			if one.values[i+1] <= one.values[i] {
				return nil
			}
		}
		return one.values
	}
	return nil
}
