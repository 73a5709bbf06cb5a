package catalog_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// secretWorld has a public entry and a private one by Bob with a tag that nothing else has.
func secretWorld(t *testing.T, db *sqldb.DB) *world {
	return newWorld(t, db,
		catalogtest.Entry("open", catalogtest.Tagged("shared")),
		catalogtest.Entry("secret", catalogtest.Private, catalogtest.By(catalogtest.Bob), catalogtest.Tagged("shared", "hush"), catalogtest.About("whisper")),
	)
}

// CVE-2023-32321, CVE-2023-27578: private objects were shown to strangers, or could be guessed from counts.
func TestPrivateEntriesAreShownToTheirAuthorsAlone(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := secretWorld(t, db)
		id := w.ID("secret")
		for _, path := range []string{
			"/resources/public?facets=types,tags", "/resources/?facets=types,tags", "/resources/public?nameSearch=secret",
			"/resources?nameSearch=whisper", "/resources/public?tag=hush", "/resources/public/tags/all",
			"/resources/search?name=sec", "/resources/public/search?name=secret", "/resources/public/" + id,
		} {
			for _, email := range []string{"", catalogtest.Ada, catalogtest.Bob} {
				status := http.StatusOK
				if strings.HasSuffix(path, id) && email != catalogtest.Bob {
					status = http.StatusNotFound
				}
				var answer json.RawMessage
				w.Ask(email, http.MethodGet, path, status, &answer)
				said := strings.ReplaceAll(string(answer), `"filter":"tag","value":"hush"`, "") // the tag that was asked for
				said = strings.ReplaceAll(said, `"nowhere":["secret"]`, "")                     // and the word, which nothing that is visible has
				if shown := strings.Contains(said, "secret") || strings.Contains(said, "hush"); shown != (email == catalogtest.Bob) {
					t.Errorf("%s shows it to %q: %v: %s", path, email, shown, answer)
				}
			}
		}
	})
}

func TestPrivateEntriesDoNotCount(t *testing.T) {
	t.Parallel()
	w := secretWorld(t, sqldbtest.SQLite(t, nowUTC))
	for email, want := range map[string]int{"": 1, catalogtest.Ada: 1, catalogtest.Bob: 2} {
		page := w.Find(email, catalog.Query{Facets: true})
		if page.Total != want || page.Facets.Types[catalog.Dataset] != want || page.Facets.Tags[0].Count != want {
			t.Errorf("%q: total %d, facets %+v; want %d", email, page.Total, page.Facets, want)
		}
		var tags []catalog.TagCount
		w.Ask(email, http.MethodGet, "/resources/public/tags/all", http.StatusOK, &tags)
		if len(tags) != want || tags[len(tags)-1].Value != "shared" || tags[len(tags)-1].Count != want {
			t.Errorf("%q: tags %+v", email, tags)
		}
	}
}

func TestAbsentAndHiddenLookTheSame(t *testing.T) {
	t.Parallel()
	w := secretWorld(t, sqldbtest.SQLite(t, nowUTC))
	hidden := w.ID("secret")
	for _, call := range []struct{ method, path, email string }{
		{http.MethodGet, "/resources/public/ID", ""},
		{http.MethodGet, "/resources/public/ID", catalogtest.Ada},
		{http.MethodGet, "/resources/ID/star", catalogtest.Ada},
		{http.MethodPost, "/resources/ID/star", catalogtest.Ada},
		{http.MethodPut, "/resources/ID/star", catalogtest.Ada},
		{http.MethodDelete, "/resources/ID/star", catalogtest.Ada},
		{http.MethodDelete, "/resources/ID", catalogtest.Ada},
	} {
		answers := map[string]bool{}
		for _, id := range []string{hidden, sqldb.NewID(), "no-id", strings.ToUpper(hidden), "%00", "..%2f"} {
			var problem struct{ Detail, Title string }
			w.Ask(call.email, call.method, strings.Replace(call.path, "ID", id, 1), http.StatusNotFound, &problem)
			if id != "..%2f" && id != "%00" { // these are refused before any look
				answers[problem.Detail] = true
			}
		}
		if len(answers) != 1 || !answers["This entry doesn't exist, or you don't have access to it."] {
			t.Errorf("%s %s: answers %v", call.method, call.path, answers)
		}
	}
}

// GHSA-xr38-w74q-r8jv, CVE-2024-42351: acting on somebody else's object.
func TestOnlyAuthorsDelete(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("shared work", catalogtest.By(catalogtest.Ada, catalogtest.Bob), catalogtest.Tagged("gone soon")))
		id := w.ID("shared work")
		w.Ask("", http.MethodDelete, "/resources/"+id, http.StatusUnauthorized, nil)
		w.Ask("eve@example.org", http.MethodDelete, "/resources/"+id, http.StatusForbidden, nil)
		w.Ask("eve@example.org", http.MethodPut, "/resources/"+id+"/star", http.StatusOK, nil)

		var done bool
		if w.Ask(catalogtest.Bob, http.MethodDelete, "/resources/"+id, http.StatusOK, &done); !done {
			t.Error("answers false")
		}
		for _, email := range []string{"", catalogtest.Ada, catalogtest.Bob} {
			w.Ask(email, http.MethodGet, "/resources/public/"+id, http.StatusNotFound, nil)
			var tags []catalog.TagCount
			if w.Ask(email, http.MethodGet, "/resources/public/tags/all", http.StatusOK, &tags); len(tags) != 0 {
				t.Errorf("its tags are left for %q: %v", email, tags)
			}
			if page := w.Find(email, catalog.Query{}); page.Total != 0 {
				t.Errorf("%q still finds it", email)
			}
		}
		var starred []catalog.Resource
		if w.Ask("eve@example.org", http.MethodGet, "/resources/eve@example.org/stars", http.StatusOK, &starred); len(starred) != 0 {
			t.Errorf("still among the stars: %v", catalogtest.Names(starred))
		}
		w.Ask(catalogtest.Bob, http.MethodDelete, "/resources/"+id, http.StatusNotFound, nil)
		if rows, err := w.Store.Load(t.Context(), []string{id}); err != nil || len(rows) != 1 || rows[0].State != catalog.StateDeleted {
			t.Errorf("the row is %+v (%v), want it kept for projects and history", rows, err)
		}
	})
}

func TestWhatTheCallerMayDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, nowUTC),
		catalogtest.Entry("data"),
		catalogtest.Entry("code", catalogtest.Repository("https://github.com/o/code")),
	)
	for _, c := range []struct {
		name, email        string
		canDelete, canSync string
	}{
		{name: "data", email: catalogtest.Ada, canDelete: "true", canSync: "false"},
		{name: "code", email: catalogtest.Ada, canDelete: "true", canSync: "true"},
		{name: "code", email: catalogtest.Bob, canDelete: "false", canSync: "false"},
		{name: "code", email: ""},
	} {
		var answer map[string]json.RawMessage
		w.Ask(c.email, http.MethodGet, "/resources/public/"+w.ID(c.name), http.StatusOK, &answer)
		if string(answer["canDelete"]) != c.canDelete || string(answer["canSync"]) != c.canSync {
			t.Errorf("%s for %q: canDelete %s, canSync %s", c.name, c.email, answer["canDelete"], answer["canSync"])
		}
		if _, told := answer["starred"]; told != (c.email != "") {
			t.Errorf("%s for %q: starred is told: %v", c.name, c.email, told)
		}
	}
}
