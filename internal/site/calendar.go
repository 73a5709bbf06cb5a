package site

import (
	"bytes"
	"strings"
	"time"
	_ "time/tzdata" // the same time zones on every machine, even on those without any
	"unicode/utf8"
)

// Calendar returns the event with a slug as a calendar file (RFC 5545), for a page at publicURL. Times are in UTC, so
// the file needs no time zone rules and every reader sees them in their own zone.
func (s *Site) Calendar(slug, publicURL string) ([]byte, bool) {
	for _, event := range s.Events {
		if event.Slug == slug {
			return s.calendarOf(event, publicURL), true
		}
	}
	return nil, false
}

func (s *Site) calendarOf(event Event, publicURL string) []byte {
	const day, moment = "20060102", "20060102T150405Z"
	var c calendarText
	c.line("BEGIN:VCALENDAR")
	c.line("VERSION:2.0")
	c.line("PRODID:-//Cairn//Events//EN")
	c.line("BEGIN:VEVENT")
	_, host, _ := strings.Cut(publicURL, "://")
	c.line("UID:" + event.Slug + "@" + host)
	c.line("DTSTAMP:" + s.revised.UTC().Format(moment))
	if event.StartsAt != "" {
		zone := event.Timezone
		if zone == "" {
			zone = s.Timezone
		}
		c.line("DTSTART:" + momentOf(event.StartsOn, event.StartsAt, zone).Format(moment))
		c.line("DTEND:" + momentOf(event.EndsOn, event.EndsAt, zone).Format(moment))
	} else {
		starts, _ := time.Parse(time.DateOnly, event.StartsOn) // checked before, like all the texts here
		ends, _ := time.Parse(time.DateOnly, event.EndsOn)
		c.line("DTSTART;VALUE=DATE:" + starts.Format(day))
		c.line("DTEND;VALUE=DATE:" + ends.AddDate(0, 0, 1).Format(day)) // the first day after it
	}
	c.line("SUMMARY:" + escaped(event.Title))
	if event.Place != "" {
		c.line("LOCATION:" + escaped(event.Place))
	}
	c.line("DESCRIPTION:" + escaped(descriptionOf(event, publicURL)))
	c.line("URL:" + publicURL + "/events#" + event.Slug)
	c.line("END:VEVENT")
	c.line("END:VCALENDAR")
	return c.Bytes()
}

func momentOf(date, clock, zone string) time.Time {
	location, err := time.LoadLocation(zone)
	if err != nil {
		location = time.UTC
	}
	moment, _ := time.ParseInLocation("2006-01-02 15:04", date+" "+clock, location)
	return moment.UTC()
}

// descriptionOf returns what a calendar shows below an event: when and where, a link, and the agenda with a row per
// line.
func descriptionOf(event Event, publicURL string) string {
	lines := []string{event.Date}
	if event.When != "" {
		lines = []string{event.When}
	}
	absolute := func(href string) string {
		if strings.HasPrefix(href, "/") {
			return publicURL + href
		}
		return href
	}
	for _, link := range event.Links {
		lines = append(lines, link.Text+": "+absolute(link.Href))
	}
	if event.Agenda != nil {
		lines = append(lines, "")
		for _, row := range event.Agenda.Rows {
			line := row.Time + "  " + row.Topic
			if len(row.Speakers) > 0 {
				line += " (" + strings.Join(row.Speakers, ", ") + ")"
			}
			if row.Href != "" {
				line += " " + absolute(row.Href)
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

var textEscapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\n", `\n`)

// escaped escapes a text as a value of the type TEXT (RFC 5545, section 3.3.11).
func escaped(text string) string { return textEscapes.Replace(text) }

// lineLimit is in bytes without the line's end (section 3.1).
const lineLimit = 75

type calendarText struct{ bytes.Buffer }

// line adds a content line, folded between characters: continuation lines begin with a space.
func (c *calendarText) line(text string) {
	room := lineLimit
	for len(text) > room {
		cut := room
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		c.WriteString(text[:cut] + "\r\n ")
		text, room = text[cut:], lineLimit-1
	}
	c.WriteString(text + "\r\n")
}
