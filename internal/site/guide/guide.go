// Package guide shows the user's guide, which is also in docs, as /help.
package guide

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Path is where the guide is; the other documents are below it, by the names of their files.
const Path = "/help"

// first is the document at Path.
const first = "guide"

// Server serves documents as pages that need no script.
type Server struct {
	pages map[string]httpapi.Written // by the names of their files, without extension
	frame func() httpapi.Frame
}

// New reads the documents. The frame is asked for with each request.
func New(documents fs.FS, frame func() httpapi.Frame) (*Server, error) {
	names, err := fs.Glob(documents, "*.md")
	if err != nil {
		return nil, err
	}
	server := &Server{pages: map[string]httpapi.Written{}, frame: frame}
	known := map[string]bool{}
	for _, name := range names {
		known[strings.TrimSuffix(name, ".md")] = true
	}
	for name := range known {
		source, err := fs.ReadFile(documents, name+".md")
		if err != nil {
			return nil, err
		}
		if server.pages[name], err = render(source, addressOf(name), known); err != nil {
			return nil, fault.Wrap(err, fault.Internal, "The document %s can't be shown", name)
		}
	}
	if !known[first] {
		return nil, fault.New(fault.Internal, "There is no document %s.md to show as %s", first, Path)
	}
	return server, nil
}

// ServeHTTP answers Path and the addresses below it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.Trim(strings.TrimPrefix(r.URL.Path, Path), "/")
	if name == "" {
		name = first
	}
	page, ok := s.pages[name]
	if !ok || name == first && r.URL.Path != Path {
		http.Redirect(w, r, Path, http.StatusFound)
		return
	}
	page.Frame = s.frame()
	page.Write(w)
}

func addressOf(name string) string {
	if name == first {
		return Path
	}
	return Path + "/" + name
}

// render makes a page of a document. Its title is the first heading, its description the first paragraph, and its sections
// are the headings of the second level.
func render(source []byte, address string, known map[string]bool) (httpapi.Written, error) {
	page := httpapi.Written{Path: address}
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(
		parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(links{known}, 1)),
	))
	document := markdown.Parser().Parse(text.NewReader(source))
	for node := document.FirstChild(); node != nil; node = node.NextSibling() {
		heading, ok := node.(*ast.Heading)
		switch {
		case ok && heading.Level == 1:
			page.Title = plain(heading, source)
		case ok && heading.Level == 2:
			if id, found := heading.AttributeString("id"); found {
				page.Sections = append(page.Sections, httpapi.Section{ID: fmt.Sprintf("%s", id), Title: plain(heading, source)})
			}
		case node.Kind() == ast.KindParagraph && page.Description == "":
			page.Description = plain(node, source)
		}
	}
	var out bytes.Buffer
	err := markdown.Renderer().Render(&out, source, document)
	// A wide table scrolls on its own, and the page doesn't.
	content := strings.NewReplacer("<table>", `<div class="table" tabindex="0"><table>`, "</table>", "</table></div>").Replace(out.String())
	page.Content = template.HTML(content) //nolint:gosec // the documents are part of the program
	return page, err
}

// plain returns the text of a node.
func plain(node ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(node, func(one ast.Node, entering bool) (ast.WalkStatus, error) {
		if found, ok := one.(*ast.Text); ok && entering {
			out.Write(found.Value(source))
			if found.SoftLineBreak() {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// links leads from document to document, and makes text of links to those that are for others than users.
type links struct{ known map[string]bool }

// Transform changes the links of a document.
func (l links) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	var found []*ast.Link
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := node.(*ast.Link); ok && entering {
			found = append(found, link)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range found {
		file, fragment, _ := strings.Cut(string(link.Destination), "#")
		if file == "" || strings.HasPrefix(file, "/") || strings.Contains(file, ":") {
			continue
		}
		name := strings.TrimSuffix(file, ".md")
		if path.Base(file) != file || !l.known[name] {
			for child := link.FirstChild(); child != nil; child = link.FirstChild() {
				link.Parent().InsertBefore(link.Parent(), link, child)
			}
			link.Parent().RemoveChild(link.Parent(), link)
			continue
		}
		link.Destination = []byte(addressOf(name))
		if fragment != "" {
			link.Destination = append(link.Destination, "#"+fragment...)
		}
	}
}
