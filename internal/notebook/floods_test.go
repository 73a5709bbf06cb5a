package notebook

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"cairn/internal/fault"
)

// floods are texts that are hard to read, of about 200 kB each: as long as Markdown may be.
func floods() map[string]string {
	long := func(unit string) string { return strings.Repeat(unit, 199_000/len(unit)) }
	deep := func(open, end string) string {
		return strings.Repeat(open, 99_000/len(open)) + "x" + strings.Repeat(end, 99_000/len(open))
	}
	return map[string]string{
		"brackets": long("["), "closed brackets": deep("[", "]"), "image brackets": long("!["), "links begun": long("[a]("), "links in links": deep("[", "](x)"),
		"stars": long("*"), "stars and letters": long("*a "), "stars both ways": long("*a_ "), "underscores": long("_a__b_ "), "tildes": long("~~a~ "),
		"less than": long("<"), "tags begun": long("<a "), "comments begun": long("<!-- "), "declarations begun": long("<!A "), "instructions begun": long("<? "), "cdata begun": long("<![CDATA["),
		"backticks": long("`"), "backticks of all lengths": ticks(199_000), "backtick pairs": long("`a``b"),
		"dollars": long("$"), "dollars and letters": long("$a "), "dollar pairs": long("$$ a"), "formulas begun": long(`\( `), "blocks begun": long("\\[\n"), "environments begun": long("\\begin{align}\n"), "formulas": long("$a$ "),
		"backslashes": long("\\"), "quotes": long(">"), "quotes of lines": long("> > > > > > > >\n"), "lists": long("- "), "lists of lists": lists(199_000), "numbers": long("1. "),
		"references": references(199_000), "references used": long("[a]: b\n"), "footnotes": long("[^a] "), "footnotes defined": long("[^a]: b\n\n"),
		"tables": "|a" + long("|a") + "\n" + long("|-"), "rows": "|a|b|\n|-|-|\n" + long("|x"), "wide tables": "|a|\n|-|\n" + long("|x|y\n"),
		"headings": long("# a\n"), "underlined": long("a\n=\n"), "rules": long("---\n"), "fences": long("```\n"), "indents": long("    a\n\n"), "tabs": long("\t"), "spaces": long(" "), "empty lines": long("\n"),
		"entities": long("&amp"), "addresses": long("http://a "), "mails": long("a@b.c "), "mail begun": long("a@"), "dots": long("www."), "long word": long("a"),
		"tags": long("<b>"), "open and closed": deep("<b>", "</b>"), "paragraphs in tables": long("<table><p>"), "links of html": long("<a href=x>"), "formatting": long("<b><i><a><u>"), "attributes": "<p " + long("a=b ") + ">", "one attribute": "<p a='" + long("x") + "'>",
		"colours": long("\x1b[31m"), "colours and letters": long("\x1b[31ma\x1b[1;42mb"), "colours begun": long("\x1b["), "titles begun": long("\x1b]"), "returns": long("abc\r"), "backspaces": long("a\b\b"), "erased": long("a\x1b[K"), "parameters": "\x1b[" + long("1;") + "m",
		"strings begun": long("'"), "prefixed strings": long("f'{"), "comments": long("#"), "decorators": long("@a"), "parentheses": long("("),
	}
}

func ticks(bytes int) string {
	var text strings.Builder
	for n := 1; text.Len() < bytes; n++ {
		text.WriteString(strings.Repeat("`", n) + " ")
	}
	return text.String()[:bytes]
}

func lists(bytes int) string {
	var text strings.Builder
	for n := 0; text.Len() < bytes; n++ {
		text.WriteString(strings.Repeat("  ", n) + "- a\n")
	}
	return text.String()[:bytes]
}

func references(bytes int) string {
	var text strings.Builder
	for n := 0; text.Len() < bytes; n++ {
		fmt.Fprintf(&text, "[%d]: x\n[%d]\n\n", n, n)
	}
	return text.String()[:bytes]
}

// floodTime is far more than any of them takes here, and less than what grows with the square of its length would.
const floodTime = 10 * time.Second

func TestFloodsOfMarks(t *testing.T) {
	renderer := newRenderer(t)
	renderer.patience = usualPatience
	for name, text := range floods() {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			document := render(t, renderer, notebookOf(
				map[string]any{"cell_type": "markdown", "source": text}, map[string]any{"cell_type": "markdown", "source": text[:20_000]},
				map[string]any{"cell_type": "code", "source": text[:2_000], "outputs": []any{
					map[string]any{"output_type": "stream", "name": "stdout", "text": text}, shows("text/html", text), shows("text/latex", text[:9_000]),
				}},
			))
			if took := time.Since(began); took > floodTime {
				t.Errorf("it took %s", took)
			}
			checkSafe(t, document.HTML)
		})
	}
}

func TestFloodsOfCells(t *testing.T) {
	renderer := newRenderer(t)
	renderer.patience = usualPatience
	for name, source := range map[string]string{
		"100,000 cells":       `{"nbformat":4,"metadata":{},"cells":[` + strings.Repeat(`{"cell_type":"code","source":"a","outputs":[{"output_type":"stream","text":"b"}]},`, 99_999) + `{"cell_type":"raw","source":""}]}`,
		"a line of 10 MB":     withOutputs(map[string]any{"output_type": "stream", "name": "stdout", "text": strings.Repeat("x", 10_000_000)}),
		"1,000,000 lines":     withOutputs(map[string]any{"output_type": "stream", "name": "stdout", "text": strings.Repeat("x\n", 1_000_000)}),
		"10 MB of progress":   withOutputs(map[string]any{"output_type": "stream", "name": "stderr", "text": strings.Repeat("12%|####    | 12/100\r", 480_000)}),
		"100,000 outputs":     `{"nbformat":4,"metadata":{},"cells":[{"cell_type":"code","source":"a","outputs":[` + strings.Repeat(`{"output_type":"display_data","data":{"text/plain":"b"}},`, 99_999) + `{}]}]}`,
		"a table of 10 MB":    withOutputs(shows("text/html", "<table>"+strings.Repeat("<tr><td>x</td></tr>", 200_000)+"</table>")),
		"10 MB of attributes": withOutputs(shows("text/html", "<p "+strings.Repeat("a=b ", 2_500_000)+">x")),
		"deep JSON":           withOutputs(map[string]any{"output_type": "display_data", "data": map[string]any{"application/json": json.RawMessage(strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000))}}),
		"wide JSON":           withOutputs(shows("application/json", make([]int, 3_000_000))),
		"10 MB of Markdown":   inMarkdown(strings.Repeat("*a* `b` <b>c</b> $d$ [e](f)\n", 350_000)),
		"many titles":         `{"nbformat":4,"metadata":{` + strings.Repeat(`"title":"x",`, 500_000) + `"title":"y"},"cells":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			document := render(t, renderer, source)
			if took := time.Since(began); took > floodTime {
				t.Errorf("it took %s", took)
			}
			if len(document.HTML) > 4*partBytes {
				t.Errorf("a part has %d bytes", len(document.HTML))
			}
			checkSafe(t, document.HTML)
		})
	}
}

func TestNestingThatJSONDoesNotAllow(t *testing.T) {
	deep := `{"nbformat":4,"cells":` + strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) + "}"
	_, err := newRenderer(t).Render(t.Context(), []byte(deep), 1)
	if fault.KindOf(err) != fault.Invalid {
		t.Errorf("%v", err)
	}
}
