package site

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Event is one workshop. StartsOn and EndsOn are dates as YYYY-MM-DD; Date is the same for people, by default as datesOf
// writes it. StartsAt and EndsAt are times of day as HH:MM where the event is. Slug is its address on the page; by default it is derived from the
// title.
type Event struct {
	Title    string  `json:"title" yaml:"title" rule:"text 200"`
	Slug     string  `json:"slug" yaml:"slug" rule:"optional slug"`
	Date     string  `json:"date" yaml:"date" rule:"optional text 60"`
	StartsOn string  `json:"startsOn" yaml:"starts_on" rule:"date"`
	EndsOn   string  `json:"endsOn" yaml:"ends_on" rule:"date"`
	StartsAt string  `json:"startsAt,omitempty" yaml:"starts_at" rule:"optional clock"`
	EndsAt   string  `json:"endsAt,omitempty" yaml:"ends_at" rule:"optional clock"`
	Timezone string  `json:"timezone,omitempty" yaml:"timezone" rule:"optional zone"`
	When     string  `json:"when,omitempty" yaml:"when" rule:"optional text 120"`
	Place    string  `json:"place,omitempty" yaml:"place" rule:"optional text 200"`
	Tag      string  `json:"tag,omitempty" yaml:"tag" rule:"optional text 60"` // of the entries that are from it
	Links    []Link  `json:"links" yaml:"links" rule:"list 0 20"`
	Agenda   *Agenda `json:"agenda,omitempty" yaml:"agenda" rule:"optional"`

	line int
}

// Agenda is the table of an event. Columns are the four headings above Time, Topic, Format and Speakers.
type Agenda struct {
	Columns []string `json:"columns" yaml:"columns" rule:"list 4 4 text 40"`
	Rows    []Row    `json:"rows" yaml:"rows" rule:"list 1 200"`
}

// Row is one line of an agenda. Break marks breaks and meals, which the page highlights; Href, if set, is shown in the
// last column. Entry is the name of the entry in the catalog that the topic is about: the topic leads to a search for it.
type Row struct {
	Time     string   `json:"time" yaml:"time" rule:"text 40"`
	Topic    string   `json:"topic" yaml:"topic" rule:"text 300"`
	Format   string   `json:"format,omitempty" yaml:"format" rule:"optional text 80"`
	Speakers []string `json:"speakers" yaml:"speakers" rule:"optional list 0 20 text 120"`
	Href     string   `json:"href,omitempty" yaml:"href" rule:"optional link"`
	Entry    string   `json:"entry,omitempty" yaml:"entry" rule:"optional text 200"`
	Break    bool     `json:"break,omitempty" yaml:"break" rule:"optional"`
}

func (e *Event) readAt(line int) { e.line = line }

func (e *Event) check(report reportFunc) {
	// Dates and times are written so that the later one is the greater text.
	switch {
	case e.EndsOn < e.StartsOn:
		report("ends_on", "the event ends on %s, before it starts on %s", e.EndsOn, e.StartsOn)
	case e.StartsAt == "" && e.EndsAt == "":
	case e.EndsAt == "":
		report("starts_at", "ends_at is missing")
	case e.StartsAt == "":
		report("ends_at", "starts_at is missing")
	case e.EndsOn != e.StartsOn:
		report("starts_at", "an event of several days can't have times; put them in when")
	case e.EndsAt <= e.StartsAt:
		report("ends_at", "the event ends at %s, not after it starts at %s", e.EndsAt, e.StartsAt)
	}
}

// finishEvents sets missing slugs, and reports faults that involve several events or the file's time zone.
func (s *Site) finishEvents(report func(line int, format string, arguments ...any)) {
	lines := map[string]int{}
	for i := range s.Events {
		event := &s.Events[i]
		if event.StartsAt != "" && event.Timezone == "" && s.Timezone == "" {
			report(event.line, "events.starts_at: there's no time zone for it, such as America/New_York; "+
				"add timezone to the event or to the file")
		}
		if event.Date == "" {
			event.Date = datesOf(event.StartsOn, event.EndsOn)
		}
		if event.Title == "" {
			continue
		}
		if event.Slug == "" {
			event.Slug = slugOf(event.Title)
		}
		switch first, taken := lines[event.Slug]; {
		case event.Slug == "":
			report(event.line, "events.slug is missing: the title has no Latin letters or digits to make one from")
		case taken:
			report(event.line, "events.slug: %s is already used by the event on line %d; give this one its own slug", event.Slug, first)
		default:
			lines[event.Slug] = event.line
		}
	}
}

// monthNames are short where that saves something.
var monthNames = [...]string{"Jan", "Feb", "March", "April", "May", "June", "July", "Aug", "Sept", "Oct", "Nov", "Dec"}

// datesOf writes the days from one to another, both as YYYY-MM-DD: "Aug 4, 2025", "July 28–30, 2025", "July 30 – Aug 2, 2025" or
// "Dec 30, 2025 – Jan 2, 2026". It returns "" if one of them is none.
func datesOf(startsOn, endsOn string) string {
	starts, err := time.Parse(time.DateOnly, startsOn)
	ends, endsErr := time.Parse(time.DateOnly, endsOn)
	if err != nil || endsErr != nil {
		return ""
	}
	name := func(day time.Time) string { return fmt.Sprintf("%s %d", monthNames[day.Month()-1], day.Day()) }
	switch {
	case starts.Equal(ends):
		return fmt.Sprintf("%s, %d", name(ends), ends.Year())
	case starts.Year() != ends.Year():
		return fmt.Sprintf("%s, %d – %s, %d", name(starts), starts.Year(), name(ends), ends.Year())
	case starts.Month() != ends.Month():
		return fmt.Sprintf("%s – %s, %d", name(starts), name(ends), ends.Year())
	default:
		return fmt.Sprintf("%s–%d, %d", name(starts), ends.Day(), ends.Year())
	}
}

const slugLimit = 80

// slugOf derives an address from a title: its letters and digits in ASCII, with a hyphen for anything between them.
func slugOf(title string) string {
	var slug strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(title)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			slug.WriteRune(r)
		case !unicode.Is(unicode.Mn, r) && r != '\'' && slug.Len() > 0 && !strings.HasSuffix(slug.String(), "-"):
			slug.WriteByte('-')
		}
		if slug.Len() == slugLimit {
			break
		}
	}
	return strings.TrimSuffix(slug.String(), "-")
}
