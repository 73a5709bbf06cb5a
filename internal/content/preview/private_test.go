package preview_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/content/cite"
	"cairn/internal/content/preview"
	"cairn/internal/entries/audience"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/hosttest"
	"cairn/internal/entries/contribute"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

const (
	ada   = catalogtest.Ada
	bob   = catalogtest.Bob
	carl  = "carl@example.org"
	dora  = "dora@example.org" // has no connection
	named = "Whale songs"
)

const descriptor = `project:
  name: Whale songs
  description: Recordings of humpbacks, not yet published.
  authors: [ada@example.org]
  tags: [secretspecies]
  privacy: PUBLIC
`

// connected are the tokens of people by their e-mail addresses.
type connected struct {
	w *privateWorld

	mu     sync.Mutex
	tokens map[string]string // by account; protected by mu
}

func (c *connected) Token(_ context.Context, accountID, _ string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if token, ok := c.tokens[accountID]; ok {
		return token, nil
	}
	return "", fault.New(fault.NotConnected, "Connect first.")
}

func (c *connected) Refused(context.Context, string, string, string) {}

type privateWorld struct {
	*catalogtest.World

	stand    *hosttest.StandIn
	readers  *audience.Audience
	hosts    *codehost.Hosts
	people   *connected
	projects *projects.Service

	mu  sync.Mutex
	now time.Time
}

func (w *privateWorld) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *privateWorld) pass(time time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(time)
}

func newPrivateWorld(t *testing.T) *privateWorld {
	t.Helper()
	w := &privateWorld{World: catalogtest.New(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("A public one", catalogtest.Tagged("open"))), now: time.Now()}
	w.stand = hosttest.StartGitea(t, []hosttest.Repository{
		{Name: "lab/whales", ID: 77, Private: true, Files: map[string]string{"cairn.yml": descriptor, "README.md": "# Unheardof words\n"}},
	})
	options := w.stand.Options(t, w.Now)
	w.hosts = codehost.NewHosts(map[string]codehost.Host{"codeberg.org": codehost.NewGitea(options)}, nil)
	w.people = &connected{w: w, tokens: map[string]string{}}
	err := w.hosts.Connect(map[string]codehost.PrivateHost{"codeberg.org": {
		Connection: "forgejo", Login: func(token string) gitclient.Login { return codehost.LoginOf("forgejo", token) },
		Open: func(account, token string, refused func()) codehost.Host {
			with := options
			with.Account, with.Token, with.Refused = account, token, refused
			return codehost.NewGitea(with)
		},
	}}, w.people)
	if err != nil {
		t.Fatal(err)
	}
	w.readers = audience.New(audience.Options{
		Hosts: w.hosts, Recheck: func(codehost.Repository) time.Duration { return 5 * time.Minute }, Now: w.Now, Logger: slog.New(slog.DiscardHandler),
	})
	w.Serve(catalog.NewService(t.Context(), w.Store, catalog.Options{Logger: slog.New(slog.DiscardHandler), Readers: w.readers}))
	w.projects = projects.NewService(projects.NewStore(w.DB), w.Service)
	w.Mount(contribute.NewService(contribute.Dependencies{
		Entries: w.Service, Hosts: w.hosts, DescriptorNames: []string{"cairn.yml"}, IsFrame: func(string, string) bool { return false },
	}), preview.NewFiles(w.Service, w.hosts, nil, cite.Catalog{}), w.projects)
	for person, email := range map[string]string{"ada": ada, "bob": bob, "carl": carl} {
		caller, _ := identity.From(w.As(email))
		w.people.tokens[caller.AccountID] = "token-of-" + person
	}
	w.let("ada", true)
	w.let("carl", true)
	w.let("bob", false)
	return w
}

// let says whether the host shows the repository to somebody.
func (w *privateWorld) let(person string, in bool) {
	one := hosttest.Person{Login: person, Token: "token-of-" + person}
	if in {
		one.Reads = []string{"lab/whales"}
	}
	w.stand.SetPerson(one)
}

const address = "https://codeberg.org/lab/whales"

// add adds the private repository as Ada, and returns its id.
func (w *privateWorld) add() string {
	w.T.Helper()
	var pulled contribute.Descriptor
	w.Ask(ada, http.MethodGet, "/codehost/descriptor?githubUrl="+address, http.StatusOK, &pulled)
	if pulled.Audience != catalog.AudienceHost || pulled.Privacy != catalog.PrivacyPrivate || len(pulled.Missing) != 0 {
		w.T.Errorf("pulled %+v", pulled)
	}
	var added struct{ Resource catalog.Resource }
	w.Send(ada, http.MethodPost, "/resources/repository?githubUrl="+address, `{"name":"Whale songs","privacy":"PRIVATE"}`, http.StatusCreated, &added)
	if r := added.Resource; r.Privacy != catalog.PrivacyPrivate || r.Audience != catalog.AudienceHost || r.RepositoryURL != address {
		w.T.Errorf("added %+v", r)
	}
	return added.Resource.ID
}

