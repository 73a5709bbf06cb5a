package index

import "time"

// Document is the part of an entry that the index stores.
type Document struct {
	ID          string // a UUID
	Type        string // one of the types passed to New
	Name        string
	Description string
	Tags        []Tag
	Authors     []string // e-mail addresses in lower case
	Private     bool     // visible to its authors only
	CreatedAt   time.Time
	Stars       int
}

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

// The orders. Relevance without a text is by name. Ties are broken by name, then by id.
const (
	SortRelevance Sort = "relevance"
	SortName      Sort = "name"
	SortNewest    Sort = "newest"
	SortStars     Sort = "stars"
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
}

// Result is a page of search results.
type Result struct {
	IDs       []string
	Total     int // exact
	Facets    *Facets
	Corrected string // the text that was searched instead because nothing matched as typed; empty otherwise
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
