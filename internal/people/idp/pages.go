package idp

import (
	"bytes"
	"html/template"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
)

// pages are the pages that people see here. They contain no script and may not be framed.
type pages struct {
	options   Options
	base      string
	style     []byte // the style sheet of the pages
	templates *template.Template
	policy    string // Content-Security-Policy of a plain page
	loginCSP  string // of the login page
}

// page is the data of every template.
type page struct {
	Product string
	Base    string // path of the provider, for its style sheet
	Back    place  // where a link leads
	Title   string
	Text    string
	Confirm string // address of the form that does what Title asks about; empty: nothing is asked
	Login   loginView
	Options Options
}

// place is where people came from, and return to.
type place struct{ Name, Address string }

// loginView is the variable part of the login page.
type loginView struct {
	Title   string
	Back    place
	Action  string // the form's address, with the request in its query
	Proof   string
	Email   string
	Problem string
}

func newPages(options Options, base string) (*pages, error) {
	files, err := assets()
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The pages of the identity provider are missing.")
	}
	templates, err := template.ParseFS(files, "*.html")
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The pages of the identity provider are broken.")
	}
	style, err := fs.ReadFile(files, "style.css")
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The style of the identity provider's pages is missing.")
	}
	const plain = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; "
	// Some browsers apply form-action also to the redirects after a form, so it lists the origins of the client.
	allowed := []string{"'self'"}
	for _, address := range options.redirectURIs() {
		origin := originOf(address)
		if origin != originOf(options.Issuer) && !slices.Contains(allowed, origin) {
			allowed = append(allowed, origin)
		}
	}
	return &pages{
		options: options, base: base, templates: templates,
		style:    append([]byte(options.Style), style...),
		policy:   plain + "form-action 'none'",
		loginCSP: plain + "form-action " + strings.Join(allowed, " "),
	}, nil
}

// login shows the login page.
func (p *pages) login(w http.ResponseWriter, status int, view loginView) {
	p.write(w, status, p.loginCSP, "login.html", page{Title: view.Title, Back: view.Back, Login: view})
}

// message shows a page with one message, and a link back.
func (p *pages) message(w http.ResponseWriter, status int, back place, title, text string) {
	p.write(w, status, p.policy, "message.html", page{Title: title, Text: text, Back: back})
}

// confirmLogout asks people from a place whether to sign out there and here, with a form that leads to the address.
func (p *pages) confirmLogout(w http.ResponseWriter, from place, address string) {
	where := p.options.Product()
	if from.Name != where {
		where = from.Name + " and " + where
	}
	p.write(w, http.StatusOK, p.loginCSP, "message.html", page{
		Title: "Sign out of " + where + "?", Text: "You stay signed in until you confirm.", Confirm: address, Back: from,
	})
}

func (p *pages) write(w http.ResponseWriter, status int, policy, name string, data page) {
	data.Product, data.Base, data.Options = p.options.Product(), p.base, p.options
	var body bytes.Buffer
	if err := p.templates.ExecuteTemplate(&body, name, data); err != nil {
		p.options.Logger.Error("a page of the identity provider cannot be written", "page", name, "error", err)
		http.Error(w, data.Title, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("X-Frame-Options", "DENY")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w) // if it fails, the browser is gone
}

// serveStyle and serveMark serve what the pages load. The mark may change while the server runs.
func (p *pages) serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	p.serve(w, "text/css; charset=utf-8", p.style)
}

func (p *pages) serveMark(w http.ResponseWriter, _ *http.Request) {
	kind, content := p.options.Mark()
	p.serve(w, kind, content)
}

func (p *pages) serve(w http.ResponseWriter, kind string, content []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Security-Policy", p.policy)
	_, _ = w.Write(content) // if it fails, the browser is gone
}
