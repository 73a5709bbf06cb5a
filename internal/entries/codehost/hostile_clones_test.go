package codehost_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/hosttest"
	"cairn/internal/foundation/fault"
)

// A slow host of one person keeps nobody from reading what is at another.
func TestSlowHostsHoldUpNobody(t *testing.T) {
	bucket := func(of codehost.Repository) byte { return sha256.Sum256([]byte(of.Host + "/" + of.String()))[0] }
	mine := at("mine0")
	for i := 0; bucket(mine) != bucket(at("name")); i++ {
		mine = at(fmt.Sprintf("mine%d", i))
	}
	w := newGitWorld(t, 1<<30, nil, hosttest.Repository{Name: "owner/name", Files: map[string]string{"a.txt": "x"}})
	if _, err := w.File(t.Context(), at("name"), "a.txt", 10); err != nil {
		t.Fatal(err)
	}
	asked, held := make(chan struct{}, 9), make(chan struct{})
	w.stand.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, mine.Name) {
			asked <- struct{}{}
			<-held
		}
		return false
	})
	go func() { _, _ = w.About(t.Context(), mine) }()
	<-asked
	defer close(held)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	if _, err := w.File(ctx, at("name"), "a.txt", 10); err != nil {
		t.Errorf("%s stops %s: %v", mine, at("name"), err)
	}
}

// When somebody has pushed and the fetch fails, what was read before is shown, and said to be old.
func TestOldCloneWhileFetchesFail(t *testing.T) {
	w := newGitWorld(t, 1<<30, nil, hosttest.Repository{Name: "owner/name", Files: map[string]string{"a.txt": "x"}})
	if _, err := w.List(t.Context(), at("name"), ""); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(10 * time.Minute)
	advertise(w.stand, strings.Repeat("1", 40))
	if listing, err := w.List(t.Context(), at("name"), ""); err != nil || !listing.Stale {
		t.Errorf("%+v %v", listing, err)
	}
	if kept := w.kept(t); kept != 1 {
		t.Errorf("%d clones are left", kept)
	}
}

// What is too large is fetched once, and said to be that.
func TestWhatIsTooLargeIsFetchedOnce(t *testing.T) {
	noise := strings.Repeat("0123456789", 100_000)
	var many strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&many, "%x", i*i*7919)
	}
	w := newGitWorld(t, 1<<30, func(options *codehost.GitOptions) { options.Git.Limit = 100_000 }, hosttest.Repository{Name: "owner/name", Files: map[string]string{"a.bin": many.String() + noise}})
	count := 0
	w.stand.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("command=fetch")) {
			count++
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		return false
	})
	for range 4 {
		_, err := w.List(t.Context(), at("name"), "")
		t.Log(err)
		if strings.Contains(fault.MessageOf(err), "folder") {
			t.Error("the message is about a folder, and the repository is too large")
		}
	}
	if count > 1 {
		t.Errorf("%d fetches", count)
	}
}

// File names are taken literally, even those that look like git's patterns.
func TestNamesLikePathspecs(t *testing.T) {
	files := map[string]string{":a": "1", "a": "2", ":(literal)a": "3", ":!a": "4", "b*": "5", "[c]": "6", "back\\slash": "7"}
	w := newGitWorld(t, 1<<30, nil, hosttest.Repository{Name: "owner/name", Files: files})
	for path, content := range files {
		if file, err := w.File(t.Context(), at("name"), path, 10); err != nil || string(file.Content) != content {
			t.Errorf("%s: %q %v", path, file.Content, err)
		}
	}
}

// A redirect to another host isn't believed.
func TestGitFollowsNoRedirectElsewhere(t *testing.T) {
	other := hosttest.StartGit(t, []hosttest.Repository{{Name: "somebody/else", Files: map[string]string{"a.txt": "theirs"}}})
	w := newGitWorld(t, 1<<30, nil)
	w.stand.Disturb(func(answer http.ResponseWriter, r *http.Request) bool {
		http.Redirect(answer, r, other.URL+strings.Replace(r.URL.Path, "owner/name", "somebody/else", 1)+"?"+r.URL.RawQuery, http.StatusFound)
		return true
	})
	if file, err := w.File(t.Context(), at("name"), "a.txt", 10); err == nil {
		t.Errorf("it shows %q of another host", file.Content)
	}
}
