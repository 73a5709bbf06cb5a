package catalog

import (
	"context"

	"cairn/internal/catalog/index"
)

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

// Query is a search: every condition must hold.
type Query struct {
	Text   string
	Types  []Type // one of them; none: any
	Tags   []string
	Runs   []index.Outcome // of the last run, one of them; none: any
	Email  string          // the caller, for private entries
	Person string          // whom it credits, by their id; empty: anybody
	Sort   Sort
	Offset int
	Limit  int
	Facets bool

	FacetText string // with Facets: only tags that contain it
	Highlight bool   // say what matches in each entry
}

// Result is a page of search results.
type Result struct {
	IDs    []string
	Total  int
	Facets *Facets
	Hint   *Hint // nil when only entries that match the text as typed are listed

	matcher *index.Matcher // finds what was searched for
}

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

// find searches the index.
func find(ctx context.Context, ix *index.Index, query Query) (Result, error) {
	types := make([]string, len(query.Types))
	for i, value := range query.Types {
		types[i] = string(value)
	}
	found, err := ix.Search(ctx, index.Query{
		Text: query.Text, Types: types, Tags: query.Tags, Runs: query.Runs, Email: query.Email, Person: query.Person, Sort: query.Sort, Offset: query.Offset,
		Limit: query.Limit, Facets: query.Facets, FacetText: query.FacetText,
	})
	result := Result{IDs: found.IDs, Total: found.Total, Hint: found.Hint, matcher: found.Matcher}
	if found.Facets != nil {
		result.Facets = &Facets{Types: make(map[Type]int, len(Types)), Tags: found.Facets.Tags, Runs: found.Facets.Runs}
		for value, count := range found.Facets.Types {
			result.Facets.Types[Type(value)] = count
		}
	}
	return result, err
}

// document returns the part of an entry that the index stores.
func (r *Resource) document() index.Document {
	document := index.Document{
		ID: r.ID, Type: string(r.Type), Name: r.Name, Description: r.Description, Authors: r.Authors,
		People: r.personIDs(), Private: !r.Public(), CreatedAt: r.CreatedAt, Stars: r.StarCount, Starters: r.starters,
	}
	document.Outcome, document.Ran = r.outcome()
	for _, tag := range r.Tags {
		document.Tags = append(document.Tags, index.Tag(tag))
	}
	return document
}

func indexTypes() []string {
	names := make([]string, len(Types))
	for i, value := range Types {
		names[i] = string(value)
	}
	return names
}