// finds reports whether lists, searches, tags and counts have the entry for somebody; they must agree.
func (w *privateWorld) finds(email string) bool {
	w.T.Helper()
	page := w.Find(email, catalog.Query{Facets: true})
	listed := strings.Contains(catalogtest.Names(page.Resources), named)
	answers := map[string]bool{"counted": page.Total == 2, "in the facet of types": page.Facets.Types[catalog.Repository] == 1}
	for name, query := range map[string]catalog.Query{
		"found by its name": {Text: "whale"}, "found by a word": {Text: "humpbacks"}, "found by its tag": {Tags: []string{"secretspecies"}},
		"found by a field": {Text: "tag:secretspecies"}, "found by its author": {Text: "author:ada whale"}, "found with a typing error": {Text: "humpbakcs"},
	} {
		answers[name] = strings.Contains(catalogtest.Names(w.Find(email, query).Resources), named)
	}
	tags, err := w.Tags(w.As(email))
	if err != nil {
		w.T.Fatal(err)
	}
	answers["among the tags"] = slices.ContainsFunc(tags, func(one catalog.TagCount) bool { return one.Value == "secretspecies" })
	answers["in the facet of tags"] = slices.ContainsFunc(page.Facets.Tags, func(one catalog.TagFacet) bool { return one.Value == "secretspecies" })
	var landing catalog.ResourcePage
	w.Ask(email, http.MethodGet, "/resources/landing", http.StatusOK, &landing)
	answers["counted on the landing page"] = landing.TotalElements == 2
	for name, is := range answers {
		if is != listed {
			w.T.Errorf("%q: %s is %v, listed is %v", email, name, is, listed)
		}
	}
	return listed
}

func (w *privateWorld) wantEntry(email, id string, status int) (body string) {
	w.T.Helper()
	answer := w.Call(email, http.MethodGet, httpapi.Base+"/resources/public/"+id, "")
	if answer.Code != status {
		w.T.Errorf("%q: %d, want %d: %s", email, answer.Code, status, answer.Body)
	}
	return answer.Body.String()
}

func TestPrivateRepositoriesAreShownToThoseWhoReadThemAtTheirHost(t *testing.T) {
	t.Parallel()
	w := newPrivateWorld(t)
	id := w.add()
	if !w.finds(ada) {
		t.Error("its author doesn't find it")
	}
	for _, email := range []string{"", bob, carl, dora} {
		if w.finds(email) {
			t.Errorf("%q finds it", email)
		}
	}
	for _, email := range []string{"", bob, dora} {
		if body := w.wantEntry(email, id, http.StatusNotFound); strings.Contains(strings.ToLower(body), "whale") {
			t.Errorf("%q reads %s", email, body)
		}
		for _, path := range []string{"/files", "/file?path=README.md", "/citation"} {
			answer := w.Call(email, http.MethodGet, httpapi.Base+"/resources/public/"+id+path, "")
			if answer.Code != http.StatusNotFound {
				t.Errorf("%q: %s: %d %s", email, path, answer.Code, answer.Body)
			}
		}
	}
	w.wantEntry(carl, id, http.StatusOK)
	if !w.finds(carl) {
		t.Error("Carl, who has just opened it, doesn't find it")
	}
	w.pass(5*time.Minute + time.Second)
	if w.finds(carl) {
		t.Error("Carl finds it by an answer that is older than five minutes")
	}
	if !w.finds(ada) {
		t.Error("its author doesn't find it after five minutes")
	}
	for _, email := range []string{ada, carl} {
		var text preview.Text
		w.Ask(email, http.MethodGet, "/resources/public/"+id+"/file?path=README.md", http.StatusOK, &text)
		if !strings.Contains(text.Text, "Unheardof") {
			t.Errorf("%q reads %+v", email, text)
		}
	}
	if found := w.Find(ada, catalog.Query{Text: "unheardof"}); found.Total != 0 {
		t.Error("the words of a private file are in the index, which doesn't know who reads them")
	}
	var shown catalog.Resource
	w.Ask(carl, http.MethodGet, "/resources/public/"+id, http.StatusOK, &shown)
	if *shown.CanDelete || *shown.CanSync || shown.CoverURL != "" {
		t.Errorf("Carl may %+v", shown)
	}
}

