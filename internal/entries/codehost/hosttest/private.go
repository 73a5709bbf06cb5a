package hosttest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
)

// PrivateKind is a kind of host whose private repositories are read.
type PrivateKind struct {
	Host string // of addresses
	// Start starts a stand-in, and opens it for everybody and for accounts.
	Start func(t *testing.T, repositories []Repository, now func() time.Time) (everybody codehost.Host, accounts codehost.PrivateHost, stand *StandIn)

	HasIDs      bool // repositories have ids that stay when they are renamed
	TellsTokens bool // it answers differently to a token that it rejects and to a repository that isn't there
	HidesCode   bool // a repository may answer and hide its code
	Clones      bool // it is a server of git, too
}

// people are the tokens of accounts. It is a codehost.Tokens.
type people struct {
	mu      sync.Mutex
	tokens  map[string]string // by account; protected by mu
	refused []string          // protected by mu
}

func (p *people) Token(_ context.Context, accountID, _ string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	token, ok := p.tokens[accountID]
	if !ok {
		return "", fault.New(fault.NotConnected, "not connected")
	}
	return token, nil
}

func (p *people) Refused(_ context.Context, accountID, _, token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tokens[accountID] == token {
		delete(p.tokens, accountID)
		p.refused = append(p.refused, accountID)
	}
}

// RunPrivate checks that accounts read what their host shows them, and nothing else.
func RunPrivate(t *testing.T, kind PrivateKind) {
	t.Helper()
	for name, check := range map[string]func(t *testing.T, w privateWorld){
		"an account reads what its host shows it": checkOwn, "accounts that read at once aren't mixed up": checkMixing,
		"a token that isn't taken is sent once": checkRefused, "rights that ended end here": checkEnded, "a host that is down shows nothing": checkDown,
		"code that is hidden isn't readable": checkHidden, "a clone says nothing of how it was made": checkClone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, newPrivateWorld(t, kind))
		})
	}
}

