package catalog_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

var runsNow = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// runsWorld has three notebooks and a repository that ran, one that didn't, and a dataset.
func eachRunsWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	sqldbtest.EachAt(t, func() time.Time { return runsNow }, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(
			t, db, catalogtest.Entry("new", notebook), catalogtest.Entry("data"), catalogtest.Entry("old", notebook), catalogtest.Entry("fresh", notebook),
			catalogtest.Entry("odd", notebook, catalogtest.Tagged("river")), catalogtest.Entry("broken", catalogtest.Repository("https://github.com/o/broken")),
		)
		w.ran("old", &catalog.LastRun{Verdict: catalog.RunClean, At: runsNow.Add(-31 * 24 * time.Hour)})
		w.ran("fresh", &catalog.LastRun{Verdict: catalog.RunClean, At: runsNow.Add(-29 * 24 * time.Hour)})
		w.ran("odd", &catalog.LastRun{Verdict: catalog.RunDiffers, At: runsNow})
		w.ran("broken", &catalog.LastRun{Verdict: catalog.RunFailed, At: runsNow, Reason: "The module nest is missing."})
		test(w)
	})
}

// ran records a run as it ends, and lets searches of this process reflect it.
func (w *world) ran(name string, last *catalog.LastRun) {
	w.T.Helper()
	changes, err := w.DB.WriteChanges(w.T.Context(), func(tx *sqldb.Tx) error {
		return catalog.RecordRun(w.T.Context(), tx, w.ID(name), last)
	})
	if err != nil {
		w.T.Fatal(err)
	}
	w.Changed(w.T.Context(), changes)
}

func (w *world) list(email, query string) catalog.ResourcePage {
	w.T.Helper()
	var page catalog.ResourcePage
	w.Ask(email, http.MethodGet, "/resources/public?"+query, http.StatusOK, &page)
	return page
}

// finds compares the names of what is found.
func (w *world) finds(email, query, want string) {
	w.T.Helper()
	if got := catalogtest.Names(w.list(email, query).Content); got != want {
		w.T.Errorf("%s as %q finds %q, want %q", query, email, got, want)
	}
}

func TestEntriesByHowTheyRan(t *testing.T) {
	t.Parallel()
	eachRunsWorld(t, func(w *world) {
		check := func() {
			w.T.Helper()
			for query, want := range map[string]string{
				"runs=clean":                    "fresh, old",
				"runs=differs":                  "odd",
				"runs=Fails, differs,fails":     "broken, odd",
				"runs=never":                    "new",
				"runs=":                         "broken, data, fresh, new, odd, old",
				"runs=clean,differs&tag=river":  "odd",
				"runs=clean&type=REPOSITORY":    "",
				"sort=runs&runs=clean,never":    "fresh, old, new",
				"runs=clean&nameSearch=fresh":   "fresh",
				"runs=differs&nameSearch=fresh": "",
			} {
				w.finds("", strings.ReplaceAll(query, " ", "%20"), want)
			}
			if got := w.list("", "sort=runs"); !strings.HasPrefix(catalogtest.Names(got.Content), "fresh, old, ") || len(got.Content) != 6 {
				w.T.Errorf("sorted: %s", catalogtest.Names(got.Content))
			}
			// The counts of each filter are those under the others.
			facets := w.list("", "facets=runs&runs=clean&type=NOTEBOOK").Facets
			if want := (catalog.RunsFacet{Clean: 2, Differs: 1, Never: 1}); facets.Runs != want || facets.Types[catalog.Notebook] != 2 || facets.Types[catalog.Repository] != 0 {
				w.T.Errorf("facets %+v", facets)
			}
			if facets = w.list("", "facets=runs&tag=river").Facets; facets.Runs != (catalog.RunsFacet{Differs: 1}) {
				w.T.Errorf("facets %+v", facets)
			}
		}
		check()
		w.Open() // what another process reads
		check()
	})
}

func TestFilterOfRunsCanBeRemoved(t *testing.T) {
	t.Parallel()
	eachRunsWorld(t, func(w *world) {
		hint := w.list("", "runs=clean,fails&tag=river").Hint
		if hint == nil || fmt.Sprint(hint.Remove) != "[{runs clean,fails 1} {tag river 3}]" {
			w.T.Errorf("hint %+v", hint)
		}
	})
}

func TestUnknownOutcomeNamesTheValidOnes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	var problem httpapi.Problem
	w.Ask("", http.MethodGet, "/resources/public?runs=clean,dirty", http.StatusUnprocessableEntity, &problem)
	if !strings.Contains(problem.Detail, "clean, differs, fails, needs, nothing, never") || problem.Errors[0].Location != "query.runs" {
		t.Errorf("%+v", problem)
	}
}

