package projects_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

const (
	ada = "ada@example.org"
	bob = "bob@example.org"
)

// world is a catalog with two repositories and two datasets of Ada, and projects with them.
type world struct {
	t       *testing.T
	store   *projects.Store
	service *projects.Service
	entries *catalog.Service
	lines   *catalog.Store
}

func newWorld(t *testing.T, db *sqldb.DB) *world {
	t.Helper()
	w := &world{t: t, store: projects.NewStore(db), lines: catalog.NewStore(db)}
	w.entry("code", catalog.PrivacyPublic)
	w.entry("spikes", catalog.PrivacyPublic)
	w.entry("images", catalog.PrivacyPublic)
	w.entries = catalog.NewService(t.Context(), w.lines, catalog.Options{Logger: slog.New(slog.DiscardHandler)})
	w.service = projects.NewService(w.store, w.entries)
	return w
}

// entry creates or changes an entry of Ada: "code" is the repository, others are datasets.
func (w *world) entry(name string, privacy catalog.Privacy) {
	w.t.Helper()
	r := catalog.Entry{
		ExternalID: name, Name: name, Type: catalog.Dataset, DatasetURL: "hush-" + name, Description: "hush", Privacy: privacy,
		Authors: []string{ada}, Tags: []catalog.Tag{{Value: "hush"}},
	}
	if name == "code" {
		r.Type, r.DatasetURL, r.RepositoryURL = catalog.Repository, "", "https://github.com/hush/code"
	}
	if err := w.lines.Import(w.t.Context(), []catalog.Entry{r}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) id(name string) string {
	w.t.Helper()
	id, err := w.lines.IDByExternalID(w.t.Context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// project creates a project of the repository and datasets.
func (w *world) project(name, owner string, published bool, datasets ...string) {
	w.t.Helper()
	draft := projects.Draft{ExternalID: name, Name: name, OwnerEmail: owner, RepositoryID: w.id("code"), Published: published}
	for _, dataset := range datasets {
		draft.DatasetIDs = append(draft.DatasetIDs, w.id(dataset))
	}
	if err := w.store.Import(w.t.Context(), []projects.Draft{draft}); err != nil {
		w.t.Fatal(err)
	}
}

func as(email string) context.Context {
	if email == "" {
		return context.Background()
	}
	return identity.With(context.Background(), identity.Caller{AccountID: "1", Email: email})
}

// ask calls the projects' operations as somebody.
func (w *world) ask(email, path string, status int) string {
	w.t.Helper()
	return w.send(email, http.MethodGet, path, "", status)
}

// send is ask with a method and a body.
func (w *world) send(email, method, path, body string, status int) string {
	w.t.Helper()
	api := httpapi.New(httpapi.Options{
		Version: "1", Logger: slog.New(slog.DiscardHandler),
		Authenticate: func(*http.Request, bool) (context.Context, error) { return as(email), nil },
		SignedIn:     func(ctx context.Context) bool { _, ok := identity.From(ctx); return ok },
	})
	w.service.Routes(api)
	answer := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(w.t.Context(), method, httpapi.Base+path, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	api.Handler().ServeHTTP(answer, request)
	if answer.Code != status {
		w.t.Fatalf("%s as %q: %d, want %d: %s", path, email, answer.Code, status, answer.Body)
	}
	return answer.Body.String()
}

func names(t *testing.T, answer string) string {
	t.Helper()
	var list []projects.Project
	if err := json.Unmarshal([]byte(answer), &list); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	var result []string
	for _, one := range list {
		result = append(result, one.Name)
	}
	return strings.Join(result, ", ")
}

func TestProjectsOfOneself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	w.project("older", ada, false, "spikes")
	w.project("newer", ada, true)
	w.project("of Bob", bob, true)
	for _, path := range []string{"/projects", "/projects/", "/projects/ada%40example.org", "/projects/ADA@Example.org/"} {
		if got := names(t, w.ask(ada, path, http.StatusOK)); got != "newer, older" {
			t.Errorf("%s: %q, want Ada's, newest first", path, got)
		}
	}
	w.ask(bob, "/projects/"+ada, http.StatusForbidden)
	w.ask("", "/projects/"+ada, http.StatusUnauthorized)
	w.ask("", "/projects", http.StatusUnauthorized)
	if answer := w.ask("eve@example.org", "/projects", http.StatusOK); answer != "[]\n" {
		t.Errorf("without projects: %q", answer)
	}
}

// Names of projects are private: others' are shown only when published.
func TestProjectsOfAnEntry(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		w.project("ada private", ada, false, "spikes")
		w.project("ada published", ada, true, "images")
		w.project("bob private", bob, false, "spikes", "images")
		for _, c := range []struct{ email, entry, want string }{
			{"", "code", "ada published"},
			{"eve@example.org", "code", "ada published"},
			{ada, "code", "ada published, ada private"},
			{bob, "code", "bob private, ada published"},
			{"", "spikes", ""},
			{ada, "spikes", "ada private"},
			{bob, "images", "bob private, ada published"},
		} {
			if got := names(t, w.ask(c.email, "/resources/public/"+w.id(c.entry)+"/projects", http.StatusOK)); got != c.want {
				t.Errorf("%s for %q: %q, want %q", c.entry, c.email, got, c.want)
			}
		}
		w.ask(ada, "/resources/public/"+sqldb.NewID()+"/projects", http.StatusNotFound)
		w.ask(ada, "/resources/public/%00/projects", http.StatusNotFound)
		w.entry("spikes", catalog.PrivacyPrivate)
		w.ask(bob, "/resources/public/"+w.id("spikes")+"/projects", http.StatusNotFound)
	})
}

// The entries of a project say what the entries' own pages say to the same reader.
func TestEntriesOfAProjectAreReadAsElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	made, err := w.lines.Create(t.Context(), catalog.Entry{
		Type: catalog.Repository, Name: "Added", RepositoryURL: "https://github.com/hush/added", Privacy: catalog.PrivacyPublic,
		AddedBy: "carl@example.org", People: []catalog.Credit{{Name: "Dan", Email: "dan@example.org"}}, Authors: []string{"dan@example.org"},
	})
	if err != nil {
		t.Fatal(err)
	}
	draft := projects.Draft{ExternalID: "p", Name: "p", OwnerEmail: ada, RepositoryID: made.IDs[0], Published: true}
	if err := w.store.Import(t.Context(), []projects.Draft{draft}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ reader, addedBy, email string }{
		{"", "", ""}, {bob, "", "dan@example.org"}, {"dan@example.org", "carl@example.org", "dan@example.org"},
	} {
		var list []projects.Project
		if err := json.Unmarshal([]byte(w.ask(c.reader, "/resources/public/"+made.IDs[0]+"/projects", http.StatusOK)), &list); err != nil {
			t.Fatal(err)
		}
		if got := list[0].RepositoryResource; got.AddedBy != c.addedBy || len(got.People) != 1 || got.People[0].Email != c.email {
			t.Errorf("as %q: added by %q, people %+v", c.reader, got.AddedBy, got.People)
		}
	}
}

func TestWhoGetsAProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	w.project("private", ada, false, "spikes")
	w.project("published", ada, true, "images", "spikes")
	own, err := w.service.Own(as(ada), ada)
	if err != nil || len(own) != 2 {
		t.Fatalf("%v, %v", own, err)
	}
	published, private := own[0], own[1]
	if len(published.DatasetResources) != 2 || published.DatasetResources[0].Name != "images" || !published.Available {
		t.Errorf("got %+v, want its datasets in their order", published)
	}
	for _, c := range []struct {
		email, id string
		found     bool
	}{
		{ada, private.ID, true},
		{bob, private.ID, false},
		{"", private.ID, false},
		{ada, published.ID, true},
		{bob, published.ID, true},
		{"", published.ID, true},
		{ada, sqldb.NewID(), false},
		{ada, "\x00", false},
		{ada, "", false},
	} {
		_, err := w.service.Get(as(c.email), c.id)
		if (err == nil) != c.found || (err != nil && fault.KindOf(err) != fault.NotFound) {
			t.Errorf("%q gets %q: %v, want found %v", c.email, c.id, err, c.found)
		}
	}
	if answer := w.ask("", "/projects/public/"+published.ID, http.StatusOK); !strings.Contains(answer, published.ID) {
		t.Errorf("a stranger gets %s", answer)
	}
	w.ask(bob, "/projects/public/"+private.ID, http.StatusNotFound)
}

