package contribute

import (
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"cairn/internal/foundation/humanize"
)

// beginning returns the first heading of a README in Markdown and its first paragraph of text. Code, quotes, lists, pictures and links
// to other pages alone are neither.
func beginning(readme string) (heading, paragraph string) {
	source := []byte(markupPattern.ReplaceAllString(strings.ReplaceAll(readme, "\r\n", "\n"), ""))
	document := goldmark.DefaultParser().Parse(text.NewReader(source))
	for node := document.FirstChild(); node != nil; node = node.NextSibling() {
		switch node := node.(type) {
		case *ast.Heading:
			if said, _ := wordsOf(node, source); heading == "" && node.Level == 1 {
				heading = said
			}
		case *ast.Paragraph:
			if said, own := wordsOf(node, source); paragraph == "" && own && !strings.HasPrefix(said, "|") {
				paragraph = said
			}
		}
	}
	return heading, paragraph
}

// wordsOf returns the text of a node on one line, without pictures. Own reports whether some of it isn't in a link.
func wordsOf(node ast.Node, source []byte) (said string, own bool) {
	var words strings.Builder
	_ = ast.Walk(node, func(inner ast.Node, entering bool) (ast.WalkStatus, error) {
		switch inner := inner.(type) {
		case *ast.Image, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		case *ast.AutoLink:
			if entering {
				words.Write(inner.URL(source))
			}
		case *ast.Text:
			if entering {
				value := inner.Value(source)
				words.Write(value)
				_, linked := inner.Parent().(*ast.Link)
				own = own || !linked && strings.Trim(string(value), " |·•,-") != ""
				if inner.SoftLineBreak() || inner.HardLineBreak() {
					words.WriteByte(' ')
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return humanize.OneLine(words.String()), own
}

var (
	underlinePattern = regexp.MustCompile(`^(=+|-+|~+|\^+|"+|#+|\*+|\++)$`)
	roleMarkup       = regexp.MustCompile("(?::[a-z:]+:)?`([^`<]+?)(?: *<[^>]*>)?`_{0,2}")
)

// beginningOfRST is beginning for reStructuredText, whose headings have a line of punctuation below them, as long as they are.
func beginningOfRST(readme string) (heading, paragraph string) {
	lines := strings.Split(strings.ReplaceAll(readme, "\r\n", "\n"), "\n")
	for i := 1; i < len(lines) && heading == ""; i++ {
		title := strings.TrimSpace(lines[i-1])
		if under := strings.TrimRight(lines[i], " "); title != "" && !underlinePattern.MatchString(title) && underlinePattern.MatchString(under) && len(under) >= len([]rune(title)) {
			heading = plainRST(title)
		}
	}
	for block := range strings.SplitSeq(strings.Join(lines, "\n"), "\n\n") {
		begin, _, _ := strings.Cut(strings.TrimLeft(block, "\n"), "\n")
		titled := slices.ContainsFunc(strings.Split(block, "\n"), func(line string) bool { return underlinePattern.MatchString(strings.TrimRight(line, " ")) })
		if begin != "" && !titled && !strings.ContainsAny(begin[:1], " \t.:|*-+#`>") {
			return heading, plainRST(block)
		}
	}
	return heading, ""
}

// plainRST returns a text of reStructuredText on one line, without the marks for emphasis, code and links.
func plainRST(block string) string {
	text := roleMarkup.ReplaceAllString(strings.ReplaceAll(block, "``", ""), "$1")
	return humanize.OneLine(strings.NewReplacer("*", "", "`", "").Replace(text))
}
