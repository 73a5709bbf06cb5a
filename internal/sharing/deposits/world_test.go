package deposits_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/archives/archivestest"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/secrets"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/connections"
	"cairn/internal/people/identity"
	"cairn/internal/sharing/deposits"
	"cairn/internal/sharing/fair"
)

const (
	ada    = catalogtest.Ada
	bob    = catalogtest.Bob
	eve    = "eve@example.org"
	public = "https://cairn.example.org"
)

// clock is a clock that tests put forward.
type clock struct {
	mu  sync.Mutex
	now time.Time // protected by mu
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(time time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time)
}

// life is that of a server, which may be killed at an event: before or after the archive or the database does something.
type life struct {
	mu     sync.Mutex
	killAt int  // protected by mu; 0: never
	events int  // protected by mu
	dead   bool // protected by mu
	end    func()
}

var errDead = errors.New("the server was killed")

func (l *life) event() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.events++; l.events == l.killAt {
		l.dead = true
		l.end()
	}
	return l.check()
}

// check returns errDead after the end. l.mu must be held.
func (l *life) check() error {
	if l.dead {
		return errDead
	}
	return nil
}

func (l *life) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = true
	l.end()
}

func (l *life) isDead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead
}

// mortal is a database as a server sees it that may be killed.
type mortal struct {
	*sqldb.DB

	life *life
}

func (m mortal) Write(ctx context.Context, fn func(tx *sqldb.Tx) error) error {
	if m.life.isDead() {
		return errDead
	}
	if err := m.DB.Write(ctx, fn); err != nil {
		return err
	}
	return m.life.event()
}

type mortalNotes struct {
	deposits.Notes

	life *life
}

func (m mortalNotes) SetVersionDOI(ctx context.Context, id string, number int, doi string) (catalog.Changes, error) {
	changes, err := m.Notes.SetVersionDOI(ctx, id, number, doi)
	return changes, errors.Join(err, m.life.event())
}

type mortalEntries struct {
	deposits.Entries

	life *life
}

func (m mortalEntries) Update(ctx context.Context, entry catalog.Entry, seen time.Time) (catalog.Resource, error) {
	changed, err := m.Entries.Update(ctx, entry, seen)
	return changed, errors.Join(err, m.life.event())
}

// describer stands for fair.Service.
type describer struct{}

func (describer) Record(_ context.Context, r catalog.Entry) fair.Record {
	one := fair.Record{ID: r.ID, Type: r.Type, Name: r.Name, License: fair.License{Expression: r.License}, Source: r.RepositoryURL, Relations: r.RelatedIdentifiers, Run: r.LastRun}
	for _, person := range r.People {
		made := fair.Person{Name: person.Name, ORCID: person.ORCID}
		if person.Affiliation != nil {
			made.Affiliation.Name = person.Affiliation.Name
		}
		one.People = append(one.People, made)
	}
	for _, tag := range r.Tags {
		one.Keywords = append(one.Keywords, tag.Value)
	}
	one.Publisher.Name = "Hill University"
	return one
}

func (describer) Crate(record fair.Record) ([]byte, error) { return json.Marshal(record) }

// world is a catalog with deposits at an archive.
type world struct {
	*catalogtest.World
	*clock

	stand   *archivestest.Archive
	all     *archivestest.Server
	name    string // of the archive
	people  *connections.Connections
	folders map[string]string // of kept files, by their address
	server  *deposits.Service // the one that runs now
	options deposits.Options
	temp    string
	log     *bytes.Buffer

	mu   sync.Mutex
	life *life // of the server that runs now; protected by mu
	ctx  context.Context
}

// each runs a test with each kind of archive.
func each(t *testing.T, run func(w *world)) {
	t.Helper()
	t.Parallel()
	for _, kind := range []archives.Kind{archives.KindZenodo, archives.KindInvenioRDM} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			clock := newClock()
			run(newWorld(t, sqldbtest.SQLite(t, clock.Now), clock, kind))
		})
	}
}

