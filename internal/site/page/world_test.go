package page

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/site"
	"cairn/internal/site/page/pagetest"
	"cairn/web"
)

const hostileBrand = `</script><script>alert(1)</script>`

// Two entries that most tests need, with the external ids "d1" and "secret".
var (
	spikes = catalog.Entry{
		ExternalID: "d1", Type: catalog.Dataset, Name: "Spikes", Description: "Markdown", Authors: []string{"neuro@example.org"},
		Tags: []catalog.Tag{{Value: "md, namd"}, {Value: "v1"}}, Privacy: catalog.PrivacyPublic, DatasetURL: "spikes",
	}
	hush = catalog.Entry{
		ExternalID: "secret", Type: catalog.Dataset, Name: "Hush", Authors: []string{"neuro@example.org"},
		Privacy: catalog.PrivacyPrivate, DatasetURL: "hush",
	}
)

// tagline is what the pages of the tests say about themselves.
const tagline = "Rocks & <data>"

// world is a page of a catalog.
type world struct {
	*Server

	t     *testing.T
	db    *sqldb.DB
	store *catalog.Store
}

// newWorld serves the page with a brand and a catalog of these entries.
func newWorld(t *testing.T, brand string, entries ...catalog.Entry) *world {
	t.Helper()
	db := sqldbtest.SQLite(t, time.Now)
	w := &world{t: t, db: db, store: catalog.NewStore(db)}
	w.write(entries...)
	service := catalog.NewService(t.Context(), w.store, catalog.Options{
		Logger: slog.New(slog.DiscardHandler), Links: []catalog.Link{{Add: func(r *catalog.Resource, _ catalog.Reader) {
			if r.HeaderImage != "" {
				r.HeaderImageURL = httpapi.Base + "/resources/public/" + r.ID + "/header-image"
			}
			r.CoverURL = httpapi.Base + "/resources/public/" + r.ID + "/cover?v=1"
		}}},
	})
	api := httpapi.New(httpapi.Options{
		Logger: slog.New(slog.DiscardHandler), SignedIn: func(context.Context) bool { return false },
		Authenticate: func(r *http.Request, _ bool) (context.Context, error) { return r.Context(), nil },
	})
	service.Routes(api)
	var err error
	if w.Server, err = New(options(t, brand, api.Handler())); err != nil {
		t.Fatal(err)
	}
	return w
}

func options(t *testing.T, brand string, calls http.Handler) Options {
	t.Helper()
	return Options{
		Files: pagetest.Files(t), Table: web.Pages(), Calls: calls, PublicURL: pagetest.PublicURL,
		Site: site.Keep(&site.Site{Brand: site.Brand{Name: brand, Tagline: tagline}}).Current,
		Config: func(_ context.Context, content *site.Site) any {
			return map[string]string{"product": content.Brand.Name}
		},
		Describe: func(_ context.Context, entry catalog.Resource) Described {
			keywords := []string{}
			for _, tag := range entry.Tags {
				keywords = append(keywords, tag.Value)
			}
			return Described{[]byte(asJSON(t, map[string]any{"name": entry.Name, "softwareVersion": entry.Version, "keywords": keywords})), "<http://127.0.0.1:8080/id>; rel=\"cite-as\""}
		},
		Negotiate: func(w http.ResponseWriter, r *http.Request, _ catalog.Entry) bool {
			if r.Header.Get("Accept") != "application/ld+json" {
				return false
			}
			w.WriteHeader(http.StatusTeapot)
			return true
		},
		SignIn: func() []string { return nil }, Sessions: "http://*.localhost:8081", Logger: slog.New(slog.DiscardHandler),
	}
}

// write adds entries, or changes those with the same external ids.
func (w *world) write(entries ...catalog.Entry) {
	w.t.Helper()
	if err := w.store.Import(w.t.Context(), entries); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) get(path string, headers ...string) (status int, document string, header http.Header) {
	w.t.Helper()
	answer := pagetest.Get(w.t, w, path, headers...)
	return answer.Code, answer.Body.String(), answer.Header()
}

// document returns the document at a path.
func (w *world) document(path string) string {
	w.t.Helper()
	_, document, _ := w.get(path)
	return document
}

func (w *world) entry(externalID string) catalog.Entry {
	w.t.Helper()
	id, err := w.store.IDByExternalID(w.t.Context(), externalID)
	if err != nil {
		w.t.Fatal(err)
	}
	found, err := w.store.Load(w.t.Context(), []string{id})
	if err != nil || len(found) != 1 {
		w.t.Fatalf("%v %v", found, err)
	}
	return found[0]
}
