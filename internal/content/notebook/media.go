package notebook

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// drawingsKept bounds the drawings in the HTML of a part: a few letters are enough for one.
const drawingsKept = 1_000

// endsDrawing are elements that a parser of HTML never puts into a drawing: one of them, or its end, ends it, and whatever
// else isn't closed.
var endsDrawing = setOf("blockquote center dd div dl dt h1 h2 h3 h4 h5 h6 li ol p pre table ul")

// isReplaced reports whether HTML may have elements that holdMedia replaces, without reading it.
var isReplaced = regexp.MustCompile(`(?i)<(svg|video|audio|canvas|object|embed|iframe)[\s/>]`)

// leftOut are the elements that can't be shown, with what a reader is told about each.
var leftOut = map[string]string{
	"video": "A video is left out here", "audio": "A sound is left out here", "canvas": "A drawing that a script makes is left out here",
	"object": "An embedded object is left out here", "embed": "An embedded object is left out here", "iframe": "An embedded page is left out here",
}

// holdMedia replaces the elements of HTML that the sanitizer doesn't know as a whole, with everything in them: otherwise
// their words would stay in the text. Placeholders stand for what is shown instead.
func (p *page) holdMedia(source string) string {
	if !isReplaced.MatchString(source) {
		return source
	}
	var kept strings.Builder
	reader := mediaReader{source: source, tokens: html.NewTokenizer(strings.NewReader(source))}
	for {
		begin := reader.at
		kind, name := reader.next()
		switch {
		case kind == html.ErrorToken:
			return kept.String()
		case kind == html.StartTagToken && name == "svg":
			kept.WriteString(p.drawing(source[begin:reader.endOf("svg")]))
		case kind == html.SelfClosingTagToken && name == "svg":
		case leftOut[name] != "" && (kind == html.SelfClosingTagToken || kind == html.StartTagToken && name == "embed"):
			kept.WriteString(p.leaveOut(name, source[begin:reader.at]))
		case kind == html.StartTagToken && leftOut[name] != "":
			kept.WriteString(p.leaveOut(name, source[begin:reader.endOf(name)]))
		default:
			kept.WriteString(source[begin:reader.at])
		}
	}
}

// mediaReader reads the tokens of HTML.
type mediaReader struct {
	source   string
	tokens   *html.Tokenizer
	at       int  // where the next token begins
	unclosed bool // whether an element without an end was seen; then no other is searched to the end of the source
	again    bool // whether the last token comes again
	last     struct {
		kind html.TokenType
		name string
		size int
	}
}

func (r *mediaReader) next() (kind html.TokenType, name string) {
	if !r.again {
		r.read()
	}
	r.again = false
	r.at += r.last.size
	return r.last.kind, r.last.name
}

// back makes the last token come again.
func (r *mediaReader) back() { r.again, r.at = true, r.at-r.last.size }

func (r *mediaReader) read() {
	kind := r.tokens.Next()
	r.last.kind, r.last.name, r.last.size = kind, "", len(r.tokens.Raw())
	if kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken {
		name, _ := r.tokens.TagName()
		r.last.name = string(name)
	}
}

// endOf reads on behind the end of an element whose start was read, and returns where that is. An element that is never
// closed ends where a browser would end it.
func (r *mediaReader) endOf(element string) int {
	depth, broken := 1, -1
	r.tokens.NextIsNotRawText()
	for {
		before := r.at
		kind, name := r.next()
		switch {
		case kind == html.ErrorToken:
			r.unclosed = true
			if broken >= 0 {
				r.at, r.tokens = broken, html.NewTokenizer(strings.NewReader(r.source[broken:]))
			}
			return r.at
		case name == element && kind == html.StartTagToken:
			depth++
		case name == element && kind == html.EndTagToken:
			if depth--; depth == 0 {
				return r.at
			}
		case endsDrawing[name] && r.unclosed:
			r.back()
			return r.at
		case endsDrawing[name] && broken < 0:
			broken = before
		}
		if kind == html.StartTagToken {
			r.tokens.NextIsNotRawText()
		}
	}
}

// drawing returns what stands for an <svg> element in HTML: a placeholder of it as a picture, which needs no more of the
// page around, or nothing for one that draws nothing by itself, such as a collection of symbols.
func (p *page) drawing(source string) string {
	if p.drawings++; p.drawings > drawingsKept {
		p.note("Only the first drawings of this part are shown.")
		return ""
	}
	root, err := parseDrawing(source)
	if err == nil && root == nil {
		return ""
	}
	name, address := "Drawing", ""
	if err == nil {
		if title := label(nameOfDrawing(root)); title != "" {
			name = title
		}
		address, err = drawingOf(drawingXML(root))
	}
	return p.held.placeholder(pictureHTML(address, err, name, ""), name)
}