func newWorld(t *testing.T, db *sqldb.DB, clock *clock, kind archives.Kind) *world {
	t.Helper()
	w := &world{World: catalogtest.New(t, db), clock: clock, all: archivestest.New(t), folders: map[string]string{}, temp: t.TempDir(), log: &bytes.Buffer{}}
	w.SignIn = func(caller identity.Caller) identity.Caller {
		caller.Enabled = true
		return caller
	}
	if w.stand = w.all.Zenodo; kind == archives.KindInvenioRDM {
		w.stand = w.all.InvenioRDM
	}
	proxy := httptest.NewServer(http.HandlerFunc(w.forward))
	t.Cleanup(proxy.Close)
	known := w.stand.Archive()
	w.name, known.URL = known.Name, proxy.URL
	client := archives.New(known, archivestest.Client())
	keys, err := secrets.OpenOrMake(filepath.Join(t.TempDir(), "key"))
	w.must(err)
	logger := slog.New(slog.NewTextHandler(w.log, nil))
	w.people, err = connections.New(connections.NewStore(db), connections.Options{
		Keys: keys, Now: w.Now, Logger: logger, Hosts: []connections.Host{{Service: client, Name: known.Name, Label: known.Label, Kind: string(known.Kind), URL: known.URL}},
	})
	w.must(err)
	accounts := identity.NewStore(db)
	w.options = deposits.Options{
		Entries: w.Service, Versions: w.Versions(), Notes: w.Store, Tokens: w.people, Archives: []*archives.Client{client}, Describe: describer{},
		Files: w.files, Public: public, Folder: w.temp, Now: w.Now, Logger: logger,
		Callers: func(ctx context.Context, id string) (identity.Caller, error) {
			account, err := accounts.Account(ctx, id)
			return identity.Caller{AccountID: account.ID, Email: account.Email, Enabled: true}, err
		},
	}
	w.start(0)
	return w
}

