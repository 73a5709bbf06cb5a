package catalog

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"cairn/internal/people/identity"
)

const (
	landingSize  = 6
	landingAge   = 24 * time.Hour // from which an entry that nobody vouches for may be on the landing page
	landingBatch = 2 * landingSize
	landingReads = 50 // batches of a type: more new entries than anybody can add in a day, but not all of a large catalog
)

// landing chooses what the landing page shows.
type landing struct{ entries *Service }

// page returns the entries of the landing page, with the counts of everything that the caller sees: public entries
// that operators featured, filled up to six with the newest of mixed types that may be there without.
func (l landing) page(ctx context.Context) (Page, error) {
	ix, err := l.entries.searchIndex.current()
	if err != nil {
		return Page{}, err
	}
	mine, err := l.entries.forCaller(ctx)
	if err != nil {
		return Page{}, err
	}
	counts, err := ix.Search(ctx, Query{Email: identity.Email(ctx), Shown: mine.shown, Closed: mine.closed, Facets: true, Limit: 1})
	if err != nil {
		return Page{}, err
	}
	featured, err := l.entries.store.Featured(ctx, landingSize)
	if err != nil {
		return Page{}, err
	}
	chosen, err := l.entries.searchIndex.entries(ctx, featured, false)
	if err != nil {
		return Page{}, err
	}
	chosen = slices.DeleteFunc(chosen, func(r Entry) bool { return !r.Public() })
	newest := func(kind Type, offset int) ([]string, error) {
		found, err := ix.Search(ctx, Query{Types: []string{string(kind)}, Sort: SortNewest, Offset: offset, Limit: landingBatch})
		return found.IDs, err
	}
	candidates := map[Type][]Entry{}
	if len(chosen) < landingSize {
		if candidates, err = l.newestGood(ctx, newest); err != nil {
			return Page{}, err
		}
	}
	// The page shows no tags, and a large catalog has many.
	facets := facetsOf(counts)
	facets.Tags = []TagFacet{}
	page := Page{Total: counts.Total, Facets: facets, Runs: &RunsCount{Clean: facets.Runs.Clean, Tried: facets.Runs.Tried()}}
	for _, kind := range Types {
		if kind.runs() {
			page.Runs.Runnable += facets.Types[kind]
		}
	}
	chosen = mix(chosen, candidates)
	for i := range chosen {
		chosen[i].Description = chosen[i].listed.card
	}
	page.Resources, err = l.entries.answers(ctx, chosen)
	page.Example = exampleOf(page.Resources)
	return page, err
}

// exampleOf returns the id of the entry that shows best what a run is: the first that operators featured, else the one that ran
// clean in the least time, else the first notebook that runs, else the first entry that does; "" if none runs.
func exampleOf(shown []Resource) string {
	rank := func(one Resource) (group int, seconds float64) {
		switch {
		case one.Featured:
			return 0, 0
		case one.LastRun != nil && one.LastRun.Verdict == RunClean:
			return 1, one.LastRun.Seconds
		case one.Type == Notebook:
			return 2, 0
		}
		return 3, 0
	}
	runnable := slices.DeleteFunc(slices.Clone(shown), func(one Resource) bool { return one.Runnable == nil || !*one.Runnable })
	if len(runnable) == 0 {
		return ""
	}
	return slices.MinFunc(runnable, func(a, b Resource) int { // the first of several
		groupA, secondsA := rank(a)
		groupB, secondsB := rank(b)
		return cmp.Or(cmp.Compare(groupA, groupB), cmp.Compare(secondsA, secondsB))
	}).ID
}

// newestGood returns the newest entries of each type that may be on the landing page, at most landingSize.
func (l landing) newestGood(ctx context.Context, newest func(Type, int) ([]string, error)) (map[Type][]Entry, error) {
	found := map[Type][]Entry{}
	reading := slices.Clone(Types[:])
	before := l.entries.store.db.Now().Add(-landingAge)
	for batch := 0; batch < landingReads && len(reading) > 0; batch++ {
		var ids []string
		var more []Type
		for _, kind := range reading {
			part, err := newest(kind, batch*landingBatch)
			if err != nil {
				return nil, err
			}
			if ids = append(ids, part...); len(part) == landingBatch {
				more = append(more, kind)
			}
		}
		rows, err := l.entries.searchIndex.entries(ctx, ids, false)
		if err != nil {
			return nil, err
		}
		for _, one := range rows {
			if one.goodForLanding(before) && len(found[one.Type]) < landingSize {
				found[one.Type] = append(found[one.Type], one)
			}
		}
		reading = slices.DeleteFunc(more, func(kind Type) bool { return len(found[kind]) == landingSize })
	}
	return found, nil
}

// goodForLanding reports whether an entry may be on the landing page without being featured: operators verified it,
// it comes from them, or everybody has had a day to report it.
func (r Entry) goodForLanding(before time.Time) bool {
	bundled := strings.HasPrefix(r.NotebookPath, bundledPrefix) || strings.HasPrefix(r.DatasetURL, bundledPrefix)
	return r.Public() && r.Status != StatusRejected &&
		(r.Status == StatusVerified || r.ExternalID != "" || bundled || !r.CreatedAt.After(before))
}

// mix fills up the chosen entries with candidates: the next is of the type that has the fewest so far, of equal ones
// the newest. Candidates are newest first.
func mix(chosen []Entry, candidates map[Type][]Entry) []Entry {
	count := map[Type]int{}
	taken := map[string]bool{}
	take := func(one Entry) {
		count[one.Type]++
		taken[one.ID] = true
	}
	for _, one := range chosen {
		take(one)
	}
	for len(chosen) < landingSize {
		var next *Entry
		for _, kind := range Types {
			left := slices.DeleteFunc(candidates[kind], func(r Entry) bool { return taken[r.ID] })
			candidates[kind] = left
			if len(left) > 0 && (next == nil || before(&left[0], next, count)) {
				next = &left[0]
			}
		}
		if next == nil {
			break
		}
		chosen = append(chosen, *next)
		take(*next)
	}
	return chosen
}

func before(a, b *Entry, count map[Type]int) bool {
	return cmp.Or(cmp.Compare(count[a.Type], count[b.Type]), b.CreatedAt.Compare(a.CreatedAt), strings.Compare(b.ID, a.ID)) < 0
}
