package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	lru "github.com/hashicorp/golang-lru/v2"
)

// facetCache caches the facets of recent searches until something changes.
type facetCache struct {
	recent *lru.Cache[string, cachedFacets]
}

type cachedFacets struct {
	version uint64
	facets  *Facets
}

func newFacetCache() facetCache {
	recent, err := lru.New[string, cachedFacets](512)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return facetCache{recent}
}

// facetsOf counts types among the entries that pass all filters except the types, outcomes among those that pass all except
// the outcomes, and tags among the found ones. closed may be nil, or has those of which nothing but the type counts.
func (ix *Index) facetsOf(query Query, base, found, closed *roaring.Bitmap) *Facets {
	email := query.Email
	if _, known := ix.authorByEmail[email]; !known {
		email = "" // it sees what everybody sees
	}
	wanted := Fold(query.FacetText)
	key := fmt.Sprintf("%q %q %q %q %q %q", email, query.Text, query.Types, query.Tags, query.Runs, wanted)
	isOwn := len(query.Shown)+len(query.Closed) > 0 // what is shown to one caller for a while isn't remembered
	if cached, ok := ix.facets.recent.Get(key); ok && cached.version == ix.version && !isOwn {
		return cached.facets
	}
	open := base
	if closed != nil {
		found, open = roaring.AndNot(found, closed), roaring.AndNot(base, closed)
	}
	facets := &Facets{Types: make(map[string]int, len(ix.types)), Tags: ix.topTags(found, wanted)}
	typed := ix.ofTypes(query.Types, open)
	for i, count := range [...]*int{
		&facets.Runs.Clean, &facets.Runs.Differs, &facets.Runs.Fails, &facets.Runs.Needs, &facets.Runs.Nothing, &facets.Runs.Never,
	} {
		*count = ix.outcomes[i].sizeWithin(typed)
	}
	base = ix.ofOutcomes(query.Runs, base)
	for kind, name := range ix.types {
		facets.Types[name] = ix.kinds[kind].sizeWithin(base)
	}
	if !isOwn {
		ix.facets.recent.Add(key, cachedFacets{ix.version, facets})
	}
	return facets
}

// topTags counts the tags of a few entries one by one; for more entries, it intersects the most used tags with the
// found set until no other tag can have more. Only tags that contain the wanted text, in its folded form, count.
func (ix *Index) topTags(found *roaring.Bitmap, wanted string) []TagFacet {
	facets := []TagFacet{}
	if found.GetCardinality() <= uint64(ix.bounds.forward) {
		counts := borrow[uint32](&sharedCounts, len(ix.tags))
		defer giveBack(&sharedCounts, counts)
		each := found.Iterator()
		for each.HasNext() {
			for _, number := range ix.tagsOf.of(each.Next()) {
				counts[number]++
			}
		}
		for number, count := range counts {
			if count > 0 && strings.Contains(ix.tags[number].folded, wanted) {
				facets = append(facets, TagFacet{Value: ix.tags[number].value, Count: int(count)})
			}
		}
	} else {
		least := 0 // of the best ones so far
		ix.popular.Scan(func(number uint32) bool {
			one := &ix.tags[number]
			if len(facets) >= TagFacets && one.count < least {
				return false
			}
			if !strings.Contains(one.folded, wanted) {
				return true
			}
			if count := one.all.sizeWithin(found); count > 0 {
				facets = append(facets, TagFacet{Value: one.value, Count: count})
				if len(facets) >= TagFacets && (len(facets)%TagFacets == 0) {
					least = leastOfBest(facets)
				}
			}
			return true
		})
	}
	return smallest(facets, compareFacets, min(len(facets), TagFacets))
}

func leastOfBest(facets []TagFacet) int {
	slices.SortFunc(facets, compareFacets)
	return facets[TagFacets-1].Count
}

func compareFacets(a, b TagFacet) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
}
