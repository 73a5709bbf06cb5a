package notebook

import (
	"fmt"
	"strings"
)

// Bounds of text that is shown as it stands.
const (
	foldedLines = 40      // more than so many lines are folded ...
	shownLines  = 25      // ... behind so many
	plainBytes  = 200_000 // of HTML; what comes then is left out
)

// writePlain writes text as it stands, as a terminal would show it, folded and cut where it is long.
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
		p.writeNote("%s more are left out here.", size(terminal.left))
	}
}

// preformatted is a block of text or code that was made into HTML. It can be reached by keys, because it may scroll.
func preformatted(label, class, html string) string {
	// The first line break in a pre is not shown, so there is always one.
	return `<pre class="` + class + `" tabindex="0" role="group" aria-label="` + label + "\">\n" + html + "</pre>"
}

// grouped writes a number with its thousands apart.
func grouped(number int) string {
	if number < 1000 {
		return fmt.Sprint(number)
	}
	return fmt.Sprintf("%s,%03d", grouped(number/1000), number%1000)
}
