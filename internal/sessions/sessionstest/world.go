// Package sessionstest has what tests of all rooms of sessions share: a database with people and projects, an engine whose
// machine tests control, and servers on both.
package sessionstest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/runnable"
	"cairn/internal/sessions/sizes"
	"cairn/internal/sessions/wiring"
)

// Public is the origin of the page.
const Public = "http://127.0.0.1:8080"

// The forms of addresses of the session origin.
const (
	HostForm   = "http://{kind}-{id}.localhost:8081"
	SecureForm = "https://{kind}-{id}.run.example.org"
	PathForm   = "https://run.example.org/{kind}/{id}/"
)

// Clock stands still until it is moved.
type Clock struct{ microseconds atomic.Int64 }

// NewClock returns a clock at noon of a day in March.
func NewClock() *Clock {
	c := &Clock{}
	c.microseconds.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

// Now returns the time.
func (c *Clock) Now() time.Time { return time.UnixMicro(c.microseconds.Load()).UTC() }

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) { c.microseconds.Add(d.Microseconds()) }

// World is a database with people and projects, an engine's machine, and a server on both.
type World struct {
	T        *testing.T
	Clock    *Clock
	Accounts *identity.Store
	Store    *sessions.Store
	Database *sqldb.DB
	Machine  *fake.Store
	Upstream *Upstream // the server of every session
	Options  wiring.Options
	Server   *Server

	People           *identity.Service
	Entries          *projects.Service
	Ann, Bob, Newbie identity.Caller   // Newbie isn't enabled
	Projects         map[string]string // id by name; all but bob's belong to Ann
	Catalog          *catalog.Store
	Found            *catalog.Service
	ID               func(externalID string) string // of an entry
}

// Server is the sessions of one process.
type Server struct {
	*wiring.Sessions
	*sessions.Service
}

// Routes registers the operations of all rooms.
func (s *Server) Routes(api *httpapi.API) { s.Sessions.Routes(api) }

// Pass has the reconciler look once at the sessions of the first engine.
func (s *Server) Pass(ctx context.Context) error {
	return s.Reconciler.Pass(ctx, s.Engines.All[0].Name)
}

// LocalSources has every dataset but the one that is missing.
type LocalSources struct{}

// RepositoryPath implements sessions.Sources.
func (LocalSources) RepositoryPath(string) string { return "" }

// DatasetPath implements sessions.Sources.
func (LocalSources) DatasetPath(address string) (string, error) {
	if address == "missing" {
		return "", errors.New("it isn't on this server")
	}
	return "/srv/" + address, nil
}

// PackedDataset implements sessions.Sources.
func (LocalSources) PackedDataset(context.Context, string, string) (string, engine.RemoteFile, bool) {
	return "", engine.RemoteFile{}, false
}

// ValuesNotebook takes two values.
const ValuesNotebook = `{"cells":[{"cell_type":"code","execution_count":null,"id":"values","metadata":{"tags":["parameters"]},"outputs":[],` +
	`"source":["rate = 0.5  # per day\n","name = 'north'"]},{"cell_type":"code","execution_count":null,"id":"show","metadata":{},"outputs":[],` +
	`"source":["print(name, rate)"]}],"metadata":{"kernelspec":{"display_name":"Python 3","language":"python","name":"python3"}},"nbformat":4,"nbformat_minor":5}`

// KnownNotebooks are the notebooks of the tests.
type KnownNotebooks struct{}

// Latest implements sessions.Notebooks.
func (KnownNotebooks) Latest(ctx context.Context, address string) ([]byte, error) {
	content, err := KnownNotebooks{}.Source(ctx, address)
	return append(content, '\n'), err // by this, tests tell it from Source
}

// Source implements sessions.Notebooks.
func (KnownNotebooks) Source(_ context.Context, address string) ([]byte, error) {
	switch {
	case strings.HasSuffix(address, "absent.ipynb"):
		return nil, fault.New(fault.NotFound, "There is no notebook at its address.")
	case strings.HasSuffix(address, "values.ipynb"):
		return []byte(ValuesNotebook), nil
	case strings.HasSuffix(address, "r.ipynb"):
		return []byte(`{"metadata":{"kernelspec":{"name":"ir","language":"R"}}}`), nil
	}
	return []byte(`{"metadata":{"kernelspec":{"name":"python3","language":"python"}}}`), nil
}

// New returns a world on SQLite.
func New(t *testing.T) *World {
	t.Helper()
	c := NewClock()
	return NewOn(t, sqldbtest.SQLite(t, c.Now), c)
}

// Each runs a test on both databases.
func Each(t *testing.T, test func(t *testing.T, w *World)) {
	t.Helper()
	c := NewClock()
	sqldbtest.EachAt(t, c.Now, func(t *testing.T, db *sqldb.DB) {
		c.microseconds.Store(NewClock().microseconds.Load())
		test(t, NewOn(t, db, c))
	})
}

