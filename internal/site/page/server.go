package page

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"html/template"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/site"
)

// Server serves the built page: files under their hashed names, cacheable forever, and for every other address one
// document with the configuration in it.
type Server struct {
	options Options
	host    string // of the public address
	table   table
	before  []byte // the document up to its dynamic head
	middle  []byte // between that and the data at its end, where it delays nothing else
	after   []byte
	// preloads are links in the head, by the module of a page.
	preloads  map[string]string
	picture   string // the name of the file with the product's picture, "" if there is none
	templates *template.Template
}

// Options configure a Server. All fields but Downloads are required.
type Options struct {
	Files     fs.FS        // the built page
	Table     []byte       // web/pages.json
	Calls     http.Handler // the API, for a page's first request
	PublicURL string       // the page's origin
	Downloads bool         // everyone may download datasets, not only people who are signed in
	Site      func() *site.Site
	Describe  func(ctx context.Context, entry catalog.Resource) Described
	// Negotiate answers a request for an entry's page with another form, if the request prefers one, and returns true then.
	Negotiate func(w http.ResponseWriter, r *http.Request, entry catalog.Entry) bool
	Config    func(ctx context.Context, content *site.Site) any // public configuration; contains no secrets
	SignIn    func() []string                                   // origins that the page contacts to sign people in
	Sessions  string                                            // frame sources for sessions, as in a policy
	Logger    *slog.Logger
}

// Described is what the page of a public entry says to programs.
type Described struct {
	JSONLD []byte // within a script element
	Links  string // the Link header
}

// productPlaceholder is where web/build/shell.ts leaves room for the name of the product.
const productPlaceholder = "cairn:product"

// documentSize is in bytes. Most documents are smaller; others are copied while they grow.
const documentSize = 32 << 10

// markPlaceholder contains the mark in the bar, which an institution may replace.
var markPlaceholder = regexp.MustCompile(`(?s)<!--cairn:mark-->.*<!--/cairn:mark-->`)

// headPlaceholder is replaced by the title, the configuration and the rest of the head.
var headPlaceholder = regexp.MustCompile(`(?s)<!--cairn:head-->.*<!--/cairn:head-->`)

// New reads the built page. Its faults say how to build it.
func New(options Options) (*Server, error) {
	files := options.Files
	document, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "This binary was built without the page; build it with: make build")
	}
	at := headPlaceholder.FindIndex(document)
	if at == nil {
		return nil, fault.New(fault.Internal, "web/index.html has no <!--cairn:head--> comments to write the configuration between")
	}
	end := bytes.LastIndex(document, []byte("</body>"))
	if end < at[1] {
		return nil, fault.New(fault.Internal, "web/index.html has no body to write data at the end of")
	}
	manifest, err := fs.ReadFile(files, ".vite/manifest.json")
	var preloads, sources map[string]string
	if err == nil {
		preloads, sources, err = readManifest(manifest)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The page's manifest cannot be read; rebuild the page with: make build")
	}
	rows, err := readTable(options.Table)
	if err != nil {
		return nil, err
	}
	templates, err := readTemplates(files, sources)
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(options.PublicURL)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The public address %s is none.", options.PublicURL)
	}
	return &Server{
		options: options, host: address.Host, table: rows, preloads: preloads, picture: sources[productPicture], templates: templates,
		before: document[:at[0]], middle: document[at[1]:end], after: document[end:],
	}, nil
}

// ServeHTTP serves the page's files and its document.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.SetSecurity(w.Header())
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "This address is read-only.", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if strings.HasPrefix(name, "assets/") || slices.Contains([]string{".svg", ".png", ".txt"}, path.Ext(name)) {
		httpapi.NameRoute(r.Context(), fileRoute(name))
		s.serveFile(w, r, name)
		return
	}
	if r.Host != s.host {
		http.Redirect(w, r, s.options.PublicURL+r.URL.RequestURI(), http.StatusTemporaryRedirect)
		return
	}
	s.serveDocument(w, r)
}

// SetSecurity sets the headers for everything on the page's origin.
func (s *Server) SetSecurity(header http.Header) {
	signIn := strings.Join(s.options.SignIn(), " ")
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "+
		"img-src 'self' data:; manifest-src 'self'; connect-src 'self' "+signIn+"; frame-src 'self' "+signIn+" "+
		s.options.Sessions+"; form-action 'self'; base-uri 'none'; frame-ancestors 'self'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
}

// Protect sets the page's security headers on other answers of its origin too.
func (s *Server) Protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.SetSecurity(w.Header())
		next.ServeHTTP(w, r)
	})
}

// fileRoute is the name of the route of a file.
func fileRoute(name string) string {
	if strings.HasPrefix(name, "assets/") {
		return "/assets/*"
	}
	return "/{file}"
}

func (s *Server) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	content, err := fs.ReadFile(s.options.Files, name)
	if err != nil || strings.HasSuffix(name, ".br") || strings.HasSuffix(name, ".gz") {
		http.Error(w, "This file doesn't exist. If the page was just updated, load it again.", http.StatusNotFound)
		return
	}
	header := w.Header()
	header.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "assets/") {
		header.Set("Cache-Control", "public, max-age=31536000, immutable") // the name contains a digest of the content
	}
	header.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	header.Set("Vary", "Accept-Encoding")
	for _, sidecar := range []struct{ encoding, ending string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if !httpapi.Accepts(r.Header.Get("Accept-Encoding"), sidecar.encoding) {
			continue
		}
		if small, err := fs.ReadFile(s.options.Files, name+sidecar.ending); err == nil {
			header.Set("Content-Encoding", sidecar.encoding)
			content = small
			break
		}
	}
	_, _ = w.Write(content)
}

