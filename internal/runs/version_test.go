package runs

import (
	"context"
	"slices"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
)

// madeAt are the times of an entry's versions.
type madeAt []time.Time

func (m madeAt) List(context.Context, string) (all []catalog.EntryVersion, err error) {
	for i, at := range m {
		all = append(all, catalog.EntryVersion{Number: i + 1, At: at})
	}
	slices.Reverse(all)
	return all, nil
}

// The runs of a version are those that were asked for while it was the latest.
func TestRunsOfAVersion(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		var ids []string
		var versions madeAt
		for range 3 {
			versions = append(versions, w.clock.Now())
			w.clock.advance(time.Hour)
			for range 2 {
				run, _, err := w.store.Add(t.Context(), Run{ResourceID: w.ID("rivers"), File: "first.ipynb", Engine: "local", StartedBy: BySchedule}, "rivers", 0, 0)
				check(t, err)
				run.State = Stopped
				_, err = w.store.End(t.Context(), run, nil)
				check(t, err)
				ids = append(ids, run.ID)
				w.clock.advance(time.Hour)
			}
		}
		w.service.Versions = versions
		for number, want := range [][]string{{ids[5], ids[4], ids[3], ids[2], ids[1], ids[0]}, {ids[1], ids[0]}, {ids[3], ids[2]}, {ids[5], ids[4]}} {
			ctx := t.Context()
			if number > 0 {
				ctx = catalog.InVersion(ctx, number)
			}
			during, err := w.service.spanOf(ctx, w.ID("rivers"))
			check(t, err)
			found, total, err := w.store.Of(ctx, w.ID("rivers"), during, 0, 10)
			var got []string
			for _, one := range found {
				got = append(got, one.ID)
			}
			if err != nil || total != len(want) || !slices.Equal(got, want) {
				t.Errorf("version %d has %q, %d, %v; want %q", number, got, total, err, want)
			}
		}
	})
}
