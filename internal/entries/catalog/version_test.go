package catalog_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

const curator = "curator@example.org"

func decode(t *testing.T, answer *httptest.ResponseRecorder) (said map[string]any) {
	t.Helper()
	if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	return said
}

// renew gives a dataset another address, and with it a version.
func (w *world) renew(email, name, address string) {
	w.T.Helper()
	entry, err := w.Readable(w.As(email), w.ID(name))
	if err != nil {
		w.T.Fatal(err)
	}
	seen := entry.UpdatedAt
	entry.DatasetURL, entry.Description = address, "About "+address
	if _, err := w.Versions().Renew(w.As(email), entry, seen, catalog.NewVersion{Note: "now " + address}); err != nil {
		w.T.Fatal(err)
	}
}

func TestUnchangedEntryHasOneVersion(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("a"))
		id := w.ID("a")
		found, err := w.Versions().List(w.As(""), id)
		if err != nil || len(found) != 1 || found[0].Number != 1 || found[0].Kept || found[0].At.IsZero() {
			t.Fatalf("%+v %v", found, err)
		}
		if number, err := w.Versions().Number(t.Context(), id); err != nil || number != 0 {
			t.Errorf("%d %v", number, err)
		}
		entry, _, shown, err := w.Versions().Get(w.As(""), id, 1)
		if err != nil || entry.Name != "a" || shown.Number != 1 || shown.Latest != 1 {
			t.Errorf("%+v %+v %v", entry, shown, err)
		}
		if _, _, _, err := w.Versions().Get(w.As(""), id, 2); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a version that there isn't: %v", err)
		}
		if w.Entry("", id).ShownVersion != nil {
			t.Error("an entry that hasn't changed says that it has versions")
		}
	})
}

func TestVersionsAreWhatTheEntryWas(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("a", catalogtest.Tagged("one"), catalogtest.About("About spikes")))
		id := w.ID("a")
		was, err := w.Readable(w.As(catalogtest.Ada), id)
		if err != nil {
			t.Fatal(err)
		}
		w.renew(catalogtest.Ada, "a", "second")
		w.renew(catalogtest.Ada, "a", "third")
		listed, err := w.Versions().List(w.As(catalogtest.Bob), id)
		if err != nil || len(listed) != 3 || listed[0].Number != 3 || listed[2].Number != 1 || listed[0].By != catalogtest.Ada || listed[0].Note != "now third" || !listed[2].At.Equal(was.CreatedAt) {
			t.Fatalf("%+v %v", listed, err)
		}
		if listed, err = w.Versions().List(w.As(""), id); err != nil || listed[0].By != "" {
			t.Errorf("strangers read who made it: %+v %v", listed, err)
		}
		for number, address := range map[int]string{1: "spikes", 2: "second", 3: "third"} {
			entry, one, shown, err := w.Versions().Get(w.As(""), id, number)
			if err != nil || entry.DatasetURL != address || entry.Description != "About "+address || one.Number != number || shown.Number != number || shown.Latest != 3 {
				t.Errorf("version %d: %+v %+v %v", number, entry, shown, err)
			}
			inContext, err := w.Readable(catalog.InVersion(w.As(""), number), id)
			if err != nil || inContext.DatasetURL != address || len(inContext.Tags) != 1 {
				t.Errorf("version %d in a context: %+v %v", number, inContext, err)
			}
			latest, err := w.Readable(w.As(""), id)
			if err != nil {
				t.Fatal(err)
			}
			if as, _, _, err := w.Versions().As(t.Context(), latest, number); err != nil || as.DatasetURL != address {
				t.Errorf("as version %d: %+v %v", number, as, err)
			}
		}
		if latest, err := w.Versions().Latest(w.As(""), id); err != nil || latest.Number != 3 {
			t.Errorf("%+v %v", latest, err)
		}
	})
}

// What only reads names a version in its address; nothing else does.
func TestReadVersions(t *testing.T) {
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("a", catalogtest.About("About spikes")))
	id := w.ID("a")
	w.renew(catalogtest.Ada, "a", "second")
	handler := catalog.ReadVersions(w.HandlerFor(func(r *http.Request, email string) (context.Context, error) {
		caller, _ := identity.From(w.As(email))
		return identity.With(r.Context(), caller), nil
	}))
	ask := func(method, query string) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(t.Context(), method, httpapi.Base+"/resources/public/"+id+query, http.NoBody)
		request.Header.Set("Authorization", "Bearer "+catalogtest.Ada)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		return answer
	}
	for query, want := range map[string]struct {
		status int
		number float64
		text   string
	}{
		"":           {http.StatusOK, 2, "About second"},
		"?version=1": {http.StatusOK, 1, "About spikes"},
		"?version=2": {http.StatusOK, 2, "About second"},
		"?version=3": {http.StatusNotFound, 0, ""},
	} {
		answer := ask(http.MethodGet, query)
		if answer.Code != want.status {
			t.Errorf("%q: %d %s", query, answer.Code, answer.Body)
			continue
		}
		if want.status != http.StatusOK {
			continue
		}
		said := decode(t, answer)
		shown, _ := said["entryVersion"].(map[string]any)
		if said["description"] != want.text || shown["number"] != want.number || shown["latest"] != 2.0 {
			t.Errorf("%q: %v %v", query, said["description"], shown)
		}
		if may := said["canEdit"] == true; may != (want.number == 2) {
			t.Errorf("%q: canEdit %v", query, said["canEdit"])
		}
	}
	for _, query := range []string{"?version=0", "?version=-1", "?version=x", "?version=99999999999999999999"} {
		if answer := ask(http.MethodGet, query); answer.Code < 400 || answer.Code >= 500 {
			t.Errorf("%q: %d %s", query, answer.Code, answer.Body)
		}
	}
	seen := 0
	inner := catalog.ReadVersions(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = catalog.VersionOf(r.Context()) }))
	for method, number := range map[string]int{http.MethodGet: 1, http.MethodHead: 1, http.MethodPost: 0, http.MethodPatch: 0, http.MethodDelete: 0} {
		inner.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, "/?version=1", http.NoBody))
		if seen != number {
			t.Errorf("%s reads version %d", method, seen)
		}
	}
}