// CVE-2023-32321: what is hidden elsewhere was shown inside of another object.
func TestPartsThatAreHiddenLeakNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	w.project("mixed", bob, true, "spikes", "images")
	w.entry("spikes", catalog.PrivacyPrivate)
	if err := w.entries.Delete(as(ada), w.id("code")); err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{bob, ada, ""} {
		answer := w.ask(email, "/resources/public/"+w.id("images")+"/projects", http.StatusOK)
		var list []projects.Project
		if err := json.Unmarshal([]byte(answer), &list); err != nil || len(list) != 1 {
			t.Fatalf("%v: %s", err, answer)
		}
		got := list[0]
		if got.Available || got.RepositoryResource.ID != w.id("code") {
			t.Errorf("%q: %+v", email, got)
		}
		parts := []catalog.Resource{got.RepositoryResource}
		if email != ada {
			parts = append(parts, got.DatasetResources[0])
		}
		for _, part := range parts {
			text, err := json.Marshal(part)
			if err != nil || part.Name != "Not available" || strings.Contains(string(text), "hush") || strings.Contains(string(text), ada) {
				t.Errorf("%q sees %s (%v)", email, text, err)
			}
			part.ID, part.Type = parts[0].ID, parts[0].Type
			if same, _ := json.Marshal(part); string(same) != mustJSON(t, parts[0]) {
				t.Errorf("deleted and private ones differ: %s and %s", same, mustJSON(t, parts[0]))
			}
		}
		if images := got.DatasetResources[1]; images.Name != "images" {
			t.Errorf("%q: the dataset that is still public is %+v", email, images)
		}
	}
}

func mustJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestImportUpdatesAProject(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		w.project("p", ada, false, "spikes", "images")
		before, err := w.service.Own(as(ada), ada)
		if err != nil {
			t.Fatal(err)
		}
		w.project("p", ada, true, "images")
		after, err := w.service.Own(as(ada), ada)
		if err != nil || len(after) != 1 || after[0].ID != before[0].ID || !after[0].Published || len(after[0].DatasetResources) != 1 {
			t.Errorf("got %+v, %v", after, err)
		}
	})
}

func TestDraftRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		draft projects.Draft
		want  string
	}{
		{projects.Draft{Name: "名前", OwnerEmail: ada}, ""},
		{projects.Draft{Name: "", OwnerEmail: ada}, "name"},
		{projects.Draft{Name: strings.Repeat("x", 201), OwnerEmail: ada}, "name"},
		{projects.Draft{Name: "a\x00", OwnerEmail: "nobody"}, "name ownerId"},
	} {
		var locations []string
		for _, field := range c.draft.Check() {
			locations = append(locations, field.Location)
		}
		if got := strings.Join(locations, " "); got != c.want {
			t.Errorf("%+v: faults at %q, want %q", c.draft, got, c.want)
		}
	}
}

func TestDeletingAProject(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		w.project("private", ada, false, "spikes")
		w.project("published", ada, true, "spikes")
		own, err := w.service.Own(as(ada), ada)
		if err != nil || len(own) != 2 {
			t.Fatalf("%v, %v", own, err)
		}
		published, private := own[0].ID, own[1].ID
		for _, c := range []struct {
			email, id string
			want      fault.Kind
		}{
			{bob, private, fault.NotFound},
			{bob, published, fault.Forbidden},
			{"", published, fault.Forbidden},
			{ada, sqldb.NewID(), fault.NotFound},
			{ada, "\x00", fault.NotFound},
		} {
			if err := w.service.Delete(as(c.email), c.id); err == nil || fault.KindOf(err) != c.want {
				t.Errorf("%q deletes %q: %v, want kind %d", c.email, c.id, err, c.want)
			}
		}
		for _, id := range []string{private, published} {
			if err := w.service.Delete(as(ada), id); err != nil {
				t.Fatal(err)
			}
			if err := w.service.Delete(as(ada), id); fault.KindOf(err) != fault.NotFound {
				t.Errorf("deleted twice: %v", err)
			}
		}
		if got := names(t, w.ask(ada, "/projects", http.StatusOK)); got != "" {
			t.Errorf("Ada still has %q", got)
		}
		if got := names(t, w.ask("", "/resources/public/"+w.id("code")+"/projects", http.StatusOK)); got != "" {
			t.Errorf("its entry still shows %q", got)
		}
		w.project("published", ada, true, "spikes")
		if got := names(t, w.ask(ada, "/projects", http.StatusOK)); got != "" {
			t.Errorf("an import brought %q back", got)
		}
	})
}

func TestAnEntrySaysHowManyProjectsTheCallerSees(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		service := catalog.NewService(t.Context(), w.lines, catalog.Options{Logger: slog.New(slog.DiscardHandler), UsedBy: w.store.CountUsing})
		w.project("published", ada, true, "spikes")
		w.project("own", ada, false, "spikes")
		w.project("other", bob, false)
		for _, one := range []struct {
			email, entry string
			want         int
		}{{"", "code", 1}, {ada, "code", 2}, {bob, "code", 2}, {bob, "spikes", 1}, {ada, "images", 0}} {
			entry, err := service.Detail(as(one.email), w.id(one.entry))
			if err != nil || entry.UsedBy != one.want {
				t.Errorf("%s for %q: %d, %v, want %d", one.entry, one.email, entry.UsedBy, err, one.want)
			}
		}
	})
}
