package preview_test

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

const publicOrigin = "https://catalog.example.org"

// notebookOf returns a notebook with these texts as its cells.
func notebookOf(texts ...string) []byte {
	cells := []map[string]any{}
	for _, text := range texts {
		cells = append(cells, map[string]any{"cell_type": "markdown", "metadata": map[string]any{}, "source": text})
	}
	content, _ := json.Marshal(map[string]any{
		"nbformat": 4, "nbformat_minor": 5, "cells": cells,
		"metadata": map[string]any{"kernelspec": map[string]any{"display_name": "Python 3", "language": "python", "name": "python3"}},
	})
	return content
}

const onGitHub = "https://github.com/o/r/blob/main/a.ipynb"

// frameOf returns the address of an entry's frame, for a person.
func (w *world) frameOf(email, name string) string {
	w.T.Helper()
	var resource catalog.Resource
	w.Ask(email, http.MethodGet, "/resources/public/"+w.ID(name), http.StatusOK, &resource)
	return resource.NotebookFrameURL
}

// visit opens an address of the session origin, as a browser without any cookie or token does.
func (w *world) visit(address string) *httptest.ResponseRecorder {
	w.T.Helper()
	answer := httptest.NewRecorder()
	w.notebooks.Gateway().ServeHTTP(answer, httptest.NewRequestWithContext(w.T.Context(), http.MethodGet, address, http.NoBody))
	return answer
}

// shows fails unless an address is answered like this.
func (w *world) shows(what, address string, status int, texts ...string) {
	w.T.Helper()
	answer := w.visit(address)
	for _, text := range texts {
		if body := answer.Body.String(); !strings.Contains(body, text) && !strings.Contains(html.UnescapeString(body), text) {
			w.T.Errorf("%s: %q is not in %s", what, text, answer.Body)
		}
	}
	if answer.Code != status {
		w.T.Errorf("%s: %d, want %d: %s", what, answer.Code, status, answer.Body)
	}
}

var (
	styleElement  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	scriptElement = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
)

// digestOf returns the digest of the only element of its kind, as a policy has it.
func digestOf(element *regexp.Regexp, body string) string {
	found := element.FindAllStringSubmatch(body, -1)
	if len(found) != 1 {
		return ""
	}
	digest := sha256.Sum256([]byte(found[0][1]))
	return base64.StdEncoding.EncodeToString(digest[:])
}

func TestNotebookInItsFrame(t *testing.T) {
	t.Parallel()
	source := newSource(t, sends(notebookOf("text of the web")))
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("bundled", bundledNotebook),
		catalogtest.Entry("web", catalogtest.Notebook(onGitHub)),
		catalogtest.Entry("dataset"),
	)
	w.showNotebooks(source.URL, func(o *preview.NotebookOptions) { o.Embedders = []string{"https://portal.example.org"} })
	for name, text := range map[string]string{"bundled": "bundled text", "web": "text of the web"} {
		address := w.frameOf("", name)
		if host := "http://n-" + w.ID(name) + ".localhost:8081/n/" + w.ID(name) + "/?"; !strings.HasPrefix(address, host) {
			t.Errorf("the frame of %s is at %s", name, address)
		}
		answer := w.visit(address)
		body := answer.Body.String()
		if answer.Code != http.StatusOK || !strings.Contains(body, text) || !strings.Contains(body, "<title>"+name+"</title>") {
			t.Fatalf("%s: %d %s", name, answer.Code, body)
		}
		style, script := digestOf(styleElement, body), digestOf(scriptElement, body)
		for header, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'sha256-" + style + "'; script-src 'sha256-" + script + "'; base-uri 'none'; form-action 'none'; " +
				"frame-ancestors " + publicOrigin + " https://portal.example.org; sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; img-src data:" +
				map[string]string{"web": " http://n-" + w.ID(name) + ".localhost:8081/n/" + w.ID(name) + "/picture"}[name],
			"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cache-Control": "private, no-store", "Set-Cookie": "",
		} {
			if got := answer.Header().Get(header); got != want {
				t.Errorf("%s: %s is\n%q, want\n%q", name, header, got, want)
			}
		}
	}
	if strings.Contains(w.get("", httpapi.Base+"/resources/public").Body.String(), "notebookFrameUrl") || w.frameOf("", "dataset") != "" {
		t.Error("lists, or entries that are no notebooks, have frames")
	}
	var view preview.NotebookView
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("web")+"/notebook", http.StatusOK, &view)
	if view.Language != "python" || view.Kernel != "Python 3" || view.Size != int64(len(notebookOf("text of the web"))) || view.Parts != 1 ||
		view.SourceURL != onGitHub || time.Since(*view.FetchedAt) > time.Minute || view.Stale != "" || len(view.Notes) != 0 {
		t.Errorf("%+v", view)
	}
	w.shows("the address that is told with it", view.NotebookFrameURL, http.StatusOK, "text of the web")
	w.shows("the address for a tab", view.FullPageURL, http.StatusOK, "text of the web")
	view = preview.NotebookView{}
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("bundled")+"/notebook", http.StatusOK, &view)
	if view.SourceURL != "" || view.FetchedAt != nil || view.Language != "python" {
		t.Errorf("%+v", view)
	}
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("dataset")+"/notebook", http.StatusNotFound, nil)
	if source.asked.Load() != 1 {
		t.Errorf("the source was asked %d times", source.asked.Load())
	}
}

