package notebook

import (
	"fmt"
	"strings"

	"cairn/internal/foundation/humanize"
)

// Limits of plain text.
const (
	foldedLines = 40      // longer texts are folded ...
	shownLines  = 25      // ... after this many lines
	plainBytes  = 200_000 // of HTML; the rest is left out
)

// writePlain writes text as a terminal would show it, folded and cut when it is long.
func (p *page) writePlain(label, text string) { p.writeTerminal(label, "plain", text) }

func (p *page) writeTerminal(label, class, text string) {
	terminal := &terminal{limit: plainBytes}
	terminal.write(text)
	lines := terminal.end()
	shown := lines
	if len(lines) > foldedLines {
		shown = lines[:shownLines]
	}
	p.out.WriteString(preformatted(label, class, strings.Join(shown, "\n")))
	if more := lines[len(shown):]; len(more) > 0 {
		fmt.Fprintf(&p.out, "<details><summary>%s more lines</summary>%s</details>", grouped(len(more)), preformatted(label, class, strings.Join(more, "\n")))
	}
	if terminal.left > 0 {
		p.writeNote("%s more are left out here.", humanize.Bytes(int64(terminal.left)))
	}
}

// preformatted returns a block of text or code that is already HTML. It is focusable by keyboard because it may scroll.
func preformatted(label, class, html string) string {
	// Browsers drop the first line break in a pre, so there is always one.
	return `<pre class="` + class + `" tabindex="0" role="group" aria-label="` + label + "\">\n" + html + "</pre>"
}

// grouped formats a number with separators between thousands.
func grouped(number int) string {
	if number < 1000 {
		return fmt.Sprint(number)
	}
	return fmt.Sprintf("%s,%03d", grouped(number/1000), number%1000)
}
