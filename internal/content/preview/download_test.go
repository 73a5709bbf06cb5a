package preview_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/content/dataset"
	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// downloadWorld has a dataset for everybody, one of Ada's, and a hidden one of hers.
func downloadWorld(t *testing.T, who string, now func() time.Time) (w *world, folder string) {
	t.Helper()
	w = newWorld(t, sqldbtest.SQLite(t, now), catalogtest.Entry("spikes"), catalogtest.Entry("secret", catalogtest.Private),
		catalogtest.Entry("book", bundledNotebook))
	folder = w.showDatasets(t.TempDir())
	w.open("datasets", catalog.Link{}, preview.NewDatasets(w, dataBelow(filepath.Dir(folder)), w.downloads(who, now)))
	return w, folder
}

func (w *world) datasetPath(name, part string) string {
	return httpapi.Base + "/resources/public/" + w.ID(name) + "/dataset" + part
}

func (w *world) download(email, name string) preview.DatasetDownload {
	w.T.Helper()
	var folder preview.DatasetFolder
	w.Ask(email, http.MethodGet, strings.TrimPrefix(w.datasetPath(name, ""), httpapi.Base), http.StatusOK, &folder)
	return folder.Download
}

func (w *world) wantStatus(email, address string, status int) {
	w.T.Helper()
	if answer := w.get(email, address); answer.Code != status {
		w.T.Errorf("%s as %q: %d, want %d: %s", address, email, answer.Code, status, answer.Body)
	}
}

// TestFilesAreSentAsWhatTheyAreUnlessBrowsersShowThem also keeps the type of a page from files that pretend.
func TestFilesAreSentAsWhatTheyAreUnlessBrowsersShowThem(t *testing.T) {
	t.Parallel()
	w, folder := downloadWorld(t, preview.DownloadsForEveryone, time.Now)
	for name, want := range map[string]string{
		"a.csv": "text/csv", "README": "text/plain", "A.JSON": "application/json", "a.html": "application/octet-stream", "a.svg": "application/octet-stream",
		"a.xml": "application/octet-stream", "a.pdf": "application/octet-stream", "a.js": "application/octet-stream", "a.xhtml": "application/octet-stream", "a": "application/octet-stream",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("<script>alert(1)</script>"), 0o600); err != nil {
			t.Fatal(err)
		}
		answer := w.get("", w.datasetPath("spikes", "/file?path="+name))
		if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != want || !strings.HasPrefix(answer.Header().Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %d %v, want %s", name, answer.Code, answer.Header(), want)
		}
	}
}

func TestFilesOfDatasetsAreDownloaded(t *testing.T) {
	t.Parallel()
	w, folder := downloadWorld(t, preview.DownloadsForEveryone, time.Now)
	path := w.datasetPath("spikes", "/file?path=spikes.csv")
	whole := w.get("", path)
	header := whole.Header()
	if whole.Code != http.StatusOK || whole.Body.String() != "time,v\n1,2\n2,3\n" || header.Get("Content-Length") != "15" ||
		header.Get("Content-Disposition") != "attachment; filename=spikes.csv" || header.Get("Content-Type") != "text/csv" ||
		header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		t.Errorf("got %d %v %q", whole.Code, header, whole.Body)
	}
	tag := header.Get("ETag")
	if part := w.get("", path, "Range", "bytes=5-8", "If-Range", tag); part.Code != http.StatusPartialContent || part.Body.String() != "v\n1," {
		t.Errorf("a part: %d %q", part.Code, part.Body)
	}
	if again := w.get("", path, "If-None-Match", tag); tag == "" || again.Code != http.StatusNotModified {
		t.Errorf("tag %q, then %d", tag, again.Code)
	}
	if err := os.WriteFile(filepath.Join(folder, "spikes.csv"), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if changed := w.get("", path, "Range", "bytes=5-8", "If-Range", tag); changed.Code != http.StatusOK || changed.Body.String() != "other" {
		t.Errorf("a file that changed: %d %q", changed.Code, changed.Body)
	}
}

