package app

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cairn/internal/catalog"
)

func TestSitemaps(t *testing.T) {
	p := testProgram(t, nil)
	var lines strings.Builder
	for i := range sitemapSize + 1 {
		line := strings.ReplaceAll(publicLine, `"d1"`, fmt.Sprintf(`"e%d"`, i))
		lines.WriteString(strings.ReplaceAll(line, `"Spikes"`, fmt.Sprintf(`"Entry %05d"`, i)) + "\n")
	}
	if err := importText(t.Context(), p.db, lines.String()); err != nil {
		t.Fatal(err)
	}
	var err error
	if p.entries, err = catalog.NewService(t.Context(), catalog.NewStore(p.db), p.logger); err != nil {
		t.Fatal(err)
	}
	page := testPage(t, p)

	var index sitemapIndex
	readXML(t, page, "/sitemap.xml", &index)
	if len(index.Sitemaps) != 3 || index.Sitemaps[2].Address != p.publicURL+"/sitemap/2.xml" {
		t.Fatalf("got %+v", index.Sitemaps)
	}
	seen := map[string]bool{}
	for _, part := range index.Sitemaps {
		var list sitemap
		readXML(t, page, strings.TrimPrefix(part.Address, p.publicURL), &list)
		if len(list.Pages) > sitemapSize {
			t.Errorf("%s lists %d", part.Address, len(list.Pages))
		}
		for _, entry := range list.Pages {
			if seen[entry.Address] {
				t.Errorf("%s is listed twice", entry.Address)
			}
			seen[entry.Address] = true
		}
	}
	if want := len(sitemapPages) + sitemapSize + 2; len(seen) != want {
		t.Errorf("%d addresses, want %d", len(seen), want)
	}
	for _, path := range append(sitemapPages, "/resources/datasets/"+idOf(t, p.db, "d1")) {
		if !seen[p.publicURL+path] || getPage(t, page, path).Code != http.StatusOK {
			t.Errorf("%s is not listed, or leads nowhere", path)
		}
	}
	if seen[p.publicURL+"/resources/datasets/"+idOf(t, p.db, "secret")] {
		t.Error("a private entry is listed")
	}
	if text := getPage(t, page, "/robots.txt").Body.String(); !strings.Contains(text, "Sitemap: "+p.publicURL+"/sitemap.xml\n") {
		t.Errorf("robots.txt: %s", text)
	}
	for _, path := range []string{"/sitemap/3.xml", "/sitemap/99999.xml", "/sitemap/x.xml", "/sitemap/", "/sitemap/1.xml/x"} {
		if answer := getPage(t, page, path); answer.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, answer.Code)
		}
	}
}

func readXML(t *testing.T, page http.Handler, path string, into any) {
	t.Helper()
	answer := getPage(t, page, path)
	if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != "application/xml" {
		t.Fatalf("%s: %d %v", path, answer.Code, answer.Header())
	}
	if err := xml.Unmarshal(answer.Body.Bytes(), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