type privateWorld struct {
	PrivateKind

	hosts      *codehost.Hosts
	stand      *StandIn
	people     *people
	clock      *clock
	repository codehost.Repository
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

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

func newPrivateWorld(t *testing.T, kind PrivateKind) privateWorld {
	t.Helper()
	clock := &clock{now: time.Now()}
	everybody, accounts, stand := kind.Start(t, []Repository{
		{Name: "lab/secret", ID: 4711, Private: true, Files: map[string]string{"README.md": "# A secret", "data/a.csv": "a,b\n", "cairn.yml": "project: {}\n"}},
		{Name: "lab/open", Files: map[string]string{"README.md": "# Open"}},
	}, clock.Now)
	stand.SetPerson(Person{Login: "ada", Token: "token-of-ada", Reads: []string{"lab/secret"}})
	stand.SetPerson(Person{Login: "bob", Token: "token-of-bob"})
	w := privateWorld{
		PrivateKind: kind, hosts: codehost.NewHosts(map[string]codehost.Host{kind.Host: everybody}, nil), stand: stand, clock: clock,
		people:     &people{tokens: map[string]string{"ada": "token-of-ada", "bob": "token-of-bob"}},
		repository: codehost.Repository{Host: kind.Host, Owner: "lab", Name: "secret"},
	}
	if err := w.hosts.Connect(map[string]codehost.PrivateHost{kind.Host: accounts}, w.people); err != nil {
		t.Fatal(err)
	}
	return w
}

// read reads the README as an account; as "": as anybody.
func (w privateWorld) read(t *testing.T, account string) (string, error) {
	t.Helper()
	ctx := t.Context()
	if account != "" {
		ctx = codehost.ReadAs(ctx, account)
	}
	file, err := w.hosts.File(ctx, w.repository, "README.md", 1000)
	return string(file.Content), err
}

func (w privateWorld) want(t *testing.T, account string, kind fault.Kind) {
	t.Helper()
	if text, err := w.read(t, account); text != "" || fault.KindOf(err) != kind {
		t.Errorf("%q reads %q, %v; want %v", account, text, err, kind)
	}
	if account == "" {
		return
	}
	if about, err := w.hosts.Readable(t.Context(), account, w.repository); about.ID != "" || fault.KindOf(err) != kind {
		t.Errorf("%q may read %+v, %v; want %v", account, about, err, kind)
	}
}

func checkOwn(t *testing.T, w privateWorld) {
	w.want(t, "", fault.NotFound)
	if text, err := w.read(t, "ada"); text != "# A secret" {
		t.Fatalf("ada: %q %v", text, err)
	}
	w.want(t, "", fault.NotFound)
	w.want(t, "bob", fault.NotFound)
	w.want(t, "carl", fault.Forbidden)
	about, err := w.hosts.Readable(t.Context(), "ada", w.repository)
	if err != nil || !about.Private || w.HasIDs && about.ID != w.Host+"/4711" {
		t.Errorf("ada: %+v %v", about, err)
	}
	listing, err := w.hosts.List(codehost.ReadAs(t.Context(), "ada"), w.repository, "")
	var names []string
	for _, one := range listing.Entries {
		names = append(names, one.Name)
	}
	if err != nil || !slices.Equal(names, []string{"data", "cairn.yml", "README.md"}) {
		t.Errorf("ada lists %q: %v", names, err)
	}
	fresh, err := w.hosts.Fresh(codehost.ReadAs(t.Context(), "ada"), w.repository, []string{"cairn.yml"}, 1000)
	if err != nil || string(fresh.Content) != "project: {}\n" {
		t.Errorf("ada's descriptor: %q %v", fresh.Content, err)
	}
	if there, _, err := w.hosts.HasRef(codehost.ReadAs(t.Context(), "ada"), w.repository, "main"); err != nil || !there {
		t.Errorf("ada's branch: %v %v", there, err)
	}
	for account, kind := range map[string]fault.Kind{"": fault.NotFound, "bob": fault.NotFound, "carl": fault.Forbidden} {
		ctx := t.Context()
		if account != "" {
			ctx = codehost.ReadAs(ctx, account)
		}
		if commit, err := w.hosts.Commit(ctx, w.repository, "main"); commit != "" || fault.KindOf(err) != kind {
			t.Errorf("%q reads the commit %q: %v", account, commit, err)
		}
	}
	for _, branch := range []string{"main", ""} {
		if commit, err := w.hosts.Commit(codehost.ReadAs(t.Context(), "ada"), w.repository, branch); err != nil || len(commit) != 40 {
			t.Errorf("ada's commit of %q: %q %v", branch, commit, err)
		}
	}
	open := w.repository
	open.Name = "open"
	if about, err := w.hosts.Readable(t.Context(), "ada", open); err != nil || w.HasIDs && about.Private {
		t.Errorf("a public repository: %+v %v", about, err)
	}
}

func checkMixing(t *testing.T, w privateWorld) {
	var group sync.WaitGroup
	for i := range 24 {
		account := []string{"ada", "bob", ""}[i%3]
		group.Go(func() {
			text, err := w.read(t, account)
			if account == "ada" && text != "# A secret" || account != "ada" && (text != "" || fault.KindOf(err) != fault.NotFound) {
				t.Errorf("%q reads %q, %v", account, text, err)
			}
		})
	}
	group.Wait()
}

func checkRefused(t *testing.T, w privateWorld) {
	if !w.TellsTokens {
		w.people.tokens["ada"] = "of nobody"
		w.want(t, "ada", fault.NotFound)
		return
	}
	w.people.tokens["ada"] = "of nobody"
	w.stand.Paths()
	w.want(t, "ada", fault.Forbidden)
	if asked := len(w.stand.Paths()); asked != 1 || !slices.Equal(w.people.refused, []string{"ada"}) {
		t.Errorf("the host was asked %d times with a token that it doesn't take, and %q were refused", asked, w.people.refused)
	}
	w.want(t, "ada", fault.Forbidden)
	if asked := len(w.stand.Paths()); asked != 0 {
		t.Errorf("the host was asked %d times more", asked)
	}
}

func checkEnded(t *testing.T, w privateWorld) {
	if text, err := w.read(t, "ada"); text != "# A secret" {
		t.Fatalf("ada: %q %v", text, err)
	}
	w.stand.SetPerson(Person{Login: "ada", Token: "token-of-ada"})
	if _, err := w.hosts.Readable(t.Context(), "ada", w.repository); fault.KindOf(err) != fault.NotFound {
		t.Errorf("at once: %v", err)
	}
	w.clock.pass(6 * time.Minute)
	w.want(t, "ada", fault.NotFound)
	w.stand.SetPerson(Person{Login: "ada", Token: "token-of-ada", Reads: []string{"lab/secret"}})
	w.clock.pass(2 * time.Minute)
	if text, err := w.read(t, "ada"); text != "# A secret" {
		t.Errorf("again: %q %v", text, err)
	}
}

func checkDown(t *testing.T, w privateWorld) {
	if text, err := w.read(t, "ada"); text != "# A secret" {
		t.Fatalf("ada: %q %v", text, err)
	}
	w.stand.Disturb(func(answer http.ResponseWriter, _ *http.Request) bool {
		answer.WriteHeader(http.StatusBadGateway)
		return true
	})
	w.clock.pass(6 * time.Minute)
	w.want(t, "ada", fault.Unavailable)
}

func checkHidden(t *testing.T, w privateWorld) {
	if !w.HidesCode {
		return
	}
	w.stand.Disturb(func(answer http.ResponseWriter, r *http.Request) bool {
		isCode := slices.ContainsFunc([]string{"/repository/", "/contents", "/raw/", "/git/"}, func(part string) bool { return strings.Contains(r.URL.Path, part) })
		if isCode {
			sendJSON(answer, http.StatusForbidden, map[string]string{"message": "403 Forbidden"})
		}
		return isCode
	})
	if about, err := w.hosts.Readable(t.Context(), "ada", w.repository); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a repository without its code: %+v %v", about, err)
	}
	w.stand.Disturb(nil)
	w.stand.Change("lab/secret", func(r *Repository) { r.Files, r.Default = nil, "" }) // as GitLab shows a project to its guests
	if about, err := w.hosts.Readable(t.Context(), "ada", w.repository); err == nil {
		t.Errorf("a repository without a branch: %+v", about)
	}
}

