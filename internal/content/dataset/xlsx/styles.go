package xlsx

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// kind is what a number stands for by the format in which it is shown.
type kind byte

const (
	kindNumber kind = iota
	kindDay
	kindMoment
	kindTime     // of a day
	kindDuration // which may be longer than a day
)

// readStyles reads the formats of cells; a file without them has none.
func (b *Book) readStyles(part string) error {
	codes := map[string]string{}
	inCells := false
	err := b.scan(part, indexBytes, func(element xml.StartElement, _ *scanner) error {
		switch element.Name.Local {
		case "numFmt":
			codes[attribute(element, "numFmtId")] = attribute(element, "formatCode")
		case "cellXfs":
			inCells = true
		case "cellStyles", "cellStyleXfs", "dxfs":
			inCells = false
		case "xf":
			if !inCells {
				return nil
			}
			id := attribute(element, "numFmtId")
			if code, custom := codes[id]; custom {
				b.styles = append(b.styles, kindOf(code))
			} else {
				b.styles = append(b.styles, builtIn(id))
			}
		}
		return nil
	})
	if errors.Is(err, errNoPart) {
		err = nil
	}
	return err
}

// builtIn returns the kind of a format that files don't describe. Those from 27 to 58 are dates in East Asian languages.
func builtIn(id string) kind {
	number, _ := strconv.Atoi(id)
	switch {
	case number >= 14 && number <= 17, number >= 27 && number <= 31, number == 36, number >= 50 && number <= 54, number == 57, number == 58:
		return kindDay
	case number == 22:
		return kindMoment
	case number >= 18 && number <= 21, number >= 32 && number <= 35, number == 45, number == 47, number == 55, number == 56:
		return kindTime
	case number == 46:
		return kindDuration
	default:
		return kindNumber
	}
}

var (
	elapsed  = regexp.MustCompile(`(?i)\[(h+|m+|s+)\]`)
	literals = regexp.MustCompile(`(?i)"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|am/pm|a/p|general|e[+-]`)
)

// kindOf returns the kind of a format such as "dd.mm.yyyy hh:mm".
func kindOf(code string) kind {
	if elapsed.MatchString(code) {
		return kindDuration
	}
	code = strings.ToLower(literals.ReplaceAllString(code, ""))
	code, _, _ = strings.Cut(code, ";")
	day, clock := strings.ContainsAny(code, "dy"), strings.ContainsAny(code, "hs")
	switch {
	case day && clock:
		return kindMoment
	case day, !clock && strings.Contains(code, "m"):
		return kindDay
	case clock:
		return kindTime
	default:
		return kindNumber
	}
}

// The last day of the year 9999, where dates end.
const lastDay = 2_958_465

// text returns how a number is shown, which is stored as another text.
func (k kind) text(number float64, stored string, from1904 bool) string {
	if from1904 && (k == kindDay || k == kindMoment) {
		number += 1462
	}
	switch {
	case k == kindDuration && math.Abs(number) < lastDay:
		return duration(number)
	case k == kindNumber, k == kindDuration, number < 0, number >= lastDay+1:
		return plain(number, stored)
	case k == kindTime:
		return at(0, number-math.Floor(number)).Format("15:04:05.999")
	}
	// Day 60 is the 29th of February 1900, which never was: days before it count from one day later.
	first := -25_569.0
	if number < 60 {
		first++
	}
	moment := at(math.Floor(number)+first, number-math.Floor(number))
	if k == kindDay {
		return moment.Format(time.DateOnly)
	}
	return moment.Format("2006-01-02 15:04:05.999")
}

// at returns the moment at a part of a day, counted from 1970, to the millisecond: fractions of days aren't exact.
func at(day, part float64) time.Time {
	return time.UnixMilli(int64(day)*86_400_000 + int64(math.Round(part*86_400_000))).UTC()
}

func duration(days float64) string {
	sign := ""
	if days < 0 {
		sign, days = "-", -days
	}
	milliseconds := int64(math.Round(days * 86_400_000))
	text := fmt.Sprintf("%s%d:%02d:%02d", sign, milliseconds/3_600_000, milliseconds/60_000%60, milliseconds/1000%60)
	if rest := milliseconds % 1000; rest != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", rest), "0")
	}
	return text
}

// plain returns a number with the 15 digits that spreadsheets show: 0.30000000000000004 is 0.3.
func plain(number float64, stored string) string {
	if len(stored) <= 15 && !strings.ContainsAny(stored, ".eE") {
		return stored
	}
	return strconv.FormatFloat(number, 'g', 15, 64)
}
