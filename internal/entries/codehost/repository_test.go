package codehost_test

import (
	"strings"
	"testing"

	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
)

func TestParse(t *testing.T) {
	for address, want := range map[string]codehost.Repository{
		"https://github.com/owner/name":                        {Host: "github.com", Owner: "owner", Name: "name"},
		"  https://GitHub.com/Owner/Name.git/ ":                {Host: "github.com", Owner: "Owner", Name: "Name"},
		"https://www.github.com:443/owner/name/":               {Host: "github.com", Owner: "owner", Name: "name"},
		"github.com/owner/name":                                {Host: "github.com", Owner: "owner", Name: "name"},
		"http://github.com/owner/name?tab=readme#about":        {Host: "github.com", Owner: "owner", Name: "name"},
		"https://github.com/owner/name/tree/main/data":         {Host: "github.com", Owner: "owner", Name: "name"},
		"https://github.com/owner/name/blob/main/cairn.yml":    {Host: "github.com", Owner: "owner", Name: "name"},
		"https://github.com/tree/blob":                         {Host: "github.com", Owner: "tree", Name: "blob"},
		"https://gitlab.example/group/part/name/-/tree/main":   {Host: "gitlab.example", Owner: "group/part", Name: "name"},
		"http://127.0.0.1:8080/demo/git/first-steps.git":       {Host: "127.0.0.1:8080", Owner: "demo/git", Name: "first-steps"},
		"https://evil.example/github.com/a/b":                  {Host: "evil.example", Owner: "github.com/a", Name: "b"},
		"https://github.com.evil.example/a/b":                  {Host: "github.com.evil.example", Owner: "a", Name: "b"},
		"https://github.com/owner/na%6De.git":                  {Host: "github.com", Owner: "owner", Name: "name"},
		"https://github.com/owner/name.git.git":                {Host: "github.com", Owner: "owner", Name: "name.git"},
		"https://github.com//owner/name":                       {Host: "github.com", Owner: "owner", Name: "name"},
		"https://github.com/owner/" + strings.Repeat("a", 100): {Host: "github.com", Owner: "owner", Name: strings.Repeat("a", 100)},
	} {
		if got, err := codehost.Parse(address); err != nil || got != want {
			t.Errorf("%s: %+v %v", address, got, err)
		}
	}
	for _, address := range []string{
		"", "x", "https://github.com", "https://github.com/owner", "https://github.com/owner/", "https://github.com/owner/.git",
		"https://github.com/../name", "https://github.com/owner/..", "https://github.com/owner/%2e%2e", "https://github.com/a//b",
		"https://github.com/-owner/name", "https://github.com/owner/-name", "https://user@github.com/a/b", "https://u:p@github.com/a/b",
		"ext::sh -c x", "git@github.com:owner/name.git", "ssh://github.com/a/b", "file:///etc/passwd", "javascript://github.com/a/b",
		"https://github.com/a b/c", "https://github.com/a/b\nc", "https://github.com\\@evil.example/a/b", "https://github.com/a/\u202Eb",
		"https://github.com/a/\xff", "https:///a/b", "https://github.com/a/" + strings.Repeat("b", 2_000),
	} {
		if got, err := codehost.Parse(address); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q is taken for %+v (%v)", address, got, err)
		}
	}
}

func TestSame(t *testing.T) {
	one, _ := codehost.Parse("https://github.com/Owner/Name.git")
	for address, want := range map[string]bool{
		"https://GITHUB.com/owner/name": true, "https://github.com/OWNER/NAME/tree/main": true,
		"https://github.com/owner/name2": false, "https://ghe.example/owner/name": false, "https://github.com/owne/rname": false,
	} {
		other, err := codehost.Parse(address)
		if err != nil || one.Same(other) != want {
			t.Errorf("%s: %v %v", address, one.Same(other), err)
		}
	}
}

func TestPagesOfNbviewer(t *testing.T) {
	for address, want := range map[string]string{
		"https://nbviewer.org/github/o/r/blob/main/a.ipynb":                          "https://github.com/o/r/blob/main/a.ipynb",
		"http://nbviewer.ipython.org/github/o/r/blob/v1/x%20y/%C3%A9.ipynb#Plot":     "https://github.com/o/r/blob/v1/x%20y/%C3%A9.ipynb",
		"https://NBviewer.jupyter.org/format/slides/github/o/r/blob/m/a.ipynb?flush": "https://github.com/o/r/blob/m/a.ipynb",
		"https://nbviewer.org/urls/data.example.org/a/b.ipynb?download=1":            "https://data.example.org/a/b.ipynb?download=1",
		"https://nbviewer.org/url/norvig.com/ipython/xkcd1313.ipynb":                 "https://norvig.com/ipython/xkcd1313.ipynb",
		"https://nbviewer.org/gist/owner/0a1b":                                       "https://gist.githubusercontent.com/owner/0a1b/raw",
		"https://nbviewer.org/gist/owner/0a1b/My%20notes.ipynb":                      "https://gist.githubusercontent.com/owner/0a1b/raw/My%20notes.ipynb",
		// Lists of files, and what isn't nbviewer's or leads up, stay as they are.
		"https://nbviewer.org/github/o/r/tree/main/a":                "",
		"https://nbviewer.org/github/o/r":                            "",
		"https://nbviewer.org/":                                      "",
		"https://nbviewer.org/github/o/r/blob/main/../../b.ipynb":    "",
		"https://nbviewer.org/urls/a.example/%2e%2e/b.ipynb":         "",
		"https://nbviewer.org/github/o/r/blob/main/a%2Fb.ipynb":      "",
		"https://nbviewer.org.example/github/o/r/blob/m/a.ipynb":     "",
		"https://x@nbviewer.org/github/o/r/blob/m/a.ipynb":           "",
		"https://example.org/nbviewer.org/github/o/r/blob/m/a.ipynb": "",
		"bundled:a.ipynb": "", "": "", "https://github.com/o/r/blob/main/a.ipynb": "",
	} {
		if want == "" {
			want = address
		}
		if got := codehost.Viewed(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	repository, refAndPath, ok := codehost.ParseFile("https://nbviewer.org/github/Owner/name/blob/main/a/b.ipynb")
	if want := (codehost.Repository{Host: "github.com", Owner: "Owner", Name: "name"}); !ok || repository != want || strings.Join(refAndPath, " ") != "main a b.ipynb" {
		t.Errorf("got %+v %v %v", repository, refAndPath, ok)
	}
}
