package app

import (
	"strings"
	"testing"
)

func TestPreloadsOfAPage(t *testing.T) {
	preloads, err := readManifest([]byte(`{
		"index.html": {"file": "assets/index-1.js", "isEntry": true, "imports": ["_base.js"]},
		"_base.js": {"file": "assets/base-1.js"},
		"_list.js": {"file": "assets/list-1.js", "imports": ["_base.js", "index.html", "_card.js"]},
		"_card.js": {"file": "assets/card-1.js", "imports": ["_list.js"]},
		"src/features/catalog/CatalogPage.tsx": {"file": "assets/Catalog-1.js", "isDynamicEntry": true, "imports": ["index.html", "_list.js"]},
		"style.css": {"file": "assets/style-1.css"}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	const link = "\n    <link rel=\"modulepreload\" crossorigin href=\"/assets/"
	want := link + "card-1.js\">" + link + "list-1.js\">" + link + "Catalog-1.js\">"
	if got := preloads["features/catalog/CatalogPage"]; got != want || len(preloads) != 1 {
		t.Errorf("got %q in %d", got, len(preloads))
	}
	if _, err := readManifest([]byte("[]")); err == nil {
		t.Error("a broken manifest is read")
	}
}

func TestDocumentPreloadsItsPage(t *testing.T) {
	p := testProgram(t, nil)
	page := testPage(t, p)
	for path, want := range map[string]string{
		"/": "app/pages/LandingRoute", "/resources/": "features/catalog/CatalogPage", "/resources/models": "features/catalog/KindPage",
		"/resources/datasets/" + idOf(t, p.db, "d1"): "app/pages/ResourceRoute", "/resources/datasets/x": "app/pages/ResourceRoute",
	} {
		document := getPage(t, page, path).Body.String()
		if !strings.Contains(document, "/assets/"+want+".js") || strings.Count(document, "modulepreload") != 1 {
			t.Errorf("%s: got %s", path, document)
		}
	}
	if err := importText(t.Context(), p.db, strings.Replace(publicLine, `"description": "`, `"description": "**`, 1)); err != nil {
		t.Fatal(err)
	}
	if document := getPage(t, page, "/resources/datasets/"+idOf(t, p.db, "d1")).Body.String(); !strings.Contains(document, "/assets/ui/Markdown.js") {
		t.Errorf("Markdown is not preloaded for a text that needs it: %s", document)
	}
	if document := getPage(t, page, "/nowhere").Body.String(); strings.Contains(document, "modulepreload") {
		t.Errorf("got %s", document)
	}
}
