package paint

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// front proxies requests to Cairn. With inert set, the bodies of documents, scripts and style sheets are replaced by
// others of the same length that do nothing, so both fronts have the same server behind them, and the same headers and
// bytes on the wire.
func front(server *url.URL, inert bool) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(server) },
		ModifyResponse: func(response *http.Response) error {
			body, err := io.ReadAll(response.Body)
			if err != nil {
				return err
			}
			_ = response.Body.Close()
			if inert {
				if body, err = emptied(response.Header, response.Request.URL.Path, body); err != nil {
					return fmt.Errorf("%s: %w", response.Request.URL, err)
				}
			}
			response.Body = io.NopCloser(bytes.NewReader(body))
			response.ContentLength = int64(len(body))
			response.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return nil
		},
	}
}

// emptied returns a body with the same transferred length as the original that does nothing.
func emptied(header http.Header, path string, body []byte) ([]byte, error) {
	size := len(body)
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	switch {
	case kind == "text/html":
		html, err := unpacked(header, body)
		if err != nil {
			return nil, err
		}
		header.Del("Content-Encoding")
		return filled(inertDocument(html), "<!--", "-->", size)
	case strings.HasSuffix(path, ".js"):
		header.Del("Content-Encoding")
		return filled(inertScript, "/*", "*/", size)
	case strings.HasSuffix(path, ".css"):
		header.Del("Content-Encoding")
		return filled("", "/*", "*/", size)
	default:
		return body, nil
	}
}

var loading = regexp.MustCompile(`<link rel="(?:stylesheet|modulepreload)"[^>]*>|<script type="module"[^>]*></script>|<img [^>]*>`)

// inertDocument returns a document that loads the same files in the same order and shows a heading. Pictures that the page
// loads at once are loaded too, since they share the line with the style sheet, but stay hidden.
func inertDocument(html []byte) string {
	var tags strings.Builder
	for _, tag := range loading.FindAllString(string(html), -1) {
		if !strings.Contains(tag, `loading="lazy"`) {
			tags.WriteString(strings.Replace(tag, "<img ", "<img hidden ", 1))
		}
	}
	return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Inert</title>` + tags.String() +
		`<h1>Inert</h1><main></main>`
}

// inertScript shows a paragraph when all scripts named by the document have loaded. Every script does this.
const inertScript = `Promise.all([...document.querySelectorAll("[rel=modulepreload]")].map((l)=>import(l.href)))` +
	`.then(()=>{document.querySelector("main").innerHTML||="<article>"+"All is here. ".repeat(150)})`

// filled appends a comment that makes a text exactly this many bytes long.
func filled(text, begin, end string, size int) ([]byte, error) {
	room := size - len(text) - len(begin) - len(end)
	if room < 0 {
		return nil, fmt.Errorf("%d bytes have no room for an inert text of %d", size, len(text))
	}
	return []byte(text + begin + strings.Repeat(".", room) + end), nil
}

func unpacked(header http.Header, body []byte) ([]byte, error) {
	switch encoding := header.Get("Content-Encoding"); encoding {
	case "":
		return body, nil
	case "gzip":
		reader, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(reader)
	default:
		return nil, fmt.Errorf("the document is packed as %q", encoding)
	}
}
