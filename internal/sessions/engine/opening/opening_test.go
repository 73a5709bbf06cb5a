package opening_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/opening"
)

func TestWhichFileOpens(t *testing.T) {
	folder := func(names ...string) fstest.MapFS {
		work := fstest.MapFS{"secret.ipynb": {}, "r": {Mode: fs.ModeDir}}
		for _, name := range names {
			work["r/"+name] = &fstest.MapFile{}
		}
		return work
	}
	linked := folder("README.md", "docs/intro.ipynb", "docs/more.ipynb")
	for name, target := range map[string]string{"start.ipynb": "docs/intro.ipynb", "a gone.ipynb": "nowhere", "a folder.ipynb": "docs", "an outside.ipynb": "../../x"} {
		linked["r/"+name] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte(target)}
	}
	readme := folder("a.py", "docs/index.md")
	readme["r/README.md"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("docs/index.md")}
	for what, c := range map[string]struct {
		work           fstest.MapFS
		open, declared string
		opens, note    string
	}{
		"an empty repository":       {folder(), "", "", "", ""},
		"a link to a notebook":      {linked, "", "", "r/start.ipynb", ""},
		"a link that is declared":   {linked, "", "start.ipynb", "r/start.ipynb", ""},
		"a link to a README":        {readme, "", "", "r/README.md", ""},
		"nothing that fits":         {folder("a.py", "docs/index.ipynb"), "", "", "", ""},
		"a README":                  {folder("a.py", "README", "readme.rst"), "", "", "r/README", ""},
		"Markdown before others":    {folder("README", "readme.md"), "", "", "r/readme.md", ""},
		"the first notebook":        {folder("README.md", "b.ipynb", "a 1.IPYNB", ".hidden.ipynb", "0/0.ipynb"), "", "", "r/a 1.IPYNB", ""},
		"the index":                 {folder("README.md", "a.ipynb", "index.ipynb"), "", "", "r/index.ipynb", ""},
		"a folder called index":     {folder("README.md", "index.ipynb/x"), "", "", "r/README.md", ""},
		"what the descriptor names": {folder("index.ipynb", "docs/start #1.ipynb"), "", "./docs/start #1.ipynb", "r/docs/start #1.ipynb", ""},
		"an absent declared file":   {folder("index.ipynb"), "", "gone.ipynb", "r/index.ipynb", `The repository's descriptor opens "gone.ipynb", which isn't there.`},
		"a declared file above":     {folder("index.ipynb"), "", "../secret.ipynb", "r/index.ipynb", `The repository's descriptor opens "../secret.ipynb", which isn't there.`},
		"what was asked for":        {folder("index.ipynb", "a/\u0661 ?&+=%.ipynb"), "a/\u0661 ?&+=%.ipynb", "index.ipynb", "r/a/\u0661 ?&+=%.ipynb", ""},
		"a folder":                  {folder("index.ipynb", "docs/a.md"), "docs", "", "r/docs/", ""},
		"what is absent":            {folder("index.ipynb", "b.ipynb"), "a.ipynb", "b.ipynb", "r/b.ipynb", `The repository doesn't have a file "a.ipynb".`},
		"two that are absent":       {folder("README.md"), "a.ipynb", "b.ipynb", "r/README.md", `The repository doesn't have a file "a.ipynb".`},
	} {
		spec := engine.Spec{Repository: engine.Repository{Folder: "r"}, Open: c.open}
		if opens, note := opening.Choose(c.work, spec, c.declared); opens != c.opens || note != c.note {
			t.Errorf("%s: opens %q with the note %q, want %q and %q", what, opens, note, c.opens, c.note)
		}
	}
	if opens, note := opening.Choose(folder(), engine.Spec{Repository: engine.Repository{Folder: "r", Ref: "v1"}, Open: "a"}, ""); opens != "" || note != `The repository doesn't have a file "a" at "v1".` {
		t.Errorf("opens %q with the note %q", opens, note)
	}
	notebook := engine.Spec{Notebook: engine.Notebook{Name: "secret.ipynb"}}
	if opens, note := opening.Choose(folder(), notebook, ""); opens != "secret.ipynb" || note != "" {
		t.Errorf("a notebook: opens %q with the note %q", opens, note)
	}
	notebook.Notebook.Name = "gone.ipynb"
	if opens, note := opening.Choose(folder(), notebook, ""); opens != "" || note == "" {
		t.Errorf("a notebook that its user removed: opens %q with the note %q", opens, note)
	}
}
