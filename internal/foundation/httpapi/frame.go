package httpapi

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
)

var (
	//go:embed frame.html
	frameText string
	//go:embed docs.html
	docsText string
	//go:embed docs.css
	docsRules string
	//go:embed docs.js
	docsScript []byte
)

// Frame is what the pages that the server writes have around their content, like all others of the site.
type Frame struct {
	Product, Tagline string
	Text             string // at the end of the footer
	Columns          []FrameColumn
}

// FrameColumn is a column of links in the footer.
type FrameColumn struct {
	Title string
	Links []FrameLink
}

// FrameLink is a link in the footer.
type FrameLink struct{ Text, Href string }

// Section is a part of a page that its side list leads to; ID is that of its element.
type Section struct{ ID, Title string }

// Written is a page that the server writes, in its frame.
type Written struct {
	Frame                    Frame
	Title, Description, Path string
	Sections                 []Section
	Filter                   string        // the label of the field that filters the page; "" for none
	Content                  template.HTML // is trusted
}

// framed has the templates "begin" and "end", and those of pages between them.
var framed = template.Must(template.Must(template.New("frame").Parse(frameText)).Parse(`{{define "written"}}{{template "begin" .}}{{.Content}}{{template "end" .}}{{end}}`))

// Write answers a request with the page.
func (page Written) Write(w http.ResponseWriter) {
	writePage(w, framed.Lookup("written"), page)
}

func writePage(w http.ResponseWriter, page *template.Template, data any) {
	var out bytes.Buffer
	if err := page.Execute(&out, data); err != nil {
		panic(err) // the templates and what they show are ours
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(out.Bytes())
}