func TestAccessEndsWithinFiveMinutes(t *testing.T) {
	t.Parallel()
	w := newPrivateWorld(t)
	id := w.add()
	w.wantEntry(carl, id, http.StatusOK)
	w.let("carl", false)
	w.let("ada", false)
	w.pass(5*time.Minute + time.Second)
	w.wantEntry(carl, id, http.StatusNotFound)
	var closed catalog.Resource
	w.Ask(ada, http.MethodGet, "/resources/public/"+id, http.StatusOK, &closed)
	if closed.Closed == nil || closed.Closed.Code != "not_found" || closed.Name != named || closed.Description != "" || len(closed.Tags) != 0 || closed.RepositoryURL != "" || !*closed.CanDelete || *closed.CanSync {
		t.Errorf("its author sees %+v, closed: %+v", closed, closed.Closed)
	}
	page := w.Find(ada, catalog.Query{Facets: true})
	at := slices.IndexFunc(page.Resources, func(r catalog.Resource) bool { return r.ID == id })
	if page.Total != 2 || at < 0 || page.Resources[at].Closed == nil || page.Resources[at].Description != "" || len(page.Facets.Tags) != 1 {
		t.Errorf("lists of its author have %+v", page)
	}
	for _, query := range []catalog.Query{{Text: "whale"}, {Text: "humpbacks"}, {Tags: []string{"secretspecies"}}, {Text: "tag:secretspecies"}} {
		if found := w.Find(ada, query); strings.Contains(catalogtest.Names(found.Resources), named) {
			t.Errorf("%+v finds %s", query, catalogtest.Names(found.Resources))
		}
	}
	if tags, err := w.Tags(w.As(ada)); err != nil || len(tags) != 1 {
		t.Errorf("tags: %+v %v", tags, err)
	}
	for _, path := range []string{"/files", "/file?path=README.md"} {
		w.Ask(ada, http.MethodGet, "/resources/public/"+id+path, http.StatusNotFound, nil)
	}
	w.Send(ada, http.MethodPatch, "/resources/repository", fmt.Sprintf(`{"id":%q}`, id), http.StatusNotFound, nil)
	w.Send(ada, http.MethodPatch, "/resources/"+id, `{"updatedAt":"2026-01-01T00:00:00Z","name":"x"}`, http.StatusNotFound, nil)
	w.Ask(ada, http.MethodDelete, "/resources/"+id+"/authors/me", http.StatusNotFound, nil)
	w.Ask(bob, http.MethodDelete, "/resources/"+id, http.StatusNotFound, nil)
	w.Ask(ada, http.MethodDelete, "/resources/"+id, http.StatusOK, nil)
	w.Ask(ada, http.MethodGet, "/resources/public/"+id, http.StatusNotFound, nil)
}

func TestAHostThatCannotBeAskedHidesEntries(t *testing.T) {
	t.Parallel()
	w := newPrivateWorld(t)
	id := w.add()
	w.wantEntry(carl, id, http.StatusOK)
	w.stand.Disturb(func(answer http.ResponseWriter, _ *http.Request) bool {
		answer.WriteHeader(http.StatusBadGateway)
		return true
	})
	w.wantEntry(carl, id, http.StatusOK) // by an answer that is new enough
	w.pass(5*time.Minute + time.Second)
	if body := w.wantEntry(carl, id, http.StatusServiceUnavailable); !strings.Contains(body, "codehost_unavailable") || strings.Contains(body, named) {
		t.Errorf("Carl reads %s", body)
	}
	w.wantEntry(dora, id, http.StatusNotFound)
	w.wantEntry("", id, http.StatusNotFound)
	if w.finds(carl) {
		t.Error("Carl finds it")
	}
	var closed catalog.Resource
	w.Ask(ada, http.MethodGet, "/resources/public/"+id, http.StatusOK, &closed)
	if closed.Closed == nil || closed.Closed.Code != fault.CodehostUnavailable {
		t.Errorf("its author sees %+v", closed.Closed)
	}
	w.stand.Disturb(nil)
	w.pass(time.Minute)
	w.wantEntry(carl, id, http.StatusOK)
}

func TestSomebodyElsesRepositoryOfTheSameNameOpensNothing(t *testing.T) {
	t.Parallel()
	w := newPrivateWorld(t)
	id := w.add()
	w.stand.Change("lab/whales", func(r *hosttest.Repository) { r.ID = 78 })
	w.pass(6 * time.Minute)
	w.wantEntry(carl, id, http.StatusNotFound)
	var closed catalog.Resource
	w.Ask(ada, http.MethodGet, "/resources/public/"+id, http.StatusOK, &closed)
	if closed.Closed == nil || !strings.Contains(closed.Closed.Reason, "different repository") {
		t.Errorf("its author sees %+v", closed.Closed)
	}
}

