// Package pagetest provides what tests of the served page share: a small built page, and a browser's request.
package pagetest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"cairn/web"
)

// PublicURL is the origin of Get's requests.
const PublicURL = "http://127.0.0.1:8080"

// Files returns a built page with one script for each module of a page, named after it, and the product's picture.
func Files(t *testing.T) fs.FS {
	t.Helper()
	return fstest.MapFS{
		"index.html":          {Data: []byte("<head><!--cairn:head--><title>Old</title><!--/cairn:head--></head><body><nav>cairn:product</nav><main></main></body>")},
		"favicon.svg":         {Data: []byte("<svg></svg>")},
		"touch-icon.png":      {Data: []byte("png")},
		"assets/app-1.js":     {Data: []byte("plain")},
		"assets/app-1.js.br":  {Data: []byte("brotli")},
		"assets/app-1.js.gz":  {Data: []byte("gzip")},
		"assets/only-1.css":   {Data: []byte("css")},
		"server/content.html": {Data: []byte(content)},
		"server/katex.min.js": {Data: []byte("for the server alone")},
		".vite/manifest.json": {Data: manifest(t)},
	}
}

// content has templates for the landing page, the catalog, entries, people and events.
const content = `{{define "/"}}<h1>{{.Headline}}</h1>{{range .Actions}}<a href="{{.Href}}">{{.Text}}</a>{{end}}{{range .Extensions}}` +
	`<a href="/resources?tags={{tagInList .Tag}}">{{.Title}}</a>{{end}}{{if .Example}}<a href="{{.Example}}">Run</a>{{end}}{{.Types.NOTEBOOK}}{{end}}
{{define "/resources"}}<input value="{{.SearchText}}">{{.Total}} results{{with .Instead}}<p>{{.Text}}|{{.Corrected}}|{{join .Words ","}}|{{.Whole}}</p>{{end}}{{template "cards" .Entries}}
<noscript>{{template "cards" .Rest}}</noscript>{{if .Next}}<a href="{{.Next}}">Next</a>{{end}}{{end}}
{{define "cards"}}{{range .}}<article>{{.Type}} <a href="{{.Path}}">{{.Name}}</a>: {{.Description}} {{range .Tags}}#{{.}} {{end}}` +
	`+{{.MoreTags}} {{.Initials}} {{.Author}} {{.CreatedOn}}<img src="{{.CoverURL}}"{{if not .Eager}} loading="lazy"{{end}}></article>{{end}}{{end}}
{{define "/people/:id"}}<h1>{{.Name}}</h1>{{with .Profile}}<a href="{{.}}">{{.}}</a>{{end}}{{with .Affiliation}}{{.Name}} {{.ROR}}{{end}} {{.Total}} entries{{template "cards" .Entries}}{{if .Next}}<a href="{{.Next}}">Next</a>{{end}}{{end}}
{{define "waiting"}}...{{end}}
{{define "gone"}}<h1>{{.Name}}</h1>{{.Message}} {{.Issued.On}} {{.Deleted.On}}{{if .DOI}}<a href="https://doi.org/{{.DOI}}">{{.DOI}}</a>{{end}}{{end}}
{{define "/events"}}{{range .Events}}<h2 id="{{.Slug}}">{{.Title}}</h2><a href="{{calendarOf .Slug}}">{{.Date}}</a>{{range .Links}}<a href="{{.Href}}">{{.Text}}</a>{{end}}` +
	`{{with .Agenda}}{{range .Rows}}<td>{{if .Entry}}<a href="/resources?searchText={{quoted .Entry}}">{{.Topic}}</a>{{else}}{{.Topic}}{{end}}</td><td>{{join .Speakers ", "}}</td><td>{{withoutScheme .Href}}</td>{{end}}{{end}}{{end}}{{end}}
{{define "/resources/:type/:id"}}<h1>{{.Name}}</h1>{{.Type}} {{.Host}} {{range .TagNames}}<a href="/resources?tags={{tagInList .}}">{{.}}</a>{{end}}` +
	`{{range .Paragraphs}}<p>{{.}}</p>{{end}}{{with .Facts}}{{range .Authors}}<a href="{{.Href}}">{{.Initials}} {{.Text}}</a>{{end}}` +
	`{{range .People}}<a href="{{.Href}}">{{.Text}}</a>{{if .Profile}}<a href="{{.Profile}}">ORCID</a>{{end}}{{.Role}} <a href="{{.At.Href}}">{{.At.Text}}</a>{{end}}<a href="{{.License.Href}}">{{.License.Text}}</a>` +
	`{{range .Funding}}<a href="{{.Funder.Href}}">{{.Funder.Text}}</a><a href="{{.Award.Href}}">{{.Award.Text}}</a>{{end}}` +
	`{{range .Related}}{{.Relation}} <a href="{{.Href}}">{{.Text}}</a>{{end}}<a href="{{.DOI.Href}}">{{.DOI.Text}}</a>{{.Added.On}} {{.Updated.On}}<a href="{{.Source.Href}}">{{.Source.Text}}</a>{{.Language}} {{.Size}} {{.Pushed.On}}{{end}}` +
	`{{range .Projects}}<a href="/projects/{{.ID}}">{{.Name}}</a>{{end}}` +
	`{{with .Files}}{{.Note}}{{.Elsewhere}}{{range .Rows}}<li>{{if .Href}}<a href="{{.Href}}">{{end}}{{.Name}} {{.Size}}</li>{{end}}+{{.More}}{{end}}{{with .Download}}<a href="{{.}}">all</a>{{end}}` +
	`{{with .Notebook}}<noscript><iframe src="{{.Frame}}"></iframe></noscript>{{.Name}}{{end}}{{with .Platform}}<a href="{{.URL}}">{{.Name}}</a>{{end}}` +
	`{{with .Related}}{{range .Entries}}<a href="{{.Path}}">{{.Type}} {{.Name}}</a>{{.Why.Reason}} {{.Why.Project.Name}}{{.Why.Event.Title}}{{join .Why.Tags ", "}};{{end}}` +
	`{{range .Events}}<a href="/events#{{.Slug}}">{{.Title}}</a>{{end}}{{end}}{{end}}`

