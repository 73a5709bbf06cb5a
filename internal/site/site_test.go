package site

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
)

func TestDefaultLoads(t *testing.T) {
	site, err := Load("")
	if err != nil {
		t.Fatal(err)
	}
	if site.Brand.Name != "Cairn" || len(site.Landing.Actions) != 2 || len(site.Landing.Features) != 4 ||
		len(site.Landing.Extensions) != 2 || len(site.Landing.Institutions) != 5 || len(site.Events) != 4 {
		t.Errorf("the default is incomplete: %+v", site)
	}
	awards := []string{"2209872", "2209873", "2209874", "2209875"}
	for i, grant := range site.Landing.Sponsor.Grants {
		want := "https://nsf.gov/awardsearch/showAward?AWD_ID=" + awards[i] + "&HistoricalAwards=false"
		if grant.Name != "CSSI-"+awards[i] || grant.Href != want {
			t.Errorf("grant %d: %+v", i, grant)
		}
	}
	events := []struct {
		date, starts, ends  string
		links, rows, breaks int
	}{
		{"Aug 4, 2025", "2025-08-04", "2025-08-08", 2, 0, 0},
		{"July 28–30, 2025", "2025-07-28", "2025-07-30", 3, 0, 0},
		{"May 7, 2025", "2025-05-07", "2025-05-07", 1, 17, 4},
		{"April 11, 2025", "2025-04-11", "2025-04-11", 1, 15, 4},
	}
	for i, want := range events {
		got := site.Events[i]
		if got.Date != want.date || got.StartsOn != want.starts || got.EndsOn != want.ends || len(got.Links) != want.links {
			t.Errorf("event %d: %+v", i, got)
		}
		rows, breaks := 0, 0
		if got.Agenda != nil {
			for _, row := range got.Agenda.Rows {
				rows++
				if row.Break {
					breaks++
				}
			}
		}
		if rows != want.rows || breaks != want.breaks {
			t.Errorf("event %d has %d rows, %d of them breaks", i, rows, breaks)
		}
	}
}

// smallest is a complete site file; tests change single lines of it. The tables below refer to its line numbers.
const smallest = `brand:
  name: Library
  tagline: Papers and data
landing:
  headline: A headline
  text: A text
  actions: [{text: Catalog, href: /resources}]
  features: []
  extensions: []
  institutions: []
events: []
footer:
  text: A footer
  columns: []
`

// parseText reads a site file without a folder of pictures.
func parseText(text string) (*Site, error) {
	return parse("site.yaml", "", []byte(text), time.Date(2025, 3, 1, 9, 30, 0, 0, time.UTC))
}

func TestListsAreNeverNull(t *testing.T) {
	text := strings.Replace(smallest, "events: []", `events:
- title: A day
  date: May 7
  starts_on: 2025-05-07
  ends_on: 2025-05-07
  links: []
  agenda: {columns: [A, B, C, D], rows: [{time: now, topic: Lunch}]}`, 1)
	site, err := parseText(text)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(site)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "null") || !strings.Contains(string(data), `"speakers":[]`) {
		t.Errorf("%s", data)
	}
}

