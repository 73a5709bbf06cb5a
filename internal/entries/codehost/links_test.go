package codehost_test

import (
	"fmt"
	"strings"
	"testing"

	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/fault"
)

const notebookText = `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}`

func TestLinksAreFollowedWithinTheRepository(t *testing.T) {
	for _, many := range []int{0, 1_000} { // by either call for lists
		w := newWorld(t, "")
		w.Put(githubtest.Repository{
			Name: "owner/name", Many: map[string]int{"": many},
			Files: map[string]string{
				"docs/index.md": "# The real readme\n", "docs/intro.ipynb": notebookText, "a/b/own.txt": "own", "real/file.csv": "1,2\n", "text": "docs/index.md",
			},
			Links: map[string]string{
				"README.md": "docs/index.md", "start.ipynb": "./docs//intro.ipynb", "twice": "README.md", "a/b/up.md": "../../docs/index.md", "data": "real/", "more": "data",
				"out": "../../etc/passwd", "absolute": "/etc/passwd", "gone": "nowhere", "round": "round", "a/out": "../../x", "back": "a/../../name/text",
			},
		})
		for path, want := range map[string]string{
			"README.md": "docs/index.md # The real readme\n", "start.ipynb": "docs/intro.ipynb " + notebookText, "twice": "docs/index.md # The real readme\n",
			"a/b/up.md": "docs/index.md # The real readme\n", "text": "text docs/index.md", "a/b/own.txt": "a/b/own.txt own",
			"out": "", "absolute": "", "gone": "", "round": "", "a/out": "", "data": "", "back": "",
		} {
			file, err := w.File(t.Context(), named, path, 1_000)
			if got := file.Path + " " + string(file.Content); (want != "" && (err != nil || got != want)) || (want == "" && fault.KindOf(err) != fault.NotFound) {
				t.Errorf("%s: %q %v", path, got, err)
			}
		}
		types := map[string]string{}
		for _, one := range mustList(t, w, "").Entries {
			if !strings.HasPrefix(one.Name, "file-") {
				types[one.Path] = fmt.Sprint(one.Type, one.Size)
			}
		}
		for path, want := range map[string]string{
			"README.md": "file18", "start.ipynb": fmt.Sprint("file", len(notebookText)), "twice": "file18", "data": "dir0", "more": "dir0", "gone": "file7", "round": "file5", "text": "file13",
		} {
			if types[path] != want {
				t.Errorf("%s is a %s, want %s", path, types[path], want)
			}
		}
		for _, path := range []string{"data", "more"} {
			if listing := mustList(t, w, path); listing.Path != "real" || len(listing.Entries) != 1 || listing.Entries[0].Path != "real/file.csv" {
				t.Errorf("%s: %+v", path, listing)
			}
		}
		for _, path := range []string{"round", "out", "gone"} {
			if listing, err := w.List(t.Context(), named, path); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s: %+v %v", path, listing, err)
			}
		}
	}
}

// A file without a line end that isn't the target of a link costs at most one question.
func TestManyLinks(t *testing.T) {
	w := newWorld(t, "")
	links := map[string]string{}
	for i := range 100 {
		links[fmt.Sprintf("%03d", i)] = fmt.Sprintf("d%d/x", i)
	}
	w.Put(githubtest.Repository{Name: "owner/name", Links: links, Files: map[string]string{"d0/x": "x"}})
	if listing := mustList(t, w, ""); len(listing.Entries) != 101 {
		t.Errorf("got %d entries", len(listing.Entries))
	}
	if asked := len(w.Requests()); asked > 40 {
		t.Errorf("a folder of links costs %d questions", asked)
	}
}

func TestSubmodulesAreNoFiles(t *testing.T) {
	for _, many := range []int{0, 1_000} {
		w := newWorld(t, "")
		w.Put(githubtest.Repository{
			Name: "owner/name", Many: map[string]int{"": many}, Modules: []string{"lib", "elsewhere", "deep/er/mod"}, Files: map[string]string{"empty": "", "src/a.py": "x"},
		})
		types := map[string]string{}
		for _, folder := range []string{"", "deep/er"} {
			for _, one := range mustList(t, w, folder).Entries {
				types[one.Path] = one.Type
			}
		}
		for path, want := range map[string]string{"lib": "submodule", "elsewhere": "submodule", "deep/er/mod": "submodule", "empty": "file", "src": "dir"} {
			if types[path] != want {
				t.Errorf("%s is a %q, want %q", path, types[path], want)
			}
		}
	}
}
