package preview_test

import (
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cairn/internal/content/cite"
	"cairn/internal/content/dataset"
	"cairn/internal/content/notebook"
	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

var bundledNotebook = catalogtest.Notebook("bundled:a.ipynb")

// world is a catalog with previews of its entries. It implements Entries itself, so the features keep working when the
// service is replaced.
type world struct {
	*catalogtest.World

	hosts     *codehost.Hosts
	addresses preview.FrameAddresses
	notebooks *preview.Notebooks
	links     map[string]catalog.Link
	features  map[string]catalogtest.Feature
}

func newWorld(t testing.TB, db *sqldb.DB, entries ...catalog.Entry) *world {
	t.Helper()
	return &world{
		World: catalogtest.New(t, db, entries...), hosts: codehost.NewHosts(nil, nil), addresses: frames{"n-{id}.localhost:8081"},
		links: map[string]catalog.Link{}, features: map[string]catalogtest.Feature{},
	}
}

// open creates the service again, with the existing links and features and a named one.
func (w *world) open(name string, link catalog.Link, feature catalogtest.Feature) {
	w.T.Helper()
	if link.Add != nil {
		w.links[name] = link
	}
	w.features[name] = feature
	w.Open(slices.Collect(maps.Values(w.links))...)
	w.Mount(slices.Collect(maps.Values(w.features))...)
}

func (w *world) secret(name string) []byte {
	w.T.Helper()
	secret, err := w.DB.Secret(w.T.Context(), name)
	if err != nil {
		w.T.Fatal(err)
	}
	return secret
}

// showImages shows pictures from 127.0.0.1, which plays the public internet, and caches them in a folder.
func (w *world) showImages(folder string, now func() time.Time, timeout ...time.Duration) *preview.HeaderImages {
	w.T.Helper()
	timeout = append(timeout, 0)
	links := preview.NewImageLinks(w.secret(preview.ImageSecret), now)
	images, err := preview.NewHeaderImages(w.T.Context(), w, links, preview.HeaderImageOptions{
		Client: local(), Hosts: w.hosts, Folder: folder, Timeout: timeout[0], Now: now, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(func() { _ = images.Close() })
	w.open("images", links.Link(), images)
	return images
}

// local returns a client for which 127.0.0.1 is the public internet.
func local() *safehttp.Client {
	return safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
}

// frames are the addresses of frames in the host form, or below one host.
type frames struct{ host string }

func (f frames) hostOf(id string) string { return strings.ReplaceAll(f.host, "{id}", id) }

func (f frames) FrameOrigin(id string) string { return "http://" + f.hostOf(id) }

func (f frames) HostsFrame(host, id string) bool { return host == f.hostOf(id) }

// showNotebooks shows notebooks; 127.0.0.1 plays the public internet, and a source plays GitHub's raw files.
func (w *world) showNotebooks(github string, changes ...func(*preview.NotebookOptions)) *preview.Notebooks {
	w.T.Helper()
	renderer, err := notebook.New(notebook.Options{})
	if err != nil {
		w.T.Fatal(err)
	}
	options := preview.NotebookOptions{
		Client: local(), Folder: w.T.TempDir(), Hosts: w.hosts, Pictures: w.showImages(w.T.TempDir(), time.Now), GitHubRaw: github, Renderer: renderer, Public: publicOrigin,
		Downloads: w.downloads("", time.Now).Links,
		Bundled:   fstest.MapFS{"a.ipynb": {Data: notebookOf("bundled text")}, "secret.txt": {Data: []byte("secret")}},
		Now:       time.Now, Logger: slog.New(slog.DiscardHandler),
	}
	for _, change := range changes {
		change(&options)
	}
	links := preview.NewFrameLinks(w.secret(preview.FrameSecret), w.addresses, options.Now)
	w.notebooks, err = preview.NewNotebooks(w.T.Context(), w, links, options)
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(func() { _ = w.notebooks.Close() })
	w.open("notebooks", links.Link(), w.notebooks)
	return w.notebooks
}

// filesWorld has an entry for each kind of repository, on a stand-in for GitHub.
func filesWorld(t *testing.T) (*world, *githubtest.Server) {
	t.Helper()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("open", catalogtest.Repository("https://github.com/owner/open.git")),
		catalogtest.Entry("hidden", catalogtest.Private, catalogtest.By(catalogtest.Bob), catalogtest.Repository("https://github.com/owner/hidden")),
		catalogtest.Entry("elsewhere", catalogtest.Repository("https://gitlab.example/group/name")),
		catalogtest.Entry("gone", catalogtest.Repository("https://github.com/owner/gone")),
		catalogtest.Entry("secret", catalogtest.Repository("https://github.com/owner/secret")), catalogtest.Entry("data"), catalogtest.Entry("book", bundledNotebook))
	stand := githubtest.Start(t)
	for _, name := range []string{"owner/open", "owner/hidden"} {
		stand.Put(githubtest.Repository{Name: name, Language: "Python", Kilobytes: 37, PushedAt: "2025-05-04T12:00:00Z", Files: map[string]string{
			"README.md": "# Hello", "src/a b.py": "print()\n", "picture.png": "\x89PNG\x00", "latin.txt": "caf\xe9", "encodings/README.md": "# M\xfcller\n\n\xe4\xf6\xfc\n",
			"encodings/powershell.txt": "\xff\xfeh\x00\xe4\x00\r\x00\n\x00", "encodings/archive.txt": "\x1f\x8b\x08\xff", "long.txt": strings.Repeat("x", 1<<20+1),
			"CITATION.cff": "title: " + name + "\nauthors: [{name: Ada}]\n",
		}})
	}
	stand.Put(githubtest.Repository{Name: "owner/secret", Private: true, Files: map[string]string{"a.txt": "secret", "CITATION.cff": "title: T\nauthors: [{name: A}]\n"}})
	w.hosts = codehost.NewHosts(map[string]codehost.Host{"github.com": codehost.NewGitHub(stand.Options(t, githubtest.Token))}, nil)
	highlighter, err := notebook.NewHighlighter()
	if err != nil {
		t.Fatal(err)
	}
	w.open("files", catalog.Link{}, preview.NewFiles(w, w.hosts, highlighter, cite.Catalog{Publisher: func() string { return "Hill" }, Public: publicOrigin}))
	return w, stand
}

// dataBelow finds the data of entries in folders below a root.
type dataBelow string

func (root dataBelow) OpenDataset(address string) (*dataset.Tree, error) {
	if address == "closed" {
		return nil, fs.ErrPermission
	}
	return dataset.Open(string(root), address)
}

// showDatasets shows a data root with the folder of all entries that don't name another one.
func (w *world) showDatasets(root string) (folder string) {
	w.T.Helper()
	folder = filepath.Join(root, "spikes")
	if err := os.MkdirAll(filepath.Join(folder, "deep"), 0o750); err != nil {
		w.T.Fatal(err)
	}
	for name, text := range map[string]string{"spikes.csv": "time,v\n1,2\n2,3\n", "deep/README.md": "# Read me", "picture.png": "x"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			w.T.Fatal(err)
		}
	}
	w.open("datasets", catalog.Link{}, preview.NewDatasets(w, dataBelow(root), w.downloads(preview.DownloadsForEveryone, time.Now)))
	return folder
}

func (w *world) downloads(who string, now func() time.Time) preview.DatasetDownloads {
	w.T.Helper()
	return preview.DatasetDownloads{Links: preview.NewDownloadLinks(w.secret(preview.DownloadSecret), now), For: who, Limit: 1000}
}

// get requests an address of the API as somebody.
func (w *world) get(email, path string, headers ...string) *httptest.ResponseRecorder {
	w.T.Helper()
	return w.Call(email, http.MethodGet, path, "", headers...)
}

func (w *world) imagePath(name string) string {
	return httpapi.Base + "/resources/public/" + w.ID(name) + "/header-image"
}
