package dataset

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// longestNumber is in bytes; floats printed by programs have 24 at most.
const longestNumber = 40

// isMissing reports whether a cell means "no value".
func isMissing(cell []byte) bool {
	if len(cell) > 5 {
		return false
	}
	switch strings.ToLower(string(cell)) {
	case "", "na", "n/a", "#n/a", "nan", "-nan", "null", "none", "nil", "-", "--", "?", ".", "inf", "+inf", "-inf":
		return true
	}
	return false
}

// parseNumber parses a finite decimal number; with comma, also one with a decimal comma.
func parseNumber(cell []byte, comma bool) (float64, bool) {
	if len(cell) == 0 || len(cell) > longestNumber {
		return 0, false
	}
	for _, b := range cell {
		// Go's syntax also allows hexadecimal digits, underscores and words.
		if (b < '0' || b > '9') && b != '.' && b != '-' && b != '+' && b != 'e' && b != 'E' && (b != ',' || !comma) {
			return 0, false
		}
	}
	text := string(cell)
	if comma && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil && !math.IsInf(value, 0)
}

// layouts of dates and times, the most common first. All begin with the year: 01/02/2026 could be two different days.
var layouts = []string{
	time.DateOnly, time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04",
	"2006/01/02", "2006/01/02 15:04:05", "2006/01/02 15:04", "2006-01",
}

const longestMoment = 40

// parseMoment parses a date and time by a layout, or by the first that matches if layout is empty. It returns
// milliseconds since 1970; times without a zone are UTC.
func parseMoment(cell []byte, layout string) (milliseconds float64, found string) {
	if len(cell) < len("2006-01") || len(cell) > longestMoment || cell[0] < '0' || cell[0] > '9' {
		return 0, ""
	}
	text := string(cell)
	if layout != "" {
		if moment, err := time.Parse(layout, text); err == nil {
			return float64(moment.UnixMilli()), layout
		}
		return 0, ""
	}
	for _, each := range layouts {
		if milliseconds, found := parseMoment(cell, each); found != "" {
			return milliseconds, found
		}
	}
	return 0, ""
}