// forward passes a call on to the archive, unless the server is killed before, or before it has the answer.
func (w *world) forward(to http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	life := w.life
	w.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil || life.event() != nil {
		panic(http.ErrAbortHandler)
	}
	request, err := http.NewRequestWithContext(w.T.Context(), r.Method, w.stand.URL()+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	request.Header = r.Header.Clone()
	transport := &http.Transport{DisableKeepAlives: true}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || life.event() != nil {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(to.Header(), answer.Header)
	to.WriteHeader(answer.StatusCode)
	_, _ = to.Write(text)
}

// start starts another server, which is killed at an event; 0: never.
func (w *world) start(killAt int) {
	ctx, end := context.WithCancel(w.T.Context())
	life := &life{killAt: killAt, end: end}
	w.T.Cleanup(end)
	options := w.options
	options.Notes, options.Entries = mortalNotes{options.Notes, life}, mortalEntries{options.Entries, life}
	w.mu.Lock()
	w.life, w.ctx = life, ctx
	w.mu.Unlock()
	w.server = deposits.New(deposits.NewStore(mortal{w.DB, life}), options)
	w.Mount(w.server)
}

func (w *world) must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// wantCode checks the code of an error.
func (w *world) wantCode(err error, want fault.Class) {
	w.T.Helper()
	if got := fault.CodeOf(err); got != fault.New(want, "x").Code {
		w.T.Errorf("got %s, %v", got, err)
	}
}

// files finds kept files as kept.Files does.
func (w *world) files(_ context.Context, r catalog.Entry) (path string, ok bool, err error) {
	kept, ok := r.Kept()
	if !ok {
		return "", false, nil
	}
	path, ok = w.folders[kept.String()]
	if !ok {
		return "", true, errors.New("the files of " + kept.String() + " are gone")
	}
	return path, true, nil
}

// write writes files into a new folder.
func (w *world) write(files map[string]string) string {
	w.T.Helper()
	folder := w.T.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		w.must(os.MkdirAll(filepath.Dir(path), 0o700))
		w.must(os.WriteFile(path, []byte(text), 0o600))
	}
	return folder
}

// addKept adds a dataset of Ada's whose files are kept here, and returns its id.
func (w *world) addKept(files map[string]string, changes ...func(*catalog.Entry)) string {
	w.T.Helper()
	id := sqldb.NewID()
	r := catalogtest.Entry("Rocks & waves", changes...)
	address := catalog.Kept{ID: id, Number: 1}.String()
	r.ID, r.ExternalID, r.DatasetURL, r.License = id, "", address, "CC-BY-4.0"
	r.Description = "About **rocks**. Ask ada@example.org.\n\n<script>x</script>"
	r.People = []catalog.Credit{{Name: "Ada de Lovelace", ORCID: "0000-0002-1825-0097", Affiliation: &catalog.Organization{Name: "Sea Institute"}}}
	r.Tags = []catalog.Tag{{Value: "waves"}}
	r.RelatedIdentifiers = []catalog.RelatedIdentifier{{Identifier: "10.1234/paper", Type: "DOI", Relation: "IsSupplementTo"}}
	r.Normalize()
	w.folders[address] = w.write(files)
	_, err := w.Versions().Create(w.As(ada), r, catalog.NewVersion{Stored: "1", Files: len(files)})
	w.must(err)
	return id
}

// renew makes other files the next version of an entry.
func (w *world) renew(id string, number int, files map[string]string) {
	w.T.Helper()
	r := w.entry(id)
	address := catalog.Kept{ID: id, Number: number}.String()
	r.DatasetURL = address
	w.folders[address] = w.write(files)
	_, err := w.Versions().Renew(w.As(ada), r, r.UpdatedAt, catalog.NewVersion{Stored: fmt.Sprint(number), Files: len(files)})
	w.must(err)
}

func (w *world) entry(id string) catalog.Entry {
	w.T.Helper()
	found, err := w.LoadAny(w.T.Context(), []string{id})
	if err != nil || len(found) != 1 {
		w.T.Fatal(found, err)
	}
	return found[0]
}

// connect connects somebody's account with the archive.
func (w *world) connect(email string) {
	w.T.Helper()
	_, err := w.people.AddToken(w.As(email), w.name, archivestest.Token)
	w.must(err)
	_, err = w.people.Keep(w.As(email), w.name)
	w.must(err)
}

// begin deposits the latest version of an entry as Ada.
func (w *world) begin(id string) deposits.Deposit {
	w.T.Helper()
	begun, err := w.server.Begin(w.As(ada), id, w.name, 0)
	w.must(err)
	return begun
}

func (w *world) get(id, deposit string) deposits.Deposit {
	w.T.Helper()
	found, err := w.server.Get(w.As(ada), id, deposit)
	w.must(err)
	return found
}

// settle lets servers work until a deposit waits for a person. A server that is killed is replaced.
func (w *world) settle(id, deposit string) deposits.Deposit {
	w.T.Helper()
	for range 100 {
		if w.life.isDead() {
			w.start(0)
		}
		_, _ = w.server.WorkOnce(w.ctx) // that it was killed isn't a fault of the test
		if w.life.isDead() {
			w.start(0)
		}
		if found := w.get(id, deposit); found.State != deposits.Uploading && found.State != deposits.Publishing {
			return found
		}
		w.pass(70 * time.Second)
	}
	w.T.Fatalf("it doesn't settle: %+v %s", w.get(id, deposit), w.log)
	return deposits.Deposit{}
}

// deposit deposits the latest version of an entry and publishes it.
func (w *world) deposit(id string) deposits.Deposit {
	w.T.Helper()
	draft := w.settle(id, w.begin(id).ID)
	if draft.State != deposits.Draft {
		w.T.Fatalf("%+v %+v %s", draft, draft.Problem, w.log)
	}
	_, err := w.server.Publish(w.As(ada), id, draft.ID)
	w.must(err)
	done := w.settle(id, draft.ID)
	if done.State != deposits.Published {
		w.T.Fatalf("%+v %+v %s", done, done.Problem, w.log)
	}
	return done
}

// names are the names of the files in a deposit at the archive, with their first characters.
func names(of archivestest.Deposit) string {
	var all []string
	for name, content := range of.Files {
		all = append(all, name+"="+string(content[:min(len(content), 5)]))
	}
	return strings.Join(sorted(all), " ")
}
