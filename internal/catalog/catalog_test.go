package catalog_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"cairn/internal/catalog"
	"cairn/internal/fault"
	"cairn/internal/httpapi"
	"cairn/internal/identity"
	"cairn/internal/sqldb"
)

const (
	ada = "ada@example.org"
	bob = "bob@example.org"
)

// world is a catalog on a database of its own.
type world struct {
	t       testing.TB
	db      *sqldb.DB
	store   *catalog.Store
	service *catalog.Service

	routing  sync.Mutex
	routes   http.Handler
	routesOf *catalog.Service
}

func newWorld(t testing.TB, db *sqldb.DB, entries ...catalog.Resource) *world {
	t.Helper()
	w := &world{t: t, db: db, store: catalog.NewStore(db)}
	w.importEntries(entries...)
	w.service = w.newService()
	return w
}

func (w *world) newService() *catalog.Service {
	w.t.Helper()
	service := catalog.NewService(w.t.Context(), w.store, catalog.Options{
		Logger: slog.New(slog.DiscardHandler), DescriptorNames: []string{"cairn.yml", "cybershuttle.yml"},
	})
	w.t.Cleanup(func() { _ = service.Close() })
	return service
}

func (w *world) importEntries(entries ...catalog.Resource) {
	w.t.Helper()
	for i := range entries {
		entries[i].Normalize()
		if faults := entries[i].Check(); len(faults) > 0 {
			w.t.Fatalf("%s: %v", entries[i].Name, faults)
		}
	}
	if err := w.store.Import(w.t.Context(), entries); err != nil {
		w.t.Fatal(err)
	}
}

// id gives the id of the entry that was made with a name.
func (w *world) id(name string) string {
	w.t.Helper()
	id, err := w.store.IDByExternalID(w.t.Context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// as signs somebody in; "" stays anonymous.
func (w *world) as(email string) context.Context {
	w.t.Helper()
	if email == "" {
		return w.t.Context()
	}
	account, err := identity.NewStore(w.db).See(w.t.Context(), "https://idp.example.org", email, email, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return identity.With(w.t.Context(), identity.Caller{AccountID: account.ID, Email: email})
}

func (w *world) search(email string, query catalog.Query) catalog.Page {
	w.t.Helper()
	if query.Limit == 0 {
		query.Limit = 100
	}
	page, err := w.service.Search(w.as(email), query, false)
	if err != nil {
		w.t.Fatal(err)
	}
	return page
}

func names(resources []catalog.Resource) string {
	var result []string
	for _, r := range resources {
		result = append(result, r.Name)
	}
	return strings.Join(result, ", ")
}

// entry makes a public dataset by Ada; its name is its external id too. Changes adjust it.
func entry(name string, changes ...func(*catalog.Resource)) catalog.Resource {
	r := catalog.Resource{
		ExternalID: name, Name: name, Type: catalog.Dataset, Privacy: catalog.PrivacyPublic, Authors: []string{ada}, DatasetURL: "spikes",
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func private(r *catalog.Resource) { r.Privacy = catalog.PrivacyPrivate }

func by(emails ...string) func(*catalog.Resource) {
	return func(r *catalog.Resource) { r.Authors = emails }
}

func tagged(values ...string) func(*catalog.Resource) {
	return func(r *catalog.Resource) {
		for _, value := range values {
			r.Tags = append(r.Tags, catalog.Tag{Value: value})
		}
	}
}

func about(text string) func(*catalog.Resource) {
	return func(r *catalog.Resource) { r.Description = text }
}

func repository(address string) func(*catalog.Resource) {
	return func(r *catalog.Resource) { r.Type, r.DatasetURL, r.RepositoryURL = catalog.Repository, "", address }
}

func notebook(r *catalog.Resource) {
	r.Type, r.DatasetURL, r.NotebookPath = catalog.Notebook, "", "bundled:a.ipynb"
}

// handler serves the catalog's calls; the token "Bearer EMAIL" signs in.
func (w *world) handler() http.Handler {
	w.routing.Lock()
	defer w.routing.Unlock()
	if w.routesOf == w.service {
		return w.routes
	}
	w.routesOf = w.service
	w.routes = w.handlerFor(func(r *http.Request, email string) (context.Context, error) {
		if !identity.ValidEmail(email) {
			return r.Context(), fault.New(fault.Unauthenticated, "no")
		}
		return w.as(email), nil
	})
	return w.routes
}

func (w *world) handlerFor(signIn func(r *http.Request, email string) (context.Context, error)) http.Handler {
	api := httpapi.New(httpapi.Options{
		Version: "1", Logger: slog.New(slog.DiscardHandler),
		Authenticate: func(r *http.Request, _ bool) (context.Context, error) {
			email, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if !ok {
				return r.Context(), nil
			}
			return signIn(r, email)
		},
		SignedIn: func(ctx context.Context) bool { _, ok := identity.From(ctx); return ok },
	})
	w.service.Routes(api)
	return api.Handler()
}

// ask calls the catalog as somebody and reads the answer into result unless that is nil.
func (w *world) ask(email, method, path string, status int, result any) {
	w.t.Helper()
	w.send(email, method, path, "", status, result)
}

// send is ask with a body.
func (w *world) send(email, method, path, body string, status int, result any) {
	w.t.Helper()
	request := httptest.NewRequestWithContext(w.t.Context(), method, httpapi.Base+path, strings.NewReader(body))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if email != "" {
		request.Header.Set("Authorization", "Bearer "+email)
	}
	answer := httptest.NewRecorder()
	w.handler().ServeHTTP(answer, request)
	if answer.Code != status {
		w.t.Fatalf("%s %s as %q: %d, want %d: %s", method, path, email, answer.Code, status, answer.Body)
	}
	if result != nil {
		if err := json.Unmarshal(answer.Body.Bytes(), result); err != nil {
			w.t.Fatalf("%v: %s", err, answer.Body)
		}
	}
}
