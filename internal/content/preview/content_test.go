package preview_test

import (
	"net/http"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// found checks that a text finds the one entry of this name, or none for "".
func (w *world) found(email, text, name string) {
	w.T.Helper()
	page := w.Find(email, catalog.Query{Text: text, Limit: 10})
	if page.Hint == nil && catalogtest.Names(page.Resources) != name || page.Hint != nil && name != "" {
		w.T.Errorf("%s finds %s (%+v), want %s", text, catalogtest.Names(page.Resources), page.Hint, name)
	}
}

func TestWhatIsShownIsFound(t *testing.T) {
	t.Parallel()
	t.Run("a README", func(t *testing.T) {
		t.Parallel()
		w, _ := filesWorld(t)
		for name, email := range map[string]string{"open": "", "hidden": catalogtest.Bob} {
			for _, file := range []string{"README.md", "src/a%20b.py"} {
				w.Ask(email, http.MethodGet, "/resources/public/"+w.ID(name)+"/file?path="+file, http.StatusOK, nil)
			}
		}
		w.found("", "hello", "open")
		w.found("", "print", "")
		w.found(catalogtest.Bob, "hello tag:none", "")
		if page := w.Find(catalogtest.Bob, catalog.Query{Text: "hello", Limit: 10}); page.Total != 2 {
			t.Errorf("an author finds %s", catalogtest.Names(page.Resources))
		}
	})
	t.Run("a notebook", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("book", bundledNotebook))
		w.showNotebooks("")
		w.found("", "bundled", "")
		if answer := w.visit(w.frameOf("", "book")); answer.Code != http.StatusOK {
			t.Fatal(answer.Code)
		}
		w.found("", "bundled", "book")
	})
	t.Run("a dataset", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("data"))
		w.showDatasets(t.TempDir())
		for _, call := range []string{"/table?path=spikes.csv", "/text?path=deep%2FREADME.md"} {
			w.Ask("", http.MethodGet, "/resources/public/"+w.ID("data")+"/dataset"+call, http.StatusOK, nil)
		}
		w.found("", "time", "data")
		w.found("", "read me", "data")
	})
}
