package curation_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/curation"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

const operator = "operator@example.org"

// world is a catalog with an operator.
type world struct {
	*catalogtest.World
}

func newWorld(t *testing.T, db *sqldb.DB, entries ...catalog.Entry) *world {
	t.Helper()
	w := &world{catalogtest.New(t, db, entries...)}
	w.SignIn = func(caller identity.Caller) identity.Caller {
		caller.Operator = caller.Email == operator
		return caller
	}
	w.Mount(curation.NewService(curation.NewStore(db), w.Store, w.Changed))
	return w
}

func (w *world) change(id, body string, status int) (entry curation.OperatorEntry) {
	w.T.Helper()
	var into any
	if status == http.StatusOK {
		into = &entry
	}
	w.Send(operator, http.MethodPatch, "/operator/entries/"+id, body, status, into)
	return entry
}

func (w *world) list(query string) (page curation.OperatorEntryPage) {
	w.T.Helper()
	w.Ask(operator, http.MethodGet, "/operator/entries?"+query, http.StatusOK, &page)
	return page
}

func names(page curation.OperatorEntryPage) string {
	var found []string
	for _, entry := range page.Content {
		found = append(found, entry.Name)
	}
	return strings.Join(found, ", ")
}

func TestHiddenEntriesAreShownToAuthorsAndOperatorsWithTheReason(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("spam", catalogtest.Tagged("cheap")), catalogtest.Entry("data"))
		id := w.ID("spam")
		w.Ask(catalogtest.Bob, http.MethodPut, "/resources/"+id+"/star", http.StatusOK, nil)
		if entry := w.change(id, `{"hidden":true,"reason":" It sells things. "}`, http.StatusOK); !entry.Hidden || entry.HiddenReason != "It sells things." {
			t.Errorf("the answer is %+v", entry)
		}
		for _, reader := range []string{"", catalogtest.Bob} {
			w.Ask(reader, http.MethodGet, "/resources/public/"+id, http.StatusNotFound, nil)
			if page := w.Find(reader, catalog.Query{Facets: true}); page.Total != 1 || page.Facets.Types[catalog.Dataset] != 1 || len(page.Facets.Tags) != 0 {
				t.Errorf("%q finds %d entries, facets %+v", reader, page.Total, page.Facets)
			}
			var tags []catalog.TagCount
			if w.Ask(reader, http.MethodGet, "/resources/public/tags/all", http.StatusOK, &tags); len(tags) != 0 {
				t.Errorf("%q sees the tags %v", reader, tags)
			}
		}
		var stars []catalog.Resource
		if w.Ask(catalogtest.Bob, http.MethodGet, "/resources/"+catalogtest.Bob+"/stars", http.StatusOK, &stars); len(stars) != 0 {
			t.Errorf("it's among the stars: %s", catalogtest.Names(stars))
		}
		for _, reader := range []string{catalogtest.Ada, operator} {
			if entry := w.Entry(reader, id); !entry.Hidden || entry.HiddenReason != "It sells things." {
				t.Errorf("%s sees %+v", reader, entry)
			}
		}
		if found := w.Find(operator, catalog.Query{}); found.Total != 1 {
			t.Errorf("an operator's catalog has %s", catalogtest.Names(found.Resources))
		}

		w.change(id, `{"hidden":false}`, http.StatusOK)
		if entry := w.Entry("", id); entry.Hidden || entry.HiddenReason != "" {
			t.Errorf("brought back it is %+v", entry)
		}
		if found := w.Find("", catalog.Query{Text: "spam"}); found.Total != 1 {
			t.Error("it isn't found again")
		}
	})
}

