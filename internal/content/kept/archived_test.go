package kept_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/archives/archivestest"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
)

// changed are records whose files aren't what they were.
type changed struct {
	contribute.Archives

	change func(*archives.File)
}

func (c changed) Find(ctx context.Context, doi string) (archives.Record, error) {
	found, err := c.Archives.Find(ctx, doi)
	found.Files = slices.Clone(found.Files)
	for i := range found.Files {
		c.change(&found.Files[i])
	}
	return found, err
}

// release is an archive of a repository as code hosts make it.
func release(t *testing.T) []byte {
	t.Helper()
	var text bytes.Buffer
	archive := zip.NewWriter(&text)
	for name, content := range map[string]string{
		"waves-1.0/README.md": "# Something else", "waves-1.0/run.ipynb": notebookText, "waves-1.0/data/a.csv": "a,b\n",
	} {
		file, err := archive.Create(name)
		if err == nil {
			_, err = file.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

const notebookText = `{"cells":[],"metadata":{"kernelspec":{"name":"python3","language":"python"}},"nbformat":4,"nbformat_minor":5}`

// addRecord adds what an archive has under a DOI as a repository.
func (w *world) addRecord(doi string) (string, error) {
	w.T.Helper()
	status, answer, err := w.contribute.CreateFrom(w.as(ada), catalog.Repository, doi, contribute.Edit{})
	if err != nil {
		return "", err
	}
	return w.finish(ada, status, answer)
}

func TestRepositoriesOfArchives(t *testing.T) {
	all := archivestest.New(t)
	w := newWorld(t)
	known := archives.NewRecords(all.Records())
	w.records = known
	w.open()
	item := archivestest.Item{
		Title: "Waves and rocks", Description: "<p>How they meet.</p>", License: "mit", Version: "1.0", People: []archives.Person{{Name: "Doe, Jane"}},
		Files: []archivestest.Content{{Path: "lab/waves-1.0.zip", Data: release(t)}},
	}
	doi, concept := all.Zenodo.Add(item, "")
	id, err := w.addRecord(concept)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := w.Readable(w.as(ada), id)
	if err != nil || entry.Type != catalog.Repository || entry.Name != item.Title || entry.DOI != doi || entry.License != "MIT" || entry.People[0].Name != "Jane Doe" {
		t.Errorf("the entry is %+v, %v", entry, err)
	}
	w.hasBeside(id, map[string]string{"README.md": "# Something else", "run.ipynb": notebookText, "data/a.csv": "a,b\n"})

	item.Files = []archivestest.Content{{Path: "model.py", Data: []byte("x = 1\n")}, {Path: "notes.txt", Data: []byte("Wet.")}}
	several, _ := all.Zenodo.Add(item, "")
	if id, err = w.addRecord(several); err != nil {
		t.Fatal(err)
	}
	w.hasBeside(id, map[string]string{"model.py": "x = 1\n", "notes.txt": "Wet."})
	if _, _, err := w.contribute.CreateFrom(w.as(ada), catalog.Notebook, doi, contribute.Edit{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a notebook: %v", err)
	}
}

// hasBeside asserts the files of an entry's first version beside the descriptor that was made for it.
func (w *world) hasBeside(id string, want map[string]string) {
	w.T.Helper()
	found := contents(w.T, w.tree(id, 1))
	if !strings.Contains(found["cairn.yml"], "Waves and rocks") {
		w.T.Errorf("the descriptor is %q", found["cairn.yml"])
	}
	delete(found, "cairn.yml")
	if !maps.Equal(found, want) {
		w.T.Errorf("it has %q, want %q", found, want)
	}
}

func TestArchivesThatSendSomethingElse(t *testing.T) {
	all := archivestest.New(t)
	w := newWorld(t)
	known := archives.NewRecords(all.Records())
	several, _ := all.Zenodo.Add(archivestest.Item{
		Title: "Waves and rocks", People: []archives.Person{{Name: "Doe, Jane"}}, Files: []archivestest.Content{{Path: "model.py", Data: []byte("x = 1\n")}, {Path: "notes.txt", Data: []byte("Wet.")}},
	}, "")
	for what, change := range map[string]func(*archives.File){
		"another digest":   func(file *archives.File) { file.Digest.Value = strings.Repeat("0", len(file.Digest.Value)) },
		"another size":     func(file *archives.File) { file.Size++ },
		"a path out":       func(file *archives.File) { file.Path = "../../" + file.Path },
		"a strange digest": func(file *archives.File) { file.Digest.Algorithm = "crc32" },
		"nowhere":          func(file *archives.File) { file.URL = "http://192.168.7.7/x" },
	} {
		w.records = changed{known, change}
		w.open()
		id, err := w.addRecord(several)
		if _, told := errors.AsType[*fault.Fault](err); !told {
			t.Errorf("%s: %s %v", what, id, err)
		}
		w.nothingIsLeft(what)
	}
}
