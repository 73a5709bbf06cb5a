// Package web holds the built page. The page is written in TypeScript beside this file and built by `make build` into
// dist; how it is served (headers, compression, configuration written into index.html) is the business of internal/page.
package web

import (
	"embed"
	"io/fs"
)

// The pattern has "all:" for dist/.keep, which lets a fresh checkout compile, and dist/.vite/manifest.json.
//
//go:embed all:dist
var embedded embed.FS

// What pages that the server writes by itself share with the built one.
var (
	//go:embed src/ui/tokens.css
	tokens string
	//go:embed public/favicon.svg
	mark string
	//go:embed src/ui/written.css
	written string
	//go:embed pages.json
	pages []byte
)

// Tokens is the style sheet of the design's values: colors, type, space.
func Tokens() string { return tokens }

// Written is the style that pages share which the server writes by itself, as text is there, links and the focus: it
// needs the tokens before it.
func Written() string { return written }

// Pages is the table of all pages, as JSON; internal/page reads it.
func Pages() []byte { return pages }

// Mark is the product's sign, an SVG.
func Mark() string { return mark }

// KaTeX is the script that draws formulas. The server runs it; the page server gives it to nobody. Its error says that
// the page was not built.
func KaTeX() ([]byte, error) { return fs.ReadFile(embedded, "dist/server/katex.min.js") }

// Dist is the built page: index.html, favicon.svg, assets with hashed names and their .br and .gz sidecars. It holds
// only .keep as long as the page was not built.
func Dist() fs.FS {
	dist, err := fs.Sub(embedded, "dist")
	if err != nil {
		// Sub fails only for an invalid name.
		panic(err)
	}
	return dist
}
