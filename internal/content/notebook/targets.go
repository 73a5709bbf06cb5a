package notebook

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// targetBegin begins the ids that links within a notebook lead to, so that they can't be taken for ids of the page around.
const targetBegin = "to-"

// targetLength bounds their length, in bytes.
const targetLength = 200

// targetOf returns the id for a name that the author gave an element or that a heading has by its text; "" for none.
// Jupyter, GitHub and editors derive different names from a heading; what they differ in is left out.
func (p *page) targetOf(name string) string {
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	var id strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		switch {
		case id.Len() >= targetLength:
			continue
		case unicode.IsSpace(r), r == '-', r == '_':
			gap = id.Len() > 0
			continue
		case !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r):
			continue
		}
		if gap {
			id.WriteByte('-')
			gap = false
		}
		if r < unicode.MaxASCII {
			id.WriteRune(r)
		} else {
			fmt.Fprintf(&id, "_%x", r)
		}
	}
	switch {
	case id.Len() == 0:
		return ""
	case strings.HasPrefix(name, "fn:"), strings.HasPrefix(name, "fnref:"): // the footnotes of each cell are counted from 1
		fmt.Fprintf(&id, "-%d-%d", p.part, p.cell)
	}
	return targetBegin + id.String()
}

// linkWithin matches the links within the notebook.
var linkWithin = regexp.MustCompile(` href="#(to-[^"]*)" target="_self"`)

// endLinks makes links to what isn't in this part lead to the whole notebook.
func (p *page) endLinks() {
	made := linkWithin.ReplaceAllFunc(p.out.Bytes(), func(link []byte) []byte {
		target := linkWithin.FindSubmatch(link)[1]
		if p.targets[string(target)] > 0 {
			return link
		}
		return []byte(wholeBegin + "#" + string(target) + `" rel="nofollow noopener noreferrer" target="_blank"`)
	})
	p.out = *bytes.NewBuffer(made)
}

// id returns the attribute id for an element that its author named; "" for others, and if the name is taken.
func (w *walk) id(node *html.Node) string {
	for _, name := range []string{attribute(node, "id"), attribute(node, "name")} {
		if target := w.page.targetOf(name); target != "" && w.page.targets[target] == 0 {
			w.page.targets[target]++
			return ` id="` + target + `"`
		}
	}
	return ""
}

// anchor writes an empty element that links lead to, for an element that isn't written as it is.
func (w *walk) anchor(node *html.Node) {
	if id := w.id(node); id != "" {
		w.page.out.WriteString("<span" + id + "></span>")
	}
}

// headingAnchor writes what links to a heading lead to. Headings with the text of an earlier one are counted, as GitHub does.
func (p *page) headingAnchor(text string) {
	target := p.targetOf(text)
	if target == "" {
		return
	}
	count := p.targets[target]
	if p.targets[target]++; count > 0 {
		if target += fmt.Sprintf("-%d", count); p.targets[target] > 0 {
			return
		}
		p.targets[target]++
	}
	p.out.WriteString(`<span id="` + target + `"></span>`)
}
