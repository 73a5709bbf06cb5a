package site

import (
	"time"
)

// Site is the whole content of a site file. The page gets it as JSON; its lists are never null.
//
// The tag "rule" says what a value must be; reader.go explains the words.
type Site struct {
	Brand   Brand   `json:"brand" yaml:"brand"`
	Landing Landing `json:"landing" yaml:"landing"`
	Events  []Event `json:"events" yaml:"events" rule:"list 0 100"`
	Footer  Footer  `json:"footer" yaml:"footer"`
}

// Brand is how the product calls itself in the navigation bar, in titles and on the sign-in page.
type Brand struct {
	Name    string `json:"name" yaml:"name" rule:"text 40"`
	Tagline string `json:"tagline" yaml:"tagline" rule:"text 160"`
}

// Landing is the content of the first page.
type Landing struct {
	Headline     string      `json:"headline" yaml:"headline" rule:"text 120"`
	Text         string      `json:"text" yaml:"text" rule:"text 600"`
	Actions      []Link      `json:"actions" yaml:"actions" rule:"list 1 2"`
	Features     []Feature   `json:"features" yaml:"features" rule:"list 0 8"`
	Extensions   []Extension `json:"extensions" yaml:"extensions" rule:"list 0 8"`
	Institutions []string    `json:"institutions" yaml:"institutions" rule:"list 0 50 text 120"`
	Sponsor      *Sponsor    `json:"sponsor,omitempty" yaml:"sponsor" rule:"optional"`
}

// Link is a place to go: an https address, or a path of this site.
type Link struct {
	Text string `json:"text" yaml:"text" rule:"text 120"`
	Href string `json:"href" yaml:"href" rule:"link"`
}

// Feature is one of the product's main features.
type Feature struct {
	Title string `json:"title" yaml:"title" rule:"text 80"`
	Text  string `json:"text" yaml:"text" rule:"text 400"`
}

// Extension is a field of science; Tag is the catalog tag under which its entries are found.
type Extension struct {
	Title string `json:"title" yaml:"title" rule:"text 80"`
	Text  string `json:"text" yaml:"text" rule:"text 400"`
	Tag   string `json:"tag" yaml:"tag" rule:"text 60"`
}

// Sponsor is who pays for the work, with the grants.
type Sponsor struct {
	Name      string  `json:"name" yaml:"name" rule:"text 120"`
	ShortName string  `json:"shortName" yaml:"short_name" rule:"text 20"`
	Text      string  `json:"text" yaml:"text" rule:"text 400"`
	Grants    []Grant `json:"grants" yaml:"grants" rule:"list 0 50"`
}

// Grant is one award. Its link must hold its own award number: crossed links are an easy slip that nobody sees.
type Grant struct {
	Name  string `json:"name" yaml:"name" rule:"text 60"`
	Award string `json:"award" yaml:"award" rule:"text 30"`
	Href  string `json:"href" yaml:"href" rule:"link"`
}

// Event is one workshop. StartsOn and EndsOn are dates as YYYY-MM-DD; Date is the same for people.
type Event struct {
	Title    string  `json:"title" yaml:"title" rule:"text 200"`
	Date     string  `json:"date" yaml:"date" rule:"text 60"`
	StartsOn string  `json:"startsOn" yaml:"starts_on" rule:"date"`
	EndsOn   string  `json:"endsOn" yaml:"ends_on" rule:"date"`
	When     string  `json:"when,omitempty" yaml:"when" rule:"optional text 120"`
	Place    string  `json:"place,omitempty" yaml:"place" rule:"optional text 200"`
	Links    []Link  `json:"links" yaml:"links" rule:"list 0 20"`
	Agenda   *Agenda `json:"agenda,omitempty" yaml:"agenda" rule:"optional"`
}

// Agenda is the table of an event. Columns are the four headings over Time, Topic, Format and Speakers.
type Agenda struct {
	Columns []string `json:"columns" yaml:"columns" rule:"list 4 4 text 40"`
	Rows    []Row    `json:"rows" yaml:"rows" rule:"list 1 200"`
}

// Row is one line of an agenda. Break marks breaks and meals, which the page highlights; Href, when set, is shown in
// the last column.
type Row struct {
	Time     string   `json:"time" yaml:"time" rule:"text 40"`
	Topic    string   `json:"topic" yaml:"topic" rule:"text 300"`
	Format   string   `json:"format,omitempty" yaml:"format" rule:"optional text 80"`
	Speakers []string `json:"speakers" yaml:"speakers" rule:"optional list 0 20 text 120"`
	Href     string   `json:"href,omitempty" yaml:"href" rule:"optional link"`
	Break    bool     `json:"break,omitempty" yaml:"break" rule:"optional"`
}

// Footer ends every page.
type Footer struct {
	Text  string `json:"text" yaml:"text" rule:"text 300"`
	Links []Link `json:"links" yaml:"links" rule:"list 0 20"`
}

// reportFunc reports a fault at one key of the mapping that was read.
type reportFunc func(key, format string, arguments ...any)

// checked is a type with a rule that spans several of its values; it is asked once each of them is sound by itself.
type checked interface{ check(report reportFunc) }

func (g *Grant) check(report reportFunc) {
	if !containsNumber(g.Href, g.Award) {
		report("href", "the link does not hold this grant's award number %s", g.Award)
	}
	if !containsNumber(g.Name, g.Award) {
		report("name", "the name does not hold this grant's award number %s", g.Award)
	}
}

func (e *Event) check(report reportFunc) {
	starts, _ := time.Parse(time.DateOnly, e.StartsOn)
	ends, _ := time.Parse(time.DateOnly, e.EndsOn)
	if ends.Before(starts) {
		report("ends_on", "the event ends on %s, before it starts on %s", e.EndsOn, e.StartsOn)
	}
}
