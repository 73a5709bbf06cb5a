package engine_test

import (
	"testing"

	"cairn/internal/sessions/engine"
)

func TestAddresses(t *testing.T) {
	for file, want := range map[string][2]string{
		"": {"tree", "lab"}, "a/b.IPYNB": {"notebooks/a/b.IPYNB", "lab/tree/a/b.IPYNB"}, "a/README": {"edit/a/README", "lab/tree/a/README"},
		"a/x.md": {"edit/a/x.md", "lab/tree/a/x.md"}, "a/x.png": {"tree/a/x.png", "lab/tree/a/x.png"}, "a/docs/": {"tree/a/docs/", "lab/tree/a/docs/"},
	} {
		for shown, want := range map[engine.Interface]string{"": want[0], engine.Classic: want[0], engine.Lab: want[1]} {
			if got := shown.Address(file); got != want {
				t.Errorf("%q shows %q at %q, want %q", shown, file, got, want)
			}
		}
	}
}

func TestPagesOfTheOtherInterface(t *testing.T) {
	for page, want := range map[string][2]string{ // in JupyterLab, and in the classic pages
		"tree": {"lab", "tree"}, "tree/": {"lab", "tree/"}, "tree/a b": {"lab/tree/a b", "tree/a b"}, "notebooks/a/b.ipynb": {"lab/tree/a/b.ipynb", "notebooks/a/b.ipynb"},
		"nbclassic/edit/x.md": {"lab/tree/x.md", "nbclassic/edit/x.md"}, "lab": {"lab", "tree"}, "lab/": {"lab/", "tree"}, "lab/tree/a/b.ipynb": {"lab/tree/a/b.ipynb", "notebooks/a/b.ipynb"},
		"lab/tree/docs": {"lab/tree/docs", "tree/docs"}, "lab/workspaces/auto-x": {"lab/workspaces/auto-x", "tree"}, "lab/workspaces/auto-x/tree/x.md": {"lab/workspaces/auto-x/tree/x.md", "edit/x.md"},
		"doc/tree/a.ipynb": {"doc/tree/a.ipynb", "notebooks/a.ipynb"}, "terminals/1": {"terminals/1", "terminals/1"}, "files/lab/x": {"files/lab/x", "files/lab/x"}, "trees": {"trees", "trees"},
		"laboratory": {"laboratory", "laboratory"}, "": {"", ""},
	} {
		for shown, want := range map[engine.Interface]string{engine.Lab: want[0], engine.Classic: want[1], "": page} {
			if got := shown.Readdress(page); got != want {
				t.Errorf("%q shows %q at %q, want %q", shown, page, got, want)
			}
		}
	}
}
