package codehost_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
)

var named = codehost.Repository{Host: "github.com", Owner: "owner", Name: "name"}

// world is a client, its stand-in for GitHub, and a clock.
type world struct {
	*codehost.GitHub
	*githubtest.Server

	now     time.Time
	options codehost.Options
	log     *bytes.Buffer
}

func newWorld(t *testing.T, token string) *world {
	t.Helper()
	w := &world{Server: githubtest.Start(t), now: time.Now(), log: &bytes.Buffer{}}
	w.options = w.Options(t, token)
	w.options.Now, w.options.Logger = func() time.Time { return w.now }, slog.New(slog.NewTextHandler(w.log, nil))
	w.GitHub = codehost.NewGitHub(w.options)
	return w
}

// questions returns the paths that the stand-in was asked for since the last call.
func (w *world) questions() []string {
	var paths []string
	for _, one := range w.Requests() {
		paths = append(paths, one.Path)
	}
	return paths
}

func (w *world) put(files map[string]string) {
	w.Put(githubtest.Repository{Name: "owner/name", Files: files})
}

func names(listing codehost.Listing) string {
	var all []string
	for _, one := range listing.Entries {
		all = append(all, one.Type+" "+one.Path)
	}
	return strings.Join(all, ", ")
}

func mustList(t *testing.T, w *world, path string) codehost.Listing {
	t.Helper()
	listing, err := w.List(t.Context(), named, path)
	if err != nil {
		t.Fatalf("%q: %v", path, err)
	}
	return listing
}

func TestListShowsFoldersFirst(t *testing.T) {
	w := newWorld(t, "")
	w.put(map[string]string{"b.txt": "four", "A.md": "", "src/x/deep.py": "", "src/main.py": "12", "data/1.csv": ""})
	root := mustList(t, w, "")
	if got := names(root); got != "dir data, dir src, file A.md, file b.txt" {
		t.Error(got)
	}
	if root.Branch != "main" || root.FilesURL != "https://github.com/owner/name/blob/main/" || root.Stale || !root.AsOf.Equal(w.now) {
		t.Errorf("%+v", root)
	}
	if size := root.Entries[3].Size; size != 4 {
		t.Error(size)
	}
	if got := names(mustList(t, w, "/src/")); got != "dir src/x, file src/main.py" {
		t.Error(got)
	}
}

func TestBranchesAreMainThenMasterThenTheDefault(t *testing.T) {
	for _, one := range []struct {
		want         string
		branches     []string
		defaultsName string
	}{
		{"main", nil, "main"},
		{"main", []string{"main"}, "develop"},
		{"main", []string{"main", "master"}, "release/2"},
		{"main", []string{"main"}, "master"},
		{"master", []string{"master"}, "develop"},
		{"master", nil, "master"},
		{"release/2", nil, "release/2"},
		{"gh-pages", []string{"other"}, "gh-pages"},
	} {
		t.Run(fmt.Sprint(one.branches, one.defaultsName), func(t *testing.T) {
			w := newWorld(t, "")
			repository := githubtest.Repository{
				Name: "owner/name", Default: one.defaultsName, Branches: map[string]map[string]string{},
				Files: map[string]string{one.defaultsName: "", "cairn.yml": one.defaultsName},
			}
			for _, branch := range one.branches {
				repository.Branches[branch] = map[string]string{branch: "", "cairn.yml": branch}
			}
			w.Put(repository)
			listing := mustList(t, w, "")
			first, _, _ := strings.Cut(one.want, "/")
			if listing.Branch != one.want || !strings.Contains(names(listing), first) {
				t.Errorf("listed %s: %s", listing.Branch, names(listing))
			}
			if !strings.HasSuffix(listing.FilesURL, "/blob/"+one.want+"/") {
				t.Error(listing.FilesURL)
			}
			file, err := w.File(t.Context(), named, "cairn.yml", 100)
			if err != nil || file.Branch != one.want || string(file.Content) != one.want {
				t.Errorf("%+v %v", file, err)
			}
			file, err = w.Fresh(t.Context(), named, []string{"cairn.yml"}, 100)
			if err != nil || file.Branch != one.want || string(file.Content) != one.want {
				t.Errorf("fresh: %+v %v", file, err)
			}
		})
	}
}

