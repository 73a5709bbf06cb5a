package index

import (
	"context"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/uuid"
)

// Search returns a page of ids, the exact total, and facets if requested. It returns an error only when ctx ends.
func (ix *Index) Search(ctx context.Context, query Query) (Result, error) {
	select {
	case ix.slots <- struct{}{}:
		defer func() { <-ix.slots }()
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()

	visible := ix.visible(query.Email, query.Shown)
	wanted := ix.parse(query.Text, visible)
	allowed := ix.tagged(query.Tags, ix.crediting(query.Person, visible))
	base := ix.match(&wanted, allowed)
	result := Result{}
	if base.IsEmpty() && wanted.words != nil {
		text, words, err := ix.correct(ctx, &wanted, visible)
		if err != nil {
			return Result{}, err
		}
		if corrected := wanted.withText(text); text != "" && ix.finds(corrected, ix.chosen(query, allowed)) {
			wanted, base = corrected, ix.match(&corrected, allowed)
			result.Hint = &Hint{Kind: HintCorrected, Text: text, Words: words, Remove: []Removable{}}
		}
	}
	whole := base // the entries with all words
	var closest *relaxed
	if result.Hint == nil && ix.needsMore(&wanted, base, visible, query.Tags) {
		if closest = ix.relax(&wanted, visible, allowed); closest != nil {
			base = roaring.Or(whole, closest.all())
		}
	}
	if query.Highlight {
		result.Matcher = wanted.matcher()
	}
	var closed *roaring.Bitmap
	if len(query.Closed) > 0 && query.isPlain() {
		closed = privateOnes(ix, query.Closed)
		closed.AndNot(base)
		base = roaring.Or(base, closed)
	}
	found := ix.chosen(query, base)
	result.Total = int(found.GetCardinality())
	if closest == nil {
		result.IDs = ix.ids(ix.inOrder(&wanted, found, nil, query.Sort, query.Offset, query.Limit))
	} else {
		result.IDs, result.Hint = ix.wholeFirst(&wanted, found, whole, closest, query)
	}
	if query.Facets {
		result.Facets = ix.facetsOf(query, base, found, closed)
	}
	if result.Total == 0 {
		result.Hint = &Hint{Kind: HintNone, Words: []string{}, Remove: ix.removable(&wanted, base, visible, query)}
	}
	if result.Hint != nil {
		result.Hint.Nowhere = wanted.nowhere(ix, visible)
	}
	return result, nil
}

// isPlain reports whether a query asks for nothing that is in entries.
func (q *Query) isPlain() bool {
	return strings.TrimSpace(q.Text) == "" && len(q.Tags)+len(q.Runs) == 0 && q.Person == ""
}

// privateOnes returns the private entries of an index with these ids.
func privateOnes(ix *Index, ids []string) *roaring.Bitmap {
	found := roaring.New()
	for _, id := range ids {
		if key, err := uuid.Parse(id); err == nil {
			if ordinal, known := ix.ordinals[key]; known && ix.documents[ordinal].private {
				found.Add(ordinal)
			}
		}
	}
	return found
}

func (ix *Index) finds(wanted request, allowed *roaring.Bitmap) bool {
	return !ix.match(&wanted, allowed).IsEmpty()
}

// mostRemovable is the maximum number of filters that are tried without: each costs a search.
const mostRemovable = 10

// removable returns the filters without which something would be found, and how much.
func (ix *Index) removable(wanted *request, base, visible *roaring.Bitmap, query Query) []Removable {
	result := []Removable{}
	// Without one, its count is that of what was found: 0.
	if count := int(ix.ofOutcomes(query.Runs, base).GetCardinality()); count > 0 {
		result = append(result, Removable{FilterType, strings.Join(query.Types, ","), count})
	}
	if count := int(ix.ofTypes(query.Types, base).GetCardinality()); count > 0 {
		values := make([]string, len(query.Runs))
		for i, value := range query.Runs {
			values[i] = string(value)
		}
		result = append(result, Removable{FilterRuns, strings.Join(values, ","), count})
	}
	for i, value := range query.Tags[:min(len(query.Tags), mostRemovable)] {
		others := slices.Concat(query.Tags[:i], query.Tags[i+1:])
		matching := ix.chosen(query, ix.match(wanted, ix.tagged(others, visible)))
		if count := int(matching.GetCardinality()); count > 0 {
			result = append(result, Removable{FilterTag, value, count})
		}
	}
	return result
}

// tagged returns the allowed entries that carry all the tags.
func (ix *Index) tagged(values []string, allowed *roaring.Bitmap) *roaring.Bitmap {
	parts := []*roaring.Bitmap{allowed}
	for _, value := range values {
		number, known := ix.tagByValue[value]
		if !known {
			return roaring.New()
		}
		parts = append(parts, ix.tags[number].all.bitmap())
	}
	return intersect(parts)
}

// crediting returns the allowed entries that credit somebody, or all for "".
func (ix *Index) crediting(person string, allowed *roaring.Bitmap) *roaring.Bitmap {
	if person == "" {
		return allowed
	}
	number, known := ix.authorByEmail[personMark+person]
	if !known {
		return roaring.New()
	}
	return roaring.And(allowed, ix.authors[number].all.bitmap())
}

// chosen returns the entries that pass the filters of which any value will do: of types and outcomes.
func (ix *Index) chosen(query Query, base *roaring.Bitmap) *roaring.Bitmap {
	return ix.ofTypes(query.Types, ix.ofOutcomes(query.Runs, base))
}

// ofOutcomes returns the entries whose last run had any of the outcomes; without outcomes, all.
func (ix *Index) ofOutcomes(outcomes []Outcome, base *roaring.Bitmap) *roaring.Bitmap {
	if len(outcomes) == 0 {
		return base
	}
	var sets []*set
	for i, outcome := range Outcomes {
		if slices.Contains(outcomes, outcome) {
			sets = append(sets, &ix.outcomes[i])
		}
	}
	return ofAny(sets, base)
}

// ofTypes returns the entries of any of the types; without types, all.
func (ix *Index) ofTypes(types []string, base *roaring.Bitmap) *roaring.Bitmap {
	if len(types) == 0 {
		return base
	}
	var sets []*set
	for kind, name := range ix.types {
		for _, wanted := range types {
			if name == wanted {
				sets = append(sets, &ix.kinds[kind])
			}
		}
	}
	return ofAny(sets, base)
}

func ofAny(sets []*set, base *roaring.Bitmap) *roaring.Bitmap {
	if len(sets) == 1 {
		return roaring.And(base, sets[0].bitmap())
	}
	return roaring.And(base, union(sets))
}

// inOrder returns a part of the results in an order; by relevance, those with only most of the words by how close they are.
func (ix *Index) inOrder(wanted *request, found *roaring.Bitmap, closest *relaxed, order Sort, offset, limit int) []uint32 {
	switch {
	case order == SortNewest:
		return ix.newest(found, offset, limit)
	case order == SortStars:
		return ix.most(ix.starred, found, offset, limit, ix.byNames)
	case order == SortUsed:
		return ix.most(ix.used, found, offset, limit, ix.newest)
	case order == SortRuns:
		return ix.cleanFirst(found, offset, limit)
	case order == SortName || wanted.typed == "":
		return ix.byNames(found, offset, limit)
	}
	return ix.mostRelevant(wanted, found, closest, offset, limit)
}

func (ix *Index) ids(ordinals []uint32) []string {
	ids := make([]string, len(ordinals))
	for i, ordinal := range ordinals {
		ids[i] = ix.documents[ordinal].id.String()
	}
	return ids
}
