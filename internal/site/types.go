package site

import "time"

// Site is the content of a site file. The page gets it as JSON; its lists are never null.
//
// The tag "rule" says what a value must be; reader.go explains the words.
type Site struct {
	Brand   Brand   `json:"brand" yaml:"brand"`
	Landing Landing `json:"landing" yaml:"landing"`

	Publisher *Publisher `json:"publisher,omitempty" yaml:"publisher" rule:"optional" doc:"Who publishes the entries, for citations; without it the name of the brand"`

	Timezone string  `json:"timezone,omitempty" yaml:"timezone" rule:"optional zone" doc:"Of the events that name none, as IANA calls it"`
	Events   []Event `json:"events" yaml:"events" rule:"list 0 100"`
	Footer   Footer  `json:"footer" yaml:"footer"`

	pictures map[string]picture // by file name
	revised  time.Time          // when the file was written
}

// Brand is the product's name in the navigation bar, in titles and on the sign-in page. Mark, if set, is the address of
// the picture that replaces the stones.
type Brand struct {
	Name    string `json:"name" yaml:"name" rule:"text 40"`
	Tagline string `json:"tagline" yaml:"tagline" rule:"text 160"`
	Mark    string `json:"mark,omitempty" yaml:"mark" rule:"optional picture"`
}

// Publisher is who publishes the entries of the catalog. ROR is its address in the Research Organization Registry.
type Publisher struct {
	Name string `json:"name" yaml:"name" rule:"text 120"`
	ROR  string `json:"ror,omitempty" yaml:"ror" rule:"optional ror" example:"https://ror.org/05a28rw58"`
}

// PublishedBy returns the publisher, in any case with a name.
func (s *Site) PublishedBy() Publisher {
	if s.Publisher == nil {
		return Publisher{Name: s.Brand.Name}
	}
	return *s.Publisher
}

// Landing is the content of the first page.
type Landing struct {
	Headline     string        `json:"headline" yaml:"headline" rule:"text 120"`
	Text         string        `json:"text" yaml:"text" rule:"text 600"`
	Picture      *Picture      `json:"picture,omitempty" yaml:"picture" rule:"optional"`
	Actions      []Link        `json:"actions" yaml:"actions" rule:"list 1 2"`
	Features     []Feature     `json:"features" yaml:"features" rule:"list 0 8"`
	Extensions   []Extension   `json:"extensions" yaml:"extensions" rule:"list 0 8"`
	Institutions []Institution `json:"institutions" yaml:"institutions" rule:"list 0 50"`
	Sponsor      *Sponsor      `json:"sponsor,omitempty" yaml:"sponsor" rule:"optional"`
}

// Picture is one of the page's drawings, or a file beside the site file with a text for people who can't see it.
type Picture struct {
	Drawing string `json:"drawing,omitempty" yaml:"drawing" rule:"optional listed" enum:"balance,resume,share,connect,repeat,fluid,spikes"`
	Src     string `json:"src,omitempty" yaml:"file" rule:"optional picture"`
	Alt     string `json:"alt,omitempty" yaml:"alt" rule:"optional text 200"`
}

// Link is a link: an https address, or a path on this site.
type Link struct {
	Text string `json:"text" yaml:"text" rule:"text 120"`
	Href string `json:"href" yaml:"href" rule:"link"`
}

// Feature is one of the product's main features.
type Feature struct {
	Title   string   `json:"title" yaml:"title" rule:"text 80"`
	Text    string   `json:"text" yaml:"text" rule:"text 400"`
	Picture *Picture `json:"picture,omitempty" yaml:"picture" rule:"optional"`
}

// Extension is a field of science; Tag is the catalog tag of its entries.
type Extension struct {
	Title   string   `json:"title" yaml:"title" rule:"text 80"`
	Text    string   `json:"text" yaml:"text" rule:"text 400"`
	Tag     string   `json:"tag" yaml:"tag" rule:"text 60"`
	Picture *Picture `json:"picture,omitempty" yaml:"picture" rule:"optional"`
}

// Institution is one of those who work on this together. The page shows a logo only if the institution provides one.
type Institution struct {
	Name    string   `json:"name" yaml:"name" rule:"text 120"`
	Href    string   `json:"href,omitempty" yaml:"href" rule:"optional link"`
	Picture *Picture `json:"picture,omitempty" yaml:"picture" rule:"optional"`
}

// Sponsor is somebody who funds the work, with the grants.
type Sponsor struct {
	Name      string  `json:"name" yaml:"name" rule:"text 120"`
	ShortName string  `json:"shortName" yaml:"short_name" rule:"text 20"`
	Text      string  `json:"text" yaml:"text" rule:"text 400"`
	Grants    []Grant `json:"grants" yaml:"grants" rule:"list 0 50"`
}

// Grant is one award. Its link must contain its award number: swapped links are an easy mistake that nobody notices.
type Grant struct {
	Name  string `json:"name" yaml:"name" rule:"text 60"`
	Award string `json:"award" yaml:"award" rule:"text 30"`
	Href  string `json:"href" yaml:"href" rule:"link"`
}

// Footer is at the end of every page.
type Footer struct {
	Text    string   `json:"text" yaml:"text" rule:"text 300"`
	Columns []Column `json:"columns" yaml:"columns" rule:"list 0 4"`
}

// Column is a list of links under a title.
type Column struct {
	Title string `json:"title" yaml:"title" rule:"text 40"`
	Links []Link `json:"links" yaml:"links" rule:"list 1 12"`
}

// reportFunc reports a fault at one key of the mapping that was read.
type reportFunc func(key, format string, arguments ...any)

// checked is a type with a rule that spans several values; it is called when each of them is valid.
type checked interface{ check(report reportFunc) }

func (g *Grant) check(report reportFunc) {
	if !containsNumber(g.Href, g.Award) {
		report("href", "the link doesn't contain this grant's award number %s", g.Award)
	}
	if !containsNumber(g.Name, g.Award) {
		report("name", "the name doesn't contain this grant's award number %s", g.Award)
	}
}

func (p *Picture) check(report reportFunc) {
	switch {
	case (p.Drawing == "") == (p.Src == ""):
		report("", "it must have either a drawing or a file")
	case p.Src != "" && p.Alt == "":
		report("file", "the picture needs an alt text: what it shows, in a few words")
	case p.Drawing != "" && p.Alt != "":
		report("alt", "a built-in drawing has its own alt text; alt is only for a file")
	}
}
