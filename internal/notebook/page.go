package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// page is a part of a notebook while it is made.
type page struct {
	ctx      context.Context //nolint:containedctx // lives as long as the call of Render that it belongs to
	renderer *Renderer
	language string
	out      bytes.Buffer
	notes    []string
	until    time.Time // from then on only what is quick is done
}

// patience is how long the slow things of a part (formulas, colours of code) may take together.
const patience = 3 * time.Second

func newPage(ctx context.Context, renderer *Renderer, language string) *page {
	return &page{ctx: ctx, renderer: renderer, language: language, until: time.Now().Add(patience)}
}

// note adds a sentence about the whole part, once.
func (p *page) note(format string, arguments ...any) {
	if sentence := fmt.Sprintf(format, arguments...); !slices.Contains(p.notes, sentence) {
		p.notes = append(p.notes, sentence)
	}
}

func (p *page) writeCell(raw json.RawMessage) {
	cell, err := readCell(raw)
	switch {
	case err != nil:
		p.writeNote("This cell is not as the notebook format has it; it may be shown in part.")
	case cell.Type != "markdown" && cell.Type != "code" && cell.Type != "raw":
		p.writeNote("A cell of an unknown type is left out.")
		return
	}
	switch cell.Type {
	case "markdown":
		p.out.WriteString(`<div class="cell text">`)
		p.writeMarkdown(string(cell.Source))
	case "raw":
		p.out.WriteString(`<div class="cell raw">`)
		p.writeText("Raw text", string(cell.Source))
	case "code":
		p.writeCode(cell)
	}
	p.out.WriteString("</div>\n")
}

func (p *page) writeNote(format string, arguments ...any) {
	p.out.WriteString(`<p class="note">`)
	p.out.WriteString(escape(fmt.Sprintf(format, arguments...)))
	p.out.WriteString("</p>\n")
}

// writeCode writes a code cell with its outputs.
func (p *page) writeCode(cell cell) {
	number := " "
	if cell.ExecutionCount != nil {
		number = fmt.Sprint(*cell.ExecutionCount)
	}
	fmt.Fprintf(&p.out, `<div class="cell code" role="group" aria-label="Code cell [%s]"><div class="prompt">In [%s]</div>`, number, number)
	p.writeText("Code", string(cell.Source))
	for _, raw := range cell.Outputs {
		output, err := readOutput(raw)
		if err != nil {
			p.writeNote("This output is not as the notebook format has it; it may be shown in part.")
		}
		p.writeText("Output", string(output.Text)+strings.Join(output.Traceback, "\n"))
	}
}

// writeText writes text that is shown as it stands.
func (p *page) writeText(label, text string) {
	fmt.Fprintf(&p.out, `<pre tabindex="0" role="group" aria-label="%s">%s</pre>`, label, escape(text))
}

// escape makes text safe inside an element and inside a quoted attribute; control characters are left out.
func escape(text string) string {
	return escaper.Replace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "�")))
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")
