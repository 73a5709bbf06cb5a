package notebook

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// Heading is a heading of the texts of a notebook.
type Heading struct {
	ID    string // of its element
	Level int    // 1 to 6, without gaps
	Text  string // of one line
}

// headingsKept bounds an outline; nobody looks for something in a longer one.
const headingsKept = 300

// heading writes a heading, without gaps between the levels, for screen readers. Those of texts, not of outputs, are
// part of the outline.
func (w *walk) heading(node *html.Node) {
	p := w.page
	p.heading = min(int(node.Data[1]-'0'), p.heading+1)
	name, id := fmt.Sprintf("h%d", p.heading), ""
	text := label(p.withoutMarks(textOf(node)))
	if p.inText && text != "" && len(p.headings) < headingsKept {
		id = fmt.Sprintf("heading-%d-%d", p.part, len(p.headings)+1)
		p.headings = append(p.headings, Heading{ID: id, Level: p.heading, Text: text})
		id = ` id="` + id + `"`
	}
	p.out.WriteString("<" + name + id + w.attributes(node) + ">")
	w.anchor(node)
	if p.inText {
		p.headingAnchor(text)
	}
	w.children(node)
	p.out.WriteString("</" + name + ">")
}

// textOf returns the text inside an element.
func textOf(node *html.Node) string {
	var text strings.Builder
	for inner := range node.Descendants() {
		if inner.Type == html.TextNode {
			text.WriteString(inner.Data)
		}
	}
	return text.String()
}
