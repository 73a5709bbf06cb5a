package runnable_test

import (
	"testing"
	"testing/fstest"

	"cairn/internal/entries/catalog"
	"cairn/internal/sessions/runnable"
)

func TestWhatRuns(t *testing.T) {
	file := func(metadata string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"nbformat":4,"cells":[],"metadata":` + metadata + `}`)}
	}
	rules := &runnable.Rules{Notebooks: fstest.MapFS{
		"python.ipynb": file(`{"kernelspec":{"name":"python3","language":"python"},"language_info":{"name":"python"}}`),
		"bare.ipynb":   file(`{}`),
		"broken.ipynb": {Data: []byte("{")},
		"r.ipynb":      file(`{"kernelspec":{"name":"ir"}}`),
		"julia.ipynb":  file(`{"kernelspec":{"name":"julia-1.10","display_name":"Julia"}}`),
		"sage.ipynb":   file(`{"kernelspec":{"name":"x"},"language_info":{"name":"sage"}}`),
	}}
	notebook := func(name string) catalog.Resource {
		return catalog.Entry{Type: catalog.Notebook, NotebookPath: name}.Resource()
	}
	data := func(missing bool) catalog.Resource {
		answer := catalog.Entry{Type: catalog.Dataset, DatasetURL: "folder"}.Resource()
		answer.DataMissing = missing
		return answer
	}
	repository := catalog.Entry{Type: catalog.Repository, RepositoryURL: "https://github.com/o/n"}.Resource()
	model := catalog.Entry{Type: catalog.Model, ApplicationInterfaceID: "m"}.Resource()
	for _, c := range []struct {
		entry catalog.Resource
		want  string
	}{
		{repository, ""},
		{model, "Models run on the workflow platform, not in a session."},
		{notebook("https://github.com/o/n/blob/main/a.ipynb"), ""},
		{notebook("bundled:python.ipynb"), ""},
		{notebook("bundled:bare.ipynb"), ""},
		{notebook("bundled:broken.ipynb"), ""},
		{notebook("bundled:r.ipynb"), "This notebook is written in R, and sessions here run Python only."},
		{notebook("bundled:julia.ipynb"), "This notebook is written in Julia, and sessions here run Python only."},
		{notebook("bundled:sage.ipynb"), "This notebook is written in Sage, and sessions here run Python only."},
		{notebook("bundled:absent.ipynb"), "This notebook isn't on this server."},
		{data(false), ""},
		{data(true), "The data of this dataset isn't on this server."},
	} {
		for range 2 { // the second answer is from memory
			entry := c.entry
			rules.Link().Add(&entry, catalog.Reader{})
			if entry.RunNote != c.want || *entry.Runnable != (c.want == "") {
				t.Errorf("%+v: %v %q, want %q", c.entry, *entry.Runnable, entry.RunNote, c.want)
			}
		}
	}
}