// NewOn returns a world on an empty database.
func NewOn(t *testing.T, db *sqldb.DB, c *Clock) *World {
	t.Helper()
	w := &World{T: t, Clock: c, Database: db, Store: sessions.NewStore(db), Accounts: identity.NewStore(db)}
	w.People = identity.NewService(w.Accounts, nil, identity.Policy{Auto: true, Hosts: []string{"ann@example.org"}})
	w.Enable("newbie@example.org", false)
	w.Ann, w.Bob, w.Newbie = w.Person("ann"), w.Person("bob"), w.Person("newbie")

	w.addProjects(db)
	w.Upstream = &Upstream{}
	w.Machine = fake.NewStore(nil, func(string) http.Handler { return w.Upstream }, c.Now)
	w.Options = wiring.Options{
		Limit: 3, Address: AddressOf(t, HostForm), Public: Public,
		Resolver: &sessions.Resolver{Entries: w.Found, Versions: w.Found.Versions(), Projects: w.Entries, Notebooks: KnownNotebooks{}, Sources: LocalSources{}},
		Now:      c.Now, Logger: slog.New(slog.DiscardHandler), Product: func() string { return "Cairn" },
		Timing: wiring.Timing{Grant: -1, Jobs: time.Minute}, // tests that change the database behind a server's back want to see that at once
	}
	w.Options.Engines.Contact = "help@example.org"
	w.Server = w.NewService()
	w.Store = w.Server.Store
	return w
}

// NewAt is New with another template of session addresses, and the reconciler at work.
func NewAt(t *testing.T, form string) *World {
	t.Helper()
	w := New(t)
	w.Options.Address = AddressOf(t, form)
	w.Server = w.NewService()
	w.Run(w.Server)
	return w
}

// NewService opens a server as a new process would, with an engine on the machine.
func (w *World) NewService() *Server {
	w.Options.Engines.All = []sizes.Engine{{Engine: fake.New(w.Machine), Name: "local", Label: "This server", Local: true}}
	return w.Open(w.Options)
}

// Open opens a server with these options.
func (w *World) Open(options wiring.Options) *Server {
	opened := wiring.New(w.Database, w.People, options)
	return &Server{Sessions: opened, Service: opened.Service}
}

// AddressOf parses a template of addresses.
func AddressOf(t *testing.T, text string) origin.AddressTemplate {
	t.Helper()
	parsed, err := origin.ParseAddressTemplate(text, "127.0.0.1:8080")
	Check(t, err)
	return parsed
}

// Enable decides whether somebody may start sessions.
func (w *World) Enable(email string, enabled bool) {
	w.T.Helper()
	Check(w.T, w.Accounts.Decide(w.T.Context(), []identity.Grant{{Email: email, Enabled: enabled, Role: identity.RoleUser}}, false))
}

// Person returns somebody who has signed in.
func (w *World) Person(name string) identity.Caller {
	w.T.Helper()
	account, err := w.Accounts.See(w.T.Context(), "https://id.example.org", name, name+"@example.org", name)
	Check(w.T, err)
	caller, err := w.People.Account(w.T.Context(), account.ID)
	Check(w.T, err)
	caller.Login = name + "'s laptop"
	return caller
}

