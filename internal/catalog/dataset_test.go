package catalog_test

import (
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/dataset"
	"cairn/internal/httpapi"
	"cairn/internal/sqldb/sqldbtest"
)

// dataBelow finds the data of entries in folders below a root.
type dataBelow string

func (root dataBelow) OpenDataset(address string) (*dataset.Tree, error) {
	if address == "closed" {
		return nil, fs.ErrPermission
	}
	return dataset.Open(string(root), address)
}

// showDatasets gives the catalog a data root with the folder of all entries that do not say otherwise.
func (w *world) showDatasets(root string) (folder string) {
	w.t.Helper()
	folder = filepath.Join(root, "spikes")
	if err := os.MkdirAll(filepath.Join(folder, "deep"), 0o750); err != nil {
		w.t.Fatal(err)
	}
	for name, text := range map[string]string{"spikes.csv": "time,v\n1,2\n2,3\n", "deep/README.md": "# Read me", "picture.png": "x"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	w.service = catalog.NewService(w.t.Context(), w.store, catalog.Options{Logger: slog.New(slog.DiscardHandler), Datasets: dataBelow(root)})
	w.t.Cleanup(func() { _ = w.service.Close() })
	return folder
}

func at(address string) func(*catalog.Resource) {
	return func(r *catalog.Resource) { r.DatasetURL = address }
}

func TestDatasetsAreLookedInto(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), entry("spikes"), entry("secret", private))
	w.showDatasets(t.TempDir())
	path := "/resources/public/" + w.id("spikes") + "/dataset"

	var folder dataset.Listing
	w.ask("", http.MethodGet, path, http.StatusOK, &folder)
	if !folder.Available || folder.Total != 3 || folder.Entries[0].Name != "deep" || folder.Entries[2].Size != 15 {
		t.Errorf("got %+v", folder)
	}
	w.ask("", http.MethodGet, path+"/?path=deep", http.StatusOK, &folder)
	if folder.Path != "deep" || folder.Entries[0].Path != "deep/README.md" {
		t.Errorf("got %+v", folder)
	}
	var table dataset.Table
	w.ask("", http.MethodGet, path+"/table?path=spikes.csv", http.StatusOK, &table)
	if table.RowsRead != 2 || table.Columns[1].Numbers.Mean != 2.5 || *table.OrderedBy != 0 {
		t.Errorf("got %+v", table)
	}
	var text dataset.TextFile
	w.ask("", http.MethodGet, path+"/text?path=deep%2FREADME.md", http.StatusOK, &text)
	if text.Text != "# Read me" || !text.Markdown {
		t.Errorf("got %+v", text)
	}
	for query, status := range map[string]int{
		"/table?path=picture.png": 422, "/table?path=deep": 422, "/text?path=spikes.csv": 422, "/table": 422, "/table?path=nowhere.csv": 404, "?path=spikes.csv": 404, "?path=nowhere": 404,
		"/table?path=..%2fspikes%2fspikes.csv": 404, "/table?path=%2e%2e%2f%2e%2e%2fetc%2fpasswd": 404, "/table?path=..%252fspikes.csv": 404, "/table?path=%2fetc%2fpasswd": 404,
		"/table?path=spikes.csv%00": 404, "/table?path=%ff": 404, "/..%2f..%2fetc": 404, "/table?path=" + strings.Repeat("a", 10_000): 404,
	} {
		var problem httpapi.Problem
		w.ask("", http.MethodGet, path+query, status, &problem)
		if len(problem.Message) < 10 {
			t.Errorf("%s: %+v", query, problem)
		}
	}
	for _, call := range []string{"", "/table?path=spikes.csv", "/text?path=deep/README.md"} {
		hidden := "/resources/public/" + w.id("secret") + "/dataset" + call
		w.ask("", http.MethodGet, hidden, http.StatusNotFound, nil)
		w.ask(bob, http.MethodGet, hidden, http.StatusNotFound, nil)
		w.ask(ada, http.MethodGet, hidden, http.StatusOK, nil)
	}
}

func TestUnchangedPreviewsAreNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), entry("spikes"))
	folder := w.showDatasets(t.TempDir())
	for _, call := range []string{"", "/table?path=spikes.csv", "/text?path=deep/README.md"} {
		path := "/resources/public/" + w.id("spikes") + "/dataset" + call
		tag := w.get("", httpapi.Base+path).Header().Get("ETag")
		if again := w.get("", httpapi.Base+path, "If-None-Match", tag); tag == "" || again.Code != http.StatusNotModified {
			t.Errorf("%s: tag %q, then %d", call, tag, again.Code)
		}
	}
	path := "/resources/public/" + w.id("spikes") + "/dataset/table?path=spikes.csv"
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
		"elsewhere": {"https://data.example.org/spikes", "address of its own"},
		"gone":      {"nowhere", "not on this server"},
		"bundled":   {"bundled:nothing", "not on this server"},
		"closed":    {"closed", "may not read it"},
	}
	var all []catalog.Resource
	for name, one := range entries {
		all = append(all, entry(name, at(one.address)))
	}
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), append(all, entry("notebook", notebook))...)
	ask := func(name, note string) {
		t.Helper()
		var folder dataset.Listing
		path := "/resources/public/" + w.id(name) + "/dataset"
		w.ask("", http.MethodGet, path, http.StatusOK, &folder)
		if folder.Available || !strings.Contains(folder.Note, note) || folder.Entries == nil || len(folder.Entries) > 0 {
			t.Errorf("%s: %+v", name, folder)
		}
		var problem httpapi.Problem
		w.ask("", http.MethodGet, path+"/table?path=a.csv", http.StatusNotFound, &problem)
		if problem.Message != folder.Note {
			t.Errorf("%s: %+v", name, problem)
		}
	}
	ask("gone", "not on this server") // there is no data root at all
	w.showDatasets(t.TempDir())
	for name, one := range entries {
		ask(name, one.note)
	}
	w.ask("", http.MethodGet, "/resources/public/"+w.id("notebook")+"/dataset", http.StatusNotFound, nil)
}
