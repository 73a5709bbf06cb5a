package notebook

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Limits of Markdown. The time to parse it grows with the square of the markup in one paragraph and of its nesting;
// nothing that a person writes comes near them.
const (
	markdownBytes = 6_000_000                          // including pictures
	markdownMarks = 5_000                              // between two empty lines
	markdownWork  = 10 * markdownMarks * markdownMarks // the sum of the squares of all of them
	markdownDepth = 60                                 // of quotes and lists
)

// newMarkdown returns the parser and renderer of Markdown. They let HTML pass, because all output goes to the
// sanitizer.
func newMarkdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(
			extension.Linkify, extension.Strikethrough, extension.TaskList,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Footnote,
		),
		goldmark.WithParserOptions(
			parser.WithInlineParsers(util.Prioritized(texInline{}, 50)), // before links and emphasis
			parser.WithBlockParsers(util.Prioritized(texBlock{}, 50)),
		),
		goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(nodeRenderer{}, 1))),
	)
}

// writeMarkdown writes Markdown, sanitized.
func (p *page) writeMarkdown(source string, attachments attachments) {
	if len(source) > markdownBytes || p.late() || isFlood(source) {
		p.writePlain("Text", source)
		p.writeNote("This text is shown as written, because rendering it as Markdown would take too long.")
		return
	}
	p.sanitize(p.markdownHTML([]byte(source)), attachments)
}

// isFlood reports whether a text has more markup than can be parsed in time.
func isFlood(source string) bool {
	marks, work := 0, 0
	for line := range strings.Lines(source) {
		if strings.TrimSpace(line) == "" {
			work += marks * marks
			marks = 0
		}
		containers := line[:len(line)-len(strings.TrimLeft(line, " \t>-+*.)0123456789"))]
		if len(containers) > markdownDepth && strings.Count(containers, ">")+strings.Count(containers, "- ")+strings.Count(containers, "+ ")+
			strings.Count(containers, "* ")+strings.Count(containers, ". ")+strings.Count(containers, ") ") > markdownDepth {
			return true
		}
		marks += strings.Count(line, "*") + strings.Count(line, "_") + strings.Count(line, "[") + strings.Count(line, "`") + strings.Count(line, "~") +
			strings.Count(line, "<") + strings.Count(line, "$")
		if marks > markdownMarks || work > markdownWork {
			return true
		}
	}
	return false
}

// markdownHTML converts Markdown to HTML that still has to be sanitized. Placeholders stand for formulas and
// highlighted code.
func (p *page) markdownHTML(source []byte) string {
	tree := p.renderer.markdown.Parser().Parse(text.NewReader(source))
	blocks := []ast.Node{}
	_ = ast.Walk(tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no errors
		switch node := node.(type) {
		case *texNode:
			if entering {
				node.placeholder = p.held.placeholder(p.formula(node.source, node.written, node.display), node.source)
			}
		case *texBlockNode:
			if entering {
				tex, written := node.formula()
				node.placeholder = p.held.placeholder(p.formula(tex, written, true)+escape(node.tail), tex+node.tail)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				blocks = append(blocks, node)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, block := range blocks {
		language := ""
		if fenced, ok := block.(*ast.FencedCodeBlock); ok {
			language = strings.Trim(string(fenced.Language(source)), "{}.")
		}
		code := string(block.Lines().Value(source))
		block.Parent().ReplaceChild(block.Parent(), block, &codeNode{placeholder: p.held.placeholder(preformatted("Code", "code", p.colored(language, code)), "")})
	}
	var made bytes.Buffer
	if err := p.renderer.markdown.Renderer().Render(&made, source, tree); err != nil {
		return "<pre>" + escape(string(source)) + "</pre>" // writing to a buffer can't fail
	}
	return made.String()
}

// codeNode is a block of code that is already rendered.
type codeNode struct {
	ast.BaseBlock
	placeholder string
}

var kindCode = ast.NewNodeKind("HeldCode")

// Kind returns the kind of this node type.
func (n *codeNode) Kind() ast.NodeKind { return kindCode }

// Dump is for debugging.
func (n *codeNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// nodeRenderer renders the nodes of this package, and task list checkboxes, which aren't form controls here.
type nodeRenderer struct{}

// RegisterFuncs registers the kinds of nodes that it renders.
func (nodeRenderer) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	write := func(kind ast.NodeKind, html func(ast.Node) string) {
		to.Register(kind, func(out util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				_, _ = out.WriteString(html(node)) // the error is returned at the end
			}
			return ast.WalkSkipChildren, nil
		})
	}
	write(kindTex, func(node ast.Node) string { return node.(*texNode).placeholder })                                  //nolint:errcheck,forcetypeassert // of its kind
	write(kindTexBlock, func(node ast.Node) string { return "<div>" + node.(*texBlockNode).placeholder + "</div>\n" }) //nolint:errcheck,forcetypeassert // of its kind
	write(kindCode, func(node ast.Node) string { return node.(*codeNode).placeholder + "\n" })                         //nolint:errcheck,forcetypeassert // of its kind
	write(extast.KindTaskCheckBox, func(node ast.Node) string {
		if node.(*extast.TaskCheckBox).IsChecked { //nolint:errcheck,forcetypeassert // of its kind
			return "☑ "
		}
		return "☐ "
	})
}
