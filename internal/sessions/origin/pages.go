package origin

import (
	"embed"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"time"
)

var (
	//go:embed pages/*.html
	pageFiles     embed.FS
	pageTemplates = template.Must(template.ParseFS(pageFiles, "pages/*.html"))
	//go:embed pages/launch.js
	launchScript string
	//go:embed pages/pages.css
	pageStyle string
)

// PageSecurity is the policy of our own pages on the session origin.
const PageSecurity = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// pages makes our own pages.
type pages struct {
	tokens string // the style sheet with the design tokens
	mark   func() (kind string, content []byte)
	public string // the catalog's own origin
}

// asset serves a file of our own pages.
func (p pages) asset(w http.ResponseWriter, r *http.Request) {
	file := r.PathValue("file")
	var text string
	switch file {
	case "pages.css":
		text = p.tokens + pageStyle
	case "session.css":
		text = scriptStyle(p.tokens)
	case "launch.js":
		text = launchScript
	case "outputs.js":
		text = outputsScript
	case "mark":
		kind, content := p.mark()
		w.Header().Set("Content-Type", kind)
		w.Header().Set(contentSecurityPolicy, PageSecurity) // for people who open it directly: an SVG is then a document
		text = string(content)
	default:
		p.notFound(w)
		return
	}
	http.ServeContent(w, r, file, time.Time{}, strings.NewReader(text))
}

type messagePage struct{ Title, Text, Link, Label, Sessions string }

// dashboard is the address of the list of sessions, which every front end has.
func (p pages) dashboard() string { return p.public + "/sessions" }

func (p pages) showMessage(w http.ResponseWriter, status int, page messagePage) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set(contentSecurityPolicy, PageSecurity)
	w.WriteHeader(status)
	page.Sessions = p.dashboard()
	_ = pageTemplates.ExecuteTemplate(w, "message.html", page)
}

func (p pages) notFound(w http.ResponseWriter) {
	p.showMessage(w, http.StatusNotFound, messagePage{Title: "Nothing here", Text: "There is no page at this address."})
}

// openAddress is the page of the catalog that opens a session at a path, after a sign-in if needed.
func (p pages) openAddress(id, next string) string {
	return p.public + "/sessions/" + id + "/open" + nextQuery(next)
}

// sessionScripts are the modules of the script in the pages of a session.
var sessionScripts = map[string]string{"session.js": sessionScript, "bar.js": barScript, "words.js": wordsScript}

// scriptStyle is the style sheet of the script. It only applies in a shadow tree, and Jupyter sets the rem to 10px.
func scriptStyle(tokens string) string {
	tokens = strings.ReplaceAll(tokens, ":root", ":host")
	return rem.ReplaceAllString(tokens, "calc($1 * 16px)") + sessionStyle
}

var rem = regexp.MustCompile(`([\d.]+)rem\b`)

var (
	//go:embed pages/session.js
	sessionScript string
	//go:embed pages/bar.js
	barScript string
	//go:embed pages/words.js
	wordsScript string
	//go:embed pages/outputs.js
	outputsScript string
	//go:embed pages/session.css
	sessionStyle string
)
