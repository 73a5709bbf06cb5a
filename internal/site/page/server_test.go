package page

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"cairn/internal/foundation/fault"
	"cairn/internal/site/page/pagetest"
)

func TestSecurityPolicyOfThePage(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	want := map[string]string{
		"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "font-src": "'self'", "img-src": "'self' data:",
		"manifest-src": "'self'", "connect-src": "'self'", "frame-src": "'self' http://*.localhost:8081", "form-action": "'self'",
		"base-uri": "'none'", "frame-ancestors": "'self'",
	}
	for _, path := range []string{"/", "/nowhere", "/favicon.svg", "/assets/app-1.js", "/assets/none.js"} {
		answer := pagetest.Get(t, w, path)
		got := pagetest.Policy(t, answer)
		for name, sources := range want {
			if got[name] != sources {
				t.Errorf("%s: %s is %q, want %q", path, name, got[name], sources)
			}
		}
		if len(got) != len(want) || answer.Header().Get("X-Content-Type-Options") != "nosniff" || answer.Header().Get("Referrer-Policy") == "" {
			t.Errorf("%s: got %v", path, answer.Header())
		}
	}
}

var configScript = regexp.MustCompile(`(?s)<script type="application/json" id="config">(.*?)</script>`)

// CVE-2018-19351 and similar ones: text of an operator ended the script element that contained it.
func TestTextInTheDocumentIsEscaped(t *testing.T) {
	document := newWorld(t, hostileBrand, spikes, hush).document("/")
	if strings.Contains(document, "<script>") || strings.Count(document, "</script>") != 2 || strings.Contains(document, "Old") {
		t.Fatalf("got %s", document)
	}
	if !strings.Contains(document, "<nav>"+html.EscapeString(hostileBrand)+"</nav>") {
		t.Errorf("the bar of the document does not have the name of the product, escaped: %s", document)
	}
	if !strings.Contains(document, "<title>"+html.EscapeString(hostileBrand)+"</title>") {
		t.Errorf("the title is not the brand: %s", document)
	}
	found := configScript.FindStringSubmatch(document)
	var config struct{ Product string }
	if found == nil || json.Unmarshal([]byte(found[1]), &config) != nil || config.Product != hostileBrand {
		t.Errorf("the configuration does not survive: %v", found)
	}
}

func TestStatusOfPageAddresses(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	public, private := w.entry("d1").ID, w.entry("secret").ID
	for path, want := range map[string]int{
		"/": 200, "/login": 200, "/oauth_callback": 200, "/resources": 200, "/resources/": 200, "/resources/datasets": 200, "/sessions": 200,
		"/sessions/x/open": 200, "/events": 200, "/add/repo": 200, "/add/model": 200, "/add/x": 404, "/resources/datasets/x/edit": 200,
		"/resources/datasets/x/y": 404, "/resources/datasets/" + public: 200, "/resources/datasets/" + public + "/": 200,
		"/resources/datasets/search": 404, "/resources/datasets/tags/": 404, "/nowhere": 404, "/resources/datasets/" + private: 404, "/resources/datasets/x": 404,
		"/resources/datasets/%00": 404, "/resources/a/b/c": 404, "/resources//x": 404, "/sessions/x": 404, "/sessions/x/open/": 200, "/open": 200, "/accounts/": 200, "/loginx": 404, "/index.html": 404, "/.vite/manifest.json": 404,
	} {
		answer := pagetest.Get(t, w, path)
		if answer.Code != want || !strings.Contains(answer.Body.String(), `id="config"`) || answer.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d, want the document with %d", path, answer.Code, want)
		}
		if strings.Contains(answer.Body.String(), "Hush") {
			t.Errorf("%s tells of the private entry", path)
		}
	}
}

func TestOtherHostsAreSentToThePublicOne(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	for target, want := range map[string]string{
		"http://localhost:8080/resources?tag=a%2Cb": "http://127.0.0.1:8080/resources?tag=a%2Cb",
		"http://127.0.0.1:9999/":                    "http://127.0.0.1:8080/",
		"http://evil.example//evil.example/x":       "http://127.0.0.1:8080//evil.example/x",
		"http://evil.example/%5Cevil.example":       "http://127.0.0.1:8080/%5Cevil.example",
		"http://evil.example/@evil.example":         "http://127.0.0.1:8080/@evil.example",
	} {
		answer := httptest.NewRecorder()
		w.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody))
		if got := answer.Header().Get("Location"); answer.Code != http.StatusTemporaryRedirect || got != want {
			t.Errorf("%s: %d to %q, want %q", target, answer.Code, got, want)
		}
	}
}

func TestAssets(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	for _, c := range []struct{ path, accept, encoding, body string }{
		{"/assets/app-1.js", "gzip, deflate, br", "br", "brotli"},
		{"/assets/app-1.js", "gzip", "gzip", "gzip"},
		{"/assets/app-1.js", "br;q=0, gzip;q=0.5", "gzip", "gzip"},
		{"/assets/app-1.js", "br; q=0.000, gzip;q=0", "", "plain"},
		{"/assets/app-1.js", "brotli, identity", "", "plain"},
		{"/assets/app-1.js", "", "", "plain"},
		{"/assets/only-1.css", "br, gzip", "", "css"},
		{"/favicon.svg", "br", "", "<svg></svg>"},
		{"/touch-icon.png", "br", "", "png"},
	} {
		answer := pagetest.Get(t, w, c.path, "Accept-Encoding", c.accept)
		header := answer.Header()
		if answer.Code != http.StatusOK || header.Get("Content-Encoding") != c.encoding || answer.Body.String() != c.body {
			t.Errorf("%s with %q: %d %q %q", c.path, c.accept, answer.Code, header.Get("Content-Encoding"), answer.Body)
		}
		immutable := header.Get("Cache-Control") == "public, max-age=31536000, immutable"
		if immutable != strings.HasPrefix(c.path, "/assets/") || header.Get("Vary") != "Accept-Encoding" || header.Get("Content-Type") == "" {
			t.Errorf("%s: %v", c.path, header)
		}
	}
	for _, path := range []string{"/assets/none.js", "/assets/app-1.js.br", "/assets/", "/assets/..%2findex.html", "/humans.txt", "/server/mathjax.js", "/assets/../server/mathjax.js"} {
		answer := pagetest.Get(t, w, path)
		if answer.Code != http.StatusNotFound || strings.Contains(answer.Header().Get("Cache-Control"), "immutable") || strings.Contains(answer.Body.String(), "server alone") {
			t.Errorf("%s: %d %v", path, answer.Code, answer.Header())
		}
	}
	if kind := pagetest.Get(t, w, "/assets/app-1.js").Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/javascript") {
		t.Errorf("a script is %q", kind)
	}
}

func TestThePageCanOnlyBeRead(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		answer := httptest.NewRecorder()
		w.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:8080/", http.NoBody))
		if answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d %v", method, answer.Code, answer.Header())
		}
	}
}

func TestBinaryWithoutThePageSaysSo(t *testing.T) {
	for _, files := range []fstest.MapFS{{}, {"index.html": {Data: []byte("<head></head>")}}} {
		broken := options(t, "Hill", http.NotFoundHandler())
		broken.Files = files
		if _, err := New(broken); err == nil || fault.MessageOf(err) == "" {
			t.Errorf("got %v", err)
		}
	}
}
