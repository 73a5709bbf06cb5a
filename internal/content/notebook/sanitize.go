package notebook

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The allowed HTML of a notebook. No class, form or style, and no id or name as it was written (targets.go): those could imitate parts of the page around. No
// element whose content is parsed by other rules (script, style, svg, math, template, textarea ...): with those,
// harmless text can turn into elements when it is parsed a second time. Drawings become pictures before (media.go).
var (
	userElements = strings.Fields("p div h1 h2 h3 h4 h5 h6 blockquote pre hr br ul ol li dl dt dd table caption colgroup col thead tbody tfoot " +
		"tr th td details summary figure figcaption a b strong i em u s del ins strike sub sup small big mark code kbd samp var span abbr " +
		"cite q dfn tt img center")
	// userAttributes are the attributes of an element, with patterns for their values.
	userAttributes = map[string]map[string]*regexp.Regexp{
		"a":       {"href": anyValue, "title": anyValue},
		"abbr":    {"title": anyValue},
		"img":     {"src": anyValue, "alt": anyValue, "title": anyValue, "width": pixels, "height": pixels},
		"ol":      {"start": count},
		"td":      {"colspan": count, "rowspan": count, "align": side},
		"th":      {"colspan": count, "rowspan": count, "align": side, "scope": regexp.MustCompile(`^(row|col|rowgroup|colgroup)$`)},
		"col":     {"span": count},
		"p":       {"align": side},
		"div":     {"align": side},
		"h1":      {"align": side},
		"h2":      {"align": side},
		"h3":      {"align": side},
		"details": {"open": regexp.MustCompile(`^$`)},
	}
	anyValue = regexp.MustCompile(`(?s)^.*$`)
	pixels   = regexp.MustCompile(`^[1-9][0-9]{0,3}$`)
	count    = regexp.MustCompile(`^[1-9][0-9]{0,2}$`)
	side     = regexp.MustCompile(`^(left|right|center)$`)
)

// newPolicy returns the first barrier: a token of HTML that isn't listed above doesn't pass.
func newPolicy() *bluemonday.Policy {
	policy := bluemonday.NewPolicy()
	policy.AllowElements(userElements...)
	policy.AllowNoAttrs().OnElements(userElements...)
	for element, attributes := range userAttributes {
		for name, values := range attributes {
			policy.AllowAttrs(name).Matching(values).OnElements(element)
		}
	}
	policy.AllowAttrs("id", "name").Globally() // of which only what links in the notebook lead to is left, under other names
	policy.RequireParseableURLs(true)
	policy.AllowRelativeURLs(true)
	// data: and attachment: are for pictures; the second barrier removes them from links.
	policy.AllowURLSchemes("http", "https", "mailto", "data", "attachment")
	return policy
}

// sanitize writes HTML of a notebook so that it is safe to show. It is parsed as a tree, so the output is balanced; and
// the walk, the second barrier, writes only what it knows. It reports whether there is anything to see.
func (p *page) sanitize(source string, attachments attachments) (visible bool) {
	place := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	source = withoutSpaces(p.holdMedia(source))
	nodes, err := html.ParseFragment(strings.NewReader(p.renderer.policy.Sanitize(source)), place)
	if err != nil { // nested too deeply
		p.out.WriteString("<p>" + escape(p.withoutMarks(bluemonday.StrictPolicy().Sanitize(source))) + "</p>")
		p.writeNote("This is shown as text, because its elements are nested too deeply.")
		return true
	}
	walk := &walk{page: p, attachments: attachments}
	for _, node := range nodes {
		walk.node(node)
	}
	return walk.visible
}

var (
	addressed    = regexp.MustCompile(`(?i)<(?:a|img)\s[^<>]*>`)
	addressValue = regexp.MustCompile(`(?i)\s(?:href|src)\s*=\s*(?:"[^"]* [^"]*"|'[^']* [^']*')`)
)

