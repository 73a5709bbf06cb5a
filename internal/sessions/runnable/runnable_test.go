package runnable_test

import (
	"testing"
	"testing/fstest"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/runnable"
)

func TestWhatRuns(t *testing.T) {
	file := func(metadata string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"nbformat":4,"cells":[],"metadata":` + metadata + `}`)}
	}
	spoken := []string{"python", "R"}
	rules := &runnable.Rules{Languages: func() []string { return spoken }, Notebooks: fstest.MapFS{
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
		code  fault.Code
		want  string
	}{
		{repository, "", ""},
		{model, fault.NotRunnable, "Models run on the workflow platform, not in a session."},
		{notebook("https://github.com/o/n/blob/main/a.ipynb"), "", ""},
		{notebook("bundled:python.ipynb"), "", ""},
		{notebook("bundled:bare.ipynb"), "", ""},
		{notebook("bundled:broken.ipynb"), "", ""},
		{notebook("bundled:r.ipynb"), "", ""},
		{notebook("bundled:julia.ipynb"), fault.LanguageMissing, "This notebook is written in Julia, and sessions here run Python and R."},
		{notebook("bundled:sage.ipynb"), fault.LanguageMissing, "This notebook is written in Sage, and sessions here run Python and R."},
		{notebook("bundled:absent.ipynb"), fault.NotRunnable, "This notebook isn't on this server."},
		{data(false), "", ""},
		{data(true), fault.NotRunnable, "The data of this dataset isn't on this server."},
	} {
		for range 2 { // the second answer is from memory
			entry := c.entry
			rules.Link().Add(&entry, catalog.Reader{})
			if entry.RunCode != c.code || entry.RunNote != c.want || *entry.Runnable != (c.want == "") {
				t.Errorf("%+v: %v %s %q, want %s %q", c.entry, *entry.Runnable, entry.RunCode, entry.RunNote, c.code, c.want)
			}
		}
	}

	// What operators install or remove counts at once.
	spoken = []string{"python"}
	entry := notebook("bundled:r.ipynb")
	rules.Link().Add(&entry, catalog.Reader{})
	if want := "This notebook is written in R, and sessions here run Python only. The operators can add it: apt-get install r-cran-irkernel"; entry.RunNote != want {
		t.Errorf("without R: got %q, want %q", entry.RunNote, want)
	}
}