func manifest(t *testing.T) []byte {
	t.Helper()
	var rows []struct{ Module string }
	if err := json.Unmarshal(web.Pages(), &rows); err != nil {
		t.Fatal(err)
	}
	modules := []string{"ui/Markdown"}
	for _, row := range rows {
		modules = append(modules, row.Module)
	}
	var text strings.Builder
	for _, module := range modules {
		fmt.Fprintf(&text, `, "src/%s.tsx": {"file": "assets/%s.js", "isDynamicEntry": true}`, module, module)
	}
	text.WriteString(`, "src/features/landing/pictures/catalog.webp": {"file": "assets/catalog-1.webp"}`)
	return []byte("{" + strings.TrimPrefix(text.String(), ",") + "}")
}

// Get requests a path at PublicURL; headers are pairs of name and value.
func Get(t *testing.T, page http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, PublicURL+path, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, request)
	return answer
}

// Policy returns the sources of each directive of an answer's content security policy.
func Policy(t *testing.T, answer *httptest.ResponseRecorder) map[string]string {
	t.Helper()
	result := map[string]string{}
	for directive := range strings.SplitSeq(answer.Header().Get("Content-Security-Policy"), ";") {
		name, sources, _ := strings.Cut(strings.TrimSpace(directive), " ")
		result[name] = strings.Join(strings.Fields(sources), " ")
	}
	return result
}

// HostileTexts returns texts that may occur in an entry: they are text, whatever a browser, a template or a database
// may take them for.
func HostileTexts() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</script><svg/onload=alert(1)>`, `<!--cairn:head-->`, `{{7*7}} ${7*7} <%= 7 %>`,
		`javascript:alert(1)`, `'; DROP TABLE resource; --`, `%00%0d%0aX-Evil: 1`, "\u202egnp.exe", "line\u2028separator", `\u003cscript\u003e`, "a, b\\, c\\",
		"[x](javascript:alert(1))", "Ünï 日本語 🏔️", "=cmd|' /C calc'!A0",
	}
}