func TestOutlineInTheFrame(t *testing.T) {
	t.Parallel()
	for text, outlined := range map[string]bool{"# Spikes\n\n## Method\n\n## Result": true, "# Spikes\n\n## Method": false} {
		w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Notebook(onGitHub)))
		w.showNotebooks(newSource(t, sends(notebookOf(text))).URL, func(*preview.NotebookOptions) {})
		body := w.visit(w.frameOf("", "e")).Body.String()
		link := regexp.MustCompile(`<li class="level-2"><a href="#([^"]+)" target="_self">Method</a></li>`).FindStringSubmatch(body)
		if outlined != (link != nil) || strings.Contains(body, `aria-label="Outline"`) != outlined {
			t.Errorf("%q: %s", text, body)
		}
		if outlined && !strings.Contains(body, ` id="`+link[1]+`"`) {
			t.Errorf("the outline leads to %q, which isn't in %s", link[1], body)
		}
	}
}

// An address opens what its signature says, for those for whom it was made, as long as they may see it. namesSomebody
// looks for ada in a signed address, except in its id and its signature, which contain any three letters now and then.
func namesSomebody(signed, id, signature string) bool {
	written := strings.NewReplacer(id, "", signature, "").Replace(signed)
	return strings.Contains(written, "ada") || strings.Contains(written, "example.org")
}

