package app

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/httpapi"
	"cairn/internal/sessions"
	"cairn/internal/site"
	"cairn/internal/sqldb/sqldbtest"
)

const hostileBrand = `</script><script>alert(1)</script>`

// testProgram is a server with a catalog of a public and a private dataset, and hostile text where operators write.
func testProgram(t *testing.T, change func(*program)) *program {
	t.Helper()
	config := DefaultConfig()
	config.Demo = true
	p := &program{config: config, version: "1", logger: slog.New(slog.DiscardHandler), site: site.Keep(&site.Site{Brand: site.Brand{Name: hostileBrand}})}
	p.publicURL, p.sessionURL = "http://127.0.0.1:8080", "http://{kind}-{id}.localhost:8081"
	p.issuer = p.publicURL + embeddedProviderPath
	p.discovery = newDiscovery(p.issuer, t.TempDir(), &http.Client{}, p.logger)
	if change != nil {
		change(p)
	}
	var err error
	if p.address, err = sessions.ParseAddressTemplate(p.sessionURL, hostOf(p.publicURL)); err != nil {
		t.Fatal(err)
	}
	p.db = sqldbtest.SQLite(t, time.Now)
	if err := importText(t.Context(), p.db, publicLine+"\n"+privateLine); err != nil {
		t.Fatal(err)
	}
	p.entries = catalog.NewService(t.Context(), catalog.NewStore(p.db), catalog.Options{Logger: p.logger})
	return p
}