func TestPeopleWithOtherRightsWhoAskAtOnceAreNotMixedUp(t *testing.T) {
	t.Parallel()
	w := newPrivateWorld(t)
	id := w.add()
	w.Handler()
	path := httpapi.Base + "/resources/public/" + id
	tag := w.Call(ada, http.MethodGet, path, "").Header().Get("ETag")
	var group sync.WaitGroup
	for i := range 40 {
		email := []string{ada, bob, carl, "", dora}[i%5]
		group.Go(func() {
			want := http.StatusNotFound
			if email == ada || email == carl {
				want = http.StatusOK
			}
			headers := []string{}
			if email != ada && email != carl {
				headers = []string{"If-None-Match", tag}
			}
			if answer := w.Call(email, http.MethodGet, path+"/files", "", headers...); answer.Code != want {
				t.Errorf("%q: files: %d %s", email, answer.Code, answer.Body)
			}
			if answer := w.Call(email, http.MethodGet, path, "", headers...); answer.Code != want {
				t.Errorf("%q: %d %s", email, answer.Code, answer.Body)
			}
		})
	}
	group.Wait()
}

func TestPublishing(t *testing.T) {
	t.Parallel()
	w := newPrivateWorld(t)
	id := w.add()
	if r := w.Entry(ada, id); r.Publishable {
		t.Error("a private repository is offered to be published")
	}
	w.stand.Change("lab/whales", func(r *hosttest.Repository) { r.Private = false })
	w.pass(6 * time.Minute)
	if r := w.Entry(ada, id); !r.Publishable || r.Privacy != catalog.PrivacyPrivate {
		t.Errorf("once it is public: %+v", r)
	}
	if r := w.Entry(carl, id); r.Publishable {
		t.Error("it is offered to somebody who isn't an author")
	}
	w.wantEntry("", id, http.StatusNotFound)
	w.Send(ada, http.MethodPatch, "/resources/repository", fmt.Sprintf(`{"id":%q}`, id), http.StatusConflict, nil)
	var synced catalog.Resource
	w.Send(ada, http.MethodPatch, "/resources/repository", fmt.Sprintf(`{"id":%q,"privacy":"PUBLIC"}`, id), http.StatusOK, &synced)
	if synced.Privacy != catalog.PrivacyPublic || synced.Audience != "" {
		t.Errorf("published: %+v", synced)
	}
	w.wantEntry("", id, http.StatusOK)
	if !w.finds("") {
		t.Error("it isn't found")
	}
}

func TestProjectsOfPrivateRepositories(t *testing.T) {
	t.Parallel()
	w := newPrivateWorld(t)
	id := w.add()
	for email, want := range map[string]bool{ada: true, carl: true, bob: false, dora: false} {
		caller, _ := identity.From(w.As(email))
		readable, err := w.projects.Readable(t.Context(), caller.AccountID, email, []string{id})
		if err != nil || readable[id] != want {
			t.Errorf("%q: %v %v", email, readable, err)
		}
	}
	w.SignIn = func(caller identity.Caller) identity.Caller { caller.Enabled = true; return caller }
	var project projects.Project
	w.Send(ada, http.MethodPost, "/projects", fmt.Sprintf(`{"name":"Songs","repositoryId":%q}`, id), http.StatusCreated, &project)
	w.SignIn = func(caller identity.Caller) identity.Caller { caller.Disabled = true; return caller }
	w.Ask(ada, http.MethodGet, "/projects/public/"+project.ID, http.StatusOK, &project)
	if project.Available || project.RepositoryResource.Name == named {
		t.Errorf("a disabled account sees %+v", project)
	}
	w.SignIn = func(caller identity.Caller) identity.Caller { caller.Enabled = true; return caller }
	w.let("ada", false)
	w.pass(6 * time.Minute)
	w.Ask(ada, http.MethodGet, "/projects/public/"+project.ID, http.StatusOK, &project)
	if project.Available || project.RepositoryResource.Name == named {
		t.Errorf("a project whose repository isn't shown any more: %+v", project)
	}
}

func TestRepositoriesThatCannotBeReadAreNotAdded(t *testing.T) {
	t.Parallel()
	w := newPrivateWorld(t)
	for _, email := range []string{bob, dora} {
		var refused struct{ Code string }
		answer := w.Call(email, http.MethodGet, httpapi.Base+"/codehost/descriptor?githubUrl="+address, "")
		if answer.Code != http.StatusNotFound || strings.Contains(answer.Body.String(), "umpback") {
			t.Errorf("%q: %d %s %+v", email, answer.Code, answer.Body, refused)
		}
	}
	id := w.add()
	w.Send(carl, http.MethodPost, "/resources/repository?githubUrl="+address, `{"privacy":"PRIVATE"}`, http.StatusForbidden, nil) // Carl isn't one of its authors
	var again struct{ Code, Link string }
	w.Send(ada, http.MethodPost, "/resources/repository?githubUrl="+address, `{"privacy":"PRIVATE"}`, http.StatusConflict, &again)
	if again.Code != "entry_exists" || !strings.HasSuffix(again.Link, id) {
		t.Errorf("added twice: %+v", again)
	}
}