// withoutSpaces escapes the spaces in addresses, as browsers do. The policy would remove these addresses.
func withoutSpaces(source string) string {
	return addressed.ReplaceAllStringFunc(source, func(tag string) string {
		return addressValue.ReplaceAllStringFunc(tag, func(attribute string) string {
			begin := strings.IndexAny(attribute, `"'`) + 1
			value := strings.TrimSpace(attribute[begin : len(attribute)-1])
			if strings.HasPrefix(value, "data:") {
				return attribute
			}
			return attribute[:begin] + strings.ReplaceAll(value, " ", "%20") + attribute[len(attribute)-1:]
		})
	})
}

// withoutMarks replaces the placeholders of held pieces in text that can't have elements, such as an attribute.
func (p *page) withoutMarks(text string) string {
	if !p.held.has(text) {
		return text
	}
	var plain strings.Builder
	p.held.split(text, func(text string) { plain.WriteString(text) }, func(one piece) { plain.WriteString(one.text) })
	return plain.String()
}

// depthLimit is how deep the elements of one piece of HTML may be nested; of deeper ones only the content is written. A
// parser may give up at 512, and some elements are written as two.
const depthLimit = 200

// walk writes a tree of sanitized HTML.
type walk struct {
	page        *page
	attachments attachments
	visible     bool
	inLink      int
	depth       int
}

var knownElements = setOf(strings.Join(userElements, " "))

func (w *walk) node(node *html.Node) {
	switch node.Type {
	case html.TextNode:
		w.text(node.Data)
	case html.ElementNode:
		if node.Namespace != "" || !knownElements[node.Data] || w.depth == depthLimit {
			w.children(node)
			return
		}
		w.depth++
		w.element(node)
		w.depth--
	}
}

func (w *walk) children(node *html.Node) {
	for child := node.FirstChild; child != nil; child = child.NextSibling {
		w.node(child)
	}
}

func (w *walk) text(text string) {
	out := &w.page.out
	if !w.page.held.has(text) {
		w.visible = w.visible || strings.TrimSpace(text) != ""
		out.WriteString(escape(text))
		return
	}
	w.visible = true
	w.page.held.split(text, func(plain string) { out.WriteString(escape(plain)) }, func(one piece) { out.WriteString(one.html) })
}

func (w *walk) element(node *html.Node) {
	out := &w.page.out
	switch name := node.Data; name {
	case "img":
		w.visible = true
		w.anchor(node)
		w.image(node)
	case "br", "hr", "col":
		out.WriteString("<" + name + w.attributes(node) + ">")
	case "a":
		w.anchor(node)
		w.link(node)
	case "table":
		w.visible = true
		w.anchor(node)
		w.table(node)
	case "pre":
		w.anchor(node)
		out.WriteString(`<pre tabindex="0" role="group" aria-label="Text">`)
		w.children(node)
		out.WriteString("</pre>")
	case "th":
		if node.FirstChild == nil { // the corner of a table isn't a heading
			name = "td"
		}
		w.whole(name, node)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		w.heading(node)
	default:
		w.whole(name, node)
	}
}

// foldedRows is the number of rows from which only the first ones of a table are shown at first.
const foldedRows = 40

// table writes a table that scrolls on its own. What is opened below a long one shows all its rows; the style says which
// are shown before.
func (w *walk) table(node *html.Node) {
	rows, longest := 0, 0
	for body := node.FirstChild; body != nil; body = body.NextSibling {
		own := 0
		for row := body.FirstChild; row != nil && body.Data == "tbody"; row = row.NextSibling {
			if row.Data == "tr" {
				own++
			}
		}
		rows, longest = rows+own, max(longest, own)
	}
	out := &w.page.out
	if longest > foldedRows {
		out.WriteString(`<div class="rows">`)
	}
	out.WriteString(`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>`)
	w.children(node)
	out.WriteString("</table></div>")
	if longest > foldedRows {
		fmt.Fprintf(out, "<details><summary>All %s rows</summary></details></div>", grouped(rows))
	}
}