// Who may see an entry now is who may see what it was.
func TestVersionsHaveTheRightsOfNow(t *testing.T) {
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("a"))
	id := w.ID("a")
	w.renew(catalogtest.Ada, "a", "second")
	w.renew(catalogtest.Ada, "a", "third")
	if err := w.Versions().Withdraw(w.As(catalogtest.Ada), id, 2, "secret reason"); err != nil {
		t.Fatal(err)
	}
	entry, err := w.Readable(w.As(catalogtest.Ada), id)
	if err != nil {
		t.Fatal(err)
	}
	entry.Privacy = catalog.PrivacyPrivate
	if _, err := w.Update(w.As(catalogtest.Ada), entry, entry.UpdatedAt); err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"", catalogtest.Bob} {
		for number := range 5 {
			if _, _, _, err := w.Versions().Get(w.As(email), id, number); fault.KindOf(err) != fault.NotFound {
				t.Errorf("version %d as %q: %v", number, email, err)
			}
			if _, err := w.Readable(catalog.InVersion(w.As(email), number), id); fault.KindOf(err) != fault.NotFound {
				t.Errorf("version %d in a context as %q: %v", number, email, err)
			}
			if _, err := w.Permanent(catalog.InVersion(w.As(email), number), id); fault.KindOf(err) != fault.NotFound {
				t.Errorf("the address of version %d as %q: %v", number, email, err)
			}
		}
		if _, err := w.Versions().List(w.As(email), id); fault.KindOf(err) != fault.NotFound {
			t.Errorf("the list as %q: %v", email, err)
		}
	}
	was, _, _, err := w.Versions().Get(w.As(catalogtest.Ada), id, 1)
	if err != nil || was.Privacy != catalog.PrivacyPrivate {
		t.Errorf("%s %v", was.Privacy, err)
	}
}

func TestWithdraw(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("a"), catalogtest.Entry("single"))
		w.SignIn = func(caller identity.Caller) identity.Caller {
			caller.Operator = caller.Email == curator
			return caller
		}
		id := w.ID("a")
		for _, address := range []string{"second", "third", "fourth"} {
			w.renew(catalogtest.Ada, "a", address)
		}
		withdraw := func(email, id, number, reason string, status int) {
			t.Helper()
			w.Send(email, http.MethodPost, "/resources/"+id+"/versions/"+number+"/withdraw", `{"reason": "`+reason+`"}`, status, nil)
		}
		withdraw(catalogtest.Bob, id, "1", "wrong", http.StatusForbidden)
		withdraw("", id, "1", "wrong", http.StatusUnauthorized)
		withdraw(catalogtest.Ada, id, "1", "", http.StatusUnprocessableEntity)
		withdraw(catalogtest.Ada, id, "4", "wrong", http.StatusConflict)
		withdraw(catalogtest.Ada, id, "5", "wrong", http.StatusNotFound)
		withdraw(catalogtest.Ada, w.ID("single"), "1", "wrong", http.StatusConflict)
		withdraw(catalogtest.Ada, w.ID("single"), "2", "wrong", http.StatusNotFound)
		withdraw(catalogtest.Ada, id, "1", "wrong", http.StatusNoContent)
		withdraw(curator, id, "2", "operators say so", http.StatusNoContent)
		withdraw(catalogtest.Ada, id, "1", "another reason", http.StatusNoContent) // it is already
		listed, err := w.Versions().List(w.As(""), id)
		if err != nil || len(listed) != 4 || listed[3].WithdrawnAt == nil || listed[3].WithdrawnReason != "wrong" || listed[2].WithdrawnReason != "operators say so" || listed[1].WithdrawnAt != nil {
			t.Errorf("%+v %v", listed, err)
		}
		for number, code := range map[int]fault.Code{1: fault.VersionWithdrawn, 2: fault.VersionWithdrawn} {
			entry, _, shown, err := w.Versions().Get(w.As(catalogtest.Ada), id, number)
			if fault.CodeOf(err) != code || entry.DatasetURL != "" || shown.WithdrawnReason == "" {
				t.Errorf("version %d: %+v %+v %v", number, entry, shown, err)
			}
		}
		if entry, _, _, err := w.Versions().Get(w.As(""), id, 3); err != nil || entry.DatasetURL != "third" {
			t.Errorf("%+v %v", entry, err)
		}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, httpapi.Base+"/resources/public/"+id+"?version=1", http.NoBody)
		answer := httptest.NewRecorder()
		catalog.ReadVersions(w.Handler()).ServeHTTP(answer, request)
		if answer.Code != http.StatusGone || decode(t, answer)["code"] != string(fault.VersionWithdrawn) {
			t.Errorf("%d %s", answer.Code, answer.Body)
		}
	})
}
