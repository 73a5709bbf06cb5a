package notebook

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// texNode is a formula in Markdown, inline or as a block.
type texNode struct {
	ast.BaseInline
	tex
	written     string
	placeholder string // filled before the tree is written
}

var kindTex = ast.NewNodeKind("Tex")

// Kind returns the kind of this node type.
func (n *texNode) Kind() ast.NodeKind { return kindTex }

// Dump is for debugging.
func (n *texNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// texInline parses formulas in lines, before Markdown parses their content.
type texInline struct{}

// Trigger returns the characters that a formula may begin with.
func (texInline) Trigger() []byte { return []byte{'$', '\\'} }

// Parse parses the formula at the current position of the block, which may span lines.
func (texInline) Parse(_ ast.Node, block text.Reader, context parser.Context) ast.Node {
	line, segment := block.PeekLine()
	_, closer := opening(string(line[:min(len(line), 40)]))
	if closer == "" {
		return nil
	}
	// A text with many beginnings and no end isn't searched for each.
	without, _ := context.Get(texWithoutEnd).(map[string]int)
	if segment.Start < without[closer] {
		return nil
	}
	rest := following(block)
	found, ok := readTex(rest)
	if !ok {
		if !strings.Contains(rest[min(len(rest), len(closer)):], closer) {
			if without == nil {
				without = map[string]int{}
				context.Set(texWithoutEnd, without)
			}
			without[closer] = segment.Start + len(rest)
		}
		return nil
	}
	for left := found.length; left > 0; {
		line, _ := block.PeekLine()
		if left < len(line) {
			block.Advance(left)
			break
		}
		left -= len(line)
		block.AdvanceLine()
	}
	return &texNode{tex: found, written: rest[:found.length]}
}

var texWithoutEnd = parser.NewContextKey()

// following returns the next text in a block, up to the maximum length of a formula.
func following(block text.Reader) string {
	line, position := block.Position()
	defer block.SetPosition(line, position)
	var rest strings.Builder
	for rest.Len() < texWindow {
		next, _ := block.PeekLine()
		if next == nil {
			break
		}
		rest.Write(next[:min(len(next), texWindow-rest.Len())])
		block.AdvanceLine()
	}
	return rest.String()
}

// texBlockNode is a formula that begins a line and spans several.
type texBlockNode struct {
	ast.BaseBlock
	opener, closer string
	inner          strings.Builder
	tail           string // of its last line
	closed         bool
	placeholder    string
}

var kindTexBlock = ast.NewNodeKind("TexBlock")

// Kind returns the kind of this node type.
func (n *texBlockNode) Kind() ast.NodeKind { return kindTexBlock }

// Dump is for debugging.
func (n *texBlockNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// IsRaw prevents Markdown from parsing it.
func (n *texBlockNode) IsRaw() bool { return true }

// texBlock parses formulas that begin a line and end in a later one. A line of such a formula may look like a list or a
// heading.
type texBlock struct{}

// Trigger returns the characters that such a line begins with.
func (texBlock) Trigger() []byte { return []byte{'$', '\\'} }

// Open looks ahead, because an open block can't become a paragraph anymore.
func (texBlock) Open(_ ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	begin := context.BlockOffset()
	if begin < 0 || begin >= len(line) {
		return nil, parser.NoChildren
	}
	first := string(line[begin:])
	opener, closer := opening(first)
	if closer == "" || closer == "$" || strings.Contains(first[len(opener):], closer) {
		return nil, parser.NoChildren
	}
	source := reader.Source()
	ahead := first + string(source[segment.Stop:min(len(source), segment.Stop+texWindow)])
	if _, ok := readTex(ahead); !ok {
		return nil, parser.NoChildren
	}
	node := &texBlockNode{opener: opener, closer: closer}
	node.inner.WriteString(first[len(opener):])
	reader.AdvanceToEOL()
	return node, parser.NoChildren
}

// Continue takes lines up to the one with the end.
func (texBlock) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	block, ok := node.(*texBlockNode)
	line, _ := reader.PeekLine()
	if !ok || strings.TrimSpace(string(line)) == "" {
		return parser.Close
	}
	inner, tail, closed := strings.Cut(string(line), block.closer)
	block.inner.WriteString(inner)
	reader.AdvanceToEOL()
	if closed {
		block.tail, block.closed = strings.TrimSpace(tail), true
		return parser.Close
	}
	return parser.Continue | parser.NoChildren
}

// Close does nothing.
func (texBlock) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph returns true: formulas often follow their sentence without an empty line.
func (texBlock) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine returns false: an indented line is code.
func (texBlock) CanAcceptIndentedLine() bool { return false }

// formula returns the TeX of the block, and all of it as written.
func (n *texBlockNode) formula() (source, written string) {
	inner := n.inner.String()
	written = n.opener + inner
	if n.closed {
		written += n.closer
	}
	if strings.HasPrefix(n.opener, `\begin`) {
		return written, written
	}
	return inner, written
}