func TestNotebookFrameNeedsASignature(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db,
			catalogtest.Entry("open", bundledNotebook, catalogtest.By(catalogtest.Ada)),
			catalogtest.Entry("secret", bundledNotebook, catalogtest.Private, catalogtest.By(catalogtest.Ada, catalogtest.Bob)),
			catalogtest.Entry("other", bundledNotebook, catalogtest.Private, catalogtest.By(catalogtest.Ada)),
		)
		clock := newClock()
		now := func(options *preview.NotebookOptions) { options.Now = clock.now }
		w.showNotebooks("", now)
		for _, name := range []string{"open", "secret"} {
			signed := w.frameOf(catalogtest.Ada, name)
			parsed, err := url.Parse(signed)
			if err != nil {
				t.Fatal(err)
			}
			with := func(name, value string) string {
				changed, query := *parsed, parsed.Query()
				query.Set(name, value)
				changed.RawQuery = query.Encode()
				return changed.String()
			}
			signature := parsed.Query().Get("signature")
			if namesSomebody(signed, w.ID(name), signature) {
				t.Errorf("%s names its reader", signed)
			}
			end, err := strconv.ParseInt(parsed.Query().Get("expires"), 10, 64)
			if left := end - clock.now().Unix(); err != nil || left > 300 || left <= 240 {
				t.Errorf("%s is good for %d s", signed, left)
			}
			w.shows(name, signed, http.StatusOK, "bundled text")
			for what, address := range map[string]string{
				"for another entry":         strings.ReplaceAll(signed, w.ID(name), w.ID("other")),
				"tampered":                  with("signature", string(signature[0]^1)+signature[1:]),
				"cut":                       with("signature", signature[:10]),
				"empty":                     with("signature", ""),
				"made longer":               with("expires", strconv.FormatInt(end+3600, 10)),
				"no number":                 with("expires", "soon"),
				"without a query":           strings.Split(signed, "?")[0],
				"at the page's host":        strings.Replace(signed, parsed.Host, "catalog.example.org", 1),
				"at another notebook":       strings.Replace(signed, parsed.Host, "n-"+w.ID("other")+".localhost:8081", 1),
				"at a session":              strings.Replace(signed, parsed.Host, "s-"+w.ID(name)+".localhost:8081", 1),
				"of no id":                  strings.ReplaceAll(signed, w.ID(name), "x"),
				"of an id that nothing has": strings.ReplaceAll(signed, w.ID(name), "01900000-0000-7000-8000-00000000000a"),
				"of what lies below":        strings.Replace(signed, "/?", "/x?", 1),
				"with an API path":          strings.Replace(signed, "/n/", "/n/../api/v1/rf/", 1),
			} {
				answer := w.visit(address)
				if body := answer.Body.String(); answer.Code != http.StatusNotFound && answer.Code != http.StatusTemporaryRedirect || strings.Contains(body, "bundled text") {
					t.Errorf("%s, %s: %d %s", name, what, answer.Code, body)
				}
				if policy := answer.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "; sandbox allow-scripts allow-popups ") {
					t.Errorf("%s, %s: the policy is %q", name, what, policy)
				}
			}
			w.shows("no such part", with("part", "2"), http.StatusNotFound, "no part 2")
			w.shows("a part that is no number", with("part", "x"), http.StatusNotFound)
			clock.pass(4 * time.Minute)
			w.shows("after 4 minutes", signed, http.StatusOK, "bundled text")
			clock.pass(time.Minute)
			w.shows("after 5 minutes", signed, http.StatusGone, "This view has expired", "Reload the page", publicOrigin+"/resources/notebooks/"+w.ID(name))
			w.shows("tampered with and old", with("signature", "x"), http.StatusNotFound, "Nothing here")
		}

		forAll, forAda, forBob := w.frameOf("", "open"), w.frameOf(catalogtest.Ada, "secret"), w.frameOf(catalogtest.Bob, "secret")
		w.Import(
			catalogtest.Entry("open", bundledNotebook, catalogtest.Private, catalogtest.By(catalogtest.Ada)),
			catalogtest.Entry("secret", bundledNotebook, catalogtest.Private, catalogtest.By(catalogtest.Bob)),
		)
		w.shows("made for everybody, now private", forAll, http.StatusNotFound)
		w.shows("made for an author who is none now", forAda, http.StatusNotFound)
		w.shows("made for one who still is", forBob, http.StatusOK, "bundled text")
		w.Import(catalogtest.Entry("secret", bundledNotebook, catalogtest.By(catalogtest.Bob)))
		w.shows("made for an author, now public", forBob, http.StatusOK, "bundled text")
		w.Import(catalogtest.Entry("secret", catalogtest.By(catalogtest.Bob)))
		w.shows("of what is a dataset now", forBob, http.StatusNotFound)
		w.Import(catalogtest.Entry("secret", bundledNotebook, catalogtest.By(catalogtest.Bob)))

		w.Open()
		w.showNotebooks("", now)
		w.shows("at another replica", forBob, http.StatusOK, "bundled text")
		w.Ask(catalogtest.Bob, http.MethodDelete, "/resources/"+w.ID("secret"), http.StatusOK, nil)
		w.shows("of a deleted entry", forBob, http.StatusNotFound)
		if err := db.SetMeta(t.Context(), "notebook-frame-key", base64.StdEncoding.EncodeToString([]byte("another database's"))); err != nil {
			t.Fatal(err)
		}
		forAda = w.frameOf(catalogtest.Ada, "open")
		w.showNotebooks("", now)
		w.shows("signed with another key", forAda, http.StatusNotFound)
	})
}

// A signature for a picture opens no notebook, even for the same reader of the same entry.
func TestSignaturesAreForOneUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("secret", bundledNotebook, catalogtest.Private, catalogtest.Pictured("https://example.org/x.png")),
	)
	w.showImages(t.TempDir(), time.Now)
	w.showNotebooks("")
	var resource catalog.Resource
	w.Ask(catalogtest.Ada, http.MethodGet, "/resources/public/"+w.ID("secret"), http.StatusOK, &resource)
	_, query, _ := strings.Cut(resource.HeaderImageURL, "?")
	frame, _, _ := strings.Cut(resource.NotebookFrameURL, "?")
	w.shows("by a picture's signature", frame+"?"+query, http.StatusNotFound)
	w.shows("by its own", resource.NotebookFrameURL, http.StatusOK, "bundled text")
}

func TestNotebookFrameInThePathForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("a", bundledNotebook), catalogtest.Entry("b", bundledNotebook))
	w.addresses = frames{"run.example.org"}
	w.showNotebooks("")
	signed := w.frameOf("", "a")
	if !strings.HasPrefix(signed, "http://run.example.org/n/"+w.ID("a")+"/?") {
		t.Errorf("the address is %s", signed)
	}
	w.shows("at the shared host", signed, http.StatusOK, "bundled text")
	w.shows("with the id of another", strings.Replace(signed, w.ID("a"), w.ID("b"), 1), http.StatusNotFound)
	w.shows("at the page's host", strings.Replace(signed, "run.", "catalog.", 1), http.StatusNotFound)
}

// GHSA-xr38-w74q-r8jv and others: the content of a notebook is for those who may see its entry.
func TestPrivateNotebookIsToldToItsAuthorsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("secret", bundledNotebook, catalogtest.Private))
	w.showNotebooks("")
	path := "/resources/public/" + w.ID("secret") + "/notebook"
	w.Ask("", http.MethodGet, path, http.StatusNotFound, nil)
	w.Ask(catalogtest.Bob, http.MethodGet, path, http.StatusNotFound, nil)
	w.Ask(catalogtest.Ada, http.MethodGet, path, http.StatusOK, nil)
}

var partLink = regexp.MustCompile(`href="([^"]+)" target="_self" rel="(next|prev)"`)

// linksOf returns the addresses of the other parts that a page links to.
func linksOf(answer *httptest.ResponseRecorder) map[string]string {
	links := map[string]string{}
	for _, found := range partLink.FindAllStringSubmatch(answer.Body.String(), -1) {
		links[found[2]] = strings.ReplaceAll(found[1], "&amp;", "&")
	}
	return links
}

// Floods: a large notebook is shown in parts, and the links to the others stay valid while somebody reads.
func TestLargeNotebookIsShownInParts(t *testing.T) {
	t.Parallel()
	texts := make([]string, 1200)
	for i := range texts {
		texts[i] = fmt.Sprintf("cell %04d", i)
	}
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("large", bundledNotebook, catalogtest.Private))
	clock := newClock()
	w.showNotebooks("", func(options *preview.NotebookOptions) {
		options.Now, options.Bundled = clock.now, fstest.MapFS{"a.ipynb": {Data: notebookOf(texts...)}}
	})
	var view preview.NotebookView
	w.Ask(catalogtest.Ada, http.MethodGet, "/resources/public/"+w.ID("large")+"/notebook", http.StatusOK, &view)
	w.shows("all parts on the full page", view.FullPageURL, http.StatusOK, "cell 0000", "cell 1199", `<body class="whole">`, publicOrigin+"/resources/notebooks/"+w.ID("large"))
	if body := w.visit(view.FullPageURL).Body.String(); strings.Contains(body, "Part 1 of") || strings.Contains(body, "shown in") {
		t.Errorf("the full page is in parts: %.2000s", body)
	}
	answer := w.visit(view.NotebookFrameURL)
	for part := 1; ; part++ {
		body, links := answer.Body.String(), linksOf(answer)
		if answer.Code != http.StatusOK || strings.Count(body, fmt.Sprintf("Part %d of %d", part, view.Parts)) != 2 ||
			!strings.Contains(body, fmt.Sprintf("so it is shown in %d parts.", view.Parts)) {
			t.Fatalf("part %d: %d %.2000s", part, answer.Code, body)
		}
		if first, last := strings.Contains(body, "cell 0000"), strings.Contains(body, "cell 1199"); first != (part == 1) || last != (part == view.Parts) ||
			(links["prev"] == "") != (part == 1) || (links["next"] == "") != (part == view.Parts) {
			t.Errorf("part %d of %d: first cell %v, last cell %v, links %v", part, view.Parts, first, last, links)
		}
		if links["next"] == "" {
			break
		}
		clock.pass(11 * time.Hour)
		answer = w.visit(links["next"])
	}
	if view.Parts < 2 {
		t.Errorf("%d parts", view.Parts)
	}
}

