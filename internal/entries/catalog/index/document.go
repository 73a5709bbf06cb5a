package index

import (
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
	People      []string // ids of those whom it credits
	Names       []string // of those whom it credits; searches find them as they find authors
	Private     bool     // visible to its authors only
	CreatedAt   time.Time
	Stars       int
	Starters    int  // accounts that started it lately
	Featured    bool // its operators lead people to it

	Outcome Outcome   // of its last run; "": none that searches tell apart
	Ran     time.Time // when that ended

	Row uint64 // where the caller keeps it as people read it; 0: nowhere

	Counted bool // only Stars, Starters, Featured, Outcome and Ran may have changed since it was applied; the rest needn't be here
}

// used says how much an entry is used: a star counts as much as three accounts that started it. Featured entries are before
// all others.
func (d *Document) used() uint32 {
	const featured = 1 << 31
	used := uint32(min(max(3*d.Stars+d.Starters, 0), featured-1))
	if d.Featured {
		used += featured
	}
	return used
}

// Outcome says how the last run of an entry came out.
type Outcome string

// The outcomes.
const (
	OutcomeClean   Outcome = "clean"
	OutcomeDiffers Outcome = "differs"
	OutcomeFails   Outcome = "fails"
	OutcomeNeeds   Outcome = "needs"   // it needs what runs don't have
	OutcomeNothing Outcome = "nothing" // it ran, and had no outputs to compare with
	OutcomeNever   Outcome = "never"   // it could run, and hasn't yet
)

// Outcomes are all outcomes.
var Outcomes = [...]Outcome{OutcomeClean, OutcomeDiffers, OutcomeFails, OutcomeNeeds, OutcomeNothing, OutcomeNever}

// clean is the position of OutcomeClean in Outcomes.
const clean = 0

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

// The orders. Relevance without a text is by name. Ties are broken by name, then by id; those of SortUsed and SortRuns first by
// age, newest first.
const (
	SortRelevance Sort = "relevance"
	SortName      Sort = "name"
	SortNewest    Sort = "newest"
	SortStars     Sort = "stars"
	SortUsed      Sort = "used" // those that are featured, then by use: see Document.used
	SortRuns      Sort = "runs" // those that ran clean, the latest run first, then the others
)

// Query is a search: every condition must hold.
type Query struct {
	Text   string
	Types  []string  // one of them; none: any
	Tags   []string  // all of them, compared whole
	Runs   []Outcome // one of them; none: any
	Email  string    // the caller, for private entries
	Shown  []string  // ids of private entries that the caller sees besides
	Closed []string  // ids of private entries of which the caller sees that they are there: nothing in them is found or counted
	Person string    // whom it credits; empty: anybody
	Sort   Sort
	Offset int
	Limit  int
	Facets bool

	FacetText string // with Facets: only tags that contain it
	Highlight bool   // with a Matcher in the result
}

// Result is a page of search results.
type Result struct {
	IDs    []string
	Total  int // exact
	Facets *Facets
	Hint   *Hint // nil when only entries that match the text as typed are listed

	Matcher *Matcher // finds what was searched for; nil without Highlight
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
	Kind    HintKind    `json:"kind" enum:"corrected,relaxed,none"`
	Text    string      `json:"-"` // that was searched instead; only for HintCorrected
	Words   []string    `json:"words" nullable:"false" doc:"Those that were corrected, or that the best of the results without all words lacks, in lower case"`
	Nowhere []string    `json:"nowhere" nullable:"false" doc:"Words of the text that no entry that the caller sees has, in lower case"`
	Whole   int         `json:"whole" doc:"With relaxed: how many of the results have all words. They come first"`
	Remove  []Removable `json:"remove" nullable:"false" doc:"Filters without which something would be found"`
}

// Filter is a filter of a query.
type Filter string

// The filters that a search may be tried without.
const (
	FilterType Filter = "type" // all types at once
	FilterTag  Filter = "tag"
	FilterRuns Filter = "runs" // all outcomes at once
)

// Removable is a filter without which a search would find something.
type Removable struct {
	Filter Filter `json:"filter" enum:"type,tag,runs"`
	Value  string `json:"value" doc:"The tag, or the comma list of types or outcomes"`
	Count  int    `json:"count" doc:"What would be found without it"`
}

// Facets count what a search would find with a different filter.
type Facets struct {
	Types map[string]int // entries per type under the other filters, for every type
	Tags  []TagFacet     // the tags of the found entries, most used first, at most TagFacets
	Runs  RunsFacet      // entries per outcome under the other filters
}

// RunsFacet counts entries by the outcomes of their last runs.
type RunsFacet struct {
	Clean   int `json:"clean"`
	Differs int `json:"differs"`
	Fails   int `json:"fails"`
	Needs   int `json:"needs" doc:"Those that need what runs don't have"`
	Nothing int `json:"nothing" doc:"Those that ran and had no outputs to compare with"`
	Never   int `json:"never" doc:"Notebooks and repositories that weren't run yet"`
}

// Tried returns how many entries were run.
func (r RunsFacet) Tried() int { return r.Clean + r.Differs + r.Fails + r.Needs + r.Nothing }

// TagFacets is the number of tags that Facets list.
const TagFacets = 50

// TagFacet is a tag with the number of found entries that carry it.
type TagFacet struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}
