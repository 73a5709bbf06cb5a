package preview_test

import (
	"bytes"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// besideIn returns the addresses of the pictures and links in the frame at an address.
func (w *world) besideIn(address string) (pictures, links []string) {
	w.T.Helper()
	_, content, _ := strings.Cut(w.visit(address).Body.String(), "<main")
	for _, found := range regexp.MustCompile(` (src|href)="([^"]*)"`).FindAllStringSubmatch(content, -1) {
		if to := html.UnescapeString(found[2]); found[1] == "src" {
			pictures = append(pictures, to)
		} else {
			links = append(links, to)
		}
	}
	return pictures, links
}

const besideText = `![a figure](figures/one.png) [data](data/x.csv?plain=1#L2) <img src="/img/my%20two.png"> [other](../b.ipynb#there)`

// Pictures beside a notebook of a repository are shown through this server to those who may see the entry, and links lead to files.
func TestFilesBesideNotebooksOfRepositories(t *testing.T) {
	t.Parallel()
	w, stand := filesWorld(t)
	one, two := pngOf(t, 3, 2), pngOf(t, 5, 4)
	for _, name := range []string{"owner/open", "owner/hidden"} {
		stand.Put(githubtest.Repository{Name: name, Files: map[string]string{
			"docs/a.ipynb": string(notebookOf(besideText)), "docs/figures/one.png": string(one), "img/my two.png": string(two), "secret.txt": "secret", "b.ipynb": string(notebookOf("b")),
		}})
	}
	clock := newClock()
	w.showNotebooks("", func(o *preview.NotebookOptions) { o.Now = clock.now })
	for name, reader := range map[string]string{"open": "", "hidden": catalogtest.Bob} {
		var view preview.NotebookView
		w.Ask(reader, http.MethodGet, "/resources/public/"+w.ID(name)+"/notebook?path=docs/a.ipynb", http.StatusOK, &view)
		if len(view.Notes) > 0 {
			t.Errorf("%q", view.Notes)
		}
		pictures, links := w.besideIn(view.NotebookFrameURL)
		if len(pictures) != 2 || len(links) != 2 || links[0] != "https://github.com/owner/"+name+"/blob/main/docs/data/x.csv?plain=1#L2" ||
			links[1] != publicOrigin+"/resources/repositories/"+w.ID(name)+"?file=b.ipynb#files" {
			t.Fatalf("%s: %q %q", name, pictures, links)
		}
		for i, content := range [][]byte{one, two} {
			answer := w.visit(pictures[i])
			if answer.Code != http.StatusOK || !bytes.Equal(answer.Body.Bytes(), content) || answer.Header().Get("Content-Type") != "image/png" ||
				!strings.HasPrefix(answer.Header().Get("Cache-Control"), "private, ") || answer.Header().Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
				t.Errorf("%s: %d %v %.200s", name, answer.Code, answer.Header(), answer.Body)
			}
		}
		with := func(file string) string {
			return strings.Replace(pictures[0], url.QueryEscape("docs/figures/one.png"), url.QueryEscape(file), 1)
		}
		for what, address := range map[string]string{
			"no picture": with("secret.txt"), "a missing one": with("none.png"), "none": with(""), "what is outside": with("../../x.png"), "another site's": with("https://evil.example/x.png"),
			"without a signature": strings.Split(pictures[0], "&")[0], "of another entry": strings.ReplaceAll(pictures[0], w.ID(name), w.ID("elsewhere")),
			"at another host": strings.Replace(pictures[0], "http://n-", "http://s-", 1),
		} {
			w.shows(what, address, http.StatusNotFound)
		}
		clock.pass(13 * time.Hour)
		w.shows("after 13 hours", pictures[0], http.StatusNotFound)
	}
	// One who is no author any longer sees no pictures.
	var view preview.NotebookView
	w.Ask(catalogtest.Bob, http.MethodGet, "/resources/public/"+w.ID("hidden")+"/notebook?path=docs/a.ipynb", http.StatusOK, &view)
	pictures, _ := w.besideIn(view.NotebookFrameURL)
	w.Import(catalogtest.Entry("hidden", catalogtest.Private, catalogtest.By(catalogtest.Ada), catalogtest.Repository("https://github.com/owner/hidden")))
	w.shows("for a former author", pictures[0], http.StatusNotFound)
}

