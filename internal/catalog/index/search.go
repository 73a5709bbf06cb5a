package index

import (
	"context"

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
	if base.IsEmpty() && wanted.typed != "" {
		text, err := ix.correct(ctx, &wanted, visible)
		if err != nil {
			return Result{}, err
		}
		if text != "" {
			corrected := ix.parse(text, visible)
			corrected.tags, corrected.authors, corrected.types, corrected.exact = wanted.tags, wanted.authors, wanted.types, wanted.exact
			if found := ix.match(&corrected, allowed); !found.IsEmpty() {
				base, wanted, result.Corrected = found, corrected, text
			}
		}
	}
	found := ix.ofTypes(query.Types, base)
	result.Total = int(found.GetCardinality())
	result.IDs = ix.page(&wanted, found, query)
	if query.Facets {
		result.Facets = ix.facetsOf(query, base, found)
	}
	return result, nil
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
		ordinals = ix.mostStarred(found, query.Offset, query.Limit)
	case order == SortName || wanted.typed == "":
		ordinals = ix.first(ix.byName, ix.compareNames, found, query.Offset, query.Limit)
	default:
		ordinals = ix.mostRelevant(wanted, found, query.Offset, query.Limit)
	}
	ids := make([]string, len(ordinals))
	for i, ordinal := range ordinals {
		ids[i] = ix.documents[ordinal].id.String()
	}
	return ids
}
