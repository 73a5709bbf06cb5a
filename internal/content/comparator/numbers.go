package comparator

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Numbers with a decimal point or an exponent are the same when they differ by at most one of these. Whole numbers
// aren't measured but counted: each has to be the same.
const (
	absolute = 1e-12
	relative = 1e-6
)

// gridStep is how much coordinates in the elements of a drawing may differ: Cairo, with which R draws, rounds them to 1/256 of a
// pixel (CAIRO_FIXED_FRAC_BITS), so noise in the last digit of a value can move one by a step.
const gridStep = 0.004

var digits = regexp.MustCompile(`(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`)

// apart takes a line apart: its text without white space, with a mark in the place of each number with a point or an
// exponent, and these numbers.
func apart(line string) (skeleton string, numbers []float64) {
	marked, numbers := markNumbers(line)
	return strings.Join(strings.Fields(marked), ""), numbers
}

// markNumbers is apart, but leaves the white space.
func markNumbers(line string) (marked string, numbers []float64) {
	var out strings.Builder
	from := 0
	for _, at := range digits.FindAllStringIndex(line, -1) {
		begin, end := at[0], at[1]
		text := line[begin:end]
		number, err := strconv.ParseFloat(text, 64)
		if !strings.ContainsAny(text, ".eE") || err != nil || partOfWord(line[:begin]) || version(line[end:]) {
			continue
		}
		if sign := begin - 1; sign >= from && (line[sign] == '-' || line[sign] == '+') && (!operand(line[:sign]) || end < len(line) && line[end] == 'j') {
			begin = sign
			if line[sign] == '-' {
				number = -number
			}
		}
		out.WriteString(line[from:begin])
		out.WriteByte('\x01')
		numbers = append(numbers, number)
		from = end
	}
	out.WriteString(line[from:])
	return out.String(), numbers
}

// partOfWord reports whether a number that follows is a part of a name or a version.
func partOfWord(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return last == '_' || last == '.' || unicode.IsLetter(last) || unicode.IsDigit(last)
}

// version reports whether a number that precedes is a part of a version such as 1.2.3.
func version(rest string) bool {
	return len(rest) > 1 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9'
}

// operand reports whether a sign that follows is one of addition or subtraction.
func operand(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return strings.ContainsRune(")]}_.", last) || unicode.IsLetter(last) || unicode.IsDigit(last)
}

// nearly reports whether two lists of numbers are the same within tolerance, of which least is the absolute one, and returns the
// largest relative difference.
func nearly(a, b []float64, least float64) (largest float64, same bool) {
	if len(a) != len(b) {
		return 0, false
	}
	for i := range a {
		difference := math.Abs(a[i] - b[i])
		if difference == 0 {
			continue
		}
		share := difference / max(math.Abs(a[i]), math.Abs(b[i]))
		if difference > least && share > relative {
			return 0, false
		}
		// The share of values near zero says nothing.
		if share <= relative || least == gridStep {
			largest = max(largest, share)
		}
	}
	return largest, true
}
