package notebook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// page is a part of a notebook that is being rendered.
type page struct {
	ctx          context.Context //nolint:containedctx // lives as long as its call of Render
	renderer     *Renderer
	language     string
	path         string // of the notebook in its repository; "" if it is in none
	out          bytes.Buffer
	held         *held
	notes        []string
	part         int
	heading      int // the level of the last one
	headings     []Heading
	definitions  definitions
	cell         int            // how many were written
	targets      map[string]int // how often an id of a target was wanted
	drawings     int            // in HTML so far
	inText       bool           // of the author, not in an output
	coloredBytes int            // of code so far
	until        time.Time      // after this only quick work is done
}

func newPage(ctx context.Context, renderer *Renderer, language, path string, part int) *page {
	return &page{
		ctx: ctx, renderer: renderer, language: language, path: path, held: newHeld(), until: time.Now().Add(renderer.renderTimeout),
		targets: map[string]int{}, part: part, heading: min(part-1, 1), // a later part needn't begin with the title
	}
}

func (p *page) late() bool { return time.Now().After(p.until) }

// note adds a sentence about the whole part, once.
func (p *page) note(sentence string) {
	if !slices.Contains(p.notes, sentence) {
		p.notes = append(p.notes, sentence)
	}
}

// writeNote writes a sentence at the current position.
func (p *page) writeNote(format string, arguments ...any) {
	p.out.WriteString(`<p class="note">` + escape(fmt.Sprintf(format, arguments...)) + "</p>")
}

func (p *page) writeCell(raw json.RawMessage) {
	p.cell++
	cell, err := readCell(raw)
	switch cell.Type {
	case "markdown":
		p.out.WriteString(`<div class="cell text">`)
		p.inText = true
		p.writeMarkdown(string(cell.Source), cell.Attachments)
		p.inText = false
	case "code":
		p.writeCode(cell)
	case "raw":
		p.out.WriteString(`<div class="cell raw">`)
		p.writePlain("Raw text", string(cell.Source))
	default:
		p.out.WriteString(`<div class="cell">`)
		if err == nil {
			p.writeNote("A cell of an unknown type is left out.")
		}
	}
	if err != nil {
		p.writeNote("This cell doesn't follow the notebook format; the readable parts are shown.")
	}
	p.out.WriteString("</div>\n")
}

// writeCode writes a code cell with its outputs.
func (p *page) writeCode(cell cell) {
	number := " "
	if cell.ExecutionCount != nil {
		number = fmt.Sprint(*cell.ExecutionCount)
	}
	fmt.Fprintf(&p.out, `<div class="cell" role="group" aria-label="Code cell [%s]"><div class="input"><div class="prompt">In [%s]</div>`, number, number)
	p.out.WriteString(preformatted("Code", "code", p.colored(cmp.Or(cell.Language, p.language), strings.TrimSuffix(string(cell.Source), "\n"))) + "</div>\n")
	p.writeOutputs(cell.Outputs)
}

// escape makes text safe inside an element and a quoted attribute; control characters are removed.
func escape(text string) string {
	if !strings.ContainsFunc(text, isSpecial) {
		return text
	}
	return escaper.Replace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "�")))
}

func isSpecial(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == '&' || r == '<' || r == '>' || r == '"' || r == '\'' || r == 0x7f || r == utf8.RuneError
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")