func checkClone(t *testing.T, w privateWorld) {
	folder := t.TempDir()
	address := w.stand.URL + "/lab/secret"
	if _, err := w.hosts.CloneAs(t.Context(), "carl", w.repository, address, t.TempDir(), 1<<20); fault.CodeOf(err) != fault.NotConnected {
		t.Errorf("carl clones: %v", err)
	}
	if !w.Clones {
		return
	}
	if _, err := w.hosts.CloneAs(t.Context(), "bob", w.repository, address, t.TempDir(), 1<<20); err == nil {
		t.Error("bob clones what he can't read")
	}
	bare, err := w.hosts.CloneAs(t.Context(), "ada", w.repository, address, folder, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "/usr/bin/git", "-C", bare, "-c", "safe.directory=*", "show", "main:README.md").CombinedOutput()
	if err != nil || string(out) != "# A secret" {
		t.Errorf("the clone: %q %v", out, err)
	}
	err = filepath.WalkDir(folder, func(path string, file os.DirEntry, err error) error {
		if err != nil || !file.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, canary := range []string{"token-of-ada", w.stand.URL, "dG9rZW4tb2YtYWRh"} {
			if bytes.Contains(content, []byte(canary)) {
				err = errors.Join(err, errors.New(path+" has "+canary))
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