// leaveOut returns what stands for an element that can't be shown: a sentence, with the address of what it would show.
func (p *page) leaveOut(name, source string) string {
	note := leftOut[name]
	for tokens := html.NewTokenizer(strings.NewReader(source)); tokens.Next() != html.ErrorToken; {
		token := tokens.Token()
		if address, ok := webAddress(cmp.Or(attributeOfToken(token, "src"), attributeOfToken(token, "data"))); ok {
			note = fmt.Sprintf("%s (%s)", note, label(address))
			break
		}
		if token.Type == html.StartTagToken && name == "iframe" {
			break // its content is text
		}
	}
	return p.held.placeholder(`<span class="absent">`+escape(note+".")+"</span>", note)
}

func attributeOfToken(token html.Token, name string) string {
	for _, attribute := range token.Attr {
		if attribute.Key == name {
			return attribute.Val
		}
	}
	return ""
}

// parseDrawing returns the <svg> element of HTML; nil if it draws nothing.
func parseDrawing(source string) (*html.Node, error) {
	if len(source) > drawingBytes {
		return nil, fault.New(fault.TooLarge, "is a drawing larger than %s.", humanize.Bytes(drawingBytes))
	}
	// Markdown puts paragraphs around what follows an empty line, and they would end the drawing.
	source = paragraphTag.ReplaceAllString(source, "")
	nodes, err := html.ParseFragment(strings.NewReader(source), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "is a drawing whose parts are nested too deeply.")
	}
	if len(nodes) == 0 || nodes[0].Data != "svg" || !draws(nodes[0]) {
		return nil, nil //nolint:nilnil // nothing to draw isn't a mistake
	}
	return nodes[0], nil
}

var paragraphTag = regexp.MustCompile(`(?i)</?p(\s[^<>]*)?>`)

// draws reports whether an element of a drawing has a shape, a text or a picture.
func draws(root *html.Node) bool {
	ids := map[string]bool{}
	for node := range root.Descendants() {
		ids[attribute(node, "id")] = true
	}
	var visible func(*html.Node) bool
	visible = func(node *html.Node) bool {
		for child := node.FirstChild; child != nil; child = child.NextSibling {
			if child.Type != html.ElementNode {
				continue
			}
			switch child.Data {
			case "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "image", "foreignObject":
				return true
			case "use":
				if target, ok := strings.CutPrefix(attributeAnywhere(child, "href"), "#"); ok && ids[target] {
					return true
				}
			case "g", "a", "svg", "switch":
				if visible(child) {
					return true
				}
			}
		}
		return false
	}
	return visible(root)
}

// attributeAnywhere returns an attribute of any namespace.
func attributeAnywhere(node *html.Node, name string) string {
	for _, attribute := range node.Attr {
		if attribute.Key == name {
			return attribute.Val
		}
	}
	return ""
}

// nameOfDrawing returns what its author calls a drawing.
func nameOfDrawing(root *html.Node) string {
	if name := attribute(root, "aria-label"); name != "" {
		return name
	}
	for child := root.FirstChild; child != nil; child = child.NextSibling {
		if child.Data == "title" {
			return textOf(child)
		}
	}
	return ""
}

// namespaces are those of the elements of a drawing, as package html names them.
var namespaces = map[string]string{"svg": "http://www.w3.org/2000/svg", "": "http://www.w3.org/1999/xhtml", "math": "http://www.w3.org/1998/Math/MathML"}

// xmlName is a name that needs no declaration of a prefix.
var xmlName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// drawingXML writes a drawing as a document of its own, in XML. What needs a prefix, the notes of drawing programs, is
// left out, and so are scripts, which a picture wouldn't run.
func drawingXML(root *html.Node) []byte {
	var out bytes.Buffer
	var write func(node *html.Node, around string)
	write = func(node *html.Node, around string) {
		switch {
		case node.Type == html.TextNode:
			out.WriteString(escape(node.Data))
		case node.Type != html.ElementNode, node.Data == "script", !xmlName.MatchString(node.Data):
		default:
			out.WriteString("<" + node.Data)
			if around != node.Namespace {
				out.WriteString(` xmlns="` + namespaces[node.Namespace] + `"`)
			}
			if node == root {
				out.WriteString(` xmlns:xlink="http://www.w3.org/1999/xlink"`)
			}
			writeXMLAttributes(&out, node)
			out.WriteString(">")
			for child := node.FirstChild; child != nil; child = child.NextSibling {
				write(child, node.Namespace)
			}
			out.WriteString("</" + node.Data + ">")
		}
	}
	write(root, "none")
	return out.Bytes()
}

func writeXMLAttributes(out *bytes.Buffer, node *html.Node) {
	written := map[string]bool{"xmlns": true}
	for _, attribute := range node.Attr {
		name := attribute.Key
		switch attribute.Namespace {
		case "":
		case "xlink", "xml":
			name = attribute.Namespace + ":" + name
		default:
			continue
		}
		if written[name] || !xmlName.MatchString(attribute.Key) || strings.HasPrefix(strings.ToLower(name), "on") {
			continue
		}
		written[name] = true
		out.WriteString(" " + name + `="` + escape(attribute.Val) + `"`)
	}
}
