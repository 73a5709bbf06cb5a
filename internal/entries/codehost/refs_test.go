package codehost_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/fault"
)

func TestRefsOfARepository(t *testing.T) {
	t.Parallel()
	stand := githubtest.Start(t)
	stand.Put(githubtest.Repository{Name: "owner/name", Branches: map[string]map[string]string{"feature/x#1": {}}, Tags: []string{"v1/2", "v1"}})
	stand.Put(githubtest.Repository{Name: "owner/secret", Private: true})
	github := codehost.NewGitHub(stand.Options(t, githubtest.Token))
	repository := codehost.Repository{Host: "github.com", Owner: "owner", Name: "name"}
	for ref, want := range map[string]bool{
		"main": true, "feature/x#1": true, "v1/2": true, "v1": true, "v2": false, "feature": false, "feature/x": false, "Main": false,
	} {
		there, names, err := github.HasRef(t.Context(), repository, ref)
		if err != nil || there != want || (!there && !slices.Equal(names, []string{"feature/x#1", "main", "v1/2", "v1"})) {
			t.Errorf("%s: %v %q %v", ref, there, names, err)
		}
	}
	repository.Name = "secret"
	if _, _, err := github.HasRef(t.Context(), repository, "main"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a private repository: %v", err)
	}
	bundled := codehost.Bundled{"owner/secret": fstest.MapFS{}}
	if there, names, err := bundled.HasRef(t.Context(), repository, "v1"); there || !slices.Equal(names, []string{"main"}) || err != nil {
		t.Errorf("a bundled repository: %v %q %v", there, names, err)
	}
}

func TestParseFile(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/Owner/name/blob/main/a/b%20%231.ipynb?plain=1#L5":   "https://github.com/Owner/name main|a|b #1.ipynb",
		"https://github.com/owner/name/blob/refs/heads/x/y/a.ipynb":             "https://github.com/owner/name refs|heads|x|y|a.ipynb",
		"https://raw.githubusercontent.com/owner/name/v1.0/a.ipynb":             "https://github.com/owner/name v1.0|a.ipynb",
		"https://gitlab.example/group/part/name/-/blob/main/a.ipynb":            "https://gitlab.example/group/part/name main|a.ipynb",
		"https://gitlab.example/group/part/name/-/raw/main/d/a.ipynb":           "https://gitlab.example/group/part/name main|d|a.ipynb",
		"https://gitlab.example/group/part/name/-/tree/main/a.ipynb":            "",
		"https://codeberg.org/owner/name/src/branch/main/d/a.ipynb":             "https://codeberg.org/owner/name main|d|a.ipynb",
		"https://codeberg.org/owner/name/raw/commit/ab12/a.ipynb":               "https://codeberg.org/owner/name ab12|a.ipynb",
		"https://codeberg.org/owner/name/src/main/a.ipynb":                      "",
		"https://bitbucket.org/owner/name/src/main/a.ipynb":                     "https://bitbucket.org/owner/name main|a.ipynb",
		"https://bitbucket.org/owner/name/raw/main/a.ipynb":                     "https://bitbucket.org/owner/name main|a.ipynb",
		"https://github.com/owner/name/blob/main":                               "",
		"https://github.com/owner/name/blob/main/":                              "",
		"https://github.com/owner/name/blob/main/../../../other/name/x/a.ipynb": "",
		"https://github.com/owner/name/blob/main/%2e%2e/a.ipynb":                "",
		"https://github.com/owner/name/tree/main/a.ipynb":                       "",
		"https://github.com/owner/blob/main/a.ipynb":                            "",
		"https://raw.githubusercontent.com/owner/name":                          "",
		"https://example.org/a.ipynb":                                           "",
		"https://u:p@github.com/owner/name/blob/main/a.ipynb":                   "",
		"https://github.com/-owner/name/blob/main/a.ipynb":                      "",
		"https://example.org/owner/name/download/blob-of/a.ipynb":               "",
		"https://evil.example/github.com/owner/name/blob/main/a.ipynb":          "https://evil.example/github.com/owner/name main|a.ipynb",
	} {
		repository, elements, ok := codehost.ParseFile(address)
		got := ""
		if ok {
			got = repository.Address() + " " + strings.Join(elements, "|")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

// Pages and raw files of a code host lead to each other.
func TestFilePages(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]string{
		"https://gitlab.example/group/part/name/-/blob/main/a%20b/c.ipynb#L1": {"https://gitlab.example/group/part/name/-/raw/main/a%20b/c.ipynb", "https://gitlab.example/group/part/name/-/blob/main/a%20b/c.ipynb"},
		"https://codeberg.org/owner/name/src/branch/main/c.ipynb":             {"https://codeberg.org/owner/name/raw/branch/main/c.ipynb", "https://codeberg.org/owner/name/src/branch/main/c.ipynb"},
		"https://git.example/owner/name/raw/tag/v1/c.ipynb":                   {"https://git.example/owner/name/raw/tag/v1/c.ipynb", "https://git.example/owner/name/src/tag/v1/c.ipynb"},
		"https://bitbucket.org/owner/name/src/main/c.ipynb":                   {"https://bitbucket.org/owner/name/raw/main/c.ipynb", "https://bitbucket.org/owner/name/src/main/c.ipynb"},
		"https://github.com/owner/name/blob/main/c.ipynb":                     {"", ""},
	} {
		page, ok := codehost.ParseFilePage(address)
		if raw, shown := page.Raw(page.RefAndPath...), page.Page(page.RefAndPath...); !ok || raw != want[0] || shown != want[1] {
			t.Errorf("%s: %q and %q", address, raw, shown)
		}
	}
}
