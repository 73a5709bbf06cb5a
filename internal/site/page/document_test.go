package page

import (
	"html"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/site"
	"cairn/internal/site/page/pagetest"
)

func TestPreloadsOfAPage(t *testing.T) {
	preloads, sources, err := readManifest([]byte(`{
		"index.html": {"file": "assets/index-1.js", "isEntry": true, "imports": ["_base.js"]},
		"_base.js": {"file": "assets/base-1.js"},
		"_list.js": {"file": "assets/list-1.js", "imports": ["_base.js", "index.html", "_card.js"]},
		"_card.js": {"file": "assets/card-1.js", "imports": ["_list.js"]},
		"src/features/catalog/CatalogPage.tsx": {"file": "assets/Catalog-1.js", "isDynamicEntry": true, "imports": ["index.html", "_list.js"]},
		"src/features/landing/pictures/catalog.webp": {"file": "assets/catalog-1.webp"},
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
	if got := sources[productPicture]; got != "assets/catalog-1.webp" {
		t.Errorf("the product's picture is at %q", got)
	}
	if _, _, err := readManifest([]byte("[]")); err == nil {
		t.Error("a broken manifest is read")
	}
}

func TestDocumentPreloadsItsPage(t *testing.T) {
	w := newWorld(t, "Hill", spikes, hush)
	for path, want := range map[string]string{
		"/": "app/pages/LandingRoute", "/resources/": "features/catalog/CatalogPage", "/resources/models": "features/catalog/KindPage",
		"/resources/datasets/" + w.entry("d1").ID: "app/pages/ResourceRoute", "/resources/datasets/x": "app/pages/ResourceRoute",
	} {
		document := w.document(path)
		if !strings.Contains(document, "/assets/"+want+".js") || strings.Count(document, "modulepreload") != 1 {
			t.Errorf("%s: got %s", path, document)
		}
	}
	for _, path := range []string{"/sessions", "/nowhere"} {
		if document := w.document(path); !strings.Contains(document, "/assets/app/OtherPages.js") || strings.Count(document, "modulepreload") != 2 {
			t.Errorf("%s: got %s", path, document)
		}
	}
	written := spikes
	written.Description = "**" + spikes.Description
	w.write(written)
	if document := w.document("/resources/datasets/" + w.entry("d1").ID); !strings.Contains(document, "/assets/ui/Markdown.js") {
		t.Errorf("Markdown is not preloaded for a text that needs it: %s", document)
	}
	if document := w.document("/nowhere"); !strings.Contains(document, "/assets/app/NotFoundPage.js") {
		t.Errorf("got %s", document)
	}
}

func TestPublicPagesDescribeThemselves(t *testing.T) {
	w := newWorld(t, "Hill & <Dale>", crediting(spikes, catalog.Credit{Name: "Ada"}))
	tagline := html.EscapeString(tagline)
	for path, title := range map[string]string{
		"/": "Hill &amp; &lt;Dale&gt;", "/resources": "Research Catalog · Hill &amp; &lt;Dale&gt;",
		"/resources/models/": "Models · Hill &amp; &lt;Dale&gt;", "/events": "Events · Hill &amp; &lt;Dale&gt;",
	} {
		document := w.document(path)
		for _, want := range []string{
			`<meta name="description" content="` + tagline + `"`, `<meta property="og:description" content="` + tagline + `"`,
			`<link rel="canonical" href="` + pagetest.PublicURL + strings.TrimSuffix(path, "/") + `"`, `<meta property="og:url" content="` + pagetest.PublicURL + strings.TrimSuffix(path, "/") + `"`,
			`<meta property="og:title" content="` + title + `"`, `<meta property="og:site_name" content="Hill &amp; &lt;Dale&gt;"`,
		} {
			if !strings.Contains(document, want) {
				t.Errorf("%s: no %s", path, want)
			}
		}
	}
	for _, row := range w.table {
		path := strings.NewReplacer(":type", "datasets", ":id", w.entry("d1").ID).Replace(row.Path)
		if row.showsPerson() {
			path = "/people/ada"
		}
		document := w.document(path)
		for _, name := range []string{`name="description"`, `property="og:title"`, `property="og:description"`, `property="og:image"`} {
			if strings.Contains(document, name) == (row.Guard || row.isNotFound()) {
				t.Errorf("%s: %s is there for the wrong people", path, name)
			}
		}
	}
	for _, path := range []string{"/sessions", "/nowhere", "/resources/datasets/x"} {
		if strings.Contains(w.document(path), "og:title") {
			t.Errorf("%s describes itself", path)
		}
	}
}

func TestIcons(t *testing.T) {
	w := newWorld(t, "Hill")
	if document := w.document("/events"); !strings.Contains(document, `<link rel="icon" href="/favicon.svg">`) || !strings.Contains(document, `<link rel="apple-touch-icon" href="/touch-icon.png">`) {
		t.Errorf("got %s", document)
	}
	w.options.Site = site.Keep(&site.Site{Brand: site.Brand{Mark: "/site/hill.svg"}}).Current
	if document := w.document("/events"); !strings.Contains(document, `<link rel="icon" href="/site/hill.svg">`) || strings.Contains(document, "touch-icon") {
		t.Errorf("an institution's own mark: %s", document)
	}
}

func TestPicturesOfPublicPages(t *testing.T) {
	const product = "/assets/catalog-1.webp"
	for src, want := range map[string]string{
		"": product, "/site/hill.svg?v=1": product, "/site/hill.webp?v=1": "/site/hill.webp?v=1", "/site/hill.png": "/site/hill.png",
	} {
		w := newWorld(t, "Hill", spikes)
		w.options.Site = site.Keep(&site.Site{Landing: site.Landing{Picture: &site.Picture{Src: src}}}).Current
		for _, path := range []string{"/", "/resources", "/resources/notebooks", "/events"} {
			if tag := `<meta property="og:image" content="` + pagetest.PublicURL + want + `"`; !strings.Contains(w.document(path), tag) {
				t.Errorf("%q, %s: no %s", src, path, tag)
			}
		}
		if strings.Contains(w.document("/nowhere"), "og:image") {
			t.Error("a page that doesn't exist has a picture")
		}
	}
}