func (w *World) addProjects(db *sqldb.DB) {
	w.T.Helper()
	ctx := w.T.Context()
	entries := catalog.NewStore(db)
	w.Catalog = entries
	w.AddEntries(
		catalog.Entry{ExternalID: "tools", Type: catalog.Repository, RepositoryURL: "https://github.com/example/tools.git"},
		catalog.Entry{ExternalID: "spikes", Type: catalog.Dataset, DatasetURL: "a/spikes"},
		catalog.Entry{ExternalID: "more", Type: catalog.Dataset, DatasetURL: "b/spikes"},
		catalog.Entry{ExternalID: "missing", Type: catalog.Dataset, DatasetURL: "missing"},
		catalog.Entry{ExternalID: "secret", Type: catalog.Dataset, DatasetURL: "secret", Privacy: catalog.PrivacyPrivate},
	)
	id := func(externalID string) string {
		found, err := entries.IDByExternalID(ctx, externalID)
		Check(w.T, err)
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
	w.ID = id
	store := projects.NewStore(db)
	Check(w.T, store.Import(ctx, []projects.Draft{
		draft("notes", "ann", false, "spikes", "more"),
		draft("bare", "ann", false),
		draft("shared", "ann", true, "spikes"),
		draft("hidden part", "ann", false, "secret"),
		draft("lost data", "ann", false, "missing"),
		draft("bob's", "bob", false),
	}))
	presence := catalog.Link{Add: func(r *catalog.Resource, _ catalog.Reader) { r.DataMissing = r.DatasetURL == "missing" }}
	shipped := fstest.MapFS{"first.ipynb": {Data: []byte("{}")}}
	runs := &runnable.Rules{Notebooks: shipped, Unfit: func(needs *catalog.Needs, reader catalog.Reader) string {
		return sizes.Unfit(w.Server.Engines.All, needs, reader)
	}}
	service := catalog.NewService(ctx, entries, catalog.Options{Logger: slog.New(slog.DiscardHandler), Links: []catalog.Link{presence, runs.Link()}})
	w.Entries, w.Found = projects.NewService(store, service), service
	w.Projects = map[string]string{}
	for _, owner := range []string{"ann@example.org", "bob@example.org"} {
		rows, err := store.OwnedBy(ctx, owner)
		Check(w.T, err)
		for _, row := range rows {
			w.Projects[row.Name] = row.ID
		}
	}
}

// AddEntries adds entries of bob's, or changes those with the same ExternalID.
func (w *World) AddEntries(added ...catalog.Entry) {
	w.T.Helper()
	for i := range added {
		added[i].Name, added[i].Authors = "Entry "+added[i].ExternalID, []string{"bob@example.org"}
		if added[i].Privacy == "" {
			added[i].Privacy = catalog.PrivacyPublic
		}
	}
	Check(w.T, w.Catalog.Import(w.T.Context(), added))
}

// As is the context of a call by somebody.
func (w *World) As(caller identity.Caller) context.Context {
	return identity.With(w.T.Context(), caller)
}

// Run lets a server follow the feed and reconcile until the test ends or the returned function stops it, as a kill would.
func (w *World) Run(server *Server) (kill func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.T.Context()))
	feed := sqldb.NewFeed(w.Database, w.Options.Logger)
	server.Follow(feed)
	var working sync.WaitGroup
	working.Go(func() { feed.Run(ctx) })
	working.Go(func() { server.Run(ctx) })
	kill = func() { cancel(); working.Wait() }
	w.T.Cleanup(kill)
	return kill
}

// Start creates a session of ann's from "notes".
func (w *World) Start(name string) sessions.Session {
	w.T.Helper()
	session, err := w.Server.Start(w.As(w.Ann), w.Projects["notes"], name, "", "", "")
	Check(w.T, err)
	return session
}

// Row is a session as it is stored.
func (w *World) Row(id string) sessions.Session {
	w.T.Helper()
	found, err := w.Store.ByID(w.T.Context(), id)
	Check(w.T, err)
	if len(found) != 1 {
		w.T.Fatalf("session %s: %d rows, want one", id, len(found))
	}
	return found[0]
}

// Only is the id of ann's only session.
func (w *World) Only() string {
	w.T.Helper()
	list, err := w.Server.List(w.As(w.Ann), sessions.Filter{})
	Check(w.T, err)
	if len(list) != 1 {
		w.T.Fatalf("%d sessions, want one", len(list))
	}
	return list[0].ID
}

// WaitFor waits until a session is in a state.
func (w *World) WaitFor(id string, status sessions.Status) sessions.Session {
	w.T.Helper()
	var session sessions.Session
	Eventually(w.T, "the session is "+string(status), func() bool {
		session = w.Row(id)
		return session.Status == status
	})
	return session
}

// Running creates a session that runs, with the reconciler at work.
func (w *World) Running(name string) sessions.Session {
	w.T.Helper()
	session := w.Start(name)
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	return w.WaitFor(session.ID, sessions.Running)
}

// Reconciled creates a session that runs, without a reconciler at work.
func (w *World) Reconciled(name string) sessions.Session {
	w.T.Helper()
	session := w.Start(name)
	Check(w.T, w.Server.Pass(w.T.Context()))
	w.Machine.Ready(session.ID)
	Check(w.T, w.Server.Pass(w.T.Context()))
	return w.WaitFor(session.ID, sessions.Running)
}

// Launched waits until the engine was asked for the session's launch and that is written down.
func (w *World) Launched(id string) {
	w.T.Helper()
	Eventually(w.T, "the session is launched", func() bool { return !w.Row(id).LaunchedAt.IsZero() })
}

// Phase returns the engine's report on the session; "" if it doesn't know it.
func (w *World) Phase(id string) engine.Phase {
	w.T.Helper()
	status, err := w.Server.Engines.All[0].Status(w.T.Context(), id)
	if fault.KindOf(err) == fault.NotFound {
		return ""
	}
	Check(w.T, err)
	return status.Phase
}

// Check ends the test if there is an error.
func Check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// WantKind ends the test unless an error is of a kind.
func WantKind(t *testing.T, err error, kind fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Fatalf("got error %v (kind %d), want kind %d", err, fault.KindOf(err), kind)
	}
}

// Eventually waits for a condition. Thirty real servers of a hub may take more than a minute to start.
func Eventually(t *testing.T, what string, condition func() bool) {
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
