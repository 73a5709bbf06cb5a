package guide_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"cairn/docs"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/site/guide"
)

func frame() httpapi.Frame { return httpapi.Frame{Product: "Hill & Dale"} }

func get(t *testing.T, handler http.Handler, address string) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody))
	return answer
}

// What users read leads somewhere, on every page.
func TestLinksOfTheGuideLeadSomewhere(t *testing.T) {
	server, err := guide.New(docs.Help, frame)
	if err != nil {
		t.Fatal(err)
	}
	seen, left := map[string]bool{}, []string{guide.Path}
	for len(left) > 0 {
		address := left[0]
		left = left[1:]
		if seen[address] {
			continue
		}
		seen[address] = true
		answer := get(t, server, address)
		page := answer.Body.String()
		if answer.Code != http.StatusOK || !strings.Contains(page, "<h1") || !strings.Contains(page, "Hill &amp; Dale</title>") {
			t.Errorf("%s: %d without its title: %.300s", address, answer.Code, page)
		}
		_, main, _ := strings.Cut(page, `<nav class="side"`)
		main, _, _ = strings.Cut(main, "<footer")
		for _, found := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(main, -1) {
			file, fragment, _ := strings.Cut(found[1], "#")
			switch {
			case file == "" && !strings.Contains(page, `id="`+fragment+`"`):
				t.Errorf("%s has no #%s", address, fragment)
			case strings.HasPrefix(file, guide.Path):
				left = append(left, file)
			case file != "" && file != "/api/docs" && !strings.HasPrefix(file, "https://"):
				t.Errorf("%s leads to %s", address, found[1])
			}
		}
	}
	for _, address := range []string{guide.Path, guide.Path + "/descriptor", guide.Path + "/environments"} {
		if !seen[address] {
			t.Errorf("nothing leads to %s", address)
		}
	}
}

func TestSectionsAreListedAndDocumentsForOthersAreNotLinked(t *testing.T) {
	server, err := guide.New(fstest.MapFS{
		"guide.md": {Data: []byte("# Guide\n\nOne *more*\nline.\n\n## Lost & found\n\nSee [**another** page](other.md#b), [keys](configure.md), [code](../internal/a.go), [site](https://example.org), [`API`](/api/docs).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")},
		"other.md": {Data: []byte("# Other\n\nText.\n\n## B\n")},
	}, frame)
	if err != nil {
		t.Fatal(err)
	}
	page := get(t, server, guide.Path).Body.String()
	for _, wanted := range []string{
		"<title>Guide · Hill &amp; Dale</title>", `<meta name="description" content="One more line.">`, `<li><a href="#lost--found">Lost &amp; found</a></li>`,
		`<h2 id="lost--found">`, `<a href="/help/other#b"><strong>another</strong> page</a>, keys, code, <a href="https://example.org">site</a>, <a href="/api/docs"><code>API</code></a>`,
		`<div class="table" tabindex="0"><table>`, `<a class="login" href="/login?redirect=%2fhelp">`,
	} {
		if !strings.Contains(page, wanted) {
			t.Errorf("the page lacks %s", wanted)
		}
	}
	for _, address := range []string{"/help/", "/help/guide", "/help/nothing", "/help/other/../x"} {
		if answer := get(t, server, address); answer.Code != http.StatusFound || answer.Header().Get("Location") != guide.Path {
			t.Errorf("%s: %d, %s", address, answer.Code, answer.Header().Get("Location"))
		}
	}
	if _, err := guide.New(fstest.MapFS{"other.md": {Data: []byte("# Other\n")}}, frame); err == nil {
		t.Error("a guide without its first page is served")
	}
}

// The guide calls buttons and labels by the names that they have.
func TestNamesInTheGuideAreThoseOfTheProduct(t *testing.T) {
	var product strings.Builder
	for _, folder := range []string{"../../../web/src", "../../sessions/origin/pages"} {
		err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
			if strings.HasSuffix(path, ".messages.ts") || strings.HasSuffix(path, "/words.js") || strings.HasSuffix(path, "/bar.js") || strings.HasSuffix(path, "/session.js") {
				text, readErr := os.ReadFile(path)
				if readErr != nil {
					return readErr
				}
				product.Write(text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := docs.Help.ReadFile("guide.md")
	if err != nil {
		t.Fatal(err)
	}
	// These begin a paragraph and aren't names.
	leads := []string{"A repository on GitHub", "A dataset, a notebook or a model"}
	names := regexp.MustCompile(`(?s)\*\*(.+?)\*\*`).FindAllStringSubmatch(string(text), -1)
	for _, found := range names {
		name := strings.Join(strings.Fields(found[1]), " ")
		if strings.Contains(strings.Join(leads, "|"), name) {
			continue
		}
		// A name ends where the product's text does, or where it goes on with a value.
		words := regexp.QuoteMeta(strings.Replace(name, "cairn.yml", "${file}", 1))
		if !regexp.MustCompile("[\"'`]"+words+"(?:[\"'`]|:? ?(?:\\$\\{|\\())").MatchString(product.String()) && !strings.Contains(product.String(), "'"+name+"'") {
			t.Errorf("nothing in the product is called %q", name)
		}
	}
	if len(names) < 40 {
		t.Errorf("only %d names were found", len(names))
	}
}