func TestEntriesShowTheirLastRun(t *testing.T) {
	t.Parallel()
	eachRunsWorld(t, func(w *world) {
		want := catalog.LastRun{
			ID: "018f4dd4-3c1b-7aaa-8bbb-0123456789ab", File: "a b.ipynb", Verdict: catalog.RunNeeds, At: runsNow.Add(-time.Second), Seconds: 41.5, PeakMemoryBytes: 300_000_000, Commit: "c0ffee",
			Needs: catalog.NeedsInternet, Reason: "It needs “it”.", Cells: catalog.LastRunCells{Total: 17, Ran: 14, Compared: 9, Differs: 2}, Moved: true,
		}
		w.ran("new", &want)
		var landing catalog.ResourcePage
		w.Ask("", http.MethodGet, "/resources/landing", http.StatusOK, &landing)
		lists := map[string][]catalog.Resource{
			"alone": {w.Entry("", w.ID("new"))}, "the landing page": landing.Content, "a list": w.list("", "view=card").Content, "a search": w.list(catalogtest.Ada, "nameSearch=new").Content,
		}
		for where, entries := range lists {
			found := 0
			for _, entry := range entries {
				switch {
				case entry.Name == "data" && entry.LastRun != nil:
					w.T.Errorf("%s: a dataset ran", where)
				case entry.Name == "new":
					found++
					if entry.LastRun == nil || *entry.LastRun != want {
						w.T.Errorf("%s: %+v", where, entry.LastRun)
					}
				}
			}
			if found != 1 {
				w.T.Errorf("%s: it isn't there", where)
			}
		}
		if w.finds("", "runs=never", ""); w.list("", "facets=runs").Facets.Runs != (catalog.RunsFacet{Clean: 2, Differs: 1, Fails: 1, Needs: 1}) {
			w.T.Error("what needs something counts otherwise")
		}
		w.ran("new", nil)
		w.finds("", "runs=never", "new")
		if w.Entry("", w.ID("new")).LastRun != nil {
			w.T.Error("its run is still there")
		}
	})
}

func TestLandingPageCountsWhatRanClean(t *testing.T) {
	t.Parallel()
	eachRunsWorld(t, func(w *world) {
		counts := func(email string, clean, tried, runnable int) {
			w.T.Helper()
			var page catalog.ResourcePage
			w.Ask(email, http.MethodGet, "/resources/landing", http.StatusOK, &page)
			if page.Runs == nil || *page.Runs != (catalog.RunsCount{Clean: clean, Tried: tried, Runnable: runnable}) {
				w.T.Errorf("as %q: %+v, want %d of %d and %d", email, page.Runs, clean, tried, runnable)
			}
		}
		counts("", 2, 4, 5)
		w.ran("odd", &catalog.LastRun{Verdict: catalog.RunClean, At: runsNow.Add(-30 * 24 * time.Hour)})
		counts("", 3, 4, 5)
		// What becomes private or hidden counts for its authors alone.
		entry := w.Entry("", w.ID("odd"))
		entry.Privacy = catalog.PrivacyPrivate
		if _, err := w.Update(w.As(catalogtest.Ada), *entry.Entry(), entry.UpdatedAt); err != nil {
			w.T.Fatal(err)
		}
		hidden := true
		changes, err := w.Store.Curate(w.T.Context(), w.ID("fresh"), catalog.Curation{Hidden: &hidden, Reason: "Spam."})
		if err != nil {
			w.T.Fatal(err)
		}
		w.Changed(w.T.Context(), changes)
		counts("", 1, 2, 3)
		counts(catalogtest.Bob, 1, 2, 3)
		counts(catalogtest.Ada, 3, 4, 5)
		w.finds("", "runs=clean", "old")
		w.finds(catalogtest.Ada, "runs=clean", "fresh, odd, old")
	})
}

func TestRunsOfOtherCodeAreForgotten(t *testing.T) {
	t.Parallel()
	eachRunsWorld(t, func(w *world) {
		ran := func(name string, want bool) {
			w.T.Helper()
			if got := w.Entry(catalogtest.Ada, w.ID(name)).LastRun != nil; got != want {
				w.T.Errorf("%s shows a run: %t", name, got)
			}
		}
		edit := func(change func(*catalog.Entry)) {
			w.T.Helper()
			entry, err := w.Store.Load(w.T.Context(), []string{w.ID("old")})
			if err != nil {
				w.T.Fatal(err)
			}
			change(&entry[0])
			if _, err := w.Update(w.As(catalogtest.Ada), entry[0], entry[0].UpdatedAt); err != nil {
				w.T.Fatal(err)
			}
		}
		edit(catalogtest.About("more"))
		ran("old", true)
		edit(catalogtest.Notebook("bundled:b.ipynb"))
		ran("old", false)
		w.Import(catalogtest.Entry("fresh", notebook, catalogtest.About("more")), catalogtest.Entry("broken", catalogtest.Repository("https://github.com/o/other")))
		ran("fresh", true)
		ran("broken", false)

		// A run that ends after its entry was deleted.
		id := w.ID("odd")
		if err := w.Delete(w.As(catalogtest.Ada), id); err != nil {
			w.T.Fatal(err)
		}
		w.ran("odd", nil)
		entry, err := w.Store.Load(w.T.Context(), []string{id})
		if err != nil || entry[0].LastRun == nil {
			w.T.Error("a deleted entry was changed", err)
		}
	})
}
