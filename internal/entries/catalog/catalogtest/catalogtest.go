// Package catalogtest helps to test the catalog and the features around it: a catalog on a database, and people who
// call it.
package catalogtest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
)

// Two people who sign in. Entries are Ada's unless set otherwise.
const (
	Ada = "ada@example.org"
	Bob = "bob@example.org"
)

// Feature registers operations.
type Feature interface{ Routes(api *httpapi.API) }

// World is a catalog on a separate database. Open and Serve replace the service.
type World struct {
	*catalog.Service

	T      testing.TB
	SignIn func(identity.Caller) identity.Caller // what somebody who signs in may do; nil: nothing special
	DB     *sqldb.DB
	Store  *catalog.Store

	features []Feature
	mu       sync.Mutex
	handler  http.Handler // nil until needed, and after Open or Mount
}

// New returns a world with these entries.
func New(t testing.TB, db *sqldb.DB, entries ...catalog.Entry) *World {
	t.Helper()
	w := &World{T: t, DB: db, Store: catalog.NewStore(db)}
	w.Import(entries...)
	w.Open()
	return w
}

// Open creates a new service, like a server that starts on the same database.
func (w *World) Open(links ...catalog.Link) {
	w.T.Helper()
	service := catalog.NewService(w.T.Context(), w.Store, catalog.Options{Logger: slog.New(slog.DiscardHandler), Links: links})
	w.Serve(service)
}

// Serve replaces the service.
func (w *World) Serve(service *catalog.Service) {
	w.T.Cleanup(func() { _ = service.Close() })
	w.Service, w.handler = service, nil
}

// Mount sets the features that are served beside the catalog.
func (w *World) Mount(features ...Feature) { w.features, w.handler = features, nil }

// Import writes entries by their external ids.
func (w *World) Import(entries ...catalog.Entry) {
	w.T.Helper()
	for i := range entries {
		entries[i].Normalize()
		if faults := entries[i].Check(); len(faults) > 0 {
			w.T.Fatalf("%s: %v", entries[i].Name, faults)
		}
	}
	if err := w.Store.Import(w.T.Context(), entries); err != nil {
		w.T.Fatal(err)
	}
}

// ID returns the id of the entry created with a name.
func (w *World) ID(name string) string {
	w.T.Helper()
	id, err := w.Store.IDByExternalID(w.T.Context(), name)
	if err != nil {
		w.T.Fatal(err)
	}
	return id
}

// As signs somebody in; "" stays anonymous.
func (w *World) As(email string) context.Context {
	w.T.Helper()
	if email == "" {
		return w.T.Context()
	}
	account, err := identity.NewStore(w.DB).See(w.T.Context(), "https://idp.example.org", email, email, "")
	if err != nil {
		w.T.Fatal(err)
	}
	caller := identity.Caller{AccountID: account.ID, Email: email}
	if w.SignIn != nil {
		caller = w.SignIn(caller)
	}
	return identity.With(w.T.Context(), caller)
}

// Handler serves the calls; the token "Bearer EMAIL" signs in.
func (w *World) Handler() http.Handler {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.handler == nil {
		w.handler = w.HandlerFor(func(r *http.Request, email string) (context.Context, error) {
			if !identity.ValidEmail(email) {
				return r.Context(), fault.New(fault.Unauthenticated, "no")
			}
			return w.As(email), nil
		})
	}
	return w.handler
}

// HandlerFor is Handler with another way to sign in.
func (w *World) HandlerFor(signIn func(r *http.Request, email string) (context.Context, error)) http.Handler {
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
	w.Routes(api)
	for _, feature := range w.features {
		feature.Routes(api)
	}
	return api.Handler()
}

// Ask calls an operation as somebody and reads the answer into result unless that is nil.
func (w *World) Ask(email, method, path string, status int, result any) {
	w.T.Helper()
	w.Send(email, method, path, "", status, result)
}

