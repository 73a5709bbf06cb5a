package preview_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/content/dataset"
	"cairn/internal/content/dataset/hierarchy"
	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func at(address string) func(*catalog.Entry) {
	return func(r *catalog.Entry) { r.DatasetURL = address }
}

func TestDatasetsAreLookedInto(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("spikes"), catalogtest.Entry("secret", catalogtest.Private))
	data := w.showDatasets(t.TempDir())
	path := "/resources/public/" + w.ID("spikes") + "/dataset"

	var folder dataset.Listing
	w.Ask("", http.MethodGet, path, http.StatusOK, &folder)
	if !folder.Available || folder.Total != 3 || folder.Entries[0].Name != "deep" || folder.Entries[2].Size != 15 {
		t.Errorf("got %+v", folder)
	}
	w.Ask("", http.MethodGet, path+"/?path=deep", http.StatusOK, &folder)
	if folder.Path != "deep" || folder.Entries[0].Path != "deep/README.md" {
		t.Errorf("got %+v", folder)
	}
	var table dataset.Table
	w.Ask("", http.MethodGet, path+"/table?path=spikes.csv", http.StatusOK, &table)
	if table.RowsRead != 2 || table.Columns[1].Numbers.Mean != 2.5 || *table.OrderedBy != 0 {
		t.Errorf("got %+v", table)
	}
	var text dataset.TextFile
	w.Ask("", http.MethodGet, path+"/text?path=deep%2FREADME.md", http.StatusOK, &text)
	if text.Text != "# Read me" || !text.Markdown {
		t.Errorf("got %+v", text)
	}
	for _, name := range []string{"exceljs.xlsx", "arrow-zstd.parquet", "climate4.nc"} {
		content, err := os.ReadFile(filepath.Join("..", "dataset", "testdata", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(data, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Ask("", http.MethodGet, path+"/table?path=exceljs.xlsx&sheet=Notes", http.StatusOK, &table)
	if table.Sheet != "Notes" || table.Rows[0][0] != "text" || len(table.Sheets) != 2 {
		t.Errorf("got %+v", table)
	}
	w.Ask("", http.MethodGet, path+"/table?path=arrow-zstd.parquet", http.StatusOK, &table)
	if *table.TotalRows != 150 || table.Columns[0].Type != "int32" {
		t.Errorf("got %+v", table)
	}
	var tree hierarchy.Tree
	w.Ask("", http.MethodGet, path+"/structure?path=climate4.nc", http.StatusOK, &tree)
	if tree.Format != hierarchy.FormatHDF5 || len(tree.Nodes) != 7 || tree.Nodes[5].Units != "K" {
		t.Errorf("got %+v", tree)
	}
	for query, status := range map[string]int{
		"/structure?path=spikes.csv": 422, "/structure?path=nowhere.h5": 404, "/structure?path=..%2fspikes%2fa.h5": 404, "/table?path=exceljs.xlsx&sheet=Secret": 422, "/table?path=climate4.nc": 422,
		"/table?path=picture.png": 422, "/table?path=deep": 422, "/text?path=spikes.csv": 422, "/table": 422, "/table?path=nowhere.csv": 404, "?path=spikes.csv": 404, "?path=nowhere": 404,
		"/table?path=..%2fspikes%2fspikes.csv": 404, "/table?path=%2e%2e%2f%2e%2e%2fetc%2fpasswd": 404, "/table?path=..%252fspikes.csv": 404, "/table?path=%2fetc%2fpasswd": 404,
		"/table?path=spikes.csv%00": 422, "/table?path=%ff": 422, "/..%2f..%2fetc": 404, "/table?path=" + strings.Repeat("a", 10_000): 404,
	} {
		var problem httpapi.Problem
		w.Ask("", http.MethodGet, path+query, status, &problem)
		if len(problem.Message) < 10 {
			t.Errorf("%s: %+v", query, problem)
		}
	}
	for _, call := range []string{"", "/table?path=spikes.csv", "/text?path=deep/README.md"} {
		hidden := "/resources/public/" + w.ID("secret") + "/dataset" + call
		w.Ask("", http.MethodGet, hidden, http.StatusNotFound, nil)
		w.Ask(catalogtest.Bob, http.MethodGet, hidden, http.StatusNotFound, nil)
		w.Ask(catalogtest.Ada, http.MethodGet, hidden, http.StatusOK, nil)
	}
}

func TestUnchangedPreviewsAreNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("spikes"))
	folder := w.showDatasets(t.TempDir())
	for _, call := range []string{"", "/table?path=spikes.csv", "/text?path=deep/README.md"} {
		path := "/resources/public/" + w.ID("spikes") + "/dataset" + call
		tag := w.get("", httpapi.Base+path).Header().Get("ETag")
		if again := w.get("", httpapi.Base+path, "If-None-Match", tag); tag == "" || again.Code != http.StatusNotModified {
			t.Errorf("%s: tag %q, then %d", call, tag, again.Code)
		}
	}
	path := "/resources/public/" + w.ID("spikes") + "/dataset/table?path=spikes.csv"
	tag := w.get("", httpapi.Base+path).Header().Get("ETag")
	if err := os.WriteFile(filepath.Join(folder, "spikes.csv"), []byte("time,v\n1,2\n2,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := w.get("", httpapi.Base+path, "If-None-Match", tag); again.Code != http.StatusOK {
		t.Errorf("a file that changed: %d", again.Code)
	}
}

func TestDataThatIsNotHere(t *testing.T) {
	t.Parallel()
	entries := map[string]struct{ address, note string }{
		"elsewhere": {"https://data.example.org/spikes", "hosted outside this server"},
		"gone":      {"nowhere", "isn't on this server"},
		"bundled":   {"bundled:nothing", "isn't on this server"},
		"closed":    {"closed", "isn't allowed to read it"},
	}
	var all []catalog.Entry
	for name, one := range entries {
		all = append(all, catalogtest.Entry(name, at(one.address)))
	}
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), append(all, catalogtest.Entry("notebook", bundledNotebook))...)
	ask := func(name, note string) {
		t.Helper()
		var folder dataset.Listing
		path := "/resources/public/" + w.ID(name) + "/dataset"
		w.Ask("", http.MethodGet, path, http.StatusOK, &folder)
		if folder.Available || !strings.Contains(folder.Note, note) || folder.Entries == nil || len(folder.Entries) > 0 {
			t.Errorf("%s: %+v", name, folder)
		}
		var problem httpapi.Problem
		w.Ask("", http.MethodGet, path+"/table?path=a.csv", http.StatusNotFound, &problem)
		if problem.Message != folder.Note {
			t.Errorf("%s: %+v", name, problem)
		}
	}
	w.open("datasets", catalog.Link{}, preview.NewDatasets(w, dataBelow("/nowhere"), preview.DatasetDownloads{}))
	ask("gone", "isn't on this server")
	w.showDatasets(t.TempDir())
	for name, one := range entries {
		ask(name, one.note)
	}
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("notebook")+"/dataset", http.StatusNotFound, nil)
}