// whole writes an element, possibly under another name.
func (w *walk) whole(name string, node *html.Node) {
	w.page.out.WriteString("<" + name + w.id(node) + w.attributes(node) + ">")
	w.children(node)
	w.page.out.WriteString("</" + name + ">")
}

// attributes returns an element's attributes that match their patterns.
func (w *walk) attributes(node *html.Node) string {
	var written strings.Builder
	for _, attribute := range node.Attr {
		values := userAttributes[node.Data][attribute.Key]
		if attribute.Namespace == "" && values != nil && attribute.Key != "href" && attribute.Key != "src" && values.MatchString(attribute.Val) {
			fmt.Fprintf(&written, ` %s="%s"`, attribute.Key, escape(w.page.withoutMarks(attribute.Val)))
		}
	}
	return written.String()
}

func attribute(node *html.Node, name string) string {
	for _, attribute := range node.Attr {
		if attribute.Namespace == "" && attribute.Key == name {
			return attribute.Val
		}
	}
	return ""
}

// link writes an a element as a link that opens outside of the frame, to the web or a file of the notebook's repository, or that
// leads to a place in the notebook, or only its content.
func (w *walk) link(node *html.Node) {
	address := attribute(node, "href")
	name, inside := strings.CutPrefix(address, "#")
	begin := ""
	if target, ok := webAddress(address); ok {
		begin = openLink(target, attribute(node, "title"))
	} else if target := w.page.targetOf(name); inside && target != "" {
		begin = `<a href="#` + target + `" target="_self">`
	} else if file, rest, found := w.page.fileOf(address); found {
		begin = openLink(waitingFor(file, rest), attribute(node, "title"))
	}
	if begin == "" || w.inLink > 0 {
		if address != "" && !inside && begin == "" {
			if w.page.path == "" {
				w.page.note("Links to files next to the notebook, or to something other than a web address, are shown as text.")
			} else {
				w.page.note("Links to something other than a web address or a file of the notebook's repository are shown as text.")
			}
		}
		w.children(node)
		return
	}
	w.page.out.WriteString(begin)
	w.inLink++
	w.children(node)
	w.inLink--
	w.page.out.WriteString("</a>")
}

// openLink returns the start tag of every link that this package writes.
func openLink(address, title string) string {
	begin := `<a href="` + escape(address) + `" rel="nofollow noopener noreferrer" target="_blank"`
	if title != "" {
		begin += ` title="` + escape(title) + `"`
	}
	return begin + ">"
}

// webAddress returns a normalized address if it is http, https or mailto.
func webAddress(address string) (string, bool) {
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil || parsed.User != nil {
		return "", false
	}
	address = parsed.String()
	switch parsed.Scheme {
	case "http", "https":
		return address, hostName.MatchString(parsed.Host) && isAddress.MatchString(address)
	case "mailto":
		return address, parsed.Opaque != "" && isAddress.MatchString(address)
	}
	return "", false
}

// net/url accepts more characters in hosts and paths than real addresses have.
var (
	hostName  = regexp.MustCompile(`^([\pL\pN._-]+|\[[0-9a-fA-F:.]+\])(:[0-9]+)?$`)
	isAddress = regexp.MustCompile(`^[^\s"<>\\]+$`)
)

// image writes an img element.
func (w *walk) image(node *html.Node) {
	dimensions := ""
	if width := attribute(node, "width"); pixels.MatchString(width) {
		dimensions = ` width="` + width + `"`
	}
	if height := attribute(node, "height"); pixels.MatchString(height) {
		dimensions += ` height="` + height + `"`
	}
	alt := strings.TrimSpace(w.page.withoutMarks(attribute(node, "alt")))
	w.page.writeImage(attribute(node, "src"), alt, dimensions, w.attachments, w.inLink > 0)
}
