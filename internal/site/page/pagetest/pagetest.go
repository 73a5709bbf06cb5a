// Package pagetest provides what tests of the served page share: a small built page, and a browser's request.
package pagetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"cairn/web"
)

// PublicURL is the origin of Get's requests.
const PublicURL = "http://127.0.0.1:8080"

// Files returns a built page with one script for each module of a page, named after it, and the
// landing page's pictures.
func Files(t *testing.T) fs.FS {
	t.Helper()
	return fstest.MapFS{
		"index.html":          {Data: []byte("<head><!--cairn:head--><title>Old</title><!--/cairn:head--></head><body><nav>cairn:product</nav><main></main></body>")},
		"favicon.svg":         {Data: []byte("<svg></svg>")},
		"touch-icon.png":      {Data: []byte("png")},
		"assets/app-1.js":     {Data: []byte("plain")},
		"assets/app-1.js.br":  {Data: []byte("brotli")},
		"assets/app-1.js.gz":  {Data: []byte("gzip")},
		"assets/only-1.css":   {Data: []byte("css")},
		"server/classes.json": {Data: classes(t)},
		"server/mathjax.js":   {Data: []byte("for the server alone")},
		".vite/manifest.json": {Data: manifest(t)},
	}
}

// classes returns names for all classes of the page's style sheets, as the build does: each is called on its own.
func classes(t *testing.T) []byte {
	t.Helper()
	root, err := os.Getwd()
	for err == nil && !exists(filepath.Join(root, "go.mod")) && root != filepath.Dir(root) {
		root = filepath.Dir(root)
	}
	names := map[string]string{}
	if err == nil {
		source := os.DirFS(filepath.Join(root, "web", "src"))
		err = fs.WalkDir(source, ".", func(path string, _ fs.DirEntry, err error) error {
			module, found := strings.CutSuffix(filepath.Base(path), ".module.css")
			if err != nil || !found {
				return err
			}
			text, err := fs.ReadFile(source, path)
			for _, class := range cssClass.FindAllStringSubmatch(string(text), -1) {
				names[module+"."+class[1]] = class[1]
			}
			return err
		})
	}
	text, encoded := json.Marshal(names)
	if err := errors.Join(err, encoded); err != nil {
		t.Fatal(err)
	}
	return text
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

var cssClass = regexp.MustCompile(`\.([a-zA-Z][\w-]*)`)

func manifest(t *testing.T) []byte {
	t.Helper()
	var rows []struct{ Module string }
	if err := json.Unmarshal(web.Pages(), &rows); err != nil {
		t.Fatal(err)
	}
	modules := []string{"ui/Markdown", "app/OtherPages"}
	for _, row := range rows {
		modules = append(modules, row.Module)
	}
	var text strings.Builder
	for _, module := range modules {
		fmt.Fprintf(&text, `, "src/%s.tsx": {"file": "assets/%s.js", "isDynamicEntry": true}`, module, module)
	}
	for _, name := range []string{"catalog", "find", "run", "prove", "keep"} {
		fmt.Fprintf(&text, `, "src/features/landing/pictures/%s.webp": {"file": "assets/%s-1.webp"}`, name, name)
	}
	return []byte("{" + strings.TrimPrefix(text.String(), ",") + "}")
}

// Get requests a path at PublicURL; headers are pairs of name and value.
func Get(t *testing.T, page http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, PublicURL+path, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, request)
	return answer
}

// Policy returns the sources of each directive of an answer's content security policy.
func Policy(t *testing.T, answer *httptest.ResponseRecorder) map[string]string {
	t.Helper()
	result := map[string]string{}
	for directive := range strings.SplitSeq(answer.Header().Get("Content-Security-Policy"), ";") {
		name, sources, _ := strings.Cut(strings.TrimSpace(directive), " ")
		result[name] = strings.Join(strings.Fields(sources), " ")
	}
	return result
}

// HostileTexts returns texts that may occur in an entry: they are text, whatever a browser, a template or a database
// may take them for.
func HostileTexts() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</script><svg/onload=alert(1)>`, `<!--cairn:head-->`, `{{7*7}} ${7*7} <%= 7 %>`,
		`javascript:alert(1)`, `'; DROP TABLE resource; --`, `%00%0d%0aX-Evil: 1`, "\u202egnp.exe", "line\u2028separator", `\u003cscript\u003e`, "a, b\\, c\\",
		"[x](javascript:alert(1))", "Ünï 日本語 🏔️", "=cmd|' /C calc'!A0",
	}
}