func (s *Server) serveDocument(w http.ResponseWriter, r *http.Request) {
	content := s.options.Site() // called once: the file may be read again meanwhile, and no answer mixes two versions
	page, values := s.table.find(r.URL.Path)
	httpapi.NameRoute(r.Context(), page.Path) // before the document's own calls
	first := s.ask(r.Context(), page.firstRequest(values, r.URL.Query()))
	status, title, entry := s.pageOf(r, page, first, values)
	head := ""
	var loading preload
	if entry != nil {
		if right := entryPath(*entry.Entry()); right != strings.TrimSuffix(r.URL.Path, "/") {
			http.Redirect(w, r, (&url.URL{Path: right, RawQuery: r.URL.RawQuery}).String(), http.StatusTemporaryRedirect)
			return
		}
		if s.options.Negotiate(w, r, *entry.Entry()) {
			return
		}
		loading = s.preloadEntry(r.Context(), *entry)
		described := s.options.Describe(r.Context(), *entry)
		w.Header().Set("Link", described.Links)
		head = s.entryHead(*entry, content.Brand.Name, described.JSONLD)
	} else if person := first.person(); status == http.StatusOK && page.showsPerson() && person != nil {
		head = s.personHead(person, content)
	} else if status == http.StatusOK && !page.Guard && !page.showsEntry() {
		address := ""
		if len(values) == 0 {
			address = s.options.PublicURL + strings.TrimSuffix(r.URL.EscapedPath(), "/")
		}
		head = s.pageHead(title, address, content)
	}
	// json.Marshal escapes <, > and &, so no text of an operator can end the script element.
	config, err := json.Marshal(s.options.Config(r.Context(), content))
	if err != nil {
		http.Error(w, "Something went wrong on the server. Load the page again in a moment.", http.StatusInternalServerError)
		return
	}
	var document bytes.Buffer
	document.Grow(documentSize)
	document.Write(s.before)
	document.WriteString("<title>" + html.EscapeString(titleOf(title, content.Brand)) + "</title>" + icon(content.Brand))
	document.WriteString(head)
	shell := s.shell(content.Brand)
	place := max(bytes.LastIndex(shell, []byte("</main>")), 0)
	document.Write(shell[:place])
	s.writeContent(&document, r, found{page, first, entry, content, loading})
	document.Write(shell[place:])
	if page.Guard || page.isNotFound() {
		document.WriteString(s.preloads[otherPages])
	}
	document.WriteString(s.preloads[page.Module])
	if entry != nil && strings.ContainsAny(entry.Description, markdownSigns) {
		document.WriteString(s.preloads[markdownModule])
	}
	writeData(&document, "config", config)
	if data := first.data(); data != nil {
		writeData(&document, "first-data", data)
	}
	document.Write(s.after)
	httpapi.WriteText(w, r, status, "text/html; charset=utf-8", document.Bytes())
}

// shell returns what the document shows until the page runs, with the institution's name.
func (s *Server) shell(brand site.Brand) []byte {
	text := bytes.ReplaceAll(s.middle, []byte(productPlaceholder), []byte(html.EscapeString(brand.Name)))
	if brand.Mark != "" {
		text = markPlaceholder.ReplaceAllLiteral(text, []byte(`<img src="`+html.EscapeString(brand.Mark)+`" alt="" height="26">`))
	}
	return text
}

// pageOf returns the status and the title of a page's document, and the entry if the page shows a public one.
func (s *Server) pageOf(r *http.Request, page row, first firstAnswer, values map[string]string) (status int, title string, entry *catalog.Resource) {
	switch {
	case page.isNotFound():
		return http.StatusNotFound, page.Title, nil
	case page.showsPerson() && first.status == http.StatusNotFound:
		return http.StatusNotFound, "Person not found", nil
	case page.showsPerson() && first.status == http.StatusOK && first.person() != nil:
		return http.StatusOK, first.person().Person.Name, nil
	case page.runsEntry() && s.isAbsent(r.Context(), first, values):
		return http.StatusNotFound, page.Title, nil
	case !page.showsEntry():
		return http.StatusOK, page.Title, nil
	}
	switch first.status {
	case http.StatusOK:
		entry = &catalog.Resource{}
		if err := json.Unmarshal(first.body, entry); err == nil {
			return http.StatusOK, entry.Name, entry
		}
	case http.StatusNotFound, noStatus: // unknown, deleted and private look the same
		return http.StatusNotFound, "Resource not found", nil
	}
	s.options.Logger.WarnContext(r.Context(), "the document's entry cannot be read", "status", first.status)
	return http.StatusOK, page.Title, nil // the page asks again and says what is wrong
}

// isAbsent reports whether strangers see neither an entry nor a project with the id in the path, whose first answer is about
// the entry. Whoever may see it gets the page in the same document, by the page's own call.
func (s *Server) isAbsent(ctx context.Context, first firstAnswer, values map[string]string) bool {
	switch first.status {
	case noStatus:
		return !sqldb.IsID(values["id"]) // else the call was given up
	case http.StatusNotFound:
		return s.ask(ctx, httpapi.Base+"/projects/public/"+values["id"]).status == http.StatusNotFound
	}
	return false
}

// writeData adds JSON as a block that browsers don't run, so the policy needn't allow it.
func writeData(document *bytes.Buffer, id string, data []byte) {
	document.WriteString("\n    <script type=\"application/json\" id=\"" + id + "\">")
	document.Write(data)
	document.WriteString("</script>")
}
