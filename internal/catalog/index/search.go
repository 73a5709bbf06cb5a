package index

import (
	"context"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// Search returns a page of ids, the exact total, and facets if requested. It returns an error only when ctx ends.
func (ix *Index) Search(ctx context.Context, query Query) (Result, error) {
	select {
	case ix.slots <- struct{}{}:
		defer func() { <-ix.slots }()
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	ix.mutex.RLock()
	defer ix.mutex.RUnlock()

	visible := ix.visible(query.Email)
	wanted := ix.parse(query.Text, visible)
	allowed := ix.tagged(query.Tags, visible)
	base := ix.match(&wanted, allowed)
	result := Result{}
	if base.IsEmpty() && wanted.words != nil {
		hint, err := ix.instead(ctx, &wanted, visible, ix.ofTypes(query.Types, allowed))
		if err != nil {
			return Result{}, err
		}
		if hint != nil {
			wanted = wanted.withText(hint.Text)
			base, result.Hint = ix.match(&wanted, allowed), hint
		}
	}
	result.Matcher = wanted.matcher()
	found := ix.ofTypes(query.Types, base)
	result.Total = int(found.GetCardinality())
	result.IDs = ix.page(&wanted, found, query)
	if query.Facets {
		result.Facets = ix.facetsOf(query, base, found)
	}
	if result.Total == 0 {
		result.Hint = &Hint{Kind: HintNone, Words: []string{}, Remove: ix.removable(&wanted, base, visible, query)}
	}
	return result, nil
}

// instead returns what to search for when nothing matches as typed: the same words without a typing error, or fewer
// words; nil when that finds nothing either.
func (ix *Index) instead(ctx context.Context, wanted *request, visible, allowed *roaring.Bitmap) (*Hint, error) {
	text, words, err := ix.correct(ctx, wanted, visible)
	if err != nil {
		return nil, err
	}
	hint := &Hint{Kind: HintCorrected, Text: text, Words: words, Remove: []Removable{}}
	if text == "" || !ix.finds(wanted.withText(text), allowed) {
		hint.Kind = HintRelaxed
		hint.Text, hint.Words = ix.relax(wanted, allowed)
	}
	if hint.Text == "" || !ix.finds(wanted.withText(hint.Text), allowed) {
		return nil, nil
	}
	return hint, nil
}

func (ix *Index) finds(wanted request, allowed *roaring.Bitmap) bool {
	return !ix.match(&wanted, allowed).IsEmpty()
}

// mostRemovable is the maximum number of filters that are tried without: each costs a search.
const mostRemovable = 10

// removable returns the filters without which something would be found, and how much.
func (ix *Index) removable(wanted *request, base, visible *roaring.Bitmap, query Query) []Removable {
	result := []Removable{}
	if count := int(base.GetCardinality()); count > 0 {
		result = append(result, Removable{FilterType, strings.Join(query.Types, ","), count})
	}
	for i, value := range query.Tags[:min(len(query.Tags), mostRemovable)] {
		others := slices.Concat(query.Tags[:i], query.Tags[i+1:])
		matching := ix.ofTypes(query.Types, ix.match(wanted, ix.tagged(others, visible)))
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
	if len(sets) == 1 {
		return roaring.And(base, sets[0].bitmap())
	}
	return roaring.And(base, union(sets))
}

// page returns the ids of a part of the results in the requested order.
func (ix *Index) page(wanted *request, found *roaring.Bitmap, query Query) []string {
	var ordinals []uint32
	switch order := query.Sort; {
	case order == SortNewest:
		ordinals = ix.newest(found, query.Offset, query.Limit)
	case order == SortStars:
		ordinals = ix.most(ix.starred, found, query.Offset, query.Limit, ix.byNames)
	case order == SortUsed:
		ordinals = ix.most(ix.used, found, query.Offset, query.Limit, ix.newest)
	case order == SortName || wanted.typed == "":
		ordinals = ix.byNames(found, query.Offset, query.Limit)
	default:
		ordinals = ix.mostRelevant(wanted, found, query.Offset, query.Limit)
	}
	ids := make([]string, len(ordinals))
	for i, ordinal := range ordinals {
		ids[i] = ix.documents[ordinal].id.String()
	}
	return ids
}
