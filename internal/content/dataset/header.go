package dataset

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// findHeader returns the names of the columns if the first record contains them; sure is true if the records below tell so: there are
// numbers or dates below words, or the numbers among the names count on as those below don't. Otherwise all words of it must be
// different, without numbers or dates among them.
func findHeader(rows [][]string) (names []string, sure bool) {
	if len(rows) == 0 {
		return nil, false
	}
	first := rows[0]
	below := make([]column, len(first))
	for i, row := range rows[1:] {
		for position, cell := range row[:min(len(row), len(below))] {
			below[position].comma = true
			below[position].add(i, []byte(cell))
		}
	}
	words, labels, distinct := 0, 0, map[string]bool{}
	for i, name := range first {
		one := column{comma: true}
		one.add(0, []byte(name))
		kind := below[i].kind()
		switch {
		case one.filled == 0:
			continue
		case one.numbers.count > 0 && !isLabel(name):
			return nil, false // a measurement
		case one.numbers.count > 0:
			labels++
		case one.moments.count > 0:
			labels++
			sure = sure || kind == kindNumber
		default:
			words++
			sure = sure || kind == kindNumber || kind == kindDate
		}
		distinct[strings.TrimSpace(name)] = true
	}
	switch {
	case labels == len(first):
		return nil, false // numbers alone
	case labels > 0:
		if sure = len(distinct) == words+labels && (sure && namesAlone(first) || countsOn(rows)); sure {
			return first, true
		}
		return nil, false
	case words > 0 && (sure || words == len(first) && len(distinct) == words && (words > 1 || len(rows) > 1)):
		return first, sure
	}
	return nil, false
}

// isLabel reports whether a number can be a name, such as a year or a position.
func isLabel(cell string) bool {
	_, err := strconv.ParseUint(strings.TrimSpace(cell), 10, 32)
	return err == nil
}

// namesAlone reports whether all cells that aren't labels could be names. Values that an instrument couldn't measure, such as <0.1, are
// no names.
func namesAlone(cells []string) bool {
	for _, cell := range cells {
		if begin, _ := utf8.DecodeRuneInString(strings.TrimSpace(cell)); strings.TrimSpace(cell) != "" && !unicode.IsLetter(begin) && !unicode.IsDigit(begin) && begin != '_' {
			return false
		}
	}
	return true
}

// countsOn reports whether the numbers among the names rise by the same step, as years and positions do, while those in most
// other records don't. Two numbers are enough if they are years, or if they begin at 0 beside an empty corner.
func countsOn(rows [][]string) bool {
	var positions []int
	for i, cell := range rows[0] {
		if isLabel(cell) {
			positions = append(positions, i)
		}
	}
	step, rises := stepOf(rows[0], positions)
	if !rises || len(rows) < 2 {
		return false
	}
	begin, _ := strconv.Atoi(strings.TrimSpace(rows[0][positions[0]]))
	years := begin >= 1500 && begin+step*len(positions) < 2200
	if corner := strings.TrimSpace(rows[0][0]) == "" && begin == 0; len(positions) < 3 && !years && !corner {
		return false
	}
	alike := 0
	for _, row := range rows[1:] {
		if other, too := stepOf(row, positions); too && other == step {
			alike++
		}
	}
	return 2*alike <= len(rows)-1
}

// stepOf returns the step by which the labels at two or more positions rise; false if it isn't always the same.
func stepOf(cells []string, positions []int) (step int, rises bool) {
	if len(positions) < 2 || positions[len(positions)-1] >= len(cells) {
		return 0, false
	}
	before := 0
	for i, position := range positions {
		number, err := strconv.Atoi(strings.TrimSpace(cells[position]))
		switch {
		case err != nil, i > 0 && number <= before, i > 1 && number-before != step:
			return 0, false
		case i > 0:
			step = number - before
		}
		before = number
	}
	return step, true
}