func TestFreshTriesEachNameInEachBranch(t *testing.T) {
	w := newWorld(t, "")
	w.Put(githubtest.Repository{
		Name: "owner/name", Default: "dev", Files: map[string]string{"a.yml": "a on dev"},
		Branches: map[string]map[string]string{"main": {"b.yml": "b on main"}, "master": {"a.yml": "a on master"}},
	})
	both := []string{"a.yml", "b.yml"}
	if file, err := w.Fresh(t.Context(), named, both, 100); err != nil || string(file.Content) != "b on main" || file.Path != "b.yml" {
		t.Errorf("%+v %v", file, err)
	}
	if file, err := w.Fresh(t.Context(), named, both[:1], 100); err != nil || file.Branch != "master" {
		t.Errorf("%+v %v", file, err)
	}
	_, err := w.Fresh(t.Context(), named, []string{"c.yml"}, 100)
	if want := "owner/name has no file c.yml on main, master or its default branch."; fault.KindOf(err) != fault.NotFound || fault.MessageOf(err) != want {
		t.Error(err)
	}
}

// What decides about an entry is never old: neither our cache nor one on the way is asked.
func TestFreshGoesPastEveryCache(t *testing.T) {
	w := newWorld(t, "")
	queries := map[string]bool{}
	for _, content := range []string{"one", "two", "three"} {
		w.put(map[string]string{"cairn.yml": content})
		file, err := w.Fresh(t.Context(), named, []string{"cairn.yml"}, 100)
		if err != nil || string(file.Content) != content || file.Stale {
			t.Errorf("%+v %v", file, err)
		}
		if _, err := w.File(t.Context(), named, "cairn.yml", 100); err != nil {
			t.Error(err)
		}
		for _, request := range w.Requests() {
			if strings.HasPrefix(request.Query, "fresh=") {
				queries[request.Query] = true
			}
		}
	}
	if len(queries) != 3 {
		t.Errorf("queries that bust caches: %v", queries)
	}
	if file, err := w.File(t.Context(), named, "cairn.yml", 100); err != nil || string(file.Content) != "one" {
		t.Errorf("the browser's copy is kept for a while: %+v %v", file, err)
	}
	w.Disturb(githubtest.Disturbance{Status: 503})
	if _, err := w.Fresh(t.Context(), named, []string{"cairn.yml"}, 100); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("an old copy passes for a fresh one: %v", err)
	}
}

func TestAnswersAreKeptAndAskedForAgainByTheirTag(t *testing.T) {
	w := newWorld(t, githubtest.Token)
	w.put(map[string]string{"a.txt": ""})
	mustList(t, w, "")
	if asked := w.questions(); len(asked) != 2 {
		t.Errorf("%v", asked)
	}
	mustList(t, w, "")
	if asked := w.questions(); asked != nil {
		t.Errorf("asked although it is fresh: %v", asked)
	}
	w.now = w.now.Add(6 * time.Minute)
	listing := mustList(t, w, "")
	for _, request := range w.Requests() {
		if request.Status != 304 {
			t.Errorf("%+v", request)
		}
	}
	if !listing.AsOf.Equal(w.now) || listing.Stale {
		t.Errorf("%+v", listing.Age)
	}
	w.put(map[string]string{"b.txt": ""})
	w.now = w.now.Add(6 * time.Minute)
	if got := names(mustList(t, w, "")); got != "file b.txt" {
		t.Error(got)
	}

	other := codehost.NewGitHub(w.options) // after a restart
	w.questions()
	if listing, err := other.List(t.Context(), named, ""); err != nil || names(listing) != "file b.txt" || w.questions() != nil {
		t.Errorf("%+v %v", listing, err)
	}
}

func TestNothingIsAskedOffline(t *testing.T) {
	w := newWorld(t, "")
	w.put(map[string]string{"a.txt": ""})
	offline := safehttp.Offline(t.Context())
	if _, err := w.List(offline, named, ""); fault.KindOf(err) != fault.Unavailable || w.questions() != nil {
		t.Errorf("got %v", err)
	}
	mustList(t, w, "")
	w.questions()
	w.now = w.now.Add(50 * time.Minute)
	if listing, err := w.List(offline, named, ""); err != nil || !listing.Stale || names(listing) != "file a.txt" || w.questions() != nil {
		t.Errorf("%+v %v", listing, err)
	}
	w.now = w.now.Add(20 * time.Minute)
	if _, err := w.List(offline, named, ""); err == nil {
		t.Error("an old copy is shown that may be withdrawn")
	}
}

