package codehost_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/hosttest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"
	"cairn/internal/foundation/safehttp"
)

// gitWorld is a stand-in whose repositories are read with git alone.
type gitWorld struct {
	*codehost.Git

	stand  *hosttest.StandIn
	folder string // of the clones
	now    time.Time
}

func newGitWorld(t *testing.T, limit int64, change func(*codehost.GitOptions), repositories ...hosttest.Repository) *gitWorld {
	t.Helper()
	w := &gitWorld{stand: hosttest.StartGit(t, repositories), folder: t.TempDir(), now: time.Now()}
	clones, err := codehost.OpenClones(w.folder, limit, func() time.Time { return w.now }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	options := codehost.GitOptions{
		URL: w.stand.URL, Clones: clones, Now: func() time.Time { return w.now }, Logger: slog.New(slog.DiscardHandler), Git: gitclient.Options{Web: hosttest.Client()},
	}
	if change != nil {
		change(&options)
	}
	w.Git = codehost.NewGit(options)
	return w
}

func at(name string) codehost.Repository {
	return codehost.Repository{Host: "git.example.org", Owner: "owner", Name: name}
}

// kept returns how many repositories have clones.
func (w *gitWorld) kept(t *testing.T) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(w.folder, "*", "*", "repository", "HEAD"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// The clones that nobody has asked for longest make room.
func TestClonesMakeRoom(t *testing.T) {
	t.Parallel()
	noise := strings.Repeat("0123456789abcdef", 4) // which hardly any packing makes smaller in so many variants
	files := func(seed string) map[string]string {
		all := map[string]string{"a.txt": seed}
		for i := range 60 {
			all["f"+strings.Repeat("x", i)] = seed + noise[:i%40] + seed
		}
		return all
	}
	w := newGitWorld(t, 1, nil, hosttest.Repository{Name: "owner/one", Files: files("1")}, hosttest.Repository{Name: "owner/two", Files: files("2")})
	for _, name := range []string{"one", "two", "one"} {
		w.now = w.now.Add(time.Second)
		if file, err := w.File(t.Context(), at(name), "a.txt", 10); err != nil || len(file.Content) != 1 {
			t.Fatalf("%s: %q %v", name, file.Content, err)
		}
		if kept := w.kept(t); kept != 1 {
			t.Errorf("after %s there are %d clones", name, kept)
		}
	}
}

// until is a context whose time is over when something happens.
type until struct {
	context.Context //nolint:containedctx // it is one

	happens chan struct{}
}

func (u until) Done() <-chan struct{} { return u.happens }

func (u until) Err() error {
	select {
	case <-u.happens:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A page that doesn't wait gets a sentence, and the next one finds what was fetched meanwhile.
func TestAFetchGoesOnWithoutItsAsker(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t, 1<<30, nil, hosttest.Repository{Name: "owner/name", Files: map[string]string{"a.txt": "x"}})
	held, fetching := make(chan struct{}), make(chan struct{})
	w.stand.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("command=fetch")) {
			close(fetching)
			<-held
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		return false
	})
	if _, err := w.About(t.Context(), at("name")); err != nil {
		t.Fatal(err)
	}
	_, err := w.File(until{t.Context(), fetching}, at("name"), "a.txt", 10)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "takes too long") {
		t.Errorf("got %v", err)
	}
	close(held)
	w.stand.Disturb(nil)
	if file, err := w.File(t.Context(), at("name"), "a.txt", 10); err != nil || string(file.Content) != "x" {
		t.Errorf("%q %v", file.Content, err)
	}
}

// What a host sends without an end, or too much of, is given up.
func TestHostsThatSendTooMuch(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t, 1<<30, func(options *codehost.GitOptions) { options.Git.Limit = 200_000 }, hosttest.Repository{Name: "owner/name", Files: map[string]string{"a.txt": "x"}})
	if _, err := w.List(t.Context(), at("name"), ""); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(time.Hour)
	w.stand.Disturb(func(answer http.ResponseWriter, _ *http.Request) bool {
		answer.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		_, _ = io.WriteString(answer, "001e# service=git-upload-pack\n0000")
		for {
			if _, err := io.WriteString(answer, "0044"+strings.Repeat("1", 40)+" refs/heads/"+strings.Repeat("x", 10)+"\n"); err != nil {
				return true
			}
		}
	})
	if _, err := w.Fresh(t.Context(), at("name"), []string{"a.txt"}, 10); fault.KindOf(err) != fault.TooLarge && fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}