func TestBrokenFiles(t *testing.T) {
	for name, one := range map[string]struct {
		old, new string   // one replacement in the smallest file
		want     []string // all faults
	}{
		"empty":         {smallest, "", []string{"site.yaml line 1: the file is empty"}},
		"a mere text":   {smallest, "hello", []string{"site.yaml line 1: the file must be a group of keys"}},
		"not YAML":      {"headline: A headline", "headline: [", []string{"site.yaml line 4: the YAML is broken near this line: did not find expected ',' or ']'"}},
		"two documents": {"  columns: []\n", "  columns: []\n---\n", []string{"site.yaml line 15: a second document begins here; the file must contain only one"}},
		"unknown keys": {"events: []", "events: []\ncolour: red\n\"\\e[31m\": 1", []string{
			`site.yaml line 12: "colour" is unknown; the keys here are brand, landing, publisher, timezone, events, footer`,
			`site.yaml line 13: "\x1b[31m" is unknown; the keys here are brand, landing, publisher, timezone, events, footer`,
		}},
		"a key that is a list": {"  name: Library", "  name: Library\n  [a]: b", []string{
			"site.yaml line 3: brand.(a key that isn't text) is unknown; the keys here are name, tagline, mark",
		}},
		"a key twice": {"  tagline: Papers and data", "  tagline: Papers and data\n  name: Other", []string{
			"site.yaml line 4: brand.name appears a second time; the first is on line 2",
		}},
		"missing": {"  name: Library\n  tagline: Papers and data", "  {}", []string{
			"site.yaml line 2: brand.name is missing", "site.yaml line 2: brand.tagline is missing",
		}},
		"nothing": {"name: Library", "name:", []string{"site.yaml line 2: brand.name must be text"}},
		"blank":   {"name: Library", `name: " "`, []string{"site.yaml line 2: brand.name is empty"}},
		"padded":  {"name: Library", `name: " Library"`, []string{"site.yaml line 2: brand.name begins or ends with a space"}},
		"lines": {"name: Library", `name: "Li\nbrary"`, []string{
			"site.yaml line 2: brand.name must be one line without control characters",
		}},
		"long":  {"name: Library", "name: " + strings.Repeat("é", 41), []string{"site.yaml line 2: brand.name has 41 characters; at most 40 fit"}},
		"group": {"name: Library", "name: {a: b}", []string{"site.yaml line 2: brand.name must be text"}},
		"a publisher without a name": {"events: []", "events: []\npublisher: {ror: 038t36y30}", []string{
			"site.yaml line 12: publisher.ror must be an address at ror.org, such as https://ror.org/05a28rw58", "site.yaml line 12: publisher.name is missing",
		}},
		"no list":    {"events: []", "events: none", []string{"site.yaml line 11: events must be a list"}},
		"no actions": {"[{text: Catalog, href: /resources}]", "[]", []string{"site.yaml line 7: landing.actions has 0 items; it must have 1 to 2"}},
		"alias": {"features: []\n  extensions: []", "features: &all []\n  extensions: *all", []string{
			"site.yaml line 9: landing.extensions is an alias (*); write the value out",
		}},
		"items": {"institutions: []", "institutions: [{name: Good}, {name: ''}, Good]", []string{
			"site.yaml line 10: landing.institutions.name is empty",
			"site.yaml line 10: an item of landing.institutions must be a group of keys",
		}},
		"texts in a list": {"events: []", `events:
- title: First
  date: May 7
  starts_on: 2025-05-07
  ends_on: 2025-05-07
  links: []
  agenda:
    columns: [Time, "", Form, [x]]
    rows: [{time: now, topic: Lunch}]`, []string{
			"site.yaml line 18: an item of events.agenda.columns is empty",
			"site.yaml line 18: an item of events.agenda.columns must be text",
		}},
		"footer": {"  columns: []", `  columns:
  - title: About
    links: [{text: Mail, href: "mailto:help@example.org"}]
  - {title: Empty, links: []}`, []string{
			`site.yaml line 16: footer.columns.links.href must be an https:// address or a path of this site that begins with one "/"`,
			"site.yaml line 17: footer.columns.links has 0 items; it must have 1 to 12",
		}},
		"pictures": {"features: []", `picture: {drawing: dragon}
  features:
  - {title: A, text: A, picture: {}}
  - {title: B, text: B, picture: {drawing: resume, alt: Words}}
  - {title: C, text: C, picture: {drawing: resume, file: c.png}}
  - {title: D, text: D, picture: {file: ../c.png, alt: Words}}`, []string{
			`site.yaml line 8: landing.picture.drawing is "dragon"; it must be one of balance, resume, share, connect, repeat, fluid, spikes`,
			"site.yaml line 10: landing.features.picture: it must have either a drawing or a file",
			"site.yaml line 11: landing.features.picture.alt: a built-in drawing has its own alt text; alt is only for a file",
			"site.yaml line 12: landing.features.picture.file needs a file next to the site file, and the built-in site file has none",
			"site.yaml line 13: landing.features.picture.file must be the name of a .svg, .png, .jpg or .webp file next to the site file, made of letters, digits and ._-",
		}},
		"grants": {"institutions: []", `institutions: []
  sponsor:
    name: A fund
    short_name: AF
    text: It pays
    grants:
    - {name: AF-12, award: "12", href: "https://fund.example/12"}
    - {name: AF-13, award: "13", href: "https://fund.example/12"}
    - {name: AF-14, award: "15", href: "https://fund.example/150"}`, []string{
			"site.yaml line 17: landing.sponsor.grants.href: the link doesn't contain this grant's award number 13",
			"site.yaml line 18: landing.sponsor.grants.href: the link doesn't contain this grant's award number 15",
			"site.yaml line 18: landing.sponsor.grants.name: the name doesn't contain this grant's award number 15",
		}},
		"events": {"events: []", `events:
- title: First
  date: May 7
  starts_on: 2025-05-07
  ends_on: 2025-05-06
  links: []
- title: Second
  date: May 8
  starts_on: May 8
  ends_on: 2025-02-30
  links: []
  agenda:
    columns: [Time, Topic]
    rows:
    - {time: now, topic: Lunch, break: "yes", speakers: Somebody}`, []string{
			"site.yaml line 15: events.ends_on: the event ends on 2025-05-06, before it starts on 2025-05-07",
			"site.yaml line 19: events.starts_on must be a date written as YYYY-MM-DD",
			"site.yaml line 20: events.ends_on must be a date written as YYYY-MM-DD",
			"site.yaml line 23: events.agenda.columns has 2 items; it must have 4",
			"site.yaml line 25: events.agenda.rows.break must be true or false",
			"site.yaml line 25: events.agenda.rows.speakers must be a list",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Count(smallest, one.old) != 1 {
				t.Fatalf("%q does not stand once in the smallest file", one.old)
			}
			_, err := parseText(strings.Replace(smallest, one.old, one.new, 1))
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("error %v", err)
			}
			if got, want := fault.MessageOf(err), strings.Join(one.want, "\n"); got != want {
				t.Errorf("faults:\n%s\nwant:\n%s", got, want)
			}
			if found, _ := errors.AsType[*fault.Fault](err); len(found.Fields) != len(one.want) {
				t.Errorf("%d fields, want %d", len(found.Fields), len(one.want))
			}
		})
	}
}

