package preview_test

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// picturePath is the address of a picture in the texts of an entry.
func (w *world) picturePath(name string, query ...string) string {
	values := url.Values{}
	for i := 0; i < len(query); i += 2 {
		values.Set(query[i], query[i+1])
	}
	return httpapi.Base + "/resources/public/" + w.ID(name) + "/picture?" + values.Encode()
}

func TestPicturesInTexts(t *testing.T) {
	t.Parallel()
	drawn := pngOf(t, 3, 2)
	web := newSource(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".svg") {
			_, _ = w.Write([]byte("<svg/>"))
			return
		}
		_, _ = w.Write(drawn)
	})
	text := "![a](" + web.URL + "/a.png?x=1&amp;y=2) ![b](" + web.URL + "/b.svg)"
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("told", catalogtest.About(text)),
		catalogtest.Entry("private", catalogtest.About(text), catalogtest.Pictured(web.URL+"/a.png"), catalogtest.Private, catalogtest.By(catalogtest.Bob)),
		catalogtest.Entry("open", catalogtest.Repository("https://github.com/owner/open")),
		catalogtest.Entry("elsewhere", catalogtest.Repository("https://gitlab.example/group/name")),
	)
	stand := githubtest.Start(t)
	stand.Put(githubtest.Repository{Name: "owner/open", Files: map[string]string{
		"README.md": "![c](" + web.URL + "/c.png)", "figures/d.png": string(drawn), "e.svg": "<svg/>", "f.png": string(drawn) + strings.Repeat("x", 5<<20),
	}})
	w.hosts = codehost.NewHosts(map[string]codehost.Host{"github.com": codehost.NewGitHub(stand.Options(t, githubtest.Token))}, nil)
	w.showImages(t.TempDir(), time.Now)

	var private catalog.Resource
	w.Ask(catalogtest.Bob, http.MethodGet, "/resources/public/"+w.ID("private"), http.StatusOK, &private)
	signed, err := url.Parse(private.HeaderImageURL)
	if err != nil {
		t.Fatal(err)
	}
	for what, path := range map[string]string{
		"in a description":  w.picturePath("told", "address", web.URL+"/a.png?x=1&y=2"),
		"in a README":       w.picturePath("open", "file", "README.md", "address", web.URL+"/c.png"),
		"in the repository": w.picturePath("open", "file", "figures/d.png"),
		"with a signature": w.picturePath("private", "address", web.URL+"/a.png?x=1&y=2", "expires", signed.Query().Get("expires"),
			"signature", signed.Query().Get("signature")),
	} {
		answer := w.get("", path)
		if answer.Code != http.StatusOK || !bytes.Equal(answer.Body.Bytes(), drawn) || answer.Header().Get("Content-Type") != "image/png" ||
			answer.Header().Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
			t.Errorf("%s: %d %v %.200s", what, answer.Code, answer.Header(), answer.Body)
		}
		if again := w.get("", path, "If-None-Match", answer.Header().Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s, again: %d", what, again.Code)
		}
	}
	asked := web.asked.Load()
	for what, c := range map[string]struct{ path, message string }{
		"another address":             {w.picturePath("told", "address", web.URL+"/other.png"), "doesn't contain its address"},
		"an address of the README":    {w.picturePath("open", "address", web.URL+"/c.png"), "doesn't contain its address"},
		"nothing":                     {w.picturePath("told"), "doesn't contain its address"},
		"a private entry's":           {w.picturePath("private", "address", web.URL+"/a.png?x=1&y=2"), "doesn't exist, or you don't have access"},
		"an SVG in the repository":    {w.picturePath("open", "file", "e.svg"), "isn't a PNG"},
		"a huge one":                  {w.picturePath("open", "file", "f.png"), "too large"},
		"a missing one":               {w.picturePath("open", "file", "none.png"), "There is no file"},
		"of an unknown host":          {w.picturePath("elsewhere", "file", "a.png"), "can't read repositories"},
		"a file of what has no files": {w.picturePath("told", "file", "a.png"), "Only repositories have files"},
	} {
		if answer := w.get("", c.path); answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), c.message) {
			t.Errorf("%s: %d %s", what, answer.Code, answer.Body)
		}
	}
	if web.asked.Load() != asked {
		t.Errorf("asked %d times for what no text names", web.asked.Load()-asked)
	}
	if answer := w.get("", w.picturePath("told", "address", web.URL+"/b.svg")); answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), "isn't a PNG") {
		t.Errorf("an SVG on the web: %d %s", answer.Code, answer.Body)
	}
}
