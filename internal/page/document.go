package page

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

const (
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

// WriteText sends a text that is made anew for each request, or 304 to those who have it, compressed where that is
// understood. Nothing in it may be secret, so that its compressed size gives nothing away (BREACH).
func WriteText(w http.ResponseWriter, r *http.Request, status int, kind string, text []byte) {
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
