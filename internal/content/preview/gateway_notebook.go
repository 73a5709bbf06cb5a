package preview

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"cairn/internal/content/notebook"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

var (
	//go:embed frames/*.html
	frameTemplates embed.FS
	//go:embed frames/frame.css
	frameStyle string
	//go:embed frames/frame.js
	frameScript string
)

// notebookGateway serves the frames of notebooks, on a separate origin. It reads no cookie and no token: a signed
// address says what it opens. Whatever a notebook contains, its frame runs no script but ours, has an opaque origin, and
// sends no requests but those for pictures beside the notebook, to this gateway.
type notebookGateway struct {
	notebooks *Notebooks
	look      frameLook
	policy    string // without the pictures of a notebook
	framing   string // the policy of frames that show a web page
	pages     *template.Template
}

// Gateway serves everything below NotebookFramePath on the session origin.
func (n *Notebooks) Gateway() http.Handler {
	style := string(notebook.Stylesheet()) + frameStyle
	policy := "default-src 'none'; style-src " + sourceOf(style) + "; script-src " + sourceOf(frameScript) + "; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors " + strings.Join(append([]string{n.options.Public}, n.options.Embedders...), " ") + "; sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox"
	g := &notebookGateway{
		notebooks: n, look: frameLook{template.CSS(style), template.JS(frameScript)}, //nolint:gosec // both are our own
		policy: policy + "; img-src data:", framing: policy + " allow-same-origin; frame-src https:",
		pages: template.Must(template.ParseFS(frameTemplates, "frames/*.html")),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+NotebookFramePath+"{id}/{$}", g.serve)
	mux.HandleFunc("GET "+NotebookFramePath+"{id}/"+picturesName, g.picture)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { g.nothing(w, r) })
	routes := httpapi.NameRoutes(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", g.policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "private, no-store")
		routes.ServeHTTP(w, r)
	})
}

// sourceOf returns the source expression that admits a text by its digest.
func sourceOf(text string) string {
	digest := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'"
}

// frameLook is what all frames have.
type frameLook struct {
	Style  template.CSS
	Script template.JS
}

// notebookPage is the content of a frame.
type notebookPage struct {
	frameLook

	Title, Previous, Next string
	Page                  string // of the entry; "" in a frame
	Outline               []notebook.Heading
	Notices               []string
	Part, Parts           int
	Content               template.HTML
}

// framePage is the content of a frame that can't show a notebook.
type framePage struct {
	frameLook

	Title, Text         string
	Retry, Source, Page string // addresses; "" for none
}

// admitted is what the signature of a request opens.
type admitted struct {
	entry  catalog.Entry
	reader string
	ended  bool // the signature was good
}

// admit reads whom a request comes from; false, with the answer, for strangers.
func (g *notebookGateway) admit(w http.ResponseWriter, r *http.Request, path string) (admitted, bool) {
	notebooks, query := g.notebooks, r.URL.Query()
	if !notebooks.frames.addresses.HostsFrame(r.Host, r.PathValue("id")) {
		g.nothing(w, r)
		return admitted{}, false
	}
	found, err := notebooks.entries.LoadAny(r.Context(), []string{r.PathValue("id")})
	if err != nil {
		g.fail(w, r, framePage{}, err)
		return admitted{}, false
	}
	if len(found) == 0 || !hasNotebook(found[0], path) {
		g.nothing(w, r)
		return admitted{}, false
	}
	expires, err := strconv.ParseInt(query.Get("expires"), 10, 64)
	reader, good := notebooks.frames.signer.madeFor(found[0], expires, query.Get("signature"))
	if err != nil || !good {
		g.nothing(w, r)
		return admitted{}, false
	}
	return admitted{found[0], reader, notebooks.frames.signer.ended(expires)}, true
}