// A repository without pages of files, such as a bundled one, shows them in the page.
func TestFilesBesideNotebooksOfBundledRepositories(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("r", catalogtest.Repository("https://bundled.example/demo/first")))
	one := pngOf(t, 3, 2)
	w.hosts = codehost.NewHosts(map[string]codehost.Host{"bundled.example": codehost.Bundled{"demo/first": fstest.MapFS{
		"a.ipynb": {Data: notebookOf("![](img/one.png) [x](data/x.csv#L1) [b](b.ipynb) [d](data/) [d](data) [l](/LICENSE) [root](/)")},
		"b.ipynb": {Data: notebookOf("b")},
		"LICENSE": {Data: []byte("free")}, "data/x.csv": {Data: []byte("x")}, "img/one.png": {Data: one},
	}}}, nil)
	w.showNotebooks("")
	var view preview.NotebookView
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("r")+"/notebook?path=a.ipynb", http.StatusOK, &view)
	pictures, links := w.besideIn(view.NotebookFrameURL)
	page := publicOrigin + "/resources/repositories/" + w.ID("r") + "?"
	if got, want := strings.Join(links, " "), page+"file=data%2Fx.csv#files "+page+"file=b.ipynb#files "+page+"folder=data#files "+page+"folder=data#files "+page+"file=LICENSE#files "+page+"folder=#files"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if len(pictures) != 1 || !bytes.Equal(w.visit(pictures[0]).Body.Bytes(), one) {
		t.Errorf("%q", pictures)
	}
}

// The notebook of an entry that is in a repository on GitHub shows what is beside it, at its own branch.
func TestFilesBesideNotebooksOnGitHub(t *testing.T) {
	t.Parallel()
	one := pngOf(t, 3, 2)
	source := newSource(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/docs/a.ipynb"):
			_, _ = w.Write(notebookOf(besideText))
		case strings.HasSuffix(r.URL.Path, "/b.ipynb"):
			_, _ = w.Write(notebookOf("the other"))
		case strings.HasSuffix(r.URL.Path, "/v1/docs/figures/one.png"), strings.HasSuffix(r.URL.Path, "/img/my two.png"):
			_, _ = w.Write(one)
		default:
			http.NotFound(w, r)
		}
	})
	addresses := map[string]string{
		"blob": "https://github.com/o/r/blob/v1/docs/a.ipynb", "raw page": "https://github.com/o/r/raw/v1/docs/a.ipynb", "raw": "https://raw.githubusercontent.com/o/r/v1/docs/a.ipynb",
		"raw at a ref": "https://raw.githubusercontent.com/o/r/refs/heads/v1/docs/a.ipynb", "nbviewer": "https://nbviewer.org/github/o/r/blob/v1/docs/a.ipynb",
	}
	for name, address := range addresses {
		w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry(name, catalogtest.Notebook(address)))
		w.showNotebooks(source.URL)
		frame := w.frameOf("", name)
		if answer := w.visit(strings.Replace(frame, "/?", "/picture?file=docs/figures/one.png&", 1)); !bytes.Equal(answer.Body.Bytes(), one) {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
		if strings.HasPrefix(name, "raw") { // the notebook itself is at a host that isn't here
			continue
		}
		pictures, links := w.besideIn(frame)
		if len(pictures) != 2 || len(links) != 2 || links[0] != "https://github.com/o/r/blob/v1/docs/data/x.csv?plain=1#L2" {
			t.Fatalf("%s: %q %q", name, pictures, links)
		}
		for _, picture := range pictures {
			if answer := w.visit(picture); !bytes.Equal(answer.Body.Bytes(), one) {
				t.Errorf("%s: %s: %d %s", name, picture, answer.Code, answer.Body)
			}
		}
		w.shows(name+": the other notebook", links[1], http.StatusOK, "the other")
		for _, path := range []string{"../b.ipynb", "/b.ipynb", "x/../../b.ipynb", `..\b.ipynb`, "none.ipynb"} {
			w.shows(path, strings.Replace(links[1], "path=b.ipynb", "path="+url.QueryEscape(path), 1), http.StatusNotFound)
		}
	}
}
