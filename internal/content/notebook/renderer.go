package notebook

import (
	"context"
	_ "embed"
	"slices"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"

	"github.com/alecthomas/chroma/v2"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
)

// Options configure a Renderer.
type Options struct {
	// Script is MathJax as the page's build joins it, which turns formulas into MathML. Without it formulas stay text, and a note says so.
	Script []byte
}

// Renderer renders notebooks as HTML. It is safe for concurrent use.
type Renderer struct {
	markdown      goldmark.Markdown
	policy        *bluemonday.Policy
	lexers        map[string]chroma.Lexer
	formulas      *formulas // nil without the script
	pieces        *pieces
	renderTimeout time.Duration // for formulas, Markdown and highlighting of one part together
}

const usualRenderTimeout = 5 * time.Second

// Document is a part of a notebook, rendered.
type Document struct {
	Title    string // from the metadata, else the first heading, else ""
	Language string // the programming language, as the notebook spells it; may be ""
	Kernel   string // the display name of the kernel; may be ""
	HTML     []byte // the cells of this part: well-formed, sanitized, ready for WithAddresses
	Part     int    // from 1
	Parts    int    // at least 1; large notebooks have several
	Headings []Heading
	Notes    []string
}

// SourceBytes is the size of the largest notebook that is rendered.
const SourceBytes = 20 << 20

// New returns a renderer; Internal when the script can't render formulas.
func New(options Options) (*Renderer, error) {
	formulas, err := newFormulas(options.Script)
	if err != nil {
		return nil, err
	}
	pieces, err := newPieces()
	if err != nil {
		return nil, err
	}
	return &Renderer{markdown: newMarkdown(), policy: newPolicy(), lexers: lexersByName(), formulas: formulas, pieces: pieces, renderTimeout: usualRenderTimeout}, nil
}

//go:embed notebook.css
var stylesheet []byte

// Stylesheet returns the CSS for rendered notebooks: light, without fonts or addresses.
func Stylesheet() []byte { return slices.Clone(stylesheet) }

// Render renders a part of a notebook, counted from 1. path is where it is in its repository, whose files it may then show
// and lead to (WithAddresses); "" if it is in none. Faults: TooLarge for a source over SourceBytes, Invalid for
// anything but a notebook, NotFound for a part that it doesn't have. Problems inside a notebook aren't faults; they are
// shown in place.
func (r *Renderer) Render(ctx context.Context, source []byte, path string, part int) (Document, error) {
	if len(source) > SourceBytes {
		return Document{}, fault.New(fault.TooLarge, "This notebook has %s; up to %s can be shown. Clear large outputs and save it again.",
			humanize.Bytes(int64(len(source))), humanize.Bytes(SourceBytes))
	}
	file, err := read(source)
	if err != nil {
		return Document{}, err
	}
	parts := split(file.cells)
	if part < 1 || part > len(parts) {
		return Document{}, fault.New(fault.NotFound, "This notebook has no part %d; it has %d.", part, len(parts))
	}
	page := newPage(ctx, r, file.language, path, part)
	if len(file.cells) == 0 {
		page.out.WriteString(`<div class="cell">`)
		page.writeNote("This notebook has no cells.")
		page.out.WriteString("</div>\n")
	}
	for _, earlier := range parts[:part-1] {
		for _, cell := range earlier {
			page.definitions.addFrom(cell)
		}
	}
	for _, cell := range parts[part-1] {
		if err := ctx.Err(); err != nil {
			return Document{}, err
		}
		page.writeCell(cell)
	}
	if len(parts) > 1 {
		page.endLinks()
	}
	return Document{
		Title: file.title, Language: file.language, Kernel: file.kernel,
		HTML: page.out.Bytes(), Part: part, Parts: len(parts), Headings: page.headings, Notes: page.notes,
	}, nil
}