// TestLinksStaySafe: links must not be open redirects or contain script, as browsers interpret them.
func TestLinksStaySafe(t *testing.T) {
	for _, link := range []string{
		"/", "/resources", "/resources?tags=a,b#top", "/events/", "/resources?from=https://example.org", "https://example.org", "https://example.org/a?b=c&d=%20e", "https://[2001:db8::1]/",
	} {
		if problem := linkProblem(link); problem != "" {
			t.Errorf("%q %s", link, problem)
		}
	}
	for _, link := range []string{
		"", "resources", "//evil.example", "///evil.example", "/.//evil.example", "/..//evil.example", "/%2e//evil.example", "/a/..//evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example", "/\n/evil.example", " /a", "/a b",
		"/\u2028a", "/\u00a0a", "http://example.org", "HTTP://example.org", "javascript:alert(1)", "data:text/html,x", "mailto:a@example.org",
		"https:", "https://", "https:///a", "https:example.org", "https://user@example.org", "https://:443/", "https://exa mple.org",
		"/%zz", "https://example.org/" + strings.Repeat("a", linkLimit),
	} {
		if linkProblem(link) == "" {
			t.Errorf("%q is taken", link)
		}
	}
}

func TestLoadReadsOneFileOfBoundedSize(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	site, err := Load(write("library.yaml", smallest))
	if err != nil || site.Brand.Name != "Library" {
		t.Errorf("%+v, %v", site, err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"): "no such file",
		dir:                             "isn't a regular file",
		write("large.yaml", smallest+strings.Repeat("#\n", sizeLimit/2)): "larger than 256 KiB",
		write("broken.yaml", "brand: 1"):                                 "broken.yaml line 1: brand must be a group of keys",
	} {
		_, err := Load(path)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestFileOfAliasesIsNotUnfolded(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a: &a [x,x,x,x,x,x,x,x,x]\n")
	for from := 'a'; from < 'k'; from++ {
		name, next := string(from), string(from+1)
		bomb.WriteString(next + ": &" + next + " [" + strings.TrimSuffix(strings.Repeat("*"+name+",", 9), ",") + "]\n")
	}
	_, err := parseText(bomb.String())
	if fault.KindOf(err) != fault.Invalid || len(fault.MessageOf(err)) > 4000 {
		t.Errorf("%v", err)
	}
}

func TestPublisher(t *testing.T) {
	site, err := parseText(smallest)
	if err != nil || site.PublishedBy() != (Publisher{Name: "Library"}) {
		t.Errorf("without a publisher: %+v, %v", site.PublishedBy(), err)
	}
	site, err = parseText(smallest + "publisher: {name: Heidelberg University, ror: https://ror.org/038t36y30}\n")
	if err != nil || site.PublishedBy() != (Publisher{"Heidelberg University", "https://ror.org/038t36y30"}) {
		t.Errorf("%+v, %v", site, err)
	}
}