func testPage(t *testing.T, p *program) http.Handler {
	t.Helper()
	api := httpapi.New(httpapi.Options{
		Logger: p.logger, SignedIn: func(context.Context) bool { return false },
		Authenticate: func(r *http.Request, _ bool) (context.Context, error) { return r.Context(), nil },
	})
	p.entries.Routes(api)
	page, err := newPageServer(p, fstest.MapFS{
		"index.html":          {Data: []byte("<head><!--cairn:head--><title>Old</title><!--/cairn:head--></head><body><nav>cairn:product</nav></body>")},
		"favicon.svg":         {Data: []byte("<svg></svg>")},
		"assets/app-1.js":     {Data: []byte("plain")},
		"assets/app-1.js.br":  {Data: []byte("brotli")},
		"assets/app-1.js.gz":  {Data: []byte("gzip")},
		"assets/only-1.css":   {Data: []byte("css")},
		"server/katex.min.js": {Data: []byte("for the server alone")},
		".vite/manifest.json": {Data: testManifest()},
	}, api.Handler())
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// testManifest has one script for each module that a page may need, named like it.
func testManifest() []byte {
	modules := []string{entryModule, markdownModule}
	for _, info := range pages {
		modules = append(modules, info.module)
	}
	var text strings.Builder
	for _, module := range modules {
		fmt.Fprintf(&text, `, "src/%s.tsx": {"file": "assets/%s.js", "isDynamicEntry": true}`, module, module)
	}
	return []byte("{" + strings.TrimPrefix(text.String(), ",") + "}")
}

// getPage asks for an address by the public host; headers are pairs of name and value.
func getPage(t *testing.T, page http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:8080"+path, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, request)
	return answer
}

func policyOf(t *testing.T, answer *httptest.ResponseRecorder) map[string]string {
	t.Helper()
	result := map[string]string{}
	for directive := range strings.SplitSeq(answer.Header().Get("Content-Security-Policy"), ";") {
		name, sources, _ := strings.Cut(strings.TrimSpace(directive), " ")
		result[name] = strings.Join(strings.Fields(sources), " ")
	}
	return result
}

func TestSecurityPolicyOfThePage(t *testing.T) {
	embedded := testPage(t, testProgram(t, nil))
	want := map[string]string{
		"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "font-src": "'self'", "img-src": "'self' data:",
		"manifest-src": "'self'", "connect-src": "'self'", "frame-src": "'self' http://*.localhost:8081", "form-action": "'self'",
		"base-uri": "'none'", "frame-ancestors": "'self'",
	}
	for _, path := range []string{"/", "/nowhere", "/favicon.svg", "/assets/app-1.js", "/assets/none.js"} {
		answer := getPage(t, embedded, path)
		got := policyOf(t, answer)
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

func TestSecurityPolicyNamesTheForeignProvider(t *testing.T) {
	page := testPage(t, testProgram(t, func(p *program) {
		p.config.OIDC.Issuer, p.issuer = "https://login.example.org/realms/lab", "https://login.example.org/realms/lab"
		p.config.OIDC.Origins = []string{"https://broker.example.org"}
		p.discovery.known = []string{"https://tokens.example.org"}
		p.publicURL, p.sessionURL = "https://catalog.example.org", "https://run.example.net/{kind}/{id}/"
	}))
	got := policyOf(t, getPage(t, page, "/"))
	signIn := "https://broker.example.org https://login.example.org https://tokens.example.org"
	if got["connect-src"] != "'self' "+signIn || got["frame-src"] != "'self' "+signIn+" https://run.example.net" {
		t.Errorf("got %q and %q", got["connect-src"], got["frame-src"])
	}
}

var configScript = regexp.MustCompile(`(?s)<script type="application/json" id="config">(.*?)</script>`)

// CVE-2018-19351 and its kin: text of an operator ended the script element it was written into.
func TestTextInTheDocumentIsEscaped(t *testing.T) {
	document := getPage(t, testPage(t, testProgram(t, nil)), "/").Body.String()
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
	var config PublicConfig
	if found == nil || json.Unmarshal([]byte(found[1]), &config) != nil || config.Product != hostileBrand {
		t.Errorf("the configuration does not survive: %v", found)
	}
}

func TestStatusOfPageAddresses(t *testing.T) {
	p := testProgram(t, nil)
	page := testPage(t, p)
	public, private := idOf(t, p.db, "d1"), idOf(t, p.db, "secret")
	for path, want := range map[string]int{
		"/": 200, "/login": 200, "/oauth_callback": 200, "/resources": 200, "/resources/": 200, "/resources/datasets": 200, "/sessions": 200,
		"/sessions/x/open": 200, "/events": 200, "/add/repo": 200, "/add/model": 200, "/add/x": 404, "/resources/datasets/x/edit": 200,
		"/resources/datasets/x/y": 404, "/resources/datasets/" + public: 200, "/resources/datasets/" + public + "/": 200,
		"/resources/datasets/search": 404, "/resources/datasets/tags/": 404, "/nowhere": 404, "/resources/datasets/" + private: 404, "/resources/datasets/x": 404,
		"/resources/datasets/%00": 404, "/resources/a/b/c": 404, "/loginx": 404, "/index.html": 404, "/.vite/manifest.json": 404,
	} {
		answer := getPage(t, page, path)
		if answer.Code != want || !strings.Contains(answer.Body.String(), `id="config"`) || answer.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d, want the document with %d", path, answer.Code, want)
		}
		if strings.Contains(answer.Body.String(), "Hush") {
			t.Errorf("%s tells of the private entry", path)
		}
	}
}

func TestOtherHostsAreSentToThePublicOne(t *testing.T) {
	page := testPage(t, testProgram(t, nil))
	for target, want := range map[string]string{
		"http://localhost:8080/resources?tag=a%2Cb": "http://127.0.0.1:8080/resources?tag=a%2Cb",
		"http://127.0.0.1:9999/":                    "http://127.0.0.1:8080/",
		"http://evil.example//evil.example/x":       "http://127.0.0.1:8080//evil.example/x",
		"http://evil.example/%5Cevil.example":       "http://127.0.0.1:8080/%5Cevil.example",
		"http://evil.example/@evil.example":         "http://127.0.0.1:8080/@evil.example",
	} {
		answer := httptest.NewRecorder()
		page.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody))
		if got := answer.Header().Get("Location"); answer.Code != http.StatusTemporaryRedirect || got != want {
			t.Errorf("%s: %d to %q, want %q", target, answer.Code, got, want)
		}
	}
}

