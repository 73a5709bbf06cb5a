package catalog_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// landingWorld is a catalog with a landing page.
type landingWorld struct{ *world }

func eachLandingWorld(t *testing.T, test func(w *landingWorld)) {
	t.Helper()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		test(&landingWorld{newWorld(t, db)})
	})
}

// add adds an entry as somebody does in the page.
func (w *landingWorld) add(name string, changes ...func(*catalog.Entry)) string {
	w.T.Helper()
	r := catalogtest.Entry(name, changes...)
	r.ExternalID = ""
	r.Normalize()
	created, err := w.Create(w.As(catalogtest.Ada), r)
	if err != nil {
		w.T.Fatal(err)
	}
	return created.ID
}

func (w *landingWorld) curate(id string, change catalog.Curation) {
	w.T.Helper()
	changes, err := w.Store.Curate(w.T.Context(), id, change)
	if err != nil {
		w.T.Fatal(err)
	}
	w.Changed(w.T.Context(), changes)
}

func (w *landingWorld) shows(email, want string) {
	w.T.Helper()
	var page catalog.ResourcePage
	w.Ask(email, http.MethodGet, "/resources/landing", http.StatusOK, &page)
	if got := catalogtest.Names(page.Content); got != want {
		w.T.Errorf("shows %q: %q, want %q", email, got, want)
	}
}

// age makes all entries older.
func (w *landingWorld) age(by time.Duration) {
	w.T.Helper()
	err := w.DB.Write(w.T.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(w.T.Context(), `UPDATE resource SET created_at = created_at - $1`, by.Microseconds())
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
	w.Open()
}

func TestLandingPageShowsWhatSomebodyVouchesFor(t *testing.T) {
	t.Parallel()
	eachLandingWorld(t, func(w *landingWorld) {
		w.shows("", "")
		spam := w.add("spam")
		w.add("mine", catalogtest.Private)
		w.shows("", "")
		w.shows(catalogtest.Ada, "")
		var page catalog.ResourcePage
		if w.Ask(catalogtest.Ada, http.MethodGet, "/resources/landing", http.StatusOK, &page); page.TotalElements != 2 || page.Facets.Types[catalog.Dataset] != 2 || len(page.Facets.Tags) != 0 {
			w.T.Errorf("counts %d, %+v", page.TotalElements, page.Facets)
		}

		w.Import(catalogtest.Entry("imported"), catalogtest.Entry("private import", catalogtest.Private))
		w.Open()
		w.add("bundled", catalogtest.Notebook("bundled:a.ipynb"))
		w.shows("", "bundled, imported")
		w.curate(spam, catalog.Curation{Status: new(catalog.StatusVerified)})
		w.shows("", "bundled, imported, spam")
		w.curate(spam, catalog.Curation{Status: new(catalog.StatusRejected)})
		w.curate(w.ID("imported"), catalog.Curation{Status: new(catalog.StatusRejected)})
		w.shows("", "bundled")
		w.curate(spam, catalog.Curation{Featured: new(true)})
		w.shows("", "spam, bundled")
		w.curate(spam, catalog.Curation{Hidden: new(true), Reason: "Spam."})
		w.shows("", "bundled")
		w.shows(catalogtest.Ada, "bundled")

		w.add("older")
		w.age(25 * time.Hour)
		w.shows("", "older, bundled")
	})
}

func TestWhatOperatorsFeatureComesFirstInTheCatalog(t *testing.T) {
	t.Parallel()
	eachLandingWorld(t, func(w *landingWorld) {
		w.Open()
		old := w.add("old")
		w.age(time.Hour)
		w.add("new")
		expect := func(want string) {
			w.T.Helper()
			if got := catalogtest.Names(w.Find("", catalog.Query{Sort: catalog.SortUsed}).Resources); got != want {
				w.T.Errorf("got %q, want %q", got, want)
			}
		}
		expect("new, old")
		w.curate(old, catalog.Curation{Featured: new(true)})
		expect("old, new")
		w.curate(old, catalog.Curation{Featured: new(false)})
		expect("new, old")
	})
}

func TestLandingPageMixesTypes(t *testing.T) {
	t.Parallel()
	eachLandingWorld(t, func(w *landingWorld) {
		for i := range 8 {
			w.Import(catalogtest.Entry(fmt.Sprint("data ", i)))
		}
		w.Import(catalogtest.Entry("code", catalogtest.Repository("https://github.com/o/code")))
		w.Import(catalogtest.Entry("note 1", notebook))
		w.Import(catalogtest.Entry("note 2", notebook))
		w.Open()
		w.curate(w.ID("data 0"), catalog.Curation{Featured: new(true)})
		w.curate(w.ID("data 1"), catalog.Curation{Featured: new(true)})
		w.shows("", "data 1, data 0, note 2, code, note 1, data 7")
		for i := 2; i < 8; i++ {
			w.curate(w.ID(fmt.Sprint("data ", i)), catalog.Curation{Featured: new(true)})
		}
		w.shows("", "data 7, data 6, data 5, data 4, data 3, data 2")
	})
}

func TestLandingPageLooksBehindNewEntries(t *testing.T) {
	t.Parallel()
	eachLandingWorld(t, func(w *landingWorld) {
		w.add("older")
		w.age(25 * time.Hour)
		for i := range 40 {
			w.add(fmt.Sprint("spam ", i))
		}
		w.shows("", "older")
	})
}