func TestOldAnswersAreShownWhileTheHostFails(t *testing.T) {
	for name, trouble := range map[string]githubtest.Disturbance{
		"500": {Status: 500}, "502 of a proxy": {Status: 502, Body: "<html>"}, "503": {Status: 503}, "breaks off": {BreakOff: true},
		"limited": {Status: 403, Header: map[string]string{"X-RateLimit-Remaining": "0"}}, "429": {Status: 429}, "401": {Status: 401},
		"blocked": {Status: 403, Body: `{"message":"Repository access blocked"}`}, "redirects inwards": {Status: 302, Header: map[string]string{"Location": "http://10.0.0.1/"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			w.put(map[string]string{"a.txt": "", "readme.md": "# Hello"})
			before := mustList(t, w, "")
			if _, err := w.File(t.Context(), named, "readme.md", 100); err != nil {
				t.Fatal(err)
			}
			w.now = w.now.Add(time.Hour)
			w.Disturb(trouble)
			listing := mustList(t, w, "")
			if !listing.Stale || !listing.AsOf.Equal(before.AsOf) || len(listing.Entries) != 2 {
				t.Errorf("%+v", listing)
			}
			if file, err := w.File(t.Context(), named, "readme.md", 100); err != nil || !file.Stale || string(file.Content) != "# Hello" {
				t.Errorf("%+v %v", file, err)
			}
			w.now = w.now.Add(8 * 24 * time.Hour)
			if _, err := w.List(t.Context(), named, ""); err == nil {
				t.Error("a copy of last week is shown")
			}
			w.Disturb()
			w.now = w.now.Add(time.Hour)
			if listing := mustList(t, w, ""); listing.Stale {
				t.Error("it does not come back by itself")
			}
		})
	}
}

// What became private or was removed isn't shown from the cache.
func TestTheCacheShowsNothingThatWasWithdrawn(t *testing.T) {
	for name, withdraw := range map[string]func(*world){
		"gone": func(w *world) { w.Remove("owner/name") },
		"private": func(w *world) {
			w.Put(githubtest.Repository{Name: "owner/name", Private: true, Files: map[string]string{"a.txt": ""}})
		},
		"legal reasons": func(w *world) { w.Disturb(githubtest.Disturbance{Status: 451}) },
	} {
		for _, token := range []string{"", githubtest.Token} {
			t.Run(name+token, func(t *testing.T) {
				w := newWorld(t, token)
				w.put(map[string]string{"a.txt": "secret"})
				mustList(t, w, "")
				if _, err := w.File(t.Context(), named, "a.txt", 100); err != nil {
					t.Fatal(err)
				}
				withdraw(w)
				w.now = w.now.Add(6 * time.Minute)
				for range 2 {
					if listing, err := w.List(t.Context(), named, ""); fault.KindOf(err) != fault.NotFound {
						t.Errorf("%+v %v", listing, err)
					}
					if file, err := w.File(t.Context(), named, "a.txt", 100); fault.KindOf(err) != fault.NotFound {
						t.Errorf("%s %v", file.Content, err)
					}
					w.Disturb(githubtest.Disturbance{Status: 503})
				}
			})
		}
	}
}

// Repositories that the operator's token can read but the public cannot.
func TestPrivateRepositoriesAreNotFound(t *testing.T) {
	for _, token := range []string{"", githubtest.Token} {
		w := newWorld(t, token)
		w.Put(githubtest.Repository{Name: "owner/name", Private: true, Files: map[string]string{"cairn.yml": "secret"}})
		_, listErr := w.List(t.Context(), named, "")
		_, fileErr := w.File(t.Context(), named, "cairn.yml", 100)
		_, freshErr := w.Fresh(t.Context(), named, []string{"cairn.yml"}, 100)
		for _, err := range []error{listErr, fileErr, freshErr} {
			if fault.KindOf(err) != fault.NotFound {
				t.Errorf("with %q: %v", token, err)
			}
		}
		for _, path := range w.questions() {
			if token != "" && strings.HasPrefix(path, "/raw/") {
				t.Errorf("the token was used to read %s", path)
			}
		}
	}
}

