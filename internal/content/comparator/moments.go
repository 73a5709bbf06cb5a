package comparator

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// moment is a date or a time of day in a line. Dates are often data, so a different one is only let pass where it can be
// the time of the run.
type moment struct {
	text  string
	times []time.Time // what it can mean; none for a time of day
	clock bool        // it has seconds
}

const month = `(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*`

// dates are the ways in which dates are written, each with the layouts that read it.
var dates = []struct {
	needs   string // a part of every match
	pattern *regexp.Regexp
	layouts []string
}{
	{"-", regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z| ?[+-]\d{2}:?\d{2})?)?`), []string{
		"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
	}},
	{"", regexp.MustCompile(`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?\d{1,2}[ -]` + month + `[ -]\d{4}(?: \d{1,2}:\d{2}(?::\d{2})?)?`), []string{
		"2 Jan 2006 15:04:05", "2 January 2006 15:04:05", "2 Jan 2006 15:04", "2 January 2006 15:04", "2 Jan 2006", "2 January 2006", "2-Jan-2006", "2-January-2006",
	}},
	{"", regexp.MustCompile(`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?` + month + ` {1,2}\d{1,2},? (?:\d{2}:\d{2}:\d{2} (?:[A-Z]{3,4} )?)?\d{4}\b`), []string{
		"Jan _2 15:04:05 2006", "Jan _2 15:04:05 MST 2006", "Jan 2, 2006", "January 2, 2006", "Jan 2 2006", "January 2 2006",
	}},
	{"/", regexp.MustCompile(`\b\d{1,2}/\d{1,2}/\d{2,4}\b(?:,? \d{1,2}:\d{2}(?::\d{2})?)?`), []string{
		"1/2/2006", "2/1/2006", "1/2/06", "2/1/06", "1/2/2006 15:04:05", "2/1/2006 15:04:05", "1/2/2006 15:04", "2/1/2006 15:04",
	}},
	{"datetime(", regexp.MustCompile(`\bdatetime\((?:\d+, ){3,6}\d+`), []string{"datetime(2006, 1, 2, 15, 4, 5, 999999999", "datetime(2006, 1, 2, 15, 4, 5", "datetime(2006, 1, 2, 15, 4"}},
	{"date(", regexp.MustCompile(`\bdate\((?:\d+, ){2}\d+`), []string{"date(2006, 1, 2"}},
	{":", regexp.MustCompile(`\b\d{1,2}:\d{2}:\d{2}(?:\.\d+)?\b`), nil},
}

var (
	weekday = regexp.MustCompile(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? `)
	// aboutNow are words of lines that tell when something was done.
	aboutNow = regexp.MustCompile(`(?i)\b(?:date|time|today|now|generated|created|updated|executed|run|ran|started|finished|ended|elapsed|took|timestamp|as of|accessed|retrieved|downloaded|current(?:ly)?|log|info|debug|warning|error|version|saved|printed)\b|^\[?\d{1,2}:\d{2}:\d{2}`)
)

// moments replaces dates and times in a line by marks, and returns them.
func moments(line string) (string, []moment) {
	if !strings.ContainsAny(line, "0123456789") {
		return line, nil
	}
	var found []moment
	for _, way := range dates {
		if !strings.Contains(line, way.needs) {
			continue
		}
		line = way.pattern.ReplaceAllStringFunc(line, func(text string) string {
			one := moment{text: text, clock: strings.Count(text, ":") >= 2 || strings.HasPrefix(text, "datetime(")}
			if way.layouts != nil {
				if one.times = readings(text, way.layouts); one.times == nil {
					return text // no date, such as 99/99/99
				}
			}
			found = append(found, one)
			return "<moment>"
		})
	}
	return line, found
}

// readings returns the times that a text can mean.
func readings(text string, layouts []string) []time.Time {
	text = weekday.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, ", datetime", "")
	if len(text) > 10 && text[4] == '-' {
		text = text[:10] + "T" + strings.ReplaceAll(strings.ReplaceAll(text[11:], " ", ""), ",", ".")
	}
	var all []time.Time
	for _, layout := range layouts {
		if one, err := time.Parse(layout, text); err == nil {
			all = append(all, one)
		}
	}
	return all
}

// zones is how far the clocks of the author, the run and the text may be apart.
const zones = 36 * time.Hour

// pass reports whether the moments of two lines are the same, or differ as the times of two runs do: the run's is later,
// and it is the time of the run where that is known. Where it isn't, the line has to tell of it or the moment to have
// seconds.
func pass(author, run []moment, line string, ranAt time.Time) bool {
	about := aboutNow.MatchString(line)
	return slices.EqualFunc(author, run, func(a, r moment) bool {
		if a.text == r.text {
			return true
		}
		if len(a.times) == 0 || len(r.times) == 0 {
			return len(a.times) == len(r.times) && about // times of day
		}
		for i := range min(len(a.times), len(r.times)) {
			later := !r.times[i].Before(a.times[i])
			if later && !ranAt.IsZero() && r.times[i].Sub(ranAt).Abs() <= zones || later && ranAt.IsZero() && (about || r.clock) {
				return true
			}
		}
		return false
	})
}
