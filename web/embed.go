// Package web holds the built page. The page is written in TypeScript beside this file and built by `make build` into
// dist; how it is served (headers, compression, configuration written into index.html) is the business of internal/app.
package web

import (
	"embed"
	"io/fs"
)

// The pattern has "all:" for dist/.keep, which lets a fresh checkout compile, and dist/.vite/manifest.json.
//
//go:embed all:dist
var embedded embed.FS

// Katex is the script that makes formulas into MathML, run by the server; nil as long as the page was not built.
func Katex() []byte {
	script, _ := fs.ReadFile(embedded, "dist/server/katex.min.js")
	return script
}

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
