package page

import (
	"encoding/json"
	"html"
	"path"
	"strings"

	"cairn/internal/site"
)

const (
	// markdownModule renders a text that contains any of the signs; web/src/lib/markdown.ts decides exactly.
	markdownModule = "ui/Markdown"
	markdownSigns  = "*_`[<~|#@"
)

// otherPages is the module that loads the pages that aren't for everybody; see web/build/pages.ts.
const otherPages = "app/OtherPages"

// productPicture is the catalog as people see it: chats show it with links to pages that have no picture of their own.
const productPicture = "src/features/landing/pictures/catalog.webp"

// readManifest returns, by module, the links with which a browser fetches all its scripts while the document is still
// loading, except those that the document names anyway; and the names of built files by the paths of their sources.
func readManifest(text []byte) (preloads, sources map[string]string, err error) {
	type chunk struct {
		File           string
		Imports        []string
		IsDynamicEntry bool
	}
	var chunks map[string]chunk
	if err := json.Unmarshal(text, &chunks); err != nil {
		return nil, nil, err
	}
	var add func(name string, seen map[string]bool) string
	add = func(name string, seen map[string]bool) (links string) {
		if seen[name] {
			return ""
		}
		seen[name] = true
		for _, other := range chunks[name].Imports {
			links += add(other, seen)
		}
		return links + "\n    <link rel=\"modulepreload\" crossorigin href=\"/" + html.EscapeString(chunks[name].File) + "\">"
	}
	preloads, sources = map[string]string{}, map[string]string{}
	for name, one := range chunks {
		sources[name] = one.File
		if module, ok := strings.CutPrefix(name, "src/"); ok && one.IsDynamicEntry {
			seen := map[string]bool{}
			add("index.html", seen)
			preloads[strings.TrimSuffix(module, path.Ext(module))] = add(name, seen)
		}
	}
	return preloads, sources, nil
}

// titleOf returns the window title of a page.
func titleOf(page string, brand site.Brand) string {
	if page == "" {
		return brand.Name
	}
	return page + " · " + brand.Name
}

// pageHead returns what the document of a page that everybody can read says to search engines, and to chats that show a
// link. The address is without filters, so that all searches count as one page; it is "" for a page that is the same for
// whatever it is asked to show.
func (s *Server) pageHead(title, address string, content *site.Site) string {
	brand := content.Brand
	var head strings.Builder
	for _, one := range [...]struct{ start, text string }{
		{`<link rel="canonical" href=`, address},
		{`<meta name="description" content=`, brand.Tagline},
		{`<meta property="og:type" content=`, "website"},
		{`<meta property="og:site_name" content=`, brand.Name},
		{`<meta property="og:title" content=`, titleOf(title, brand)},
		{`<meta property="og:description" content=`, brand.Tagline},
		{`<meta property="og:url" content=`, address},
		{`<meta property="og:image" content=`, s.pictureOf(content.Landing)},
	} {
		if one.text == "" {
			continue
		}
		head.WriteString("\n    " + one.start + "\"" + html.EscapeString(one.text) + "\" data-entry>")
	}
	return head.String()
}

// pictureOf returns the address of the picture that chats show with links to pages without one of their own: the
// institution's if chats can show its format, or the product's. It is "" if there is neither.
func (s *Server) pictureOf(landing site.Landing) string {
	if landing.Picture != nil && landing.Picture.Src != "" {
		if file, _, _ := strings.Cut(landing.Picture.Src, "?"); path.Ext(file) != ".svg" {
			return s.options.PublicURL + landing.Picture.Src
		}
	}
	if s.picture == "" {
		return ""
	}
	return s.options.PublicURL + "/" + s.picture
}

// icon returns the links to the icons of the window and of home screens: the institution's mark, or the stones.
func icon(brand site.Brand) string {
	if brand.Mark == "" {
		return "\n    <link rel=\"icon\" href=\"/favicon.svg\">\n    <link rel=\"apple-touch-icon\" href=\"/touch-icon.png\">"
	}
	return "\n    <link rel=\"icon\" href=\"" + html.EscapeString(brand.Mark) + "\">"
}
