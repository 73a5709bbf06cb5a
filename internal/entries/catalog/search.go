package catalog

import "cairn/internal/entries/catalog/index"

// Sort is an order of search results.
type Sort = index.Sort

// The orders. Relevance without a text is by name.
const (
	SortRelevance = index.SortRelevance
	SortName      = index.SortName
	SortNewest    = index.SortNewest
	SortStars     = index.SortStars
	SortUsed      = index.SortUsed
	SortRuns      = index.SortRuns
)

// Query is a search: every condition must hold. Its types are those of Types.
type Query = index.Query

// Hint says why the results of a search aren't only those of the text as typed.
type Hint = index.Hint

// Facets count what a search would find with a different filter.
type Facets struct {
	Types map[Type]int `json:"types" doc:"Entries per type under the other filters"`
	Tags  []TagFacet   `json:"tags" doc:"The tags of what was found, most used first"`
	Runs  RunsFacet    `json:"runs" doc:"Entries per outcome of their last run, under the other filters"`
}

// TagFacet is a tag with the number of found entries that carry it.
type TagFacet = index.TagFacet

// RunsFacet counts entries by the outcomes of their last runs.
type RunsFacet = index.RunsFacet

// TagCount is a tag with the number of entries that carry it.
type TagCount = index.TagCount

// facetsOf returns the facets of a search by types of entries; nil if it has none.
func facetsOf(found index.Result) *Facets {
	if found.Facets == nil {
		return nil
	}
	facets := &Facets{Types: make(map[Type]int, len(Types)), Tags: found.Facets.Tags, Runs: found.Facets.Runs}
	for value, count := range found.Facets.Types {
		facets.Types[Type(value)] = count
	}
	return facets
}
