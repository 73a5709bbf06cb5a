// Package web contains the built page. The page is written in TypeScript beside this file and built by `make build`
// into dist; internal/site/page serves it (headers, compression, configuration in index.html).
package web

import (
	"embed"
	"encoding/json"
	"io/fs"
)

// The pattern has "all:" for dist/.keep, which lets a fresh checkout compile, and dist/.vite/manifest.json.
//
//go:embed all:dist
var embedded embed.FS

// What pages written by the server share with the built one.
var (
	//go:embed src/ui/tokens.css
	tokens string
	//go:embed public/favicon.svg
	mark string
	//go:embed src/ui/written.css
	written string
	//go:embed pages.json
	pages []byte
	//go:embed src/ui/icons.json
	icons []byte
	//go:embed src/features/catalog/kinds.json
	kinds []byte
	//go:embed src/features/catalog/kindDescriptions.json
	kindDescriptions []byte
	//go:embed src/lib/limits.json
	limits []byte
	//go:embed src/features/catalog/cited.json
	cited []byte
)

// Tokens returns the style sheet with the design's values: colors, type, space.
func Tokens() string { return tokens }

// Written returns the style shared by the pages that the server writes: text, links and focus. It needs the tokens
// before it.
func Written() string { return written }

// Pages returns the table of all pages, as JSON; internal/site/page reads it.
func Pages() []byte { return pages }

// Icons returns the paths that draw icons on a grid of 24 px, by name, as JSON.
func Icons() []byte { return icons }

// Kinds returns the words for the types of entries and their colors, as JSON.
func Kinds() []byte { return kinds }

// CardTags returns how many tags the card of an entry shows at most.
func CardTags() int {
	var read struct{ CardTags int }
	parse(limits, &read)
	return read.CardTags
}

// parse reads a file of this folder.
func parse(text []byte, into any) {
	if err := json.Unmarshal(text, into); err != nil {
		panic(err) // its text is part of the program
	}
}

// Tones returns the color of each type of entry, by the name that it has in the tokens.
func Tones() map[string]string {
	var read map[string]struct{ Tone string }
	parse(kinds, &read)
	tones := map[string]string{}
	for kind, one := range read {
		tones[kind] = one.Tone
	}
	return tones
}

// KindDescriptions returns what entries of each type are, as JSON.
func KindDescriptions() []byte { return kindDescriptions }

// Cited returns the words for DataCite's roles and relations, as JSON.
func Cited() []byte { return cited }

// Mark returns the product's mark, an SVG.
func Mark() string { return mark }

// MathJax returns the script that renders formulas. The server runs it and never serves it. Its error says that the page
// wasn't built.
func MathJax() ([]byte, error) { return fs.ReadFile(embedded, "dist/server/mathjax.js") }

// Dist returns the built page: index.html, favicon.svg, assets with hashed names and their .br and .gz sidecars. Until
// the page is built it contains only .keep.
func Dist() fs.FS {
	dist, err := fs.Sub(embedded, "dist")
	if err != nil {
		// Sub fails only for an invalid name.
		panic(err)
	}
	return dist
}
