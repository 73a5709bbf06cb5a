package sessions

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/projects"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/runnable"
	"cairn/internal/sqldb"
	"cairn/internal/sqldb/sqldbtest"
)

const (
	public     = "http://127.0.0.1:8080"
	hostForm   = "http://{kind}-{id}.localhost:8081"
	secureForm = "https://{kind}-{id}.run.example.org"
	pathForm   = "https://run.example.org/{kind}/{id}/"
)

// clock stands still until it is moved.
type clock struct{ microseconds atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.microseconds.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

func (c *clock) Now() time.Time          { return time.UnixMicro(c.microseconds.Load()).UTC() }
func (c *clock) advance(d time.Duration) { c.microseconds.Add(d.Microseconds()) }

// world is a database with people and projects, an engine's machine, and a service on both.
type world struct {
	t        *testing.T
	clock    *clock
	accounts *identity.Store
	store    *Store
	machine  *fake.Store
	upstream *upstream // the server of every session
	options  Options
	service  *Service

	people           *identity.Service
	entries          *projects.Service
	ann, bob, newbie identity.Caller   // newbie isn't enabled
	projects         map[string]string // id by name; all but bob's belong to ann
	catalog          *catalog.Store
	found            *catalog.Service
	id               func(externalID string) string // of an entry
}

// localSources has every dataset but the one that is missing.
type localSources struct{}

func (localSources) RepositoryPath(string) string { return "" }

func (localSources) DatasetPath(address string) (string, error) {
	if address == "missing" {
		return "", errors.New("it isn't on this server")
	}
	return "/srv/" + address, nil
}

// knownNotebooks are the notebooks of the tests.
type knownNotebooks struct{}

func (knownNotebooks) Latest(ctx context.Context, address string) ([]byte, error) {
	content, err := knownNotebooks{}.Source(ctx, address)
	return append(content, '\n'), err // by this, tests tell it from Source
}

func (knownNotebooks) Source(_ context.Context, address string) ([]byte, error) {
	switch {
	case strings.HasSuffix(address, "absent.ipynb"):
		return nil, fault.New(fault.NotFound, "There is no notebook at its address.")
	case strings.HasSuffix(address, "r.ipynb"):
		return []byte(`{"metadata":{"kernelspec":{"name":"ir","language":"R"}}}`), nil
	}
	return []byte(`{"metadata":{"kernelspec":{"name":"python3","language":"python"}}}`), nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c := newClock()
	return newWorldOn(t, sqldbtest.SQLite(t, c.Now), c)
}

// eachWorld runs a test on both databases.
func eachWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	c := newClock()
	sqldbtest.EachAt(t, c.Now, func(t *testing.T, db *sqldb.DB) {
		c.microseconds.Store(newClock().microseconds.Load())
		test(t, newWorldOn(t, db, c))
	})
}

func newWorldOn(t *testing.T, db *sqldb.DB, c *clock) *world {
	t.Helper()
	w := &world{t: t, clock: c, store: NewStore(db), accounts: identity.NewStore(db)}
	w.people = identity.NewService(w.accounts, nil, identity.Policy{Auto: true})
	w.enable("newbie@example.org", false)
	w.ann, w.bob, w.newbie = w.person("ann"), w.person("bob"), w.person("newbie")

	w.addProjects(db)
	w.upstream = &upstream{}
	w.machine = fake.NewStore(nil, func(string) http.Handler { return w.upstream }, c.Now)
	w.options = Options{
		Limit: 3, Contact: "help@example.org", Address: addressOf(t, hostForm), Public: public, Sources: localSources{}, Entries: w.found, Notebooks: knownNotebooks{},
		Now: c.Now, Logger: slog.New(slog.DiscardHandler),
	}
	w.service = w.newService()
	return w
}

// newWorldAt is newWorld with another template of session addresses, and the reconciler at work.
func newWorldAt(t *testing.T, form string) *world {
	t.Helper()
	w := newWorld(t)
	w.options.Address = addressOf(t, form)
	w.service = w.newService()
	w.run(w.service)
	return w
}

