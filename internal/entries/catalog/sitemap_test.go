package catalog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func TestSitemapHasEachPublicEntryOnceInPartsOfLimitedSize(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		store := NewStore(db)
		add := func(from, to int) {
			t.Helper()
			var resources []Entry
			for i := from; i < to; i++ {
				r := Entry{
					ExternalID: fmt.Sprint(i), Name: fmt.Sprint(i), Type: Types[i%len(Types)], Authors: []string{"a@example.org"}, Privacy: PrivacyPublic,
				}
				if i%5 == 4 {
					r.Privacy = PrivacyPrivate
				}
				resources = append(resources, r)
			}
			if err := store.Import(t.Context(), resources); err != nil {
				t.Fatal(err)
			}
		}
		now := time.Now()
		sitemap := NewSitemap(store, func() time.Time { return now })
		sitemap.size = 10
		read := func(part int) (ids []string) {
			t.Helper()
			err := sitemap.Part(t.Context(), part, func(entries []SitemapEntry) error {
				for _, entry := range entries {
					ids = append(ids, entry.ID)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return ids
		}
		wantParts := func(what string, want int) {
			t.Helper()
			if parts, err := sitemap.Parts(t.Context()); err != nil || parts != want {
				t.Errorf("%s: %d parts, %v; want %d", what, parts, err, want)
			}
		}
		wantParts("empty", 0)
		if err := sitemap.Part(t.Context(), 1, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a part of an empty sitemap: %v", err)
		}

		add(0, 25) // 20 of them public: exactly two parts
		wantParts("remembered", 0)
		now = now.Add(11 * time.Minute)
		wantParts("two full parts", 2)
		add(25, 40) // 12 more
		if ids := read(2); len(ids) != 10 {
			t.Errorf("the last part grew to %d: no part may be too large", len(ids))
		}
		now = now.Add(11 * time.Minute)
		wantParts("a last part that is not full", 4)
		var all []string
		for part := range 4 {
			ids := read(part + 1)
			if want := min(10, 32-part*10); len(ids) != want {
				t.Errorf("part %d has %d entries, want %d", part+1, len(ids), want)
			}
			all = append(all, ids...)
		}
		resources, err := store.Load(t.Context(), all)
		if err != nil || len(resources) != 32 {
			t.Fatalf("%d entries, %v", len(resources), err)
		}
		for i, r := range resources {
			if r.Privacy != PrivacyPublic || (i > 0 && all[i] <= all[i-1]) {
				t.Errorf("%s (%s) stands after %s", r.ID, r.Privacy, all[max(0, i-1)])
			}
		}
		if _, err := store.Delete(t.Context(), all[0]); err != nil {
			t.Fatal(err)
		}
		if left := read(1); len(left) != 9 || strings.Contains(strings.Join(left, ","), all[0]) {
			t.Errorf("a deleted entry is still among %v", left)
		}
	})
}
