package app

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"path"
	"strings"

	"cairn/internal/httpapi"
	"cairn/internal/site"
)

// pageInfo is what a document says of its page before the page runs.
type pageInfo struct {
	title  string // what the page itself writes into the window's title; none: the name of the product alone
	module string // the source of the part that the page loads for this address, as the build's manifest names it
}

// pages by address. web/src/app/routes.tsx has the modules too.
var pages = map[string]pageInfo{
	"":                        {"", "app/pages/LandingRoute"},
	"/login":                  {"Sign in", "features/identity/LoginPage"},
	"/oauth_callback":         {"Sign in", "features/identity/CallbackPage"},
	"/events":                 {"Events", "features/events/EventsPage"},
	"/resources":              {"Research Catalog", "features/catalog/CatalogPage"},
	"/resources/notebooks":    {"Notebooks", "features/catalog/KindPage"},
	"/resources/repositories": {"Repositories", "features/catalog/KindPage"},
	"/resources/datasets":     {"Datasets", "features/catalog/KindPage"},
	"/resources/models":       {"Models", "features/catalog/KindPage"},
	"/resources/starred":      {"Starred Resources", "features/catalog/StarredPage"},
	"/sessions":               {"Sessions", "app/pages/SessionsRoute"},
	"/add":                    {"Add to the catalog", "features/contribute/AddPage"},
	"/add/repo":               {"Add a repository", "app/pages/AddRepositoryRoute"},
	"/add/project":            {"Add a project", "features/projects/AddProjectPage"},
	"/add/dataset":            {"Add a dataset", "features/catalog/AddEntryPage"},
	"/add/notebook":           {"Add a notebook", "features/catalog/AddEntryPage"},
	"/add/model":              {"Add a model", "features/catalog/AddEntryPage"},
	"/accounts":               {"Accounts", "features/identity/AccountsPage"},
}

const (
	// entryModule shows an entry.
	entryModule = "app/pages/ResourceRoute"
	// markdownModule lays out the text of one that has any of the signs; web/src/lib/markdown.ts knows it exactly.
	markdownModule = "ui/Markdown"
	markdownSigns  = "*_`[<~|#@"
)

// readManifest gives, by module, the links that have a browser fetch all scripts of it while the document still loads;
// those that the document names anyway are left out.
func readManifest(text []byte) (map[string]string, error) {
	type chunk struct {
		File           string
		Imports        []string
		IsDynamicEntry bool
	}
	var chunks map[string]chunk
	if err := json.Unmarshal(text, &chunks); err != nil {
		return nil, err
	}
	var add func(name string, seen map[string]bool) string
	add = func(name string, seen map[string]bool) (links string) {
		if seen[name] {
			return ""
		}
		seen[name] = true
		for _, other := range chunks[name].Imports {
			links += add(other, seen)
		}
		return links + "\n    <link rel=\"modulepreload\" crossorigin href=\"/" + html.EscapeString(chunks[name].File) + "\">"
	}
	preloads := map[string]string{}
	for name, one := range chunks {
		if module, ok := strings.CutPrefix(name, "src/"); ok && one.IsDynamicEntry {
			seen := map[string]bool{}
			add("index.html", seen)
			preloads[strings.TrimSuffix(module, path.Ext(module))] = add(name, seen)
		}
	}
	return preloads, nil
}

// titleOf is the window's title of a page that is called so.
func titleOf(page string, brand site.Brand) string {
	if page == "" {
		return brand.Name
	}
	return page + " · " + brand.Name
}

// icon is the link to the window's icon: the institution's mark, or the stones.
func icon(brand site.Brand) string {
	address := brand.Mark
	if address == "" {
		address = "/favicon.svg"
	}
	return "\n    <link rel=\"icon\" href=\"" + html.EscapeString(address) + "\">"
}

// writeText sends a text that is made anew for each request, or 304 to those who have it, compressed where that is
// understood. Nothing in it may be secret, so that its compressed size gives nothing away (BREACH).
func writeText(w http.ResponseWriter, r *http.Request, status int, kind string, text []byte) {
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("Cache-Control", "no-cache")
	header.Set("Vary", "Accept-Encoding")
	if status == http.StatusOK {
		digest := sha256.Sum256(text)
		// Weak, because it stands for every encoding.
		tag := `W/"` + base64.RawURLEncoding.EncodeToString(digest[:16]) + `"`
		header.Set("ETag", tag)
		if httpapi.MatchesTag(r.Header.Get("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if httpapi.Accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		text = httpapi.Compressed(text)
	}
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
