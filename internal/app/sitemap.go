package app

import (
	"context"
	"encoding/xml"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"cairn/internal/catalog"
)

// sitemapSize is how many entries one sitemap lists. The format allows 50,000; at this size one is made while a crawler
// waits, and its list of 50,000 sitemaps holds 50 million entries.
const sitemapSize = 1000

// searchSize is how many entries are read at a time, as many as callers may ask for.
const searchSize = 100

// sitemapPages are the pages without an entry of their own that are worth finding.
var sitemapPages = []string{"/", "/resources", "/resources/repositories", "/resources/notebooks", "/resources/datasets", "/resources/models", "/events"}

const sitemapSpace = "http://www.sitemaps.org/schemas/sitemap/0.9"

type sitemapIndex struct {
	XMLName  xml.Name       `xml:"sitemapindex"`
	Space    string         `xml:"xmlns,attr"`
	Sitemaps []sitemapEntry `xml:"sitemap"`
}

type sitemap struct {
	XMLName xml.Name       `xml:"urlset"`
	Space   string         `xml:"xmlns,attr"`
	Pages   []sitemapEntry `xml:"url"`
}

type sitemapEntry struct {
	Address string `xml:"loc"`
	Changed string `xml:"lastmod,omitempty"`
}

var sitemapRoute = regexp.MustCompile(`^/sitemap/([0-9]{1,5})\.xml$`)

// serveSitemap answers /sitemap.xml, which lists the sitemaps, and those: /sitemap/0.xml for the pages, and from
// /sitemap/1.xml on the public entries by name. False: the address is none of these.
func (s *pageServer) serveSitemap(w http.ResponseWriter, r *http.Request) bool {
	var content any
	var err error
	switch part := sitemapRoute.FindStringSubmatch(r.URL.Path); {
	case r.URL.Path == "/robots.txt":
		text := "User-agent: *\nDisallow: /api/v1/\nDisallow: /login\n\nSitemap: " + s.program.publicURL + "/sitemap.xml\n"
		writeText(w, r, http.StatusOK, "text/plain; charset=utf-8", []byte(text))
		return true
	case r.URL.Path == "/sitemap.xml":
		content, err = s.sitemaps(r.Context())
	case part != nil && part[1] == "0":
		content = s.pagesMap()
	case part != nil:
		number, _ := strconv.Atoi(part[1])
		content, err = s.entriesMap(r.Context(), number-1)
	default:
		return false
	}
	var text []byte
	if err == nil && content != nil {
		text, err = xml.MarshalIndent(content, "", " ")
	}
	switch {
	case err != nil:
		w.Header().Set("Retry-After", "60")
		http.Error(w, "The catalog cannot be read at the moment.", http.StatusServiceUnavailable)
	case text == nil:
		http.Error(w, "There is no such sitemap; see /sitemap.xml.", http.StatusNotFound)
	default:
		writeText(w, r, http.StatusOK, "application/xml", append([]byte(xml.Header), text...))
	}
	return true
}

func (s *pageServer) sitemaps(ctx context.Context) (any, error) {
	page, err := s.program.entries.Search(ctx, catalog.Query{Limit: 1})
	if err != nil {
		return nil, err
	}
	index := sitemapIndex{Space: sitemapSpace}
	for number := range 1 + (page.Total+sitemapSize-1)/sitemapSize {
		index.Sitemaps = append(index.Sitemaps, sitemapEntry{Address: s.program.publicURL + "/sitemap/" + strconv.Itoa(number) + ".xml"})
	}
	return index, nil
}

func (s *pageServer) pagesMap() any {
	result := sitemap{Space: sitemapSpace}
	for _, path := range sitemapPages {
		result.Pages = append(result.Pages, sitemapEntry{Address: s.program.publicURL + path})
	}
	return result
}

// entriesMap lists one part of the entries; nil when there are not so many.
func (s *pageServer) entriesMap(ctx context.Context, part int) (any, error) {
	folders := map[catalog.Type]string{}
	for path, kind := range listPages {
		folders[kind] = path
	}
	result := sitemap{Space: sitemapSpace}
	for offset := part * sitemapSize; offset < (part+1)*sitemapSize; offset += searchSize {
		page, err := s.program.entries.Search(ctx, catalog.Query{Sort: catalog.SortName, Offset: offset, Limit: searchSize})
		if err != nil {
			return nil, err
		}
		for _, resource := range page.Resources {
			result.Pages = append(result.Pages, sitemapEntry{
				Address: s.program.publicURL + folders[resource.Type] + "/" + resource.ID,
				Changed: resource.UpdatedAt.UTC().Format(time.RFC3339),
			})
		}
		if offset+searchSize >= page.Total {
			break
		}
	}
	if len(result.Pages) == 0 {
		return nil, nil //nolint:nilnil // nothing there is no fault
	}
	return result, nil
}