func TestOperatorsSeeLittleOfPrivateEntries(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db,
			catalogtest.Entry("whisper", catalogtest.Private, catalogtest.By(catalogtest.Bob), catalogtest.About("hush"), catalogtest.Tagged("hush")),
			catalogtest.Entry("open"))
		id := w.ID("whisper")
		for query, want := range map[string]int{"": 2, "q=whisper": 0, "q=hush": 0, "q=bob@example": 1, "q=" + id: 1} {
			answer := w.Call(operator, http.MethodGet, "/api/v1/rf/operator/entries?"+query, "")
			if body := answer.Body.String(); strings.Contains(body, "whisper") || strings.Contains(body, "hush") {
				t.Errorf("%q shows what is private: %s", query, body)
			}
			if page := w.list(query); page.TotalElements != want {
				t.Errorf("%q finds %d entries, want %d", query, page.TotalElements, want)
			}
		}
		w.Ask(operator, http.MethodGet, "/resources/public/"+id, http.StatusNotFound, nil)
		for _, body := range []string{`{"hidden":true,"reason":"x"}`, `{"featured":true}`, `{"status":"VERIFIED"}`} {
			w.change(id, body, http.StatusConflict)
		}
		w.Ask(operator, http.MethodDelete, "/operator/entries/"+id, http.StatusConflict, nil)
	})
}

func TestHiddenEntriesThatBecomePrivateAreTheirAuthorsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("spam"))
	id := w.ID("spam")
	w.change(id, `{"hidden":true,"reason":"x"}`, http.StatusOK)
	w.Import(catalogtest.Entry("spam", catalogtest.Private))
	w.Ask(operator, http.MethodGet, "/resources/public/"+id, http.StatusNotFound, nil)
	w.Import(catalogtest.Entry("spam"))
	if entry := w.Entry(operator, id); !entry.Hidden {
		t.Error("an author brought it back")
	}
	w.Ask("", http.MethodGet, "/resources/public/"+id, http.StatusNotFound, nil)
}

func TestListsOfOperators(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	db := sqldbtest.SQLite(t, func() time.Time { return now })
	w := newWorld(t, db, catalogtest.Entry("Étude 100%", catalogtest.About("The first text")))
	now = now.Add(8 * 24 * time.Hour)
	w.Import(catalogtest.Entry("second", catalogtest.By(catalogtest.Bob)), catalogtest.Entry("third"))
	w.change(w.ID("Étude 100%"), `{"hidden":true,"reason":"x"}`, http.StatusOK)
	w.Send(catalogtest.Ada, http.MethodPost, "/resources/"+w.ID("second")+"/reports", `{"reason":"Not data."}`, http.StatusAccepted, nil)
	for query, want := range map[string]string{
		"": "third, second, Étude 100%", "state=new": "third, second", "state=hidden": "Étude 100%", "state=reported": "second",
		"state=hidden,reported": "second, Étude 100%", "q=THIRD": "third", "q=%C3%89tude+first": "Étude 100%", "q=0%25": "Étude 100%",
		"q=bob@": "second", "q=_": "", "q=third&state=hidden": "", "pageSize=1&pageNumber=1": "second",
	} {
		if got := names(w.list(query)); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	w.Ask(operator, http.MethodGet, "/operator/entries?state=odd", http.StatusUnprocessableEntity, nil)
	for _, text := range catalogtest.HostileTexts {
		if answer := w.Call(operator, http.MethodGet, "/api/v1/rf/operator/entries?"+url.Values{"q": {text}}.Encode(), ""); answer.Code >= http.StatusInternalServerError {
			t.Errorf("%q: %d", text, answer.Code)
		}
	}
}

func TestFeatureAndVerify(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("data"))
		id := w.ID("data")
		before := w.Entry("", id)
		w.change(id, `{"featured":true,"status":"VERIFIED"}`, http.StatusOK)
		w.Import(catalogtest.Entry("data", catalogtest.About("changed")))
		if after := w.Entry("", id); after.Status != catalog.StatusVerified || !after.Featured {
			t.Errorf("it is %+v", after)
		}
		w.change(id, `{"featured":false,"status":"NONE"}`, http.StatusOK)
		if after := w.Entry("", id); after.Status != before.Status || after.Featured {
			t.Errorf("taken back it is %+v", after)
		}
		w.change(id, `{"status":"PENDING"}`, http.StatusUnprocessableEntity)
		w.change(id, `{"hidden":true}`, http.StatusUnprocessableEntity)
		w.change(id, `{"hidden":true,"reason":"`+strings.Repeat("x", 1001)+`"}`, http.StatusUnprocessableEntity)
	})
}

