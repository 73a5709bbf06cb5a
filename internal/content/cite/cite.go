// Package cite says how to cite entries, and what else the catalog publishes: as BibTeX, in APA style, and as CSL-JSON.
package cite

import (
	"net/url"
	"time"

	"cairn/internal/entries/catalog"
)

// CitationItem says how to cite something, as an item of CSL-JSON (citeproc). Texts are plain.
type CitationItem struct {
	ID             string         `json:"id"`
	Type           string         `json:"type" doc:"Of CSL: software, dataset, article-journal and so on"`
	Title          string         `json:"title"`
	Author         []CitationName `json:"author"`
	Issued         *CitationDate  `json:"issued,omitempty"`
	Version        string         `json:"version,omitempty"`
	Genre          string         `json:"genre,omitempty" doc:"What kind of work it is, more closely than its type says"`
	DOI            string         `json:"DOI,omitempty"`
	URL            string         `json:"URL,omitempty" doc:"An https or http address"`
	Publisher      string         `json:"publisher,omitempty"`
	ContainerTitle string         `json:"container-title,omitempty" doc:"The journal, the book or the proceedings"`
	Volume         string         `json:"volume,omitempty"`
	Issue          string         `json:"issue,omitempty"`
	Page           string         `json:"page,omitempty"`
	License        string         `json:"license,omitempty"`
}

// CitationName is a person, or a Literal name without a family name.
type CitationName struct {
	Family   string `json:"family,omitempty"`
	Given    string `json:"given,omitempty"`
	Particle string `json:"non-dropping-particle,omitempty"`
	Suffix   string `json:"suffix,omitempty"`
	Literal  string `json:"literal,omitempty"`

	ORCID string `json:"-"` // as in 0000-0002-1825-0097; CSL-JSON has no place for it
}

// CitationDate is a date: year, month and day, as far as known.
type CitationDate struct {
	DateParts [][]int `json:"date-parts"`
}

// On returns the date of a moment, in UTC.
func On(at time.Time) *CitationDate {
	at = at.UTC()
	return &CitationDate{DateParts: [][]int{{at.Year(), int(at.Month()), at.Day()}}}
}

// works are the kinds of work that entries are.
var works = map[catalog.Type]CitationItem{
	catalog.Dataset:    {Type: "dataset"},
	catalog.Model:      {Type: "software"},
	catalog.Notebook:   {Type: "software", Genre: "Computational notebook"},
	catalog.Repository: {Type: "software"},
}

// Catalog is where entries are published.
type Catalog struct {
	Publisher func() string // its name
	Public    string        // where the catalog is, without a slash at the end
}

// Item returns an entry as a citable work, published on the day when it first was public.
func (c Catalog) Item(r catalog.Entry) CitationItem {
	item := works[r.Type]
	item.Title, item.Author, item.Issued = r.Name, Authors(r), On(r.CreatedAt)
	item.Version, item.DOI, item.License, item.Publisher = r.Version, r.DOI, r.License, c.Publisher()
	item.URL = c.Public + "/resources/" + r.Type.Plural() + "/" + r.ID
	if r.IssuedAt != nil {
		item.Issued = On(*r.IssuedAt)
		if r.Privacy == catalog.PrivacyPublic { // only these have a permanent address that leads somewhere
			item.URL = c.Public + catalog.PermanentPath(r.ID)
		}
	}
	item.ID = item.URL
	return item
}

// Run returns the crate of a run of an entry as a citable work: it contains what ran, how, and what came out. File is what ran,
// commit is "" where that isn't known, and path is that of the crate's download.
func (c Catalog) Run(r catalog.Entry, file, commit string, at time.Time, path string) CitationItem {
	title := "Run of "
	if file != "" && file != r.Name {
		title += file + " of "
	}
	address := c.Public + (&url.URL{Path: path}).String()
	return CitationItem{
		ID: address, Type: "dataset", Genre: "RO-Crate", Title: title + r.Name + " on " + at.UTC().Format(time.DateOnly),
		Author: Authors(r), Issued: On(at), Version: commit, License: r.License, Publisher: c.Publisher(), URL: address,
	}
}

// With returns a citation that a repository asks for, completed by what the entry's own says: the version and the date, unless
// it is about another kind of work, such as an article, and the address if it has none.
func (i CitationItem) With(own CitationItem) CitationItem {
	if i.Type == own.Type {
		if i.Version == "" {
			i.Version = own.Version
		}
		if i.Issued == nil {
			i.Issued = own.Issued
		}
	}
	if i.DOI == "" && i.URL == "" {
		i.URL = own.URL
	}
	return i
}

// CitationText is a citation in one format, ready to copy.
type CitationText struct {
	Format string `json:"format" enum:"BibTeX,APA,CSL-JSON"`
	Text   string `json:"text"`
}

// Texts returns the citation of a work in each format, in the order in which pages show them.
func (i CitationItem) Texts() []CitationText {
	return []CitationText{{"BibTeX", i.bibTeX()}, {"APA", i.apa()}, {"CSL-JSON", i.csl()}}
}

func (i CitationItem) year() (year int, known bool) {
	if i.Issued == nil || len(i.Issued.DateParts) == 0 || len(i.Issued.DateParts[0]) == 0 {
		return 0, false
	}
	return i.Issued.DateParts[0][0], true
}
