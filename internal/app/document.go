package app

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"sync"

	"cairn/internal/httpapi"
)

// pageTitles are what the page itself writes into the window's title, by address; an address without one has the name
// of the product alone.
var pageTitles = map[string]string{
	"/login": "Sign in", "/oauth_callback": "Sign in", "/events": "Events", "/resources": "Research Catalog",
	"/resources/starred": "Starred Resources", "/resources/notebooks": "Notebooks", "/resources/repositories": "Repositories",
	"/resources/datasets": "Datasets", "/resources/models": "Models", "/sessions": "Sessions", "/add": "Add to the catalog",
	"/accounts": "Accounts",
}

// titleOf is the window's title of a page that is called so.
func (p *program) titleOf(page string) string {
	if page == "" {
		return p.site.Brand.Name
	}
	return page + " · " + p.site.Brand.Name
}

// gzipWriters are kept for the next text: each holds most of a megabyte.
var gzipWriters sync.Pool

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
	if accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		text = compressed(text)
	}
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func compressed(content []byte) []byte {
	var result bytes.Buffer
	writer, ok := gzipWriters.Get().(*gzip.Writer)
	if !ok {
		writer = gzip.NewWriter(nil)
	}
	defer gzipWriters.Put(writer)
	writer.Reset(&result)
	_, _ = writer.Write(content) // a buffer takes everything
	_ = writer.Close()
	return result.Bytes()
}