func TestRenamedRepositoriesAreFound(t *testing.T) {
	w := newWorld(t, githubtest.Token)
	w.Put(githubtest.Repository{Name: "new/better", Former: []string{"owner/name"}, Files: map[string]string{"a b/c.txt": "x", "cairn.yml": "y"}})
	if listing := mustList(t, w, "a b"); names(listing) != "file a b/c.txt" || listing.FilesURL != "https://github.com/new/better/blob/main/" {
		t.Errorf("%+v", listing)
	}
	for range 2 {
		if file, err := w.Fresh(t.Context(), named, []string{"cairn.yml"}, 100); err != nil || string(file.Content) != "y" {
			t.Errorf("%+v %v", file, err)
		}
		w.GitHub = codehost.NewGitHub(codehost.Options{
			APIURL: w.APIURL(), RawURL: w.RawURL(), Client: w.options.Client, Cache: w.options.Cache, Now: w.options.Now, Logger: w.options.Logger,
		})
	}
}

// unreachable is all that readers need; the cause goes to the log.
const unreachable = "GitHub can't be reached from this server right now. Its repositories need the internet, and may be back in a while."

// Each kind of bad answer ends in a sentence.
func TestBadAnswers(t *testing.T) {
	many := `[` + strings.Repeat(`{"type":"file","name":"x"},`, 400_000) + `{}]`
	for name, one := range map[string]struct {
		trouble githubtest.Disturbance
		kind    fault.Kind
		message string // empty where TestTheLimitOfTheHost asserts it
	}{
		"401":               {githubtest.Disturbance{Status: 401}, fault.BadUpstream, "GitHub refused this server's request (401)."},
		"403":               {githubtest.Disturbance{Status: 403, Body: `{"message":"Repository access blocked"}`}, fault.BadUpstream, "GitHub refused this server's request (403)."},
		"404":               {githubtest.Disturbance{Status: 404}, fault.NotFound, "GitHub has no public repository owner/name."},
		"410":               {githubtest.Disturbance{Status: 410}, fault.NotFound, "GitHub has no public repository owner/name."},
		"418":               {githubtest.Disturbance{Status: 418}, fault.BadUpstream, "GitHub answers 418 I'm a teapot."},
		"429":               {githubtest.Disturbance{Status: 429}, fault.Unavailable, ""},
		"451":               {githubtest.Disturbance{Status: 451}, fault.NotFound, "GitHub doesn't show this for legal reasons."},
		"500":               {githubtest.Disturbance{Status: 500}, fault.Unavailable, "GitHub can't answer at the moment (500 Internal Server Error)."},
		"503":               {githubtest.Disturbance{Status: 503}, fault.Unavailable, "GitHub can't answer at the moment (503 Service Unavailable)."},
		"broken off":        {githubtest.Disturbance{BreakOff: true}, fault.BadUpstream, unreachable},
		"no JSON":           {githubtest.Disturbance{Status: 200, Body: "<html>"}, fault.BadUpstream, "GitHub sent an answer that can't be read."},
		"empty":             {githubtest.Disturbance{Status: 200}, fault.BadUpstream, "GitHub sent an answer that can't be read."},
		"another shape":     {githubtest.Disturbance{Status: 200, Body: `[1]`}, fault.BadUpstream, "GitHub sent an answer that can't be read."},
		"no name":           {githubtest.Disturbance{Status: 200, Body: `{"private":false}`}, fault.BadUpstream, "GitHub sent an answer that can't be read."},
		"too large":         {githubtest.Disturbance{Path: "/api/repos/owner/name/contents", Status: 200, Body: many}, fault.TooLarge, `The folder "/" has more files than can be listed here.`},
		"contents no JSON":  {githubtest.Disturbance{Path: "/api/repos/owner/name/contents", Status: 200, Body: `[{"type":1}]`}, fault.BadUpstream, "GitHub sent an answer that can't be read."},
		"private redirect":  {githubtest.Disturbance{Status: 301, Header: map[string]string{"Location": "http://169.254.169.254/latest"}}, fault.BadUpstream, unreachable},
		"redirect to files": {githubtest.Disturbance{Status: 302, Header: map[string]string{"Location": "file:///etc/passwd"}}, fault.BadUpstream, unreachable},
		"redirects forever": {githubtest.Disturbance{Status: 302, Header: map[string]string{"Location": "/api"}}, fault.BadUpstream, unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			w.put(map[string]string{"a.txt": ""})
			w.Disturb(one.trouble)
			_, err := w.List(t.Context(), named, "")
			if fault.KindOf(err) != one.kind || one.message != "" && fault.MessageOf(err) != one.message {
				t.Errorf("%d: %s", fault.KindOf(err), fault.MessageOf(err))
			}
		})
	}
}

