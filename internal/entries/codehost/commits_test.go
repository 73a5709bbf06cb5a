package codehost_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/entries/codehost/hosttest"
	"cairn/internal/foundation/fault"
)

// Without a token, questions are few: one is enough for the commit of a branch.
func TestCommitsWithoutAToken(t *testing.T) {
	t.Parallel()
	stand := githubtest.Start(t)
	one := githubtest.Repository{Name: "owner/name", Default: "main", Former: []string{"owner/former"}, Files: map[string]string{"a": "1"}}
	stand.Put(one)
	stand.Put(githubtest.Repository{Name: "owner/secret", Private: true, Files: map[string]string{"a": "1"}})
	github := codehost.NewGitHub(stand.Options(t, ""))
	repository := codehost.Repository{Host: "github.com", Owner: "owner", Name: "name"}
	commit := func() string {
		t.Helper()
		stand.Requests()
		said, err := github.Commit(t.Context(), repository, "main")
		if requests := stand.Requests(); err != nil || len(requests) != 1 {
			t.Errorf("%q %v, after %v", said, err, requests)
		}
		return said
	}
	first := commit()
	if first != one.Commit("main") {
		t.Errorf("the commit is %q", first)
	}
	one.Files = map[string]string{"a": "2"}
	stand.Put(one)
	if second := commit(); second == first || second != one.Commit("main") {
		t.Errorf("after a change, it is %q", second)
	}
	if said, err := github.Commit(t.Context(), repository, ""); err != nil || said != one.Commit("main") {
		t.Errorf("of the branch that is shown: %q %v", said, err)
	}
	repository.Name = "former"
	if said, err := github.Commit(t.Context(), repository, "main"); err != nil || said != one.Commit("main") {
		t.Errorf("by a former name: %q %v", said, err)
	}
	for name, branch := range map[string]string{"name": "none", "secret": "main", "missing": "main"} {
		repository.Name = name
		if said, err := github.Commit(t.Context(), repository, branch); said != "" || fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s of %s: %q %v", branch, name, said, err)
		}
	}
	stand.Limit(60, 0, time.Now().Add(time.Hour))
	repository.Name = "name"
	if said, err := github.Commit(t.Context(), repository, "main"); said != "" || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("when nothing may be asked: %q %v", said, err)
	}
}

// What a host calls a commit is stored, so it must look like one.
func TestCommitsThatAreNone(t *testing.T) {
	t.Parallel()
	stand := hosttest.StartGitea(t, []hosttest.Repository{{Name: "owner/name", Files: map[string]string{"a": "1"}}})
	gitea := codehost.NewGitea(stand.Options(t, time.Now))
	repository := codehost.Repository{Host: "codeberg.org", Owner: "owner", Name: "name"}
	for _, said := range []string{
		`{}`, `null`, `{"id": ""}`, `{"id": "main"}`, `{"id": "<b>0123456789abcdef0123456789abcdef012345</b>"}`, `{"id": "0123456789abcdef0123456789abcdef0123456"}`,
		`{"id": "0123456789ABCDEF0123456789abcdef01234567"}`, `{"id": 7}`, `"x"`,
	} {
		stand.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			isBranch := r.URL.Path == "/api/v1/repos/owner/name/branches/main"
			if isBranch {
				_, _ = w.Write([]byte(`{"name": "main", "commit": ` + said + `}`))
			}
			return isBranch
		})
		if commit, err := gitea.Commit(t.Context(), repository, "main"); commit != "" || fault.KindOf(err) != fault.BadUpstream {
			t.Errorf("%s: %q %v", said, commit, err)
		}
	}
	const long = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" // of SHA-256
	stand.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		isBranch := r.URL.Path == "/api/v1/repos/owner/name/branches/main"
		if isBranch {
			_, _ = w.Write([]byte(`{"name": "main", "commit": {"id": "` + long + `"}}`))
		}
		return isBranch
	})
	if commit, err := gitea.Commit(t.Context(), repository, ""); commit != long || err != nil {
		t.Errorf("%q %v", commit, err)
	}
	if asked := stand.Paths(); slices.Contains(asked, "/api/v1/repos/owner/name/branches/master") {
		t.Errorf("it was asked for %q", asked)
	}
}

func TestCommitsOfBundledRepositories(t *testing.T) {
	t.Parallel()
	hosts := codehost.NewHosts(map[string]codehost.Host{"github.com": codehost.Bundled{"owner/name": fstest.MapFS{"a": {Data: []byte("1")}}}}, nil)
	repository := codehost.Repository{Host: "github.com", Owner: "owner", Name: "name"}
	for branch, want := range map[string]fault.Kind{"": 0, "main": 0, "master": fault.NotFound} {
		if commit, err := hosts.Commit(t.Context(), repository, branch); commit != "" || err == nil != (want == 0) || err != nil && fault.KindOf(err) != want {
			t.Errorf("%q: %q %v", branch, commit, err)
		}
	}
	for _, other := range []codehost.Repository{{Host: "github.com", Owner: "owner", Name: "none"}, {Host: "gitlab.example", Owner: "owner", Name: "name"}} {
		if commit, err := hosts.Commit(t.Context(), other, ""); commit != "" || fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: %q %v", other.Address(), commit, err)
		}
	}
}