// newService opens a service as a new process would.
func (w *world) newService() *Service {
	w.options.Engines = []NamedEngine{{Engine: fake.New(w.machine), Name: "local", Label: "This server", Local: true}}
	service := NewService(w.store, w.entries, w.people, w.options)
	service.passTime = 0 // tests that change the database behind its back want to see that at once
	return service
}

func addressOf(t *testing.T, text string) AddressTemplate {
	t.Helper()
	parsed, err := ParseAddressTemplate(text, "127.0.0.1:8080")
	check(t, err)
	return parsed
}

func (w *world) enable(email string, enabled bool) {
	w.t.Helper()
	check(w.t, w.accounts.Decide(w.t.Context(), []identity.Grant{{Email: email, Enabled: enabled, Role: identity.RoleUser}}, false))
}

func (w *world) person(name string) identity.Caller {
	w.t.Helper()
	account, err := w.accounts.See(w.t.Context(), "https://id.example.org", name, name+"@example.org", name)
	check(w.t, err)
	caller, err := w.people.Account(w.t.Context(), account.ID)
	check(w.t, err)
	caller.Login = name + "'s laptop"
	return caller
}

func (w *world) addProjects(db *sqldb.DB) {
	w.t.Helper()
	ctx := w.t.Context()
	entries := catalog.NewStore(db)
	w.catalog = entries
	w.addEntries(
		catalog.Resource{ExternalID: "tools", Type: catalog.Repository, RepositoryURL: "https://github.com/example/tools.git"},
		catalog.Resource{ExternalID: "spikes", Type: catalog.Dataset, DatasetURL: "a/spikes"},
		catalog.Resource{ExternalID: "more", Type: catalog.Dataset, DatasetURL: "b/spikes"},
		catalog.Resource{ExternalID: "missing", Type: catalog.Dataset, DatasetURL: "missing"},
		catalog.Resource{ExternalID: "secret", Type: catalog.Dataset, DatasetURL: "secret", Privacy: catalog.PrivacyPrivate},
	)
	id := func(externalID string) string {
		found, err := entries.IDByExternalID(ctx, externalID)
		check(w.t, err)
		return found
	}
	draft := func(name, owner string, published bool, datasets ...string) projects.Draft {
		made := projects.Draft{
			ExternalID: name, Name: name, OwnerEmail: owner + "@example.org", RepositoryID: id("tools"), Published: published,
		}
		for _, dataset := range datasets {
			made.DatasetIDs = append(made.DatasetIDs, id(dataset))
		}
		return made
	}
	w.id = id
	store := projects.NewStore(db)
	check(w.t, store.Import(ctx, []projects.Draft{
		draft("notes", "ann", false, "spikes", "more"),
		draft("bare", "ann", false),
		draft("shared", "ann", true, "spikes"),
		draft("hidden part", "ann", false, "secret"),
		draft("lost data", "ann", false, "missing"),
		draft("bob's", "bob", false),
	}))
	presence := catalog.Link{Add: func(r *catalog.Resource, _ catalog.Reader) { r.DataMissing = r.DatasetURL == "missing" }}
	runs := &runnable.Rules{Unfit: func(needs *catalog.Needs, reader catalog.Reader) string {
		return Unfit(w.service.Engines, needs, reader)
	}}
	service := catalog.NewService(ctx, entries, catalog.Options{Logger: slog.New(slog.DiscardHandler), Links: []catalog.Link{presence, runs.Link()}})
	w.entries, w.found = projects.NewService(store, service), service
	w.projects = map[string]string{}
	for _, owner := range []string{"ann@example.org", "bob@example.org"} {
		rows, err := store.OwnedBy(ctx, owner)
		check(w.t, err)
		for _, row := range rows {
			w.projects[row.Name] = row.ID
		}
	}
}

