package catalog

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
)

// Sort is an order of search results.
type Sort string

// The orders. Relevance without a text is by name.
const (
	SortRelevance Sort = "relevance"
	SortName      Sort = "name"
	SortNewest    Sort = "newest"
	SortStars     Sort = "stars"
)

// Query is a search: everything given must hold.
type Query struct {
	Text   string
	Types  []Type // one of them; none: any
	Tags   []string
	Email  string // who asks, for private entries
	Sort   Sort
	Offset int
	Limit  int
	Facets bool
}

// Result is a part of what a search found.
type Result struct {
	IDs    []string
	Total  int
	Facets *Facets
}

// Facets count what a search would find with another filter.
type Facets struct {
	Types map[Type]int `json:"types" doc:"Entries per type under the other filters"`
	Tags  []TagFacet   `json:"tags" doc:"The tags of what was found, most used first"`
}

// TagFacet is a tag and how many of the found entries carry it.
type TagFacet struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// tagFacetLimit is how many tags a facet lists.
const tagFacetLimit = 50

// scan searches by looking at every entry. It holds what matching needs of each in memory, follows the store, and
// shows a change as soon as apply returns.
type scan struct {
	mutex   sync.RWMutex
	entries map[string]*scanEntry
}

type scanEntry struct {
	resource Resource // without description
	name     string   // folded words, joined by blanks
	typed    string   // folded with its punctuation, for substrings
	words    []string // sorted words of name, description, tags, authors
	inName   []string // sorted words of the name
	inTags   []string // sorted words of the tags
}

func newScan() *scan { return &scan{entries: map[string]*scanEntry{}} }

// apply replaces what is known of the entries with these ids by what the store says now.
func (s *scan) apply(ids []string, resources []Resource) {
	fresh := make(map[string]*scanEntry, len(resources))
	for _, r := range resources {
		if r.State == StateActive {
			fresh[r.ID] = newScanEntry(r)
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, id := range ids {
		if entry := fresh[id]; entry != nil {
			s.entries[id] = entry
		} else {
			delete(s.entries, id)
		}
	}
}

func newScanEntry(r Resource) *scanEntry {
	entry := &scanEntry{name: foldName(r.Name), typed: fold(r.Name), inName: words(r.Name)}
	for _, tag := range r.Tags {
		entry.inTags = append(entry.inTags, words(tag.Value)...)
	}
	entry.words = slices.Concat(entry.inName, entry.inTags, words(r.Description))
	for _, author := range r.Authors {
		entry.words = append(entry.words, words(author)...)
	}
	for _, list := range []*[]string{&entry.words, &entry.inName, &entry.inTags} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	r.Description = ""
	entry.resource = r
	return entry
}

// Search gives the ids of a page, the exact total, and facets when asked.
func (s *scan) Search(ctx context.Context, query Query) (Result, error) {
	text := parseText(query.Text)
	typed := fold(strings.TrimSpace(query.Text))
	type hit struct {
		entry *scanEntry
		rank  int
	}
	var hits []hit
	types := map[Type]int{}
	tags := map[string]int{}

	s.mutex.RLock()
	for _, entry := range s.entries {
		if !entry.resource.VisibleTo(query.Email) || !entry.hasTags(query.Tags) {
			continue
		}
		rank, ok := entry.match(text, typed)
		if !ok {
			continue
		}
		types[entry.resource.Type]++
		if len(query.Types) > 0 && !slices.Contains(query.Types, entry.resource.Type) {
			continue
		}
		hits = append(hits, hit{entry, rank})
		for _, tag := range entry.resource.Tags {
			tags[tag.Value]++
		}
	}
	s.mutex.RUnlock()
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}

	order := query.Sort
	if order == "" || (order == SortRelevance && typed == "") {
		order = SortName
		if typed != "" {
			order = SortRelevance
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		x, y := a.entry.resource, b.entry.resource
		newest := func() int { return y.CreatedAt.Compare(x.CreatedAt) }
		byName := cmp.Or(strings.Compare(a.entry.name, b.entry.name), strings.Compare(x.ID, y.ID))
		switch order {
		case SortRelevance:
			return cmp.Or(cmp.Compare(b.rank, a.rank), newest(), byName)
		case SortNewest:
			return cmp.Or(newest(), byName)
		case SortStars:
			return cmp.Or(cmp.Compare(y.StarCount, x.StarCount), byName)
		default:
			return byName
		}
	})
	result := Result{Total: len(hits), IDs: []string{}}
	for _, hit := range hits[min(query.Offset, len(hits)):min(query.Offset+query.Limit, len(hits))] {
		result.IDs = append(result.IDs, hit.entry.resource.ID)
	}
	if query.Facets {
		result.Facets = &Facets{Types: types, Tags: topTags(tags)}
		for _, value := range Types {
			types[value] += 0 // types without a hit are listed with 0
		}
	}
	return result, nil
}

func (entry *scanEntry) hasTags(wanted []string) bool {
	for _, value := range wanted {
		if !slices.ContainsFunc(entry.resource.Tags, func(tag Tag) bool { return tag.Value == value }) {
			return false
		}
	}
	return true
}

// Ranks of a match. Below namePrefix, words in the name count most, then those in tags.
const (
	rankExact      = 1 << 20
	rankNamePrefix = 1 << 19
)

func (entry *scanEntry) match(text textQuery, typed string) (rank int, ok bool) {
	switch {
	case typed == "":
		return 0, true
	case text.name != "" && entry.name == text.name, entry.typed == typed:
		return rankExact, true
	case text.name != "" && strings.HasPrefix(entry.name, text.name):
		return rankNamePrefix, true
	}
	ok = strings.Contains(entry.typed, typed)
	if ok {
		rank = 1
	}
	for _, form := range text.forms {
		if !matchWords(entry.words, form) {
			continue
		}
		ok = true
		for i := range form {
			one := form[i : i+1]
			if matchWords(entry.inName, one) {
				rank += 9
			}
			if matchWords(entry.inTags, one) {
				rank += 3
			}
		}
		break
	}
	return rank, ok
}

func topTags(counts map[string]int) []TagFacet {
	result := make([]TagFacet, 0, len(counts))
	for value, count := range counts {
		result = append(result, TagFacet{Value: value, Count: count})
	}
	slices.SortFunc(result, func(a, b TagFacet) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	return result[:min(len(result), tagFacetLimit)]
}
