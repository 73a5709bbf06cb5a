package app

import (
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/catalog"
)

func askSitemap(t *testing.T, p *program, path string) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	server := sitemapServer{p.publicURL, catalog.NewSitemap(catalog.NewStore(p.db), time.Now)}
	server.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	return answer
}

func TestSitemapNamesPublicEntriesAlone(t *testing.T) {
	p := testProgram(t, func(p *program) { p.publicURL = "https://catalog.example.org/a&b" }) // & must be escaped
	index := askSitemap(t, p, "/sitemap.xml")
	var parts struct {
		Locations []string `xml:"sitemap>loc"`
	}
	if err := xml.Unmarshal(index.Body.Bytes(), &parts); err != nil || len(parts.Locations) != 1 || parts.Locations[0] != p.publicURL+"/sitemap.xml?part=1" {
		t.Fatalf("%v %v in %s", parts, err, index.Body)
	}
	if kind := index.Header().Get("Content-Type"); kind != "application/xml; charset=utf-8" || !strings.HasPrefix(index.Body.String(), "<?xml ") {
		t.Errorf("%s %s", kind, index.Body)
	}
	part := askSitemap(t, p, "/sitemap.xml?part=1")
	var entries struct {
		XMLName xml.Name
		URLs    []struct {
			Location string    `xml:"loc"`
			Changed  time.Time `xml:"lastmod"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal(part.Body.Bytes(), &entries); err != nil || entries.XMLName.Local != "urlset" || entries.XMLName.Space != "http://www.sitemaps.org/schemas/sitemap/0.9" {
		t.Fatalf("%v in %s", err, part.Body)
	}
	public := idOf(t, p.db, "d1")
	if len(entries.URLs) != 1 || entries.URLs[0].Location != p.publicURL+"/resources/datasets/"+public || time.Since(entries.URLs[0].Changed) > time.Minute {
		t.Errorf("%+v, want the public entry %s alone", entries.URLs, public)
	}
}

func TestSitemapPartsThatAreNotThere(t *testing.T) {
	p := testProgram(t, nil)
	for _, part := range []string{"0", "2", "-1", "x", "99999999999999999999", "%00", "1%20"} {
		if answer := askSitemap(t, p, "/sitemap.xml?part="+part); answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), "no part of this number") {
			t.Errorf("part %s: %d %s", part, answer.Code, answer.Body)
		}
	}
}

func TestSitemapWithoutItsDatabase(t *testing.T) {
	p := testProgram(t, nil)
	if err := p.db.Close(); err != nil {
		t.Fatal(err)
	}
	answer := askSitemap(t, p, "/sitemap.xml?part=1")
	if answer.Code < 500 || strings.Contains(answer.Body.String(), "xml") {
		t.Errorf("%d %s, want a failure that looks like one", answer.Code, answer.Body)
	}
}

func TestRobotsFindTheSitemap(t *testing.T) {
	answer := httptest.NewRecorder()
	serveRobots("https://catalog.example.org")(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/robots.txt", http.NoBody))
	if text := answer.Body.String(); !strings.Contains(text, "\nSitemap: https://catalog.example.org/sitemap.xml\n") || strings.Contains(text, "Disallow") {
		t.Errorf("%s", text)
	}
}