// Send is Ask with a body.
func (w *World) Send(email, method, path, body string, status int, result any) {
	w.T.Helper()
	answer := w.Call(email, method, httpapi.Base+path, body)
	if answer.Code != status {
		w.T.Fatalf("%s %s as %q: %d, want %d: %s", method, path, email, answer.Code, status, answer.Body)
	}
	if result != nil {
		if err := json.Unmarshal(answer.Body.Bytes(), result); err != nil {
			w.T.Fatalf("%v: %s", err, answer.Body)
		}
	}
}

// Entry requests one entry as somebody.
func (w *World) Entry(email, id string) catalog.Resource {
	w.T.Helper()
	var entry catalog.Resource
	w.Ask(email, http.MethodGet, "/resources/public/"+id, http.StatusOK, &entry)
	return entry
}

// Find searches as somebody; without a limit, 100 entries at most.
func (w *World) Find(email string, query catalog.Query) catalog.Page {
	w.T.Helper()
	if query.Limit == 0 {
		query.Limit = 100
	}
	page, err := w.Search(w.As(email), query, false)
	if err != nil {
		w.T.Fatal(err)
	}
	return page
}

// Names lists the names of entries.
func Names(entries []catalog.Resource) string {
	var names []string
	for _, r := range entries {
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}

// Call sends a request to a whole address as somebody; headers are pairs of name and value.
func (w *World) Call(email, method, address, body string, headers ...string) *httptest.ResponseRecorder {
	w.T.Helper()
	request := httptest.NewRequestWithContext(w.T.Context(), method, address, strings.NewReader(body))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if email != "" {
		request.Header.Set("Authorization", "Bearer "+email)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	w.Handler().ServeHTTP(answer, request)
	return answer
}

// HostileTexts may be sent in any parameter.
var HostileTexts = []string{
	"", "DATASET", "a,b", "0", "-1", "1e9", "99999999999999999999", "\x00", "\xff\xfe", "a\x00b", "\xc3\x28", "' OR 1=1 --", `\`, `\,`, "%", "_", "%00",
	"\u202e\u0000", "../../etc/passwd", "${jndi:ldap://x}", "<script>", "ﷺ", strings.Repeat("a ", 2000), strings.Repeat("\u0301", 500), "\U0010ffff",
}

// Entry creates a public dataset by Ada whose name is also its external id. Changes adjust it.
func Entry(name string, changes ...func(*catalog.Entry)) catalog.Entry {
	r := catalog.Entry{
		ExternalID: name, Name: name, Type: catalog.Dataset, Privacy: catalog.PrivacyPublic, Authors: []string{Ada}, DatasetURL: "spikes",
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

// Private makes an entry private.
func Private(r *catalog.Entry) { r.Privacy = catalog.PrivacyPrivate }

// By sets the authors.
func By(emails ...string) func(*catalog.Entry) {
	return func(r *catalog.Entry) { r.Authors = emails }
}

// Tagged adds tags.
func Tagged(values ...string) func(*catalog.Entry) {
	return func(r *catalog.Entry) {
		for _, value := range values {
			r.Tags = append(r.Tags, catalog.Tag{Value: value})
		}
	}
}

// About sets the description.
func About(text string) func(*catalog.Entry) {
	return func(r *catalog.Entry) { r.Description = text }
}

// Pictured sets the header image.
func Pictured(address string) func(*catalog.Entry) {
	return func(r *catalog.Entry) { r.HeaderImage = address }
}

// Repository turns an entry into the repository at an address.
func Repository(address string) func(*catalog.Entry) {
	return func(r *catalog.Entry) { r.Type, r.DatasetURL, r.RepositoryURL = catalog.Repository, "", address }
}

// Notebook turns an entry into the notebook at a path.
func Notebook(path string) func(*catalog.Entry) {
	return func(r *catalog.Entry) { r.Type, r.DatasetURL, r.NotebookPath = catalog.Notebook, "", path }
}