func TestDeletedForEver(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("spam", catalogtest.Tagged("cheap"), catalogtest.About("buy")))
		id := w.ID("spam")
		w.Ask(operator, http.MethodDelete, "/operator/entries/"+id, http.StatusConflict, nil)
		w.change(id, `{"hidden":true,"reason":"Spam."}`, http.StatusOK)
		w.Ask(operator, http.MethodDelete, "/operator/entries/"+id, http.StatusOK, nil)
		for _, reader := range []string{"", catalogtest.Ada, operator} {
			w.Ask(reader, http.MethodGet, "/resources/public/"+id, http.StatusNotFound, nil)
		}
		rows, err := w.Store.Load(t.Context(), []string{id})
		if err != nil || len(rows) != 1 || rows[0].State != catalog.StateDeleted || rows[0].Name+rows[0].Description+rows[0].DatasetURL != "" ||
			len(rows[0].Tags)+len(rows[0].Authors) != 0 {
			t.Errorf("left of it: %+v (%v)", rows, err)
		}
		if page := w.list(""); page.TotalElements != 0 {
			t.Errorf("operators still see %s", names(page))
		}
		w.Import(catalogtest.Entry("spam"))
		w.Ask("", http.MethodGet, "/resources/public/"+id, http.StatusNotFound, nil)
	})
}

func TestReports(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("data"), catalogtest.Entry("secret", catalogtest.Private))
		id := w.ID("data")
		report := func(by, id, reason string, status int) {
			w.Send(by, http.MethodPost, "/resources/"+id+"/reports", `{"reason":"`+reason+`"}`, status, nil)
		}
		report("", id, "x", http.StatusUnauthorized)
		report(catalogtest.Bob, id, "", http.StatusUnprocessableEntity)
		report(catalogtest.Bob, id, strings.Repeat("é", 1001), http.StatusUnprocessableEntity)
		report(catalogtest.Bob, w.ID("secret"), "x", http.StatusNotFound)
		report(catalogtest.Bob, id, "first", http.StatusAccepted)
		report("eve@example.org", id, strings.Repeat("é", 1000), http.StatusAccepted)
		report(catalogtest.Bob, id, "second", http.StatusAccepted)
		page := w.list("state=reported")
		if names(page) != "data" || len(page.Content[0].Reports) != 2 {
			t.Fatalf("reported: %+v", page)
		}
		if reports := page.Content[0].Reports; reports[1].By != catalogtest.Bob || reports[1].Reason != "second" {
			t.Errorf("the reports are %+v", reports)
		}

		w.Ask(operator, http.MethodDelete, "/operator/entries/"+id+"/reports", http.StatusOK, nil)
		if page := w.list("state=reported"); page.TotalElements != 0 {
			t.Error("the reports are still open")
		}
		report(catalogtest.Bob, id, "again", http.StatusAccepted)
		w.change(id, `{"hidden":true,"reason":"True."}`, http.StatusOK)
		if page := w.list("state=hidden"); len(page.Content) != 1 || len(page.Content[0].Reports) != 0 {
			t.Errorf("hidden with open reports: %+v", page)
		}
	})
}

// The command line writes beside the server, which follows the changes.
func TestAnotherProcessHides(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("spam"))
	command := curation.NewService(curation.NewStore(w.DB), w.Store, nil)
	if _, err := command.Change(context.Background(), w.ID("spam"), catalog.Curation{Hidden: new(true), Reason: "Spam."}); err != nil {
		t.Fatal(err)
	}
	if found := w.Find("", catalog.Query{}); len(found.Resources) != 0 {
		t.Error("it's shown before the index follows")
	}
	if err := w.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := w.Find("", catalog.Query{}); found.Total != 0 {
		t.Error("it still counts")
	}
	if _, err := command.Change(context.Background(), "no-id", catalog.Curation{Hidden: new(false)}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an unknown id: %v", err)
	}
}
