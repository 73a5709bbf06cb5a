package httpapi_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
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
	page = strings.ReplaceAll(page, `<script src="/api/docs.js" defer></script>`, "")
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
		`<a class="login" href="/login?redirect=%2fapi%2fdocs">Login</a>`, `<a href="/help">Help</a>`, `<a href="#things">Things</a>`, `<section id="things">`,
		">" + publicURL + httpapi.Base + "</pre>",
	} {
		if !strings.Contains(page, wanted) {
			t.Errorf("the page lacks %q", wanted)
		}
	}
}

func TestDocumentationIsFilteredByScript(t *testing.T) {
	page := call(t, http.MethodGet, "/api/docs", "").Body.String()
	script := call(t, http.MethodGet, "/api/docs.js", "")
	if script.Code != http.StatusOK || !strings.HasPrefix(script.Header().Get("Content-Type"), "text/javascript") {
		t.Errorf("the script is %d, %s", script.Code, script.Header())
	}
	for _, name := range []string{`id="filter"`, `id="found"`, `class="login"`, `class="side"`} {
		_, value, _ := strings.Cut(strings.Trim(name, `"`), `="`)
		if !strings.Contains(page, name) || !strings.Contains(script.Body.String(), value) {
			t.Errorf("the page and its script don't both know %s", name)
		}
	}
}

// People look for entries first; the order of groups that aren't known is that of their names.
func TestDocumentationBeginsWithEntries(t *testing.T) {
	api := httpapi.New(httpapi.Options{Frame: func() httpapi.Frame { return httpapi.Frame{Product: "Cairn"} }, Mark: func() (string, []byte) { return "image/svg+xml", nil }})
	for path, tag := range map[string]string{
		"/a": "Zoo", "/b": "Accounts", "/people": "Catalog", "/resources": "Catalog", "/c": "Aviary", "/d": "Sessions", "/e": "Runs",
	} {
		httpapi.Register(api, httpapi.Public, huma.Operation{OperationID: "get-" + path, Method: http.MethodGet, Path: path, Tags: []string{tag}},
			func(context.Context, *struct{}) (*thingOutput, error) { return nil, nil })
	}
	answer := httptest.NewRecorder()
	api.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/docs", http.NoBody))
	at := -1
	for _, text := range []string{
		"Base URL</h2>", "Catalog</h2>", "/resources</code>", "/people</code>", "Runs</h2>", "Sessions</h2>", "Accounts</h2>", "Aviary</h2>", "Zoo</h2>", "Codes of problems</h2>",
	} {
		next := strings.Index(answer.Body.String(), ">"+text)
		if next < at {
			t.Errorf("%s is not in its place", text)
		}
		at = next
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