// picture sends a picture beside a notebook. Its ETag is that of its content, and nothing but this browser keeps it.
func (g *notebookGateway) picture(w http.ResponseWriter, r *http.Request) {
	file := r.URL.Query().Get("file")
	by, ok := g.admit(w, r, file)
	if !ok {
		return
	}
	if by.ended {
		g.nothing(w, r)
		return
	}
	ctx := codehost.AskedBy(r.Context(), askerOf(r.Context(), r.RemoteAddr))
	image, err := g.notebooks.pictureBeside(ctx, by.entry, file)
	if err != nil {
		g.fail(w, r, framePage{}, notShown(ctx, err, "This picture cannot be shown."))
		return
	}
	image.send(w, r, PrivatePicture, "cross-origin") // a frame's origin is opaque
}

func (g *notebookGateway) serve(w http.ResponseWriter, r *http.Request) {
	notebooks, file := g.notebooks, r.URL.Query().Get("path")
	by, ok := g.admit(w, r, file)
	if !ok {
		return
	}
	entry, reader := by.entry, by.reader
	page := g.pageOf(entry)
	if by.ended {
		g.answer(w, r, http.StatusGone, "message.html", framePage{
			Title: "This view has expired", Text: "This view's address was valid for a few minutes. Reload the page around it to see the notebook.",
			Page: page, frameLook: g.look,
		})
		return
	}
	part := partIn(r.URL.Query().Get("part"))
	shown, err := notebooks.show(codehost.AskedBy(r.Context(), askerOf(r.Context(), r.RemoteAddr)), entry, file, part)
	if err != nil {
		failed := framePage{Retry: notebooks.parts.url(entry, reader, file, part), Page: page}
		if source, err := notebooks.sourceOf(entry.NotebookPath); err == nil && entry.Type == catalog.Notebook {
			failed.Source = source.link
		}
		g.fail(w, r, failed, err)
		return
	}
	if page := notebooks.pageOf(shown, entry, reader); page != nil {
		g.servePage(w, r, page, entry)
		return
	}
	view := notebookPage{
		Title: entry.Name, frameLook: g.look, Notices: notices(shown), Part: shown.Part, Parts: shown.Parts,
		Content: template.HTML(g.linked(r.Context(), shown, by, file)), //nolint:gosec // sanitized by the renderer, and harmless under this policy
	}
	if len(shown.Headings) >= outlined {
		view.Outline = shown.Headings
	}
	if part == allParts {
		view.Page = page
	}
	if shown.Part > 1 {
		view.Previous = notebooks.parts.url(entry, reader, file, shown.Part-1)
	}
	if shown.Part < shown.Parts {
		view.Next = notebooks.parts.url(entry, reader, file, shown.Part+1)
	}
	if shown.beside.path != "" {
		w.Header().Set("Content-Security-Policy", strings.Replace(g.policy, "img-src data:", "img-src data: "+notebooks.frames.picturesOf(entry.ID), 1))
	}
	g.answer(w, r, http.StatusOK, "notebook.html", view)
}

// pageFrame is the content of a frame whose notebook is a web page.
type pageFrame struct {
	frameLook
	NotebookPage

	Title, Page string
}

// servePage offers a page, and shows it to those who ask: until then its host learns nothing of a reader. The frame
// around it runs no script of others and holds nothing of a reader. It has an origin, because pages can't name opaque
// ones among those that may frame them; the page itself gets an opaque one.
func (g *notebookGateway) servePage(w http.ResponseWriter, r *http.Request, page *NotebookPage, entry catalog.Entry) {
	frame := pageFrame{frameLook: g.look, NotebookPage: *page, Title: entry.Name}
	if page.FrameURL != "" && r.URL.Query().Get("page") == "shown" {
		w.Header().Set("Content-Security-Policy", g.framing)
		g.answer(w, r, http.StatusOK, "shown.html", frame)
		return
	}
	g.answer(w, r, http.StatusOK, "page.html", frame)
}

