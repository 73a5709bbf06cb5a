package index

import (
	"math"
	"time"
)

// Document is the part of an entry that the index stores.
type Document struct {
	ID          string // a UUID
	Type        string // one of the types passed to New
	Name        string
	Description string
	Content     string // text of its files; of long ones only the beginning counts, see contentTokens
	Tags        []Tag
	Authors     []string // e-mail addresses in lower case
	Private     bool     // visible to its authors only
	CreatedAt   time.Time
	Stars       int
	Starters    int // accounts that started it lately

	Row uint64 // where the caller keeps what lists show of it; 0: nowhere

	Counted bool // only Stars and Starters may have changed since it was applied; the rest needn't be here
}

// used says how much an entry is used: a star counts as much as three accounts that started it.
func (d *Document) used() uint32 { return uint32(min(max(3*d.Stars+d.Starters, 0), math.MaxUint32)) }

// Tag is a tag with its id in the database.
type Tag struct {
	ID    string
	Value string
}

// TagCount is a tag with the number of entries that carry it.
type TagCount struct {
	ID    string `json:"id" format:"uuid"`
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Sort is an order of search results.
type Sort string

// The orders. Relevance without a text is by name. Ties are broken by name, then by id; those of SortUsed first by age,
// newest first.
const (
	SortRelevance Sort = "relevance"
	SortName      Sort = "name"
	SortNewest    Sort = "newest"
	SortStars     Sort = "stars"
	SortUsed      Sort = "used" // see Document.used
)

// Query is a search: every condition must hold.
type Query struct {
	Text   string
	Types  []string // one of them; none: any
	Tags   []string // all of them, compared whole
	Email  string   // the caller, for private entries
	Sort   Sort
	Offset int
	Limit  int
	Facets bool

	FacetText string // with Facets: only tags that contain it
}

// Result is a page of search results.
type Result struct {
	IDs    []string
	Total  int // exact
	Facets *Facets
	Hint   *Hint // nil when only entries that match the text as typed are listed

	Matcher *Matcher // finds what was searched for
}

// HintKind says what a search did when nothing matched, or hardly anything.
type HintKind string

// The kinds of hints.
const (
	HintCorrected HintKind = "corrected" // it searched for a text without typing errors
	HintRelaxed   HintKind = "relaxed"   // it also searched for entries with most of the words, after those with all
	HintNone      HintKind = "none"      // it found nothing
)

// Hint says why the results aren't only those of the text as typed.
type Hint struct {
	Kind   HintKind    `json:"kind" enum:"corrected,relaxed,none"`
	Text   string      `json:"-"` // that was searched instead; only for HintCorrected
	Words  []string    `json:"words" nullable:"false" doc:"Those that were corrected, or that the best of the results without all words lacks, in lower case"`
	Whole  int         `json:"whole" doc:"With relaxed: how many of the results have all words. They come first"`
	Remove []Removable `json:"remove" nullable:"false" doc:"Filters without which something would be found"`
}

// Filter is a filter of a query.
type Filter string

// The filters that a search may be tried without.
const (
	FilterType Filter = "type" // all types at once
	FilterTag  Filter = "tag"
)

// Removable is a filter without which a search would find something.
type Removable struct {
	Filter Filter `json:"filter" enum:"type,tag"`
	Value  string `json:"value" doc:"The tag, or the comma list of types"`
	Count  int    `json:"count" doc:"What would be found without it"`
}

// Facets count what a search would find with a different filter.
type Facets struct {
	Types map[string]int // entries per type under the other filters, for every type
	Tags  []TagFacet     // the tags of the found entries, most used first, at most TagFacets
}

// TagFacets is the number of tags that Facets list.
const TagFacets = 50

// TagFacet is a tag with the number of found entries that carry it.
type TagFacet struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}
