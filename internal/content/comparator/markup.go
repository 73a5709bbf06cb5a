package comparator

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Limits of one piece of HTML or SVG.
const (
	markupIDs      = 20_000
	markupPictures = 50
)

var (
	// inline elements don't begin a line.
	inline = setOf("a b big br code em font i input img label small span strong sub sup td th tspan u")
	// unseen attributes name elements for programs and style sheets.
	unseen = setOf("border class id role scope xmlns xmlns:xlink")
	// references are attributes with ids of other elements.
	references = setOf("aria-controls aria-describedby aria-labelledby for form headers list data-root-id data-target")

	names = regexp.MustCompile(`[\w-]+`)
)

const embedded = "data:image/"

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// markupLines returns HTML or SVG as lines, each a block with its text: without comments, metadata and names of elements,
// with attributes in order. Ids are numbered as they come. Pictures within it are returned apart. It returns false if there
// are too many ids or pictures.
func markupLines(source string) (lines, pictures []string, ok bool) {
	m := &writer{ids: map[string]string{}}
	for token := range tokens(source) {
		for _, attribute := range token.Attr {
			if attribute.Key == "id" && m.ids[attribute.Val] == "" {
				m.ids[attribute.Val] = fmt.Sprintf("id%d", len(m.ids)+1)
			}
		}
		if len(m.ids) > markupIDs {
			return nil, nil, false
		}
	}
	for token := range tokens(source) {
		m.write(token)
	}
	m.end()
	return m.lines, m.pictures, len(m.pictures) <= markupPictures
}

// tokens yields the parts of a document.
func tokens(source string) func(func(html.Token) bool) {
	return func(yield func(html.Token) bool) {
		for reader := html.NewTokenizer(strings.NewReader(source)); reader.Next() != html.ErrorToken; {
			if !yield(reader.Token()) {
				return
			}
		}
	}
}

// writer writes markup as lines.
type writer struct {
	ids      map[string]string
	line     strings.Builder
	lines    []string
	pictures []string
	within   string // the element whose content is text: style, script
	hidden   bool   // within metadata
}

func (m *writer) end() {
	if text := strings.TrimSpace(m.line.String()); text != "" {
		m.lines = append(m.lines, text)
	}
	m.line.Reset()
}

func (m *writer) write(token html.Token) {
	if token.Data == "metadata" && token.Type != html.TextToken {
		m.hidden = token.Type == html.StartTagToken
		return
	}
	if m.hidden {
		return
	}
	switch token.Type {
	case html.StartTagToken, html.SelfClosingTagToken:
		if !inline[token.Data] {
			m.end()
		}
		if token.Type == html.StartTagToken {
			m.within = token.Data
		}
		m.writeTag(token)
	case html.EndTagToken:
		m.within = ""
		m.line.WriteString("</" + token.Data + ">")
		if !inline[token.Data] {
			m.end()
		}
	case html.TextToken:
		m.writeText(token.Data)
	}
}

func (m *writer) writeText(text string) {
	switch {
	case m.within == "style" && strings.Contains(text, ".dataframe"): // what pandas adds differs with its version
	case m.within == "style", m.within == "script":
		for line := range strings.SplitSeq(m.renamed(text), "\n") {
			m.line.WriteString(strings.Join(strings.Fields(line), " "))
			m.end()
		}
	default:
		words := strings.Join(strings.Fields(text), " ")
		if words != "" && m.line.Len() > 0 && strings.IndexAny(text[:1], " \n\t\r") == 0 {
			words = " " + words
		}
		m.line.WriteString(words)
	}
}

func (m *writer) writeTag(token html.Token) {
	slices.SortFunc(token.Attr, func(a, b html.Attribute) int { return cmp.Compare(a.Key, b.Key) })
	m.line.WriteString("<" + token.Data)
	for _, attribute := range token.Attr {
		value := strings.TrimSpace(attribute.Val)
		switch {
		case unseen[attribute.Key]:
			continue
		case attribute.Key == "src" && strings.HasPrefix(value, embedded) && strings.Contains(value, ";base64,"):
			_, data, _ := strings.Cut(value, ";base64,")
			m.pictures = append(m.pictures, strings.Join(strings.Fields(data), ""))
			value = "picture"
		case references[attribute.Key], strings.Contains(value, "#"):
			value = m.renamed(value)
		}
		m.line.WriteString(" " + attribute.Key + "=\"" + value + "\"")
	}
	m.line.WriteByte('>')
}

// renamed replaces ids.
func (m *writer) renamed(text string) string {
	if len(m.ids) == 0 {
		return text
	}
	return names.ReplaceAllStringFunc(text, func(name string) string { return cmp.Or(m.ids[name], name) })
}
