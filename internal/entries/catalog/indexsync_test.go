package catalog_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// openWith opens a service on the world's database that keeps a snapshot, and returns its log.
func (w *world) openWith(snapshot string) (*catalog.Service, *strings.Builder) {
	w.T.Helper()
	var log strings.Builder
	return catalog.NewService(w.T.Context(), w.Store, catalog.Options{
		Snapshot: snapshot, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}), &log
}

func found(t *testing.T, service *catalog.Service, text string) string {
	t.Helper()
	page, err := service.Search(t.Context(), catalog.Query{Text: text, Limit: 100}, false)
	if err != nil {
		t.Fatal(err)
	}
	return catalogtest.Names(page.Resources)
}

func TestSnapshotAndTheChangesAfterIt(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db,
			catalogtest.Entry("kept", catalogtest.About("alpha")),
			catalogtest.Entry("renamed", catalogtest.About("alpha")),
			catalogtest.Entry("deleted", catalogtest.About("alpha")),
		)
		path := filepath.Join(t.TempDir(), "catalog.index")
		first, _ := w.openWith(path)
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		snapshot, err := os.ReadFile(path)
		if err != nil {
			t.Fatal("no snapshot was kept:", err)
		}

		// Changes after the snapshot, as when the server is killed before it writes another.
		w.Import(catalogtest.Entry("added", catalogtest.About("alpha")))
		renamed := catalogtest.Entry("renamed", catalogtest.About("beta"))
		w.Import(renamed)
		if _, err := w.Store.Delete(t.Context(), w.ID("deleted")); err != nil {
			t.Fatal(err)
		}
		second, log := w.openWith(path)
		if got := found(t, second, "alpha"); got != "added, kept" && got != "kept, added" {
			t.Errorf("found %q after the changes", got)
		}
		if got := found(t, second, "beta"); got != "renamed" {
			t.Errorf("found %q by its new words", got)
		}
		if strings.Contains(log.String(), "anew") {
			t.Error("the snapshot was not used:", log)
		}
		_ = second.Close()

		// A truncated file, one that isn't a snapshot, one of a newer state, and one of another history are built
		// again.
		if err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(t.Context(), `UPDATE change SET resource_id = 'another' WHERE seq = 3`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		newer, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string][]byte{
			"torn": snapshot[:len(snapshot)/2], "nothing": {}, "other history": snapshot, "no snapshot": []byte("hello, this is some text"),
			"newer": newer,
		} {
			if name == "newer" {
				if err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
					_, err := tx.ExecContext(t.Context(), `UPDATE change_counter SET seq = seq - 1`)
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			again, log := w.openWith(path)
			if got := found(t, again, "beta"); got != "renamed" {
				t.Errorf("%s: found %q", name, got)
			}
			if !strings.Contains(log.String(), "anew") {
				t.Errorf("%s: it was used: %s", name, log)
			}
			if name == "newer" {
				if err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
					_, err := tx.ExecContext(t.Context(), `UPDATE change_counter SET seq = seq + 1`)
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			_ = again.Close()
		}
	})
}

// Lists wait for the index; single entries and stars don't.
func TestWhileTheIndexIsBeingBuilt(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("one", catalogtest.Tagged("a")), catalogtest.Entry("book", notebook))
		// A context that has ended keeps the index from being built.
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		w.Serve(catalog.NewService(ended, w.Store, catalog.Options{Logger: slog.New(slog.DiscardHandler)}))
		for _, path := range []string{
			"/resources", "/resources/public", "/resources/public?nameSearch=one", "/resources/public?tag=a&facets=types,tags&view=card",
			"/resources/search", "/resources/public/search?name=one", "/resources/public/tags/all",
		} {
			answer := w.Call(catalogtest.Ada, http.MethodGet, httpapi.Base+path, "")
			var problem httpapi.Problem
			if err := json.Unmarshal(answer.Body.Bytes(), &problem); err != nil {
				t.Fatal(err)
			}
			if answer.Code != http.StatusServiceUnavailable || problem.Code != fault.IndexBuilding || problem.Progress == nil || answer.Header().Get("Retry-After") == "" {
				t.Errorf("%s: %d %v %s", path, answer.Code, answer.Header(), answer.Body)
			}
		}
		one := "/resources/" + w.ID("one")
		w.Ask(catalogtest.Bob, http.MethodPut, one+"/star", http.StatusOK, nil)
		var starred []catalog.Resource
		w.Ask(catalogtest.Bob, http.MethodGet, "/resources/"+catalogtest.Bob+"/stars", http.StatusOK, &starred)
		if catalogtest.Names(starred) != "one" || !*w.Entry(catalogtest.Bob, w.ID("one")).Starred {
			t.Errorf("starred are %s", catalogtest.Names(starred))
		}
		w.Entry("", w.ID("book"))
		w.Ask(catalogtest.Ada, http.MethodDelete, one, http.StatusOK, nil)
	})
}

// A row that the cache has must not be shown once it changed, whoever changed it.
func TestRowsAreNeverOld(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("first", catalogtest.About("old")))
		for range 3 {
			w.Find("", catalog.Query{}) // now it is in the cache
		}
		changed := catalogtest.Entry("first", catalogtest.About("new"))
		w.Import(changed) // as another process would: nobody notifies the service
		if page := w.Find("", catalog.Query{}); len(page.Resources) != 1 || page.Resources[0].Description != "new" {
			t.Errorf("shown: %+v", page.Resources)
		}
		hidden := catalogtest.Entry("first", catalogtest.Private)
		w.Import(hidden)
		if page := w.Find("", catalog.Query{}); len(page.Resources) != 0 {
			t.Errorf("a private entry is shown to everybody: %+v", page.Resources)
		}
	})
}