// The same for files that decide about an entry.
func TestBadFiles(t *testing.T) {
	paths := []string{"cairn.yml"}
	for name, one := range map[string]struct {
		trouble githubtest.Disturbance
		kind    fault.Kind
	}{
		"403": {githubtest.Disturbance{Status: 403}, fault.BadUpstream}, "404": {githubtest.Disturbance{Status: 404}, fault.NotFound},
		"429": {githubtest.Disturbance{Status: 429}, fault.Unavailable}, "451": {githubtest.Disturbance{Status: 451}, fault.NotFound},
		"500": {githubtest.Disturbance{Status: 500}, fault.Unavailable}, "broken off": {githubtest.Disturbance{BreakOff: true}, fault.BadUpstream},
		"10 MB":            {githubtest.Disturbance{Status: 200, Body: strings.Repeat("a: b\n", 2_000_000)}, fault.TooLarge},
		"private redirect": {githubtest.Disturbance{Status: 302, Header: map[string]string{"Location": "http://10.1.2.3/"}}, fault.BadUpstream},
	} {
		for _, token := range []string{"", githubtest.Token} {
			w := newWorld(t, token)
			w.put(map[string]string{"cairn.yml": "project:\n"})
			one.trouble.Path = "/raw/"
			w.Disturb(one.trouble)
			_, err := w.Fresh(t.Context(), named, paths, 100_000)
			if fault.KindOf(err) != one.kind || !strings.HasSuffix(fault.MessageOf(err), ".") {
				t.Errorf("%s: %d %v", name, fault.KindOf(err), err)
			}
			if _, err := w.File(t.Context(), named, "cairn.yml", 100_000); fault.KindOf(err) != one.kind {
				t.Errorf("%s as a file: %d %v", name, fault.KindOf(err), err)
			}
		}
	}
}

func TestASilentHostIsNotWaitedFor(t *testing.T) {
	w := newWorld(t, "")
	w.put(map[string]string{"a.txt": ""})
	w.options.Timeout = 50 * time.Millisecond
	w.GitHub = codehost.NewGitHub(w.options)
	w.Disturb(githubtest.Disturbance{Silent: true})
	_, err := w.List(t.Context(), named, "")
	if fault.KindOf(err) != fault.Unavailable || fault.MessageOf(err) != unreachable {
		t.Error(err)
	}
}

// A call may take several questions, and has an overall limit; then cached content is shown.
func TestACallEndsInTime(t *testing.T) {
	w := newWorld(t, "")
	w.put(map[string]string{"a.txt": "", "cairn.yml": ""})
	mustList(t, w, "")
	w.Disturb(githubtest.Disturbance{Silent: true})
	w.now = w.now.Add(time.Hour)
	short := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	w.options.Timeout = 200 * time.Millisecond
	w.GitHub = codehost.NewGitHub(w.options)
	for name, ask := range map[string]func() error{
		"a folder": func() error {
			_, err := w.List(short(), codehost.Repository{Host: "github.com", Owner: "other", Name: "name"}, "")
			return err
		},
		"a fresh file": func() error { _, err := w.Fresh(short(), named, []string{"cairn.yml"}, 100); return err },
	} {
		if err := ask(); fault.KindOf(err) != fault.Unavailable || fault.MessageOf(err) != "GitHub takes too long to answer." || retryAfter(err) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if listing, err := w.List(ctx, named, ""); err != nil || !listing.Stale {
		t.Errorf("%+v %v", listing, err)
	}
}
