package recurrence_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/schedules/recurrence"
)

// years are three years of a zone, in which its clocks are changed in a way of their own.
var years = []struct {
	zone  string
	first int
}{
	{"UTC", 2026},
	{"Asia/Kathmandu", 2026}, // 5:45 ahead
	{"Europe/Berlin", 2039},  // behind the database's lists of changes, where its rules go on, with a leap year
	{"Europe/Dublin", 2025},  // has its standard time in summer
	{"America/New_York", 2025},
	{"America/Sao_Paulo", 2016},   // skips midnight
	{"America/Nuuk", 2023},        // skips the hour before midnight, and changed its offset
	{"America/Caracas", 2015},     // was half an hour off for years
	{"Africa/Casablanca", 2025},   // changes its clocks for Ramadan
	{"Australia/Lord_Howe", 2025}, // skips half an hour
	{"Antarctica/Troll", 2025},    // skips two hours
	{"Pacific/Chatham", 2025},     // 12:45 ahead
	{"Pacific/Apia", 2010},        // skipped 30 December 2011
	{"Pacific/Kwajalein", 1992},   // skipped 21 August 1993
	{"Pacific/Kwajalein", 1968},   // had 30 September 1969 twice
}

func place(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// reading is what the clocks of a zone show at a time, as if it were in UTC.
type reading struct{ at, shown time.Time }

// readings looks at the clocks of a zone every quarter of an hour, from a few days before one time on until another.
func readings(t *testing.T, name string, from, to time.Time) (all []reading) {
	t.Helper()
	zone := place(t, name)
	for at := from.AddDate(0, 0, -3); at.Before(to); at = at.Add(15 * time.Minute) {
		there := at.In(zone)
		all = append(all, reading{at, time.Date(there.Year(), there.Month(), there.Day(), there.Hour(), there.Minute(), 0, 0, time.UTC)})
	}
	return all
}

// weekdays are numbered as in a rule.
var weekdays = []string{"", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// scan returns when a rule is due from one time on, by what the clocks of its zone show.
func scan(t *testing.T, rule recurrence.Rule, from time.Time, clocks []reading) (dues []time.Time) {
	t.Helper()
	hour, err := time.Parse("15:04", rule.At)
	if err != nil {
		t.Fatal(err)
	}
	year, month, day := clocks[0].shown.Date()
	next := time.Date(year, month, day, hour.Hour(), hour.Minute(), 0, 0, time.UTC)
	for _, now := range clocks {
		due := false
		for ; !now.shown.Before(next); next = next.AddDate(0, 0, 1) {
			switch rule.Every {
			case recurrence.Day:
				due = true
			case recurrence.Week:
				due = due || next.Format("Monday") == weekdays[rule.On]
			case recurrence.Month:
				length := time.Date(next.Year(), next.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
				due = due || next.Day() == rule.On || next.Day() == length && rule.On > length
			}
		}
		if due && !now.at.Before(from) {
			dues = append(dues, now.at)
		}
	}
	return dues
}

// walk returns when a rule is due, from one time on and before another.
func walk(t *testing.T, rule recurrence.Rule, from, to time.Time) (dues []time.Time) {
	t.Helper()
	for at, ok := rule.Next(from.Add(-1)); at.Before(to); at, ok = rule.Next(at) {
		if last := len(dues) - 1; !ok || last >= 0 && !at.After(dues[last]) || at.Location() != time.UTC {
			t.Fatalf("%+v is due at %s, %v", rule, at, ok)
		}
		dues = append(dues, at)
	}
	return dues
}

func span(first int) (from, to time.Time) {
	return time.Date(first, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(first+3, 1, 1, 0, 0, 0, 0, time.UTC)
}

func TestDueWhenClocksShowItFirst(t *testing.T) {
	rules := []recurrence.Rule{
		{Every: recurrence.Week, On: 1, At: "00:00"},
		{Every: recurrence.Week, On: 7, At: "02:30"},
		{Every: recurrence.Week, On: 6, At: "23:30"},
		{Every: recurrence.Month, On: 1, At: "00:00"},
		{Every: recurrence.Month, On: 30, At: "02:30"},
		{Every: recurrence.Month, On: 31, At: "23:30"},
	}
	for _, at := range []string{"00:00", "00:30", "01:45", "02:00", "02:15", "02:30", "03:00", "12:00", "22:45", "23:30"} {
		rules = append(rules, recurrence.Rule{Every: recurrence.Day, At: at})
	}
	for _, one := range years {
		from, to := span(one.first)
		clocks := readings(t, one.zone, from, to)
		for _, rule := range rules {
			rule.Timezone = one.zone
			same(t, rule, walk(t, rule, from, to), scan(t, rule, from, clocks))
		}
	}
}

func same(t *testing.T, rule recurrence.Rule, got, want []time.Time) {
	t.Helper()
	for index := range max(len(got), len(want)) {
		if index >= len(got) || index >= len(want) || !got[index].Equal(want[index]) {
			t.Errorf("%+v: %d times instead of %d; they differ from number %d on:\n%v\n%v", rule, len(got), len(want), index,
				got[min(index, len(got)):min(index+2, len(got))], want[min(index, len(want)):min(index+2, len(want))])
			return
		}
	}
}

func TestEachDayIsDueOnce(t *testing.T) {
	for _, one := range years {
		from, to := span(one.first)
		zone := place(t, one.zone)
		count := map[string]int{}
		for _, at := range walk(t, recurrence.Rule{Every: recurrence.Day, At: "12:00", Timezone: one.zone}, from, to) {
			if shown := at.In(zone).Format("15:04"); shown != "12:00" && shown != "00:00" {
				t.Errorf("%s: due at %s", one.zone, at.In(zone))
			} else if shown == "12:00" { // at midnight, a day is over that was skipped
				count[at.In(zone).Format(time.DateOnly)]++
			}
		}
		for at := from.AddDate(0, 0, 1); at.Before(to.AddDate(0, 0, -1)); at = at.Add(12 * time.Hour) {
			if day := at.In(zone).Format(time.DateOnly); count[day] != 1 {
				t.Errorf("%s: %s is due %d times", one.zone, day, count[day])
			}
		}
	}
}

func TestLatestIsTheLastOfAll(t *testing.T) {
	from := rand.New(rand.NewPCG(1, 2))
	for _, one := range years {
		begin, end := span(one.first)
		for _, rule := range []recurrence.Rule{
			{Every: recurrence.Day, At: "00:00"},
			{Every: recurrence.Day, At: "02:30"},
			{Every: recurrence.Day, At: "23:30"},
			{Every: recurrence.Week, On: 7, At: "02:30"},
			{Every: recurrence.Month, On: 31, At: "00:00"},
		} {
			rule.Timezone = one.zone
			dues := walk(t, rule, begin, end)
			for range 200 {
				picked := dues[from.IntN(len(dues)-3)] // two days before the last
				after := begin.Add(time.Duration(from.Int64N(int64(end.Sub(begin)))))
				now := []time.Time{picked, picked.Add(-1), picked.Add(time.Duration(from.Int64N(int64(48 * time.Hour))))}[from.IntN(3)]
				if from.IntN(4) == 0 {
					after = picked
				}
				var want time.Time
				for _, due := range dues {
					if due.After(after) && !due.After(now) {
						want = due
					}
				}
				if got, ok := rule.Latest(after, now); !got.Equal(want) || ok == want.IsZero() {
					t.Fatalf("%+v: the latest after %s until %s is %s, %v instead of %s", rule, after, now, got, ok, want)
				}
			}
		}
	}
}

func TestLatestOfLongAgo(t *testing.T) {
	rule := recurrence.Rule{Every: recurrence.Day, At: "03:00", Timezone: "Europe/Berlin"}
	now := time.Date(2026, 7, 1, 0, 30, 0, 0, time.UTC)
	if got, ok := rule.Latest(time.Time{}, now); !ok || got.Format(time.RFC3339) != "2026-06-30T01:00:00Z" {
		t.Errorf("got %s, %v", got, ok)
	}
}

func TestLatestWhereClocksAreSetBackOverMidnight(t *testing.T) {
	rule := recurrence.Rule{Every: recurrence.Day, At: "00:00", Timezone: "America/St_Johns"}
	due := time.Date(2010, 11, 7, 2, 30, 0, 0, time.UTC)
	for _, now := range []time.Time{due, due.Add(30 * time.Minute), due.Add(2 * time.Hour)} { // they show 00:00, 23:30 of the day before, and 01:00
		if got, ok := rule.Latest(due.AddDate(0, 0, -7), now); !ok || !got.Equal(due) {
			t.Errorf("the latest until %s is %s, %v", now.In(place(t, rule.Timezone)), got, ok)
		}
	}
}

func TestTimesThatClocksSkipOrShowTwice(t *testing.T) {
	for _, test := range []struct{ zone, at, after, want, then string }{
		{"Europe/Berlin", "02:30", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"}, // skipped: 03:00 is next
		{"Europe/Berlin", "02:00", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"},
		{"Europe/Berlin", "03:00", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "2026-03-30T01:00:00Z"},
		{"Europe/Berlin", "02:30", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"}, // shown twice
		{"Europe/Berlin", "02:30", "2026-10-25T00:45:00Z", "2026-10-26T01:30:00Z", "2026-10-27T01:30:00Z"}, // between the two
		{"Europe/Berlin", "03:00", "2026-10-24T12:00:00Z", "2026-10-25T02:00:00Z", "2026-10-26T02:00:00Z"},
		{"Australia/Lord_Howe", "02:15", "2026-10-03T00:00:00Z", "2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"}, // half an hour is skipped
		{"Australia/Lord_Howe", "01:45", "2026-04-04T00:00:00Z", "2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"}, // and shown twice
		{"America/Sao_Paulo", "00:00", "2018-11-03T12:00:00Z", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},   // midnight is skipped
		{"America/Nuuk", "23:30", "2025-03-29T12:00:00Z", "2025-03-30T01:00:00Z", "2025-03-31T00:30:00Z"},        // on the next day
		{"Pacific/Apia", "03:00", "2011-12-29T14:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T13:00:00Z"},        // a skipped day, and its next
		{"Pacific/Apia", "00:00", "2011-12-29T14:00:00Z", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"},        // both at once
	} {
		rule := recurrence.Rule{Every: recurrence.Day, At: test.at, Timezone: test.zone}
		after, err := time.Parse(time.RFC3339, test.after)
		if err != nil {
			t.Fatal(err)
		}
		first, _ := rule.Next(after)
		second, _ := rule.Next(first)
		if got := first.Format(time.RFC3339); got != test.want {
			t.Errorf("%s in %s after %s: %s instead of %s", test.at, test.zone, test.after, got, test.want)
		}
		if got := second.Format(time.RFC3339); got != test.then {
			t.Errorf("%s in %s after %s: %s instead of %s", test.at, test.zone, test.want, got, test.then)
		}
	}
}

func TestWeeksAndMonths(t *testing.T) {
	after := time.Date(2028, 1, 30, 12, 0, 0, 0, time.UTC) // a Sunday in a leap year
	for _, test := range []struct {
		every recurrence.Every
		on    int
		want  []string
	}{
		{recurrence.Week, 1, []string{"2028-01-31", "2028-02-07", "2028-02-14"}},
		{recurrence.Week, 7, []string{"2028-02-06", "2028-02-13", "2028-02-20"}},
		{recurrence.Month, 1, []string{"2028-02-01", "2028-03-01", "2028-04-01"}},
		{recurrence.Month, 29, []string{"2028-02-29", "2028-03-29", "2028-04-29"}},
		{recurrence.Month, 31, []string{"2028-01-31", "2028-02-29", "2028-03-31", "2028-04-30"}},
		{recurrence.Month, 30, []string{"2028-02-29", "2028-03-30", "2028-04-30"}},
	} {
		rule := recurrence.Rule{Every: test.every, On: test.on, At: "03:00", Timezone: "UTC"}
		var got []string
		for at := after; len(got) < len(test.want); {
			at, _ = rule.Next(at)
			got = append(got, at.Format(time.DateOnly))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("on %d of a %s: %q instead of %q", test.on, test.every, got, test.want)
		}
	}
	rule := recurrence.Rule{Every: recurrence.Month, On: 31, At: "03:00", Timezone: "UTC"}
	if got, _ := rule.Latest(after.AddDate(-1, 0, 0), time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)); got.Format(time.DateOnly) != "2027-02-28" {
		t.Errorf("the last day of February is %s", got)
	}
}

func TestNothingIsDueAfterUntil(t *testing.T) {
	at := time.Date(2026, 5, 2, 3, 0, 0, 0, time.UTC)
	rule := recurrence.Rule{Every: recurrence.Day, At: "03:00", Timezone: "UTC", Until: at}
	if got, ok := rule.Next(at.Add(-1)); !ok || !got.Equal(at) {
		t.Errorf("the last time is %s, %v", got, ok)
	}
	if got, ok := rule.Next(at); ok || !got.IsZero() {
		t.Errorf("due at %s", got)
	}
	later := at.AddDate(1, 0, 0)
	if got, ok := rule.Latest(at.AddDate(0, 0, -5), later); !ok || !got.Equal(at) {
		t.Errorf("the latest is %s, %v", got, ok)
	}
	if got, ok := rule.Latest(at, later); ok || !got.IsZero() {
		t.Errorf("due at %s", got)
	}
}

func TestRulesThatCannotBeFollowed(t *testing.T) {
	valid := recurrence.Rule{Every: recurrence.Week, On: 7, At: "23:59", Timezone: "Europe/Berlin"}
	if err := valid.Check(); err != nil {
		t.Errorf("%+v: %v", valid, err)
	}
	for _, test := range []struct {
		field string
		rules []func(*recurrence.Rule)
	}{
		{"every", []func(*recurrence.Rule){
			func(r *recurrence.Rule) { r.Every = "" }, func(r *recurrence.Rule) { r.Every = "year" },
		}},
		{"on", []func(*recurrence.Rule){
			func(r *recurrence.Rule) { r.On = 0 }, func(r *recurrence.Rule) { r.On = 8 }, func(r *recurrence.Rule) { r.Every = recurrence.Day },
			func(r *recurrence.Rule) { r.Every, r.On = recurrence.Month, 0 }, func(r *recurrence.Rule) { r.Every, r.On = recurrence.Month, 32 },
			func(r *recurrence.Rule) { r.On = -1 },
		}},
		{"at", []func(*recurrence.Rule){
			func(r *recurrence.Rule) { r.At = "" }, func(r *recurrence.Rule) { r.At = "3:00" }, func(r *recurrence.Rule) { r.At = "24:00" },
			func(r *recurrence.Rule) { r.At = "12:60" }, func(r *recurrence.Rule) { r.At = "12:00:00" }, func(r *recurrence.Rule) { r.At = "12:00\n" },
		}},
		{"timezone", []func(*recurrence.Rule){
			func(r *recurrence.Rule) { r.Timezone = "" }, func(r *recurrence.Rule) { r.Timezone = "Local" },
			func(r *recurrence.Rule) { r.Timezone = "localtime" }, func(r *recurrence.Rule) { r.Timezone = "Europe/Atlantis" },
			func(r *recurrence.Rule) { r.Timezone = "../../etc/localtime" }, func(r *recurrence.Rule) { r.Timezone = "Europe" },
		}},
	} {
		for _, change := range test.rules {
			rule := valid
			change(&rule)
			err := rule.Check()
			found, ok := errors.AsType[*fault.Fault](err)
			if !ok || found.Kind != fault.Invalid || (found.Code == fault.TimezoneUnknown) != (test.field == "timezone") ||
				len(found.Fields) != 1 || found.Fields[0].Location != fmt.Sprint("body.schedule.", test.field) {
				t.Errorf("%+v: %+v", rule, found)
			}
			if at, ok := rule.Next(time.Time{}); ok {
				t.Errorf("%+v is due at %s", rule, at)
			}
			if at, ok := rule.Latest(time.Time{}, time.Now()); ok {
				t.Errorf("%+v was due at %s", rule, at)
			}
		}
	}
}
