package page

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

const sitemapNamespace = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`

// Sitemap lists the public entries for search engines: /sitemap.xml is the index, and its parts differ only in the
// query, because a sitemap may only list addresses below its own folder.
type Sitemap struct {
	Public  string // the page's origin
	Entries *catalog.Sitemap
}

// ServeHTTP serves the index, or a part of it.
func (s *Sitemap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	writer := &xmlWriter{response: w}
	var err error
	if part := r.URL.Query().Get("part"); part != "" {
		number, _ := strconv.Atoi(part) // an invalid number isn't a part
		err = s.part(r, number, writer)
	} else {
		err = s.index(r, writer)
	}
	switch {
	case err == nil:
	case writer.begun:
		panic(http.ErrAbortHandler) // an incomplete list must not look complete
	default:
		if status := httpapi.StatusOf(r.Context(), err); status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "60")
		}
		http.Error(w, fault.MessageOf(err), httpapi.StatusOf(r.Context(), err))
	}
}

func (s *Sitemap) index(r *http.Request, writer *xmlWriter) error {
	parts, err := s.Entries.Parts(r.Context())
	if err != nil {
		return err
	}
	writer.text("<sitemapindex " + sitemapNamespace + ">\n")
	for number := range parts {
		writer.text("<sitemap><loc>")
		writer.escaped(s.Public + "/sitemap.xml?part=" + strconv.Itoa(number+1))
		writer.text("</loc></sitemap>\n")
	}
	writer.text("</sitemapindex>\n")
	return writer.flush()
}

func (s *Sitemap) part(r *http.Request, number int, writer *xmlWriter) error {
	begin := "<urlset " + sitemapNamespace + ">\n"
	err := s.Entries.Part(r.Context(), number, func(entries []catalog.SitemapEntry) error {
		writer.text(begin)
		begin = ""
		for _, entry := range entries {
			writer.text("<url><loc>")
			writer.escaped(s.Public + "/resources/" + entry.Type.Plural() + "/" + entry.ID)
			writer.text("</loc><lastmod>" + entry.UpdatedAt.Format(time.RFC3339) + "</lastmod></url>\n")
		}
		return writer.flush()
	})
	if err != nil {
		return err
	}
	writer.text(begin + "</urlset>\n")
	return writer.flush()
}

// xmlWriter buffers a document and sends it in chunks; the header goes with the first.
type xmlWriter struct {
	response http.ResponseWriter
	buffer   bytes.Buffer
	begun    bool
}

func (x *xmlWriter) text(text string) { x.buffer.WriteString(text) }

func (x *xmlWriter) escaped(text string) {
	_ = xml.EscapeText(&x.buffer, []byte(text)) // writing to a buffer can't fail
}

func (x *xmlWriter) flush() error {
	if !x.begun {
		x.begun = true
		header := x.response.Header()
		header.Set("Content-Type", "application/xml; charset=utf-8")
		header.Set("Cache-Control", "public, max-age=600")
		if _, err := x.response.Write([]byte(xml.Header)); err != nil {
			return err
		}
	}
	_, err := x.buffer.WriteTo(x.response)
	return err
}

// Robots points search engines to the sitemap. Nothing is disallowed: what they may not see, nobody may.
func Robots(public string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "public, max-age=3600")
		_, _ = fmt.Fprintf(w, "User-agent: *\nAllow: /\n\nSitemap: %s/sitemap.xml\n", public)
	}
}