// linked returns the content of a frame with the addresses that depend on the entry and the reader.
func (g *notebookGateway) linked(ctx context.Context, shown shownNotebook, by admitted, own string) []byte {
	links, entry := g.notebooks.parts, by.entry
	return notebook.WithAddresses(shown.HTML, notebook.Addresses{
		Whole:   links.url(entry, by.reader, own, allParts),
		Picture: func(file string) string { return links.pictureURL(entry, by.reader, file) },
		Link: func(file, rest string) string {
			switch isNotebook := isNotebook(file); {
			case entry.Type == catalog.Repository && (isNotebook || shown.beside.pages == ""):
				return g.pageOf(entry) + "?" + g.placeOf(ctx, entry, file).Encode() + "#files"
			case isNotebook:
				return links.url(entry, by.reader, file, allParts)
			default:
				return shown.beside.pages + escapedPath("/" + file)[1:] + rest
			}
		},
	})
}

// pageOf returns the address of an entry's page.
func (g *notebookGateway) pageOf(entry catalog.Entry) string {
	return g.notebooks.options.Public + "/resources/" + entry.Type.Plural() + "/" + entry.ID
}

// placeOf returns the part of a page's address that opens a file of its repository, or a folder.
func (g *notebookGateway) placeOf(ctx context.Context, entry catalog.Entry, file string) url.Values {
	if isNotebook(file) {
		return url.Values{"file": {file}}
	}
	repository, err := repositoryOf(entry, g.notebooks.options.Hosts)
	if err == nil {
		_, err = g.notebooks.options.Hosts.List(ctx, repository, strings.TrimSuffix(file, "/")) // a host without pages is here: nothing is fetched
	}
	if err == nil {
		return url.Values{"folder": {strings.TrimSuffix(file, "/")}}
	}
	return url.Values{"file": {file}}
}

func isNotebook(file string) bool { return strings.HasSuffix(strings.ToLower(file), ".ipynb") }

// outlined is how many headings a part needs for an outline.
const outlined = 3

// partIn returns the part that an address asks for; 0, which no notebook has, for anything but a number.
func partIn(text string) int {
	switch text {
	case "":
		return 1
	case allPartsText:
		return allParts
	}
	part, _ := strconv.Atoi(text)
	return max(part, 0)
}

// notices are shown before the notebook.
func notices(shown shownNotebook) []string {
	var texts []string
	if shown.Failure != nil {
		texts = append(texts, "Shown as of "+shown.Fetched.UTC().Format("Jan 2, 2006, 15:04 UTC")+"; the source isn't responding properly. "+
			fault.MessageOf(shown.Failure))
	}
	if shown.Parts > 1 {
		texts = append(texts, fmt.Sprintf("This notebook is large, so it is shown in %d parts.", shown.Parts))
	}
	return append(texts, shown.Notes...)
}

// nothing answers strangers: a missing entry, a hidden one, a wrong host and a wrong signature look the same.
func (g *notebookGateway) nothing(w http.ResponseWriter, r *http.Request) {
	g.answer(w, r, http.StatusNotFound, "message.html", framePage{
		Title: "Nothing here", Text: "There is no notebook at this address, or you don't have access to it.",
		Page: g.notebooks.options.Public + "/resources/" + catalog.Notebook.Plural(), frameLook: g.look,
	})
}

// fail says why a notebook is not shown.
func (g *notebookGateway) fail(w http.ResponseWriter, r *http.Request, page framePage, err error) {
	status := httpapi.StatusOf(r.Context(), err)
	if status == http.StatusInternalServerError {
		g.notebooks.options.Logger.ErrorContext(r.Context(), "a notebook cannot be shown", "error", err, "requestId", httpapi.RequestID(r.Context()))
	}
	page.Title, page.Text, page.frameLook = "The notebook cannot be shown", fault.MessageOf(err), g.look
	httpapi.SetRetryAfter(w.Header(), err)
	g.answer(w, r, status, "message.html", page)
}

func (g *notebookGateway) answer(w http.ResponseWriter, r *http.Request, status int, name string, page any) {
	var body bytes.Buffer
	if err := g.pages.ExecuteTemplate(&body, name, page); err != nil {
		panic(err) // the templates and their data are ours; every test of a page would fail
	}
	content := body.Bytes()
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Vary", "Accept-Encoding")
	if httpapi.Accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		content = httpapi.Compressed(content)
	}
	header.Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(status)
	_, _ = w.Write(content)
}
