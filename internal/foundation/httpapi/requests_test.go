package httpapi_test

import (
	"compress/gzip"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"cairn/internal/foundation/httpapi"
)

func TestTrailingSlash(t *testing.T) {
	for _, path := range []string{httpapi.Base + "/public", httpapi.Base + "/public/", "/api/docs/", "/api/openapi.json/"} {
		if answer := call(t, http.MethodGet, path, ""); answer.Code != http.StatusOK {
			t.Errorf("%s: %d", path, answer.Code)
		}
	}
}

// Some operations start things although they are GETs, so HEAD is not GET without a body here.
func TestMethodsThatAreNotThere(t *testing.T) {
	for _, method := range []string{http.MethodHead, http.MethodDelete, http.MethodOptions} {
		answer := call(t, method, httpapi.Base+"/own", "", "Authorization", goodToken)
		if method != http.MethodHead {
			problem(t, answer, http.StatusMethodNotAllowed)
		}
		if answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != http.MethodGet {
			t.Errorf("%s: %d, Allow %q", method, answer.Code, answer.Header().Get("Allow"))
		}
	}
}

func TestEntityTags(t *testing.T) {
	first := get(t, "/public")
	tag := first.Header().Get("ETag")
	if first.Code != http.StatusOK || !strings.HasPrefix(tag, `W/"`) {
		t.Fatalf("%d, tag %q", first.Code, tag)
	}
	if cache := first.Header().Get("Cache-Control"); cache != "private, no-cache" {
		t.Errorf("Cache-Control %q: answers depend on the caller", cache)
	}
	if vary := first.Header().Values("Vary"); !strings.Contains(strings.Join(vary, ", "), "Authorization") {
		t.Errorf("Vary %q", vary)
	}
	for header, status := range map[string]int{
		tag: 304, strings.TrimPrefix(tag, "W/"): 304, `"other", ` + tag: 304, "*": 304, `"other"`: 200, strings.Trim(tag, `W/"`): 200, "": 200,
	} {
		answer := get(t, "/public", "If-None-Match", header)
		if answer.Code != status || (status == http.StatusNotModified) != (answer.Body.Len() == 0) || answer.Header().Get("ETag") != tag {
			t.Errorf("%s: %d with %d bytes, tag %q", header, answer.Code, answer.Body.Len(), answer.Header().Get("ETag"))
		}
	}
	if tag := get(t, "/invalid").Header().Get("ETag"); tag != "" {
		t.Errorf("an error has the tag %q", tag)
	}
}

func TestRequestIdsDiffer(t *testing.T) {
	one, two := get(t, "/public").Header().Get("X-Request-Id"), get(t, "/public").Header().Get("X-Request-Id")
	if one == "" || one == two {
		t.Errorf("got %q and %q", one, two)
	}
}

func TestDocumentationNeedsNothingFromElsewhere(t *testing.T) {
	answer := call(t, http.MethodGet, "/api/docs", "")
	page := strings.ReplaceAll(answer.Body.String(), publicURL, "")
	if answer.Code != http.StatusOK || !strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html") {
		t.Fatalf("%d %s", answer.Code, answer.Header())
	}
	for _, hostile := range []string{"<script", "://", "style=", "<style", "onclick", "<thing>", "@import"} {
		if strings.Contains(page, hostile) {
			t.Errorf("the page has %q", hostile)
		}
	}
	for _, found := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(found[1], "/") && !strings.HasPrefix(found[1], "#") {
			t.Errorf("the page leads to %s", found[1])
		}
	}
	for _, wanted := range []string{"<code class=\"get\">GET</code> <code>/public</code>", "<code class=\"post\">POST</code> <code>/things</code>", "A &lt;thing&gt;", "name: string", "<td>integer (int64), 0 to 100</td>", "<code>session_limit</code>"} {
		if !strings.Contains(page, wanted) {
			t.Errorf("the page lacks %q", wanted)
		}
	}
	if style := call(t, http.MethodGet, "/api/docs.css", ""); style.Code != http.StatusOK || strings.Contains(style.Body.String(), "url(") {
		t.Errorf("the style is %d or leads elsewhere", style.Code)
	}
}

func TestDocumentationBelongsToTheSite(t *testing.T) {
	page := call(t, http.MethodGet, "/api/docs", "").Body.String()
	for _, wanted := range []string{
		"<title>API · Hill &amp; Dale</title>", `<meta name="description" content="The REST API of`, `<meta property="og:title" content="API · Hill &amp; Dale">`,
		`<a class="logo" href="/"><img src="/api/mark" height="26" alt="">Hill &amp; Dale</a>`, `<nav aria-label="Main">`,
		`<a href="/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL">Catalog</a>`, `<a href="/sessions">Sessions</a>`,
		`<a href="/add">Add</a>`, `<a href="/resources/starred">Starred</a>`, `<a href="/events">Events</a>`,
		">" + publicURL + httpapi.Base + "</pre>",
	} {
		if !strings.Contains(page, wanted) {
			t.Errorf("the page lacks %q", wanted)
		}
	}
}

func TestDocumentationShowsHowToCall(t *testing.T) {
	page := html.UnescapeString(call(t, http.MethodGet, "/api/docs", "").Body.String())
	const base = publicURL + httpapi.Base
	for _, wanted := range []string{
		`>curl "` + base + `/public"<`,
		`>curl "` + base + "/own\" \\\n  -H \"Authorization: Bearer $TOKEN\"<",
		`>curl -X POST "` + base + "/things\" \\\n  -H \"Authorization: Bearer $TOKEN\" \\\n" +
			"  -H \"Content-Type: application/json\" \\\n  -d '{\"name\":\"...\"}'<",
		`>curl -X PATCH "` + base + "/things/$ID?kind=a\"<",
	} {
		if !strings.Contains(page, wanted) {
			t.Errorf("the page lacks %s", wanted)
		}
	}
	if calls, examples := strings.Count(page, "<summary>"), strings.Count(page, ">curl "); calls == 0 || calls != examples {
		t.Errorf("%d calls have %d examples", calls, examples)
	}
}

func TestDocumentSaysWhoMayCall(t *testing.T) {
	document := call(t, http.MethodGet, "/api/openapi.json", "").Body.String()
	for _, wanted := range []string{`"openapi": "3.1.0"`, `"bearer"`, `"/api/v1/rf/own"`} {
		if !strings.Contains(document, wanted) {
			t.Errorf("the document lacks %s", wanted)
		}
	}
}

func TestLongAnswersTravelCompressed(t *testing.T) {
	for _, c := range []struct {
		path, accepts string
		compressed    bool
	}{{"/long", "gzip, deflate, br", true}, {"/long", "", false}, {"/long", "gzip;q=0", false}, {"/public", "gzip", false}} {
		answer := get(t, c.path, "Accept-Encoding", c.accepts)
		text := answer.Body.Bytes()
		if c.compressed {
			reader, err := gzip.NewReader(answer.Body)
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			if text, err = io.ReadAll(reader); err != nil {
				t.Fatal(err)
			}
		}
		if (answer.Header().Get("Content-Encoding") == "gzip") != c.compressed || !json.Valid(text) || answer.Header().Get("ETag") == "" {
			t.Errorf("%v: %v, %d bytes", c, answer.Header(), len(text))
		}
	}
}
