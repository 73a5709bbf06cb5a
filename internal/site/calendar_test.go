package site

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// readCalendar reverses the writing rules of RFC 5545 one by one, and returns the values of the only event; it shares
// no code with the writer.
func readCalendar(t *testing.T, text string) map[string]string {
	t.Helper()
	if !strings.HasSuffix(text, "\r\n") || strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\n") || strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r") {
		t.Error("3.1: every line ends with CRLF, and nothing else does")
	}
	for line := range strings.SplitSeq(text, "\r\n") {
		if len(line) > 75 {
			t.Errorf("3.1: a line of %d octets: %s", len(line), line)
		}
		if !utf8.ValidString(line) {
			t.Errorf("3.1: a line folded inside a character: %q", line)
		}
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n ", ""), "\r\n"), "\r\n")
	if len(lines) < 6 || lines[0] != "BEGIN:VCALENDAR" || lines[3] != "BEGIN:VEVENT" || lines[len(lines)-2] != "END:VEVENT" || lines[len(lines)-1] != "END:VCALENDAR" {
		t.Fatalf("3.4, 3.6: components do not nest: %q", lines)
	}
	values := map[string]string{}
	shape := regexp.MustCompile(`^([A-Z]+)(;VALUE=DATE)?:(.*)$`)
	for _, line := range append(lines[1:3:3], lines[4:len(lines)-2]...) {
		found := shape.FindStringSubmatch(line)
		if found == nil {
			t.Fatalf("3.1: no content line: %q", line)
		}
		if _, twice := values[found[1]]; twice {
			t.Errorf("3.6.1: %s stands twice", found[1])
		}
		values[found[1]] = found[2] + found[3]
	}
	if values["VERSION"] != "2.0" || values["PRODID"] == "" {
		t.Errorf("3.6: VERSION and PRODID are needed, got %v", values)
	}
	for _, needed := range []string{"UID", "DTSTAMP", "DTSTART"} {
		if values[needed] == "" {
			t.Errorf("3.6.1: %s is needed", needed)
		}
	}
	for _, text := range []string{"SUMMARY", "LOCATION", "DESCRIPTION"} {
		if bare := regexp.MustCompile(`\\[\\;,nN]`).ReplaceAllString(values[text], ""); strings.ContainsAny(bare, `\;,`) {
			t.Errorf("3.3.11: %s is not escaped: %s", text, values[text])
		}
		values[text] = strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n").Replace(values[text])
	}
	return values
}

func TestCalendarFiles(t *testing.T) {
	long := "Größe; Maß, Gewicht \\ " + strings.Repeat("größer als 分子 ", 9) + "end"
	site, err := parseText(withEvents(
		eventText("A school", "2025-05-09", "place: "+long),
		eventText("A summer day", "2025-05-07", `starts_at: "08:00"`, `ends_at: "17:15"`, "timezone: America/New_York", "when: all day",
			"agenda: {columns: [A, B, C, D], rows: [{time: now, topic: Lunch, href: /menu, speakers: [Ada, Bob]}]}"),
		eventText("A winter day", "2025-05-07", `starts_at: "23:30"`, `ends_at: "23:45"`),
	) + "timezone: America/Los_Angeles\n")
	if err != nil {
		t.Fatal(err)
	}
	site.Events[2].StartsOn, site.Events[2].EndsOn = "2025-12-31", "2025-12-31" // in the last hour of a year, and not in daylight saving time
	for slug, want := range map[string]map[string]string{
		"a-school": {
			"UID": "a-school@catalog.example.org", "DTSTAMP": "20250301T093000Z", "DTSTART": ";VALUE=DATE20250507", "DTEND": ";VALUE=DATE20250510",
			"SUMMARY": "A school", "LOCATION": long, "DESCRIPTION": "A day", "URL": "https://catalog.example.org/events#a-school",
		},
		"a-summer-day": {
			"UID": "a-summer-day@catalog.example.org", "DTSTART": "20250507T120000Z", "DTEND": "20250507T211500Z",
			"DESCRIPTION": "all day\n\nnow  Lunch (Ada, Bob) https://catalog.example.org/menu",
		},
		"a-winter-day": {"DTSTART": "20260101T073000Z", "DTEND": "20260101T074500Z"},
	} {
		text, ok := site.Calendar(slug, "https://catalog.example.org")
		if !ok {
			t.Fatalf("%s is not there", slug)
		}
		got := readCalendar(t, string(text))
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%s: %s is %q, want %q", slug, name, got[name], value)
			}
		}
	}
	if text, ok := site.Calendar("a-party", ""); ok {
		t.Errorf("an event that is not there: %s", text)
	}
}

func TestCalendarFilesOfTheDefault(t *testing.T) {
	site, err := Load("")
	if err != nil {
		t.Fatal(err)
	}
	starts := []string{";VALUE=DATE20250804", ";VALUE=DATE20250728", "20250507T120000Z", "20250411T120000Z"}
	ends := []string{";VALUE=DATE20250809", ";VALUE=DATE20250731", "20250507T211500Z", "20250411T210000Z"}
	for i, event := range site.Events {
		text, _ := site.Calendar(event.Slug, "http://127.0.0.1:8080")
		got := readCalendar(t, string(text))
		if got["DTSTART"] != starts[i] || got["DTEND"] != ends[i] || got["SUMMARY"] != event.Title || got["LOCATION"] != event.Place {
			t.Errorf("%s: %v", event.Slug, got)
		}
	}
}
