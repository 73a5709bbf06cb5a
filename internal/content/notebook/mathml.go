package notebook

import (
	"regexp"
	"strings"

	"cairn/internal/foundation/fault"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mathElements are the elements of a formula. None of them allows an address, script or HTML.
var mathElements = setOf("math mi mn mo ms mspace mtext mrow mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover " +
	"munderover mmultiscripts mprescripts none mtable mtr mtd mlabeledtr menclose")

// mathAttributes are the attributes that are kept, with patterns for their values.
var mathAttributes = map[string]*regexp.Regexp{
	"display": regexp.MustCompile(`^(block|inline)$`), "mathvariant": regexp.MustCompile(`^normal$`),
	"mathcolor": mathColor, "mathbackground": mathColor, "mathsize": mathLength,
	"width": mathLength, "height": mathLength, "depth": mathLength, "lspace": mathLength, "rspace": mathLength, "voffset": mathLength,
	"minsize": mathLength, "maxsize": mathLength, "linethickness": mathLength,
	"stretchy": mathBoolean, "fence": mathBoolean, "separator": mathBoolean, "accent": mathBoolean, "accentunder": mathBoolean,
	"movablelimits": mathBoolean, "largeop": mathBoolean, "symmetric": mathBoolean, "displaystyle": mathBoolean,
	"scriptlevel": regexp.MustCompile(`^[+-]?[0-9]$`), "columnspan": count, "rowspan": count,
}

var (
	mathLength  = regexp.MustCompile(`^[+-]?(([0-9]{0,2}(\.[0-9]{1,6})?(em|ex)?)|([0-9]{0,4}(\.[0-9]{1,6})?(mu|px|pt|%)))$`) // nothing that covers the page
	mathColor   = regexp.MustCompile(`^(#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,20})$`)
	mathBoolean = regexp.MustCompile(`^(true|false)$`)
)

// setOf returns a set of words.
func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// checkMathML extracts the formula from MathJax's output and rewrites it from known elements only. The script is a
// third-party program that read hostile text: an unknown element makes the whole formula Invalid.
func checkMathML(made, tex string) (string, error) {
	place := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(strings.NewReader(made), place)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "its parts are nested too deeply")
	}
	for _, node := range nodes {
		place.AppendChild(node)
	}
	math := findMath(place)
	if math == nil {
		return "", fault.New(fault.Invalid, "the program that renders formulas returned nothing")
	}
	putTagsLast(math)
	var out strings.Builder
	if err := writeMath(&out, math, ` alttext="`+escape(tex)+`"`); err != nil {
		return "", err
	}
	return out.String(), nil
}

func findMath(place *html.Node) *html.Node {
	for found := range place.Descendants() {
		if found.Type == html.ElementNode && found.Namespace == "math" && found.Data == "math" {
			return found
		}
	}
	return nil
}

// putTagsLast moves the tags of the rows of tables, which are their first cells in MathML, to where readers look for them.
func putTagsLast(math *html.Node) {
	for node := range math.Descendants() {
		if tag := node.FirstChild; node.Data == "mlabeledtr" && tag != nil {
			node.RemoveChild(tag)
			node.AppendChild(tag)
		}
	}
}

func writeMath(out *strings.Builder, node *html.Node, more string) error {
	name := node.Data
	switch {
	case node.Type == html.TextNode:
		out.WriteString(escape(operators.Replace(node.Data)))
		return nil
	case node.Type != html.ElementNode, node.Namespace != "math":
		return fault.New(fault.Invalid, "it contains something other than a formula")
	case name == "annotation": // the TeX, which becomes the text of math
		return nil
	case name == "semantics":
		return writeMathChildren(out, node)
	case !mathElements[name]:
		return fault.New(fault.Invalid, "it contains something other than a formula")
	}
	classes := mathClasses(node)
	switch name {
	case "menclose": // browsers don't draw it
		name = "mrow"
	case "mlabeledtr": // nor its tag, which is its first cell
		name = "mtr"
	}
	out.WriteString("<" + name + more)
	for _, attribute := range node.Attr {
		if values := mathAttributes[attribute.Key]; attribute.Namespace == "" && values != nil && values.MatchString(attribute.Val) {
			out.WriteString(" " + attribute.Key + `="` + escape(attribute.Val) + `"`)
		}
	}
	if classes != "" {
		out.WriteString(` class="` + classes + `"`)
	}
	out.WriteString(">")
	if letters := lettersOf[attribute(node, "mathvariant")]; letters != nil && node.FirstChild != nil && node.FirstChild.Type == html.TextNode {
		out.WriteString(escape(strings.Map(letters, node.FirstChild.Data)))
	} else if err := writeMathChildren(out, node); err != nil {
		return err
	}
	out.WriteString("</" + name + ">")
	return nil
}

func writeMathChildren(out *strings.Builder, node *html.Node) error {
	for child := node.FirstChild; child != nil; child = child.NextSibling {
		if err := writeMath(out, child, ""); err != nil {
			return err
		}
	}
	return nil
}
