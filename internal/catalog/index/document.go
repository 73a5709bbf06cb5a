package index

import "time"

// Document is what the index keeps of an entry.
type Document struct {
	ID          string // a UUID
	Type        string // one of the types that New was told
	Name        string
	Description string
	Tags        []Tag
	Authors     []string // e-mail addresses in lower case
	Private     bool     // shown to its authors only
	CreatedAt   time.Time
	Stars       int
}

// Tag is a tag and its id in the database.
type Tag struct {
	ID    string
	Value string
}

// TagCount is a tag and how many entries carry it.
type TagCount struct {
	ID    string `json:"id" format:"uuid"`
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Sort is an order of search results.
type Sort string

// The orders. Relevance without a text is by name. Entries that are equal otherwise come by name, then by id.
const (
	SortRelevance Sort = "relevance"
	SortName      Sort = "name"
	SortNewest    Sort = "newest"
	SortStars     Sort = "stars"
)

// Query is a search: everything given must hold.
type Query struct {
	Text   string
	Types  []string // one of them; none: any
	Tags   []string // all of them, compared whole
	Email  string   // who asks, for private entries
	Sort   Sort
	Offset int
	Limit  int
	Facets bool
}

// Result is a part of what a search found.
type Result struct {
	IDs       []string
	Total     int // exact
	Facets    *Facets
	Corrected string // the text that was searched instead because nothing matched as typed; empty otherwise
}

// Facets count what a search would find with another filter.
type Facets struct {
	Types map[string]int // entries per type under the other filters; every type is there
	Tags  []TagFacet     // the tags of what was found, most used first, TagFacets at most
}

// TagFacets is how many tags Facets list.
const TagFacets = 50

// TagFacet is a tag and how many of the found entries carry it.
type TagFacet struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}
