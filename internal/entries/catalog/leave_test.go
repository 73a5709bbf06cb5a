package catalog_test

import (
	"net/http"
	"slices"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func TestWhoeverIsNamedByAnotherSeesItAndLeaves(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		made := catalogtest.Entry("shared", catalogtest.By(catalogtest.Ada, catalogtest.Bob))
		made.ExternalID = ""
		made.Normalize()
		created, err := w.Create(w.As(catalogtest.Ada), made)
		if err != nil {
			t.Fatal(err)
		}
		id, path := created.ID, "/resources/"+created.ID+"/authors/me"
		for email, by := range map[string]string{catalogtest.Ada: "", catalogtest.Bob: catalogtest.Ada, "": "", "eve@example.org": ""} {
			if got := w.Entry(email, id).NamedBy; got != by {
				t.Errorf("%q is named by %q, want %q", email, got, by)
			}
		}
		w.Ask("", http.MethodDelete, path, http.StatusUnauthorized, nil)
		w.Ask("eve@example.org", http.MethodDelete, path, http.StatusForbidden, nil)
		w.Ask(catalogtest.Bob, http.MethodDelete, path, http.StatusOK, nil)
		if after := w.Entry("", id); !slices.Equal(after.Authors, []string{catalogtest.Ada}) || !after.UpdatedAt.After(created.UpdatedAt) {
			t.Errorf("Bob left: %+v", after)
		}
		if found := w.Find("", catalog.Query{Text: "author:bob"}); found.Total != 0 {
			t.Errorf("Bob is still found")
		}

		// A later version of the descriptor names Bob again.
		again := w.Entry(catalogtest.Ada, id)
		again.Authors = []string{catalogtest.Ada, catalogtest.Bob, "eve@example.org"}
		after, err := w.Update(w.As(catalogtest.Ada), *again.Entry(), again.UpdatedAt)
		if err != nil || !slices.Equal(after.Authors, []string{catalogtest.Ada, "eve@example.org"}) {
			t.Errorf("after the sync: %v, %v", after.Authors, err)
		}
		after.Authors = []string{catalogtest.Bob}
		if _, err := w.Update(w.As(catalogtest.Ada), *after.Entry(), after.UpdatedAt); err == nil {
			t.Error("an entry has no author left")
		}

		w.Ask("eve@example.org", http.MethodDelete, path, http.StatusOK, nil)
		var problem struct{ Code string }
		if w.Ask(catalogtest.Ada, http.MethodDelete, path, http.StatusConflict, &problem); problem.Code != "last_author" {
			t.Errorf("the last author: %s", problem.Code)
		}
	})
}

// Whoever leaves is no longer credited, and nothing brings them back.
func TestLeavingEndsTheCredit(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		made := catalogtest.Entry("shared", catalogtest.Repository("https://github.com/lab/shared"), catalogtest.By(catalogtest.Ada, catalogtest.Bob))
		made.ExternalID, made.AddedBy = "", "carl@example.org"
		made.People = []catalog.Credit{{Name: "Ada Lovelace", Email: catalogtest.Ada}, {Name: "Bob Stone", Email: catalogtest.Bob}, {Name: "Eve"}}
		made.Normalize()
		created, err := w.Create(w.As("carl@example.org"), made)
		if err != nil {
			t.Fatal(err)
		}
		path := "/resources/" + created.ID + "/authors/me"
		w.Ask(catalogtest.Bob, http.MethodDelete, path, http.StatusOK, nil)
		w.Ask("carl@example.org", http.MethodDelete, path, http.StatusOK, nil)
		credited := []catalog.Credit{{Name: "Ada Lovelace", Email: catalogtest.Ada, ID: "ada-lovelace"}, {Name: "Eve", ID: "eve"}}
		after := w.Entry(catalogtest.Ada, created.ID)
		if !slices.Equal(after.People, credited) || after.AddedBy != "" || !slices.Equal(after.FormerAuthors, []string{catalogtest.Bob, "carl@example.org"}) {
			t.Errorf("after leaving: %+v", after)
		}
		for _, email := range []string{"", catalogtest.Bob, "carl@example.org"} {
			if seen := w.Entry(email, created.ID); len(seen.FormerAuthors) > 0 {
				t.Errorf("%q sees who left", email)
			}
		}
		w.Ask("carl@example.org", http.MethodDelete, path, http.StatusForbidden, nil)
		again := after
		again.Authors, again.People = made.Authors, made.People
		synced, err := w.Update(w.As(catalogtest.Ada), *again.Entry(), again.UpdatedAt)
		if err != nil || !slices.Equal(synced.Authors, []string{catalogtest.Ada}) || !slices.Equal(synced.People, credited) {
			t.Errorf("after the sync: %+v, %v", synced, err)
		}
	})
}

func TestWhoeverAddedAnEntryAloneStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, nowUTC))
	made := catalogtest.Entry("alone", catalogtest.Repository("https://github.com/lab/alone"), catalogtest.By())
	made.ExternalID, made.AddedBy, made.Authors, made.People = "", catalogtest.Bob, nil, []catalog.Credit{{Name: "Eve"}}
	created, err := w.Create(w.As(catalogtest.Bob), made)
	if err != nil {
		t.Fatal(err)
	}
	var problem struct{ Code string }
	w.Ask(catalogtest.Bob, http.MethodDelete, "/resources/"+created.ID+"/authors/me", http.StatusConflict, &problem)
	if problem.Code != "last_author" || w.Entry(catalogtest.Bob, created.ID).AddedBy != catalogtest.Bob {
		t.Errorf("answered %s", problem.Code)
	}
}

func TestImportsNameNobodyByAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, nowUTC), catalogtest.Entry("data", catalogtest.By(catalogtest.Ada, catalogtest.Bob)))
	if by := w.Entry(catalogtest.Bob, w.ID("data")).NamedBy; by != "" {
		t.Errorf("named by %q", by)
	}
}
