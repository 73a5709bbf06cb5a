// Package recurrence says when something that is done every day, week or month is due, in a time zone. It takes values and gives values:
// it has no clock and stores nothing.
//
// A rule is due once for each of its days: at the first instant at which the clocks of its zone have shown that day and hour, or a later
// one. So a time that clocks skip in spring happens when they have skipped it, even where they skip a whole day, and a time that they
// show twice in autumn happens the first time only.
package recurrence

import (
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // the same time zones on every machine, even on those without any; programs have them once, whoever asks for them

	"cairn/internal/foundation/fault"
)

// Every is how often a rule is due.
type Every string

// The values of Every.
const (
	Day   Every = "day"
	Week  Every = "week"
	Month Every = "month"
)

// Rule says when something is done again and again: at an hour of the day, in a time zone.
type Rule struct {
	Every    Every
	On       int       // of a week: 1 (Monday) to 7; of a month: 1 to 31, its last day where it is shorter; of a day: 0
	At       string    // HH:MM of 24 hours, such as 03:00
	Timezone string    // its name in the IANA database, such as Europe/Berlin
	Until    time.Time // nothing is due after it; zero: it never ends
}

// Check returns a fault if the rule can't be followed: TimezoneUnknown, or one of the kind Invalid that names the field below
// body.schedule.
func (r Rule) Check() error {
	_, _, err := r.parse()
	return err
}

var clock = regexp.MustCompile(`^(?:[01][0-9]|2[0-3]):[0-5][0-9]$`)

// parse returns the rule's zone, and the time between midnight and its hour where clocks aren't changed. Its error is that of Check.
func (r Rule) parse() (zone *time.Location, hour time.Duration, err error) {
	most := map[Every]int{Day: 0, Week: 7, Month: 31}
	switch last, known := most[r.Every]; {
	case !known:
		return nil, 0, fault.InvalidField("body.schedule.every", "A schedule is for every day, week or month, not %s.", fault.Quote(string(r.Every)))
	case r.Every == Day && r.On != 0:
		return nil, 0, fault.InvalidField("body.schedule.on", "A schedule for every day has no day of its own: leave out on.")
	case r.Every == Week && (r.On < 1 || r.On > last):
		return nil, 0, fault.InvalidField("body.schedule.on", "The day of the week is 1 (Monday) to 7 (Sunday), not %d.", r.On)
	case r.Every == Month && (r.On < 1 || r.On > last):
		return nil, 0, fault.InvalidField("body.schedule.on", "The day of the month is 1 to 31, not %d. Shorter months have it on their last day.", r.On)
	case !clock.MatchString(r.At):
		return nil, 0, fault.InvalidField("body.schedule.at", "%s isn't a time of the day. Write it like 03:00.", fault.Quote(r.At))
	}
	// These names mean whatever a machine is set to, which is another zone on the next one.
	if r.Timezone != "" && r.Timezone != "Local" && r.Timezone != "localtime" {
		zone, err = time.LoadLocation(r.Timezone)
	}
	if zone == nil || err != nil {
		unknown := fault.New(fault.TimezoneUnknown, "There is no time zone named %s. Write it like Europe/Berlin.", fault.Quote(r.Timezone))
		unknown.Fields = []fault.Field{{Location: "body.schedule.timezone", Message: unknown.Message}}
		return nil, 0, unknown
	}
	hours, minutes, _ := strings.Cut(r.At, ":")
	hour, err = time.ParseDuration(hours + "h" + minutes + "m")
	return zone, hour, err
}

// Next returns the first time after another at which the rule is due, in UTC. It reports false if there is none, as the rule ends before
// or Check refuses it.
func (r Rule) Next(after time.Time) (at time.Time, ok bool) {
	zone, hour, err := r.parse()
	if err != nil {
		return time.Time{}, false
	}
	// Whatever was due on a day before this one has happened.
	for day := dateOf(after, zone); ; day = day.AddDate(0, 0, 1) {
		if !r.isOn(day) {
			continue
		}
		if at = first(day.Add(hour), zone); at.After(after) {
			break
		}
	}
	if !r.Until.IsZero() && at.After(r.Until) {
		return time.Time{}, false
	}
	return at, true
}

// Latest returns the last time at which the rule was due, in UTC, if that was after one time and not after another; several that were
// missed are one. It reports false if there is none, or Check refuses the rule. It takes no longer for years than for days.
func (r Rule) Latest(after, now time.Time) (at time.Time, ok bool) {
	zone, hour, err := r.parse()
	if err != nil {
		return time.Time{}, false
	}
	if !r.Until.IsZero() && now.After(r.Until) {
		now = r.Until
	}
	// Clocks that were set back over midnight have shown a day that is still to come.
	for day := dateOf(now, zone).AddDate(0, 0, 1); ; day = day.AddDate(0, 0, -1) {
		if !r.isOn(day) {
			continue
		}
		if at = first(day.Add(hour), zone); !at.After(now) {
			break
		}
	}
	if !at.After(after) {
		return time.Time{}, false
	}
	return at, true
}

// isOn reports whether the rule is due on a day.
func (r Rule) isOn(day time.Time) bool {
	switch r.Every {
	case Week:
		return int(day.Weekday()) == r.On%7 // Sunday is 0
	case Month:
		return day.Day() == min(r.On, day.AddDate(0, 1, -day.Day()).Day())
	default:
		return true
	}
}

// dateOf returns the day that clocks show, as its midnight in UTC.
func dateOf(at time.Time, zone *time.Location) time.Time {
	year, month, day := at.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// first returns the first instant at which the clocks of a zone show a time, which is given as if it were in UTC, or a later one.
// time.Date isn't told which offset it has to take where clocks are changed, so both are tried.
func first(shown time.Time, zone *time.Location) time.Time {
	const far = 24 * time.Hour // farther than any zone is from UTC
	before, after := offset(shown.Add(-far), zone), offset(shown.Add(far), zone)
	early, late := shown.Add(-max(before, after)), shown.Add(-min(before, after))
	switch {
	case early.Add(offset(early, zone)).Equal(shown):
		return early
	case late.Add(offset(late, zone)).Equal(shown):
		return late
	}
	skipped, _ := late.In(zone).ZoneBounds() // exact right after clocks were changed
	return skipped.UTC()
}

// offset returns how far the clocks of a zone are ahead of UTC.
func offset(at time.Time, zone *time.Location) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}
