package site

import (
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

// eventText returns an item of events that also contains the given lines.
func eventText(title, ends string, lines ...string) string {
	all := append([]string{"- title: " + title, "date: A day", "starts_on: 2025-05-07", "ends_on: " + ends, "links: []"}, lines...)
	return strings.Join(all, "\n  ") + "\n"
}

// withEvents returns the smallest file with these events, the first of which begins on line 12.
func withEvents(events ...string) string {
	return strings.Replace(smallest, "events: []\n", "events:\n"+strings.Join(events, ""), 1)
}

func TestFaultsOfEvents(t *testing.T) {
	const oneDay = "2025-05-07"
	for name, c := range map[string]struct{ text, want string }{
		"one time alone": {
			withEvents(eventText("A", oneDay, "starts_at: 08:00", "timezone: UTC"), eventText("B", oneDay, "ends_at: 08:00", "timezone: UTC")),
			"site.yaml line 17: events.starts_at: ends_at is missing\nsite.yaml line 24: events.ends_at: starts_at is missing",
		},
		"no such time": {
			withEvents(eventText("A", oneDay, "starts_at: 8:00", "ends_at: 24:00", "timezone: UTC")),
			"site.yaml line 17: events.starts_at must be a time of the day written as HH:MM, such as 08:30\n" +
				"site.yaml line 18: events.ends_at must be a time of the day written as HH:MM, such as 08:30",
		},
		"ends first": {
			withEvents(eventText("A", oneDay, "starts_at: 09:00", "ends_at: 09:00", "timezone: UTC")),
			"site.yaml line 18: events.ends_at: the event ends at 09:00, not after it starts at 09:00",
		},
		"times of several days": {
			withEvents(eventText("A", "2025-05-08", "starts_at: 09:00", "ends_at: 17:00", "timezone: UTC")),
			"site.yaml line 17: events.starts_at: an event of several days can't have times; put them in when",
		},
		"no zone": {
			withEvents(eventText("A", oneDay), eventText("B", oneDay, "starts_at: 09:00", "ends_at: 17:00")),
			"site.yaml line 17: events.starts_at: there's no time zone for it, such as America/New_York; add timezone to the event or to the file",
		},
		"no such zones": {
			withEvents(eventText("A", oneDay, "timezone: Local"), eventText("B", oneDay, "timezone: Mars/Olympus"), eventText("C", oneDay, `timezone: ""`)) +
				"timezone: ../zone\n",
			"site.yaml line 17: events.timezone must be a time zone such as America/New_York or UTC\n" +
				"site.yaml line 23: events.timezone must be a time zone such as America/New_York or UTC\n" +
				"site.yaml line 29: events.timezone must be a time zone such as America/New_York or UTC\n" +
				"site.yaml line 33: timezone must be a time zone such as America/New_York or UTC",
		},
		"no such slug": {
			withEvents(eventText("A", oneDay, "slug: A day"), eventText("B", oneDay, "slug: a--b"), eventText("C", oneDay, "slug: "+strings.Repeat("a", 81))),
			"site.yaml line 17: events.slug must be words of lowercase letters and digits with hyphens between them, at most 80 characters\n" +
				"site.yaml line 23: events.slug must be words of lowercase letters and digits with hyphens between them, at most 80 characters\n" +
				"site.yaml line 29: events.slug must be words of lowercase letters and digits with hyphens between them, at most 80 characters",
		},
		"no slug from the title": {
			withEvents(eventText("分子", oneDay)),
			"site.yaml line 12: events.slug is missing: the title has no Latin letters or digits to make one from",
		},
		"the same slug": {
			withEvents(eventText("Spring school!", oneDay), eventText("B", oneDay, "slug: spring-school")),
			"site.yaml line 17: events.slug: spring-school is already used by the event on line 12; give this one its own slug",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseText(c.text)
			if got := fault.MessageOf(err); fault.KindOf(err) != fault.Invalid || got != c.want {
				t.Errorf("faults:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestSlugs(t *testing.T) {
	for title, want := range map[string]string{
		"63rd Hands-on Workshop on Computational Biophysics": "63rd-hands-on-workshop-on-computational-biophysics",
		"Science & Engineering":                              "science-engineering",
		"  Évora's “École”: Été 2025!":                       "evoras-ecole-ete-2025",
		"ﬁne":                                                "fine",
		"分子":                                                 "",
		"!":                                                  "",
		strings.Repeat("ab ", 40):                            strings.TrimSuffix(strings.Repeat("ab-", 27)[:80], "-"),
	} {
		if got := slugOf(title); got != want {
			t.Errorf("%q gives %q, want %q", title, got, want)
		}
	}
}

func TestDatesForPeopleAreThoseOfTheDays(t *testing.T) {
	for _, c := range []struct{ starts, ends, given, wanted string }{
		{"2025-08-04", "2025-08-04", "", "Aug 4, 2025"},
		{"2025-07-28", "2025-07-30", "", "July 28–30, 2025"},
		{"2025-07-30", "2025-08-02", "", "July 30 – Aug 2, 2025"},
		{"2025-12-30", "2026-01-02", "", "Dec 30, 2025 – Jan 2, 2026"},
		{"2025-03-01", "2026-03-01", "", "March 1, 2025 – March 1, 2026"},
		{"2025-09-09", "2025-09-10", "Early September", "Early September"},
	} {
		item := strings.Replace(eventText("A", c.ends), "2025-05-07", c.starts, 1)
		if c.given == "" {
			item = strings.Replace(item, "  date: A day\n", "", 1)
		} else {
			item = strings.Replace(item, "A day", c.given, 1)
		}
		read, err := parseText(withEvents(item))
		if err != nil {
			t.Fatal(err)
		}
		if got := read.Events[0].Date; got != c.wanted {
			t.Errorf("%s to %s: %q, want %q", c.starts, c.ends, got, c.wanted)
		}
	}
}