// Whatever changes in the source of a download, nothing that a client knows of the state before stands for the new one.
func TestValidatorsChangeWithTheContent(t *testing.T) {
	t.Parallel()
	w, folder := downloadWorld(t, preview.DownloadsForEveryone, time.Now)
	file, path := filepath.Join(folder, "spikes.csv"), w.datasetPath("spikes", "/file?path=spikes.csv")
	set := func(content string, modified time.Time) {
		t.Helper()
		if err := errors.Join(os.WriteFile(file, []byte(content), 0o600), os.Chtimes(file, modified, modified)); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	set("first", then)
	for name, change := range map[string]func(){
		"of the same size":                func() { set("other", then.Add(time.Minute)) },
		"with the time kept, as rsync -t": func() { set("third", then) },
		"by an older one, as cp -p":       func() { set("older and longer", then.Add(-time.Hour)) },
		"by another file, as mv": func() {
			if err := errors.Join(os.WriteFile(file+".new", []byte("moved"), 0o600), os.Chtimes(file+".new", then, then), os.Rename(file+".new", file)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		set("first", then)
		before := w.get("", path)
		tag, modified := before.Header().Get("ETag"), before.Header().Get("Last-Modified")
		if same := w.get("", path, "If-None-Match", tag); tag == "" || modified == "" || same.Code != http.StatusNotModified {
			t.Fatalf("%s: the tag is %q, the time %q, then %d", name, tag, modified, same.Code)
		}
		change()
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, asked := range [][]string{
			{"If-None-Match", tag},
			{"If-Modified-Since", modified},
			{"If-Modified-Since", modified, "If-None-Match", tag},
			{"Range", "bytes=2-", "If-Range", tag},
			{"Range", "bytes=2-", "If-Range", modified},
		} {
			if answer := w.get("", path, asked...); answer.Code != http.StatusOK || answer.Body.String() != string(content) {
				t.Errorf("Replaced %s, with %v: %d %q, want %q", name, asked, answer.Code, answer.Body, content)
			}
		}
	}
}

func TestDownloadsLeadOutOfNoDataset(t *testing.T) {
	t.Parallel()
	w, folder := downloadWorld(t, preview.DownloadsForEveryone, time.Now)
	if err := os.WriteFile(filepath.Join(filepath.Dir(folder), "outside.txt"), []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"up": "../outside.txt", "away": "/etc/passwd", "device": "/dev/zero", ".hidden": "spikes.csv"} {
		if err := os.Symlink(target, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"up", "away", "device", ".hidden", "nowhere", "..%2foutside.txt", "%2fetc%2fpasswd", "deep%2f..%2f..%2foutside.txt", strings.Repeat("a", 10_000),
	} {
		w.wantStatus("", w.datasetPath("spikes", "/file?path="+name), http.StatusNotFound)
	}
	w.wantStatus("", w.datasetPath("spikes", "/file?path=deep"), http.StatusUnprocessableEntity)
	w.wantStatus("", w.datasetPath("spikes", "/file?path=spikes.csv%00"), http.StatusUnprocessableEntity)
	w.wantStatus("", w.datasetPath("spikes", "/file"), http.StatusUnprocessableEntity)
	w.wantStatus("", w.datasetPath("book", "/file?path=spikes.csv"), http.StatusNotFound)
}

func TestWholeDatasetsAreDownloaded(t *testing.T) {
	t.Parallel()
	w, folder := downloadWorld(t, preview.DownloadsForEveryone, time.Now)
	answer := w.get("", w.datasetPath("spikes", ".zip"))
	reader, err := zip.NewReader(bytes.NewReader(answer.Body.Bytes()), int64(answer.Body.Len()))
	if err != nil {
		t.Fatal(answer.Code, err)
	}
	names := make([]string, len(reader.File))
	for i, file := range reader.File {
		names[i] = file.Name
	}
	if got := strings.Join(names, " "); got != "deep/README.md picture.png spikes.csv" || answer.Header().Get("Content-Disposition") != "attachment; filename=spikes.zip" {
		t.Errorf("got %s, %v", got, answer.Header())
	}
	if err := os.WriteFile(filepath.Join(folder, "large.bin"), make([]byte, 1001), 0o600); err != nil {
		t.Fatal(err)
	}
	for part, size := range map[string]string{".zip": "1026 bytes", "/file?path=large.bin": "1001 bytes"} {
		refused := w.get("", w.datasetPath("spikes", part))
		if body := refused.Body.String(); refused.Code != http.StatusRequestEntityTooLarge || !strings.Contains(body, size) || !strings.Contains(body, `"too_large"`) {
			t.Errorf("%s: %d %s", part, refused.Code, body)
		}
	}
}

func TestDownloadsByWhom(t *testing.T) {
	t.Parallel()
	const file, all = "/file?path=spikes.csv", ".zip"
	for who, want := range map[string]struct {
		state, signedIn   string
		stranger, account int
	}{
		preview.DownloadsForEveryone: {"ALLOWED", "ALLOWED", http.StatusOK, http.StatusOK},
		preview.DownloadsForSignedIn: {"SIGN_IN", "ALLOWED", http.StatusUnauthorized, http.StatusOK},
		preview.NoDownloads:          {"NONE", "NONE", http.StatusForbidden, http.StatusForbidden},
	} {
		w, _ := downloadWorld(t, who, time.Now)
		if got := w.download("", "spikes").State; got != want.state {
			t.Errorf("%s: %s for strangers", who, got)
		}
		if got := w.download(catalogtest.Bob, "spikes").State; got != want.signedIn {
			t.Errorf("%s: %s for accounts", who, got)
		}
		for _, part := range []string{file, all} {
			w.wantStatus("", w.datasetPath("spikes", part), want.stranger)
			w.wantStatus(catalogtest.Bob, w.datasetPath("spikes", part), want.account)
			w.wantStatus("", w.datasetPath("secret", part), http.StatusNotFound)
			w.wantStatus(catalogtest.Bob, w.datasetPath("secret", part), http.StatusNotFound)
			w.wantStatus(catalogtest.Ada, w.datasetPath("secret", part), want.account)
		}
	}
}

// Browsers open links without a token.
func TestSignedLinksDownload(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w, _ := downloadWorld(t, preview.DownloadsForSignedIn, func() time.Time { return now })
	for entry, reader := range map[string]string{"spikes": catalogtest.Bob, "secret": catalogtest.Ada} {
		links := w.download(reader, entry)
		w.wantStatus("", links.FileURL+"spikes.csv", http.StatusOK)
		w.wantStatus("", links.ZipURL, http.StatusOK)
		query := links.ZipURL[strings.Index(links.ZipURL, "?"):]
		other := map[string]string{"spikes": "secret", "secret": "spikes"}[entry]
		refused := map[string]int{"spikes": http.StatusNotFound, "secret": http.StatusUnauthorized}[entry]
		w.wantStatus("", w.datasetPath(other, ".zip")+query, refused)
		w.wantStatus("", strings.Replace(links.ZipURL, "signature=", "signature=x", 1), map[string]int{"spikes": 401, "secret": 404}[entry])
		now = now.Add(13 * time.Hour)
		w.wantStatus("", links.ZipURL, map[string]int{"spikes": 401, "secret": 404}[entry])
	}
}

func TestNotebooksAreDownloaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("book: one", bundledNotebook),
		catalogtest.Entry("secret", bundledNotebook, catalogtest.Private), catalogtest.Entry("spikes"))
	w.showNotebooks("")
	view := func(email, name string) (view preview.NotebookView) {
		t.Helper()
		w.Ask(email, http.MethodGet, "/resources/public/"+w.ID(name)+"/notebook", http.StatusOK, &view)
		return view
	}
	answer := w.get("", view("", "book: one").FileURL)
	if answer.Code != http.StatusOK || answer.Body.String() != string(notebookOf("bundled text")) || answer.Header().Get("ETag") == "" ||
		answer.Header().Get("Content-Disposition") != `attachment; filename="book- one.ipynb"` {
		t.Errorf("got %d %v %s", answer.Code, answer.Header(), answer.Body)
	}
	path := httpapi.Base + "/resources/public/" + w.ID("secret") + "/notebook/file"
	w.wantStatus("", path, http.StatusNotFound)
	w.wantStatus(catalogtest.Bob, path, http.StatusNotFound)
	w.wantStatus(catalogtest.Ada, path, http.StatusOK)
	w.wantStatus("", view(catalogtest.Ada, "secret").FileURL, http.StatusOK)
	w.wantStatus("", httpapi.Base+"/resources/public/"+w.ID("spikes")+"/notebook/file", http.StatusNotFound)
}

func TestNotebooksOfRepositoriesAreDownloaded(t *testing.T) {
	t.Parallel()
	w, _ := filesWorld(t)
	w.showNotebooks("")
	path := httpapi.Base + "/resources/public/" + w.ID("open") + "/notebook/file?path="
	w.wantStatus("", path+"README.md", http.StatusNotFound)
	w.wantStatus("", path+"nowhere.ipynb", http.StatusNotFound)
	w.wantStatus("", httpapi.Base+"/resources/public/"+w.ID("hidden")+"/notebook/file?path=a.ipynb", http.StatusNotFound)
}

func TestDownloadsSayTheirDigest(t *testing.T) {
	t.Parallel()
	w, folder := downloadWorld(t, preview.DownloadsForEveryone, time.Now)
	path := w.datasetPath("spikes", "/file?path=spikes.csv")
	for _, text := range []string{"time,v\n1,2\n2,3\n", "time,v\n1,2\n2,4\n"} {
		if err := os.WriteFile(filepath.Join(folder, "spikes.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(text))
		whole := w.get("", path, "Accept-Encoding", "gzip")
		if got := whole.Header().Get("Repr-Digest"); got != "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":" || whole.Body.String() != text {
			t.Errorf("%q: %q", text, got)
		}
		var digest preview.FileDigest
		w.Ask("", http.MethodGet, strings.TrimPrefix(w.datasetPath("spikes", "/digest?path=spikes.csv"), httpapi.Base), http.StatusOK, &digest)
		if digest != (preview.FileDigest{Path: "spikes.csv", Size: 15, SHA256: hex.EncodeToString(sum[:])}) {
			t.Errorf("%q: %+v", text, digest)
		}
		for _, header := range [][]string{{"Range", "bytes=5-8"}, {"Range", "bytes=0-14"}, {"Range", "bytes=99-"}, {"If-None-Match", whole.Header().Get("ETag")}} {
			if part := w.get("", path, header...); part.Code == http.StatusOK || part.Header().Get("Repr-Digest") != "" {
				t.Errorf("%v: %d %v", header, part.Code, part.Header())
			}
		}
	}
}

func TestDigestsByWhom(t *testing.T) {
	t.Parallel()
	for who, want := range map[string]struct{ stranger, account int }{
		preview.DownloadsForEveryone: {http.StatusOK, http.StatusOK},
		preview.DownloadsForSignedIn: {http.StatusUnauthorized, http.StatusOK},
		preview.NoDownloads:          {http.StatusForbidden, http.StatusForbidden},
	} {
		w, folder := downloadWorld(t, who, time.Now)
		const part = "/digest?path=spikes.csv"
		w.wantStatus("", w.datasetPath("spikes", part), want.stranger)
		w.wantStatus(catalogtest.Bob, w.datasetPath("spikes", part), want.account)
		for _, hidden := range []string{part, "/total"} {
			w.wantStatus("", w.datasetPath("secret", hidden), http.StatusNotFound)
			w.wantStatus(catalogtest.Bob, w.datasetPath("secret", hidden), http.StatusNotFound)
		}
		w.wantStatus(catalogtest.Ada, w.datasetPath("secret", part), want.account)
		if answer := w.get("", w.datasetPath("spikes", "/file?path=spikes.csv")); answer.Code != http.StatusOK && answer.Header().Get("Repr-Digest") != "" {
			t.Errorf("%s: %d with %v", who, answer.Code, answer.Header())
		}
		if who != preview.DownloadsForEveryone {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, "large.bin"), make([]byte, 1001), 0o600); err != nil {
			t.Fatal(err)
		}
		w.wantStatus("", w.datasetPath("spikes", "/digest?path=large.bin"), http.StatusRequestEntityTooLarge)
		w.wantStatus("", w.datasetPath("spikes", "/digest?path=..%2fspikes%2fspikes.csv"), http.StatusNotFound)
		w.wantStatus("", w.datasetPath("spikes", "/digest?path=deep"), http.StatusUnprocessableEntity)
	}
}

func TestTotalsOfDatasets(t *testing.T) {
	t.Parallel()
	w, _ := downloadWorld(t, preview.NoDownloads, time.Now)
	var total dataset.Total
	w.Ask("", http.MethodGet, strings.TrimPrefix(w.datasetPath("spikes", "/total"), httpapi.Base), http.StatusOK, &total)
	if total != (dataset.Total{Files: 3, Size: 25}) {
		t.Errorf("got %+v", total)
	}
	w.wantStatus("", w.datasetPath("book", "/total"), http.StatusNotFound)
}