// CVE-2018-19351 and others: names and addresses of an entry are text in its frame.
func TestStoredScriptInTheFrameOfANotebook(t *testing.T) {
	t.Parallel()
	hostile := `</title></style><script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	path := `https://example.org/"><script>alert(1)</script>&quot;onload=1.ipynb`
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry(hostile, bundledNotebook),
		catalogtest.Entry("failing", catalogtest.Notebook(strings.ReplaceAll(path, " ", ""))),
	)
	w.showNotebooks("", func(options *preview.NotebookOptions) { options.Client = safehttp.New(safehttp.Options{}) })
	for _, name := range []string{hostile, "failing"} {
		body := w.visit(w.frameOf("", name)).Body.String()
		if strings.Count(body, "<script") != 1 || !strings.Contains(body, "<script>// The page around") || strings.Contains(body, "<img") || strings.Count(body, "<style>") != 1 {
			t.Errorf("%s:\n%s", name, body)
		}
	}
}

// Traversal: names of bundled notebooks, and paths in repositories, end at their root.
func TestBundledNotebooksEndAtTheirFolder(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"absent": "bundled:b.ipynb", "another file": "bundled:secret.txt", "hidden": "bundled:a.ipynb.bak",
	} {
		w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Notebook(path)))
		w.showNotebooks("")
		w.shows(name, w.frameOf("", "e"), http.StatusNotFound, "isn't among this server's notebooks")
		w.showNotebooks("", func(options *preview.NotebookOptions) { options.Bundled = nil })
		w.shows(name+" where there are none", w.frameOf("", "e"), http.StatusNotFound, "isn't among this server's notebooks")
	}
	for _, path := range []string{"bundled:../secret.ipynb", "bundled:/etc/passwd", "bundled:a/../../x.ipynb", `bundled:..\x.ipynb`, "bundled:", "file:///etc/passwd", "http://example.org/a.ipynb"} {
		one := catalogtest.Entry("e", catalogtest.Notebook(path))
		if one.Normalize(); len(one.Check()) == 0 {
			t.Errorf("%s is admitted", path)
		}
	}
}

// nameless returns a client that resolves no names.
func nameless() *safehttp.Client {
	noNames := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no names")
	}}
	return safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Resolver: noNames})
}

// trusting returns a client that trusts a server of httptest.
func trusting(server *httptest.Server) *safehttp.Client {
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return safehttp.New(safehttp.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, RootCAs: roots})
}

// Existing clients load the notebookPath of an entry in a frame.
func TestNotebookPathIsWhatAFrameLoads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("bundled", bundledNotebook), catalogtest.Entry("dataset"))
	w.showNotebooks("")
	var single, dataset catalog.Resource
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("bundled"), http.StatusOK, &single)
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("dataset"), http.StatusOK, &dataset)
	w.shows("its notebookPath", single.NotebookPath, http.StatusOK, "bundled text")
	if single.NotebookSource != "bundled:a.ipynb" || dataset.NotebookSource+dataset.NotebookPath != "" {
		t.Errorf("the sources are %q and %q", single.NotebookSource, dataset.NotebookSource)
	}
	var listed struct{ Content []catalog.Resource }
	w.Ask("", http.MethodGet, "/resources/public?type=NOTEBOOK", http.StatusOK, &listed)
	if len(listed.Content) != 1 || listed.Content[0].NotebookPath != "bundled:a.ipynb" || listed.Content[0].NotebookSource != "" {
		t.Errorf("lists have %+v", listed.Content)
	}
	links := preview.NewFrameLinks(w.secret(preview.FrameSecret), w.addresses, time.Now)
	for address, want := range map[string]bool{
		single.NotebookPath: true, strings.Split(single.NotebookPath, "?")[0]: true, "bundled:a.ipynb": false, "": false,
		strings.ReplaceAll(single.NotebookPath, w.ID("bundled"), w.ID("dataset")): false, "https://example.org/?" + single.NotebookPath: false,
	} {
		if got := links.IsFrameURL(w.ID("bundled"), address); got != want {
			t.Errorf("%s: shows the notebook: %v", address, got)
		}
	}
}