// A large file is listed, and neither fetched nor shown.
func TestLargeFilesAreOnlyListed(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t, 1<<30, nil, hosttest.Repository{Name: "owner/name", Files: map[string]string{"big.bin": strings.Repeat("x", 21<<20), "a.txt": "x"}})
	listing, err := w.List(t.Context(), at("name"), "")
	if err != nil || len(listing.Entries) != 2 || listing.Entries[1].Path != "big.bin" || listing.Entries[1].Size != codehost.SizeUnknown {
		t.Errorf("%+v %v", listing.Entries, err)
	}
	if _, err := w.File(t.Context(), at("name"), "big.bin", 1<<30); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("got %v", err)
	}
	if file, err := w.File(t.Context(), at("name"), "a.txt", 10); err != nil || string(file.Content) != "x" {
		t.Errorf("%q %v", file.Content, err)
	}
}

// Neither a redirect nor a name leads git into a private network or to another protocol, and nothing is asked offline.
func TestWhereGitGoes(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t, 1<<30, nil, hosttest.Repository{Name: "owner/name", Files: map[string]string{"a.txt": "x"}})
	for _, to := range []string{"http://169.254.169.254/owner/name/info/refs", "http://10.0.0.1/x", "http://[::1]:1/x", "ssh://127.0.0.1/x", "file:///etc", "ext::sh -c id"} {
		w.stand.Disturb(func(answer http.ResponseWriter, _ *http.Request) bool {
			answer.Header().Set("Location", to)
			answer.WriteHeader(http.StatusFound)
			return true
		})
		if about, err := w.About(t.Context(), at("name")); fault.KindOf(err) != fault.Unavailable || !strings.HasSuffix(fault.MessageOf(err), ".") {
			t.Errorf("%s: %+v %v", to, about, err)
		}
	}
	w.stand.Disturb(nil)
	offline := safehttp.Offline(t.Context())
	w.stand.Paths()
	if _, err := w.List(offline, at("name"), ""); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("offline: %v", err)
	}
	if paths := w.stand.Paths(); len(paths) > 0 {
		t.Errorf("offline it was asked for %v", paths)
	}
	if _, err := w.List(t.Context(), at("name"), ""); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(10 * time.Minute)
	if listing, err := w.List(offline, at("name"), ""); err != nil || !listing.Stale || len(listing.Entries) != 1 {
		t.Errorf("offline: %+v %v", listing, err)
	}
	strict := newGitWorld(t, 1<<30, func(options *codehost.GitOptions) {
		options.URL = "http://127.0.0.1:1"
		options.Git.Web = safehttp.New(safehttp.Options{AllowHTTP: true})
	})
	if _, err := strict.About(t.Context(), at("name")); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a private address: %v", err)
	}
	without := newGitWorld(t, 1<<30, func(options *codehost.GitOptions) { options.Git.Program = "/nonexistent/git" })
	if _, err := without.About(t.Context(), at("name")); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "install git") {
		t.Errorf("without git: %v", err)
	}
}

// Some servers know repositories only with ".git" at the end.
func TestAddressesThatEndWithGit(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t, 1<<30, nil, hosttest.Repository{Name: "owner/name", Files: map[string]string{"a.txt": "x"}})
	w.stand.Disturb(func(answer http.ResponseWriter, r *http.Request) bool {
		path, isGit := strings.CutPrefix(r.URL.Path, "/owner/name.git/")
		if !isGit {
			http.NotFound(answer, r)
			return true
		}
		r.URL.Path = "/owner/name/" + path
		return false
	})
	about, err := w.About(t.Context(), at("name"))
	if err != nil || about.Address != w.stand.URL+"/owner/name.git" {
		t.Errorf("%+v %v", about, err)
	}
	if file, err := w.File(t.Context(), at("name"), "a.txt", 10); err != nil || string(file.Content) != "x" {
		t.Errorf("%q %v", file.Content, err)
	}
}

// What one person may ask is limited, for everybody's sake.
func TestNobodyUsesUpWhatGitMayAsk(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t, 1<<30, func(options *codehost.GitOptions) { options.PerHour = 12 }, hosttest.Repository{Name: "owner/name", Files: map[string]string{"a.txt": "x"}})
	asker := codehost.AskedBy(t.Context(), "ann")
	w.stand.Disturb(func(answer http.ResponseWriter, r *http.Request) bool { http.NotFound(answer, r); return true })
	limited := false
	for i := range 5 {
		if _, err := w.About(asker, at("missing"+strings.Repeat("x", i))); fault.KindOf(err) == fault.TooMany {
			limited = true
			break
		}
	}
	if !limited {
		t.Error("one person may ask 5 times of 12")
	}
	w.stand.Disturb(nil)
	if _, err := w.About(codehost.AskedBy(t.Context(), "bob"), at("name")); err != nil {
		t.Errorf("another can't ask any more: %v", err)
	}
	if entries, err := os.ReadDir(w.folder); err != nil || len(entries) > 6 {
		t.Errorf("%d folders %v", len(entries), err)
	}
}