func TestAssets(t *testing.T) {
	page := testPage(t, testProgram(t, nil))
	for _, c := range []struct{ path, accept, encoding, body string }{
		{"/assets/app-1.js", "gzip, deflate, br", "br", "brotli"},
		{"/assets/app-1.js", "gzip", "gzip", "gzip"},
		{"/assets/app-1.js", "br;q=0, gzip;q=0.5", "gzip", "gzip"},
		{"/assets/app-1.js", "br; q=0.000, gzip;q=0", "", "plain"},
		{"/assets/app-1.js", "brotli, identity", "", "plain"},
		{"/assets/app-1.js", "", "", "plain"},
		{"/assets/only-1.css", "br, gzip", "", "css"},
		{"/favicon.svg", "br", "", "<svg></svg>"},
	} {
		answer := getPage(t, page, c.path, "Accept-Encoding", c.accept)
		header := answer.Header()
		if answer.Code != http.StatusOK || header.Get("Content-Encoding") != c.encoding || answer.Body.String() != c.body {
			t.Errorf("%s with %q: %d %q %q", c.path, c.accept, answer.Code, header.Get("Content-Encoding"), answer.Body)
		}
		immutable := header.Get("Cache-Control") == "public, max-age=31536000, immutable"
		if immutable != strings.HasPrefix(c.path, "/assets/") || header.Get("Vary") != "Accept-Encoding" || header.Get("Content-Type") == "" {
			t.Errorf("%s: %v", c.path, header)
		}
	}
	for _, path := range []string{"/assets/none.js", "/assets/app-1.js.br", "/assets/", "/assets/..%2findex.html", "/humans.txt", "/server/katex.min.js", "/assets/../server/katex.min.js"} {
		answer := getPage(t, page, path)
		if answer.Code != http.StatusNotFound || strings.Contains(answer.Header().Get("Cache-Control"), "immutable") || strings.Contains(answer.Body.String(), "server alone") {
			t.Errorf("%s: %d %v", path, answer.Code, answer.Header())
		}
	}
	if kind := getPage(t, page, "/assets/app-1.js").Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/javascript") {
		t.Errorf("a script is %q", kind)
	}
}

func TestThePageCanOnlyBeRead(t *testing.T) {
	page := testPage(t, testProgram(t, nil))
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		answer := httptest.NewRecorder()
		page.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:8080/", http.NoBody))
		if answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d %v", method, answer.Code, answer.Header())
		}
	}
}

func TestBinaryWithoutThePageSaysSo(t *testing.T) {
	for _, files := range []fstest.MapFS{{}, {"index.html": {Data: []byte("<head></head>")}}} {
		if _, err := newPageServer(&program{}, files, http.NotFoundHandler()); err == nil || messageOf(err) == "" {
			t.Errorf("got %v", err)
		}
	}
}

// CVE-2025-58366: secrets stood in the public configuration.
func TestPublicConfigurationHoldsNoSecret(t *testing.T) {
	const canary = "canary"
	p := testProgram(t, func(p *program) {
		c := &p.config
		c.DatabaseURL, c.Data, c.Datasets.Root, c.Site = "postgres://u:"+canary+"@db/x", "/"+canary, "/"+canary, canary
		c.IDP.Accounts = []IDPAccount{{Email: canary + "@example.org", Name: canary, PasswordHash: canary}}
		c.CodeHost.GitHub.Token, c.CodeHost.GitHub.APIURL = canary, canary
		c.Sessions.Engines = []EngineConfig{{Name: "hub", Label: "Hub", Kind: localKind, URL: "https://" + canary, Token: canary}}
		c.TrustedProxies, c.CORS.Origins, c.Accounts.Enable.Domains = []string{canary}, []string{canary}, []string{canary}
	})
	text, err := json.Marshal(p.publicConfig(t.Context(), p.site.Current()))
	if err != nil || strings.Contains(string(text), canary) {
		t.Errorf("%v: %s", err, text)
	}
	document := getPage(t, testPage(t, p), "/")
	if strings.Contains(document.Body.String(), canary) || strings.Contains(document.Header().Get("Content-Security-Policy"), canary) {
		t.Error("the document holds a secret")
	}
}