// addEntries adds entries of bob's, or changes those with the same ExternalID.
func (w *world) addEntries(added ...catalog.Resource) {
	w.t.Helper()
	for i := range added {
		added[i].Name, added[i].Authors = "Entry "+added[i].ExternalID, []string{"bob@example.org"}
		if added[i].Privacy == "" {
			added[i].Privacy = catalog.PrivacyPublic
		}
	}
	check(w.t, w.catalog.Import(w.t.Context(), added))
}

func (w *world) as(caller identity.Caller) context.Context {
	return identity.With(w.t.Context(), caller)
}

// run lets the service follow the feed and reconcile until the test ends or the returned function stops it, as a kill would.
func (w *world) run(service *Service) (kill func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	feed := sqldb.NewFeed(w.store.db, w.options.Logger)
	service.Follow(feed)
	var working sync.WaitGroup
	working.Go(func() { feed.Run(ctx) })
	working.Go(func() { service.Reconcile(ctx) })
	kill = func() { cancel(); working.Wait() }
	w.t.Cleanup(kill)
	return kill
}

// start creates a session of ann's from "notes".
func (w *world) start(name string) Session {
	w.t.Helper()
	session, err := w.service.Start(w.as(w.ann), w.projects["notes"], name, "", "", "")
	check(w.t, err)
	return session
}

// row is a session as it is stored.
func (w *world) row(id string) Session {
	w.t.Helper()
	found, err := w.store.ByID(w.t.Context(), id)
	check(w.t, err)
	if len(found) != 1 {
		w.t.Fatalf("session %s: %d rows, want one", id, len(found))
	}
	return found[0]
}

// only is the id of ann's only session.
func (w *world) only() string {
	w.t.Helper()
	list, err := w.service.List(w.as(w.ann), Filter{})
	check(w.t, err)
	if len(list) != 1 {
		w.t.Fatalf("%d sessions, want one", len(list))
	}
	return list[0].ID
}

// waitFor waits until a session is in a state.
func (w *world) waitFor(id string, status Status) Session {
	w.t.Helper()
	var session Session
	eventually(w.t, "the session is "+string(status), func() bool {
		session = w.row(id)
		return session.Status == status
	})
	return session
}

// running creates a session that runs, with the reconciler at work.
func (w *world) running(name string) Session {
	w.t.Helper()
	session := w.start(name)
	w.launched(session.ID)
	w.machine.Ready(session.ID)
	return w.waitFor(session.ID, Running)
}

// reconciled creates a session that runs, without a reconciler at work.
func (w *world) reconciled(name string) Session {
	w.t.Helper()
	session := w.start(name)
	check(w.t, w.service.reconcile(w.t.Context(), w.service.Engines[0]))
	w.machine.Ready(session.ID)
	check(w.t, w.service.reconcile(w.t.Context(), w.service.Engines[0]))
	return w.waitFor(session.ID, Running)
}

// launched waits until the engine was asked for the session's launch and that is written down.
func (w *world) launched(id string) {
	w.t.Helper()
	eventually(w.t, "the session is launched", func() bool { return !w.row(id).launchedAt.IsZero() })
}

// phase returns the engine's report on the session; "" if it doesn't know it.
func (w *world) phase(id string) engine.Phase {
	w.t.Helper()
	status, err := w.service.Engines[0].Status(w.t.Context(), id)
	if fault.KindOf(err) == fault.NotFound {
		return ""
	}
	check(w.t, err)
	return status.Phase
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t *testing.T, err error, kind fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Fatalf("got error %v (kind %d), want kind %d", err, fault.KindOf(err), kind)
	}
}

// eventually waits for a condition. Thirty real servers of a hub may take more than a minute to start.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(3 * time.Minute)
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for !condition() {
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// specOf is what an engine is asked for when the owner may read all parts.
func specOf(session Session) engine.Spec {
	readable := map[string]bool{}
	for _, id := range session.ids() {
		readable[id] = true
	}
	return session.spec(localSources{}, readable)
}
