package page

import (
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/site/page/pagetest"
)

func askSitemap(t *testing.T, w *world, public, path string) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	server := &Sitemap{Public: public, Entries: catalog.NewSitemap(w.store, time.Now)}
	server.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	return answer
}

func TestSitemapNamesPublicEntriesAlone(t *testing.T) {
	const public = "https://catalog.example.org/a&b" // & must be escaped
	w := newWorld(t, "Hill", spikes, hush)
	index := askSitemap(t, w, public, "/sitemap.xml")
	var parts struct {
		Locations []string `xml:"sitemap>loc"`
	}
	if err := xml.Unmarshal(index.Body.Bytes(), &parts); err != nil || len(parts.Locations) != 1 || parts.Locations[0] != public+"/sitemap.xml?part=1" {
		t.Fatalf("%v %v in %s", parts, err, index.Body)
	}
	if kind := index.Header().Get("Content-Type"); kind != "application/xml; charset=utf-8" || !strings.HasPrefix(index.Body.String(), "<?xml ") {
		t.Errorf("%s %s", kind, index.Body)
	}
	part := askSitemap(t, w, public, "/sitemap.xml?part=1")
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
	id := w.entry("d1").ID
	if len(entries.URLs) != 1 || entries.URLs[0].Location != public+"/resources/datasets/"+id || time.Since(entries.URLs[0].Changed) > time.Minute {
		t.Errorf("%+v, want the public entry %s alone", entries.URLs, id)
	}
}

func TestSitemapPartsThatAreNotThere(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	for _, part := range []string{"0", "2", "-1", "x", "99999999999999999999", "%00", "1%20"} {
		if answer := askSitemap(t, w, pagetest.PublicURL, "/sitemap.xml?part="+part); answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), "no part of this number") {
			t.Errorf("part %s: %d %s", part, answer.Code, answer.Body)
		}
	}
}

func TestSitemapWithoutItsDatabase(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	answer := askSitemap(t, w, pagetest.PublicURL, "/sitemap.xml?part=1")
	if answer.Code < 500 || strings.Contains(answer.Body.String(), "xml") {
		t.Errorf("%d %s, want a failure that looks like one", answer.Code, answer.Body)
	}
}

func TestRobotsFindTheSitemap(t *testing.T) {
	answer := httptest.NewRecorder()
	Robots("https://catalog.example.org")(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/robots.txt", http.NoBody))
	if text := answer.Body.String(); !strings.Contains(text, "\nSitemap: https://catalog.example.org/sitemap.xml\n") || strings.Contains(text, "Disallow") {
		t.Errorf("%s", text)
	}
}
