package notebook

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

// floods returns texts of about this many bytes that are hard to parse.
func floods(bytes int) map[string]string {
	long := func(unit string) string { return strings.Repeat(unit, bytes/len(unit)) }
	deep := func(open, end string) string {
		return strings.Repeat(open, bytes/2/len(open)) + "x" + strings.Repeat(end, bytes/2/len(open))
	}
	return map[string]string{
		"brackets": long("["), "closed brackets": deep("[", "]"), "image brackets": long("!["), "links begun": long("[a]("), "links in links": deep("[", "](x)"),
		"stars": long("*"), "stars and letters": long("*a "), "stars both ways": long("*a_ "), "underscores": long("_a__b_ "), "tildes": long("~~a~ "),
		"less than": long("<"), "tags begun": long("<a "), "comments begun": long("<!-- "), "declarations begun": long("<!A "), "instructions begun": long("<? "), "cdata begun": long("<![CDATA["),
		"backticks": long("`"), "backticks of all lengths": ticks(bytes), "backtick pairs": long("`a``b"),
		"dollars": long("$"), "dollars and letters": long("$a "), "dollar pairs": long("$$ a"), "formulas begun": long(`\( `), "blocks begun": long("\\[\n"), "environments begun": long("\\begin{align}\n"), "formulas": long("$a$ "),
		"backslashes": long("\\"), "quotes": long(">"), "quotes of lines": long("> > > > > > > >\n"), "lists": long("- "), "lists of lists": lists(bytes), "numbers": long("1. "),
		"references": references(bytes), "references used": long("[a]: b\n"), "footnotes": long("[^a] "), "footnotes defined": long("[^a]: b\n\n"),
		"tables": "|a" + long("|a") + "\n" + long("|-"), "rows": "|a|b|\n|-|-|\n" + long("|x"), "wide tables": "|a|\n|-|\n" + long("|x|y\n"),
		"headings": long("# a\n"), "underlined": long("a\n=\n"), "rules": long("---\n"), "fences": long("```\n"), "indents": long("    a\n\n"), "tabs": long("\t"), "spaces": long(" "), "empty lines": long("\n"),
		"entities": long("&amp"), "addresses": long("http://a "), "mails": long("a@b.c "), "mail begun": long("a@"), "dots": long("www."), "long word": long("a"),
		"tags": long("<b>"), "open and closed": deep("<b>", "</b>"), "paragraphs in tables": long("<table><p>"), "links of html": long("<a href=x>"), "formatting": long("<b><i><a><u>"), "attributes": "<p " + long("a=b ") + ">", "one attribute": "<p a='" + long("x") + "'>",
		"colors": long("\x1b[31m"), "colors and letters": long("\x1b[31ma\x1b[1;42mb"), "colors begun": long("\x1b["), "titles begun": long("\x1b]"), "returns": long("abc\r"), "backspaces": long("a\b\b"), "erased": long("a\x1b[K"), "parameters": "\x1b[" + long("1;") + "m",
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

func TestFloodsOfMarks(t *testing.T) { floodsOfMarks(t, 20_000) }

// Markdown of the maximum length.
func TestThoroughFloodsOfMarks(t *testing.T) { floodsOfMarks(t, 199_000) }

func floodsOfMarks(t *testing.T, bytes int) {
	t.Helper()
	renderer := newRenderer(t)
	renderer.renderTimeout = usualRenderTimeout
	for name, text := range floods(bytes) {
		t.Run(name, func(t *testing.T) {
			checkFlood(t, renderer, notebookOf(
				map[string]any{"cell_type": "markdown", "source": text}, map[string]any{"cell_type": "markdown", "source": text[:bytes/10]},
				map[string]any{"cell_type": "code", "source": text[:bytes/100], "outputs": []any{
					map[string]any{"output_type": "stream", "name": "stdout", "text": text}, shows("text/html", text), shows("text/latex", text[:bytes/22]),
				}},
			))
		})
	}
}

func TestFloodsOfCells(t *testing.T) { floodsOfCells(t, 1_000_000) }

func TestThoroughFloodsOfCells(t *testing.T) { floodsOfCells(t, 10_000_000) }

func floodsOfCells(t *testing.T, bytes int) {
	t.Helper()
	renderer := newRenderer(t)
	renderer.renderTimeout = usualRenderTimeout
	for name, source := range map[string]string{
		"cells":      `{"nbformat":4,"metadata":{},"cells":[` + strings.Repeat(`{"cell_type":"code","source":"a","outputs":[{"output_type":"stream","text":"b"}]},`, bytes/100) + `{"cell_type":"raw","source":""}]}`,
		"one line":   withOutputs(map[string]any{"output_type": "stream", "name": "stdout", "text": strings.Repeat("x", bytes)}),
		"lines":      withOutputs(map[string]any{"output_type": "stream", "name": "stdout", "text": strings.Repeat("x\n", bytes/10)}),
		"progress":   withOutputs(map[string]any{"output_type": "stream", "name": "stderr", "text": strings.Repeat("12%|####    | 12/100\r", bytes/21)}),
		"outputs":    `{"nbformat":4,"metadata":{},"cells":[{"cell_type":"code","source":"a","outputs":[` + strings.Repeat(`{"output_type":"display_data","data":{"text/plain":"b"}},`, bytes/100) + `{}]}]}`,
		"a table":    withOutputs(shows("text/html", "<table>"+strings.Repeat("<tr><td>x</td></tr>", bytes/50)+"</table>")),
		"attributes": withOutputs(shows("text/html", "<p "+strings.Repeat("a=b ", bytes/4)+">x")),
		"deep JSON":  withOutputs(map[string]any{"output_type": "display_data", "data": map[string]any{"application/json": json.RawMessage(strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000))}}),
		"wide JSON":  withOutputs(shows("application/json", make([]int, bytes*3/10))),
		"Markdown":   inMarkdown(strings.Repeat("*a* `b` <b>c</b> $d$ [e](f)\n", bytes/28)),
		"titles":     `{"nbformat":4,"metadata":{` + strings.Repeat(`"title":"x",`, bytes/20) + `"title":"y"},"cells":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			if document := checkFlood(t, renderer, source); len(document.HTML) > 4*partBytes {
				t.Errorf("a part has %d bytes", len(document.HTML))
			}
		})
	}
}

// floodAllocates limits the bytes allocated for each byte of a flood: twice what the worst one takes, and less than a
// quadratic algorithm would.
const floodAllocates = 1000

func checkFlood(t *testing.T, renderer *Renderer, source string) Document {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	document := render(t, renderer, source)
	runtime.ReadMemStats(&after)
	if allocated := int(after.TotalAlloc - before.TotalAlloc); allocated > floodAllocates*len(source) {
		t.Errorf("it allocated %d bytes for %d", allocated, len(source))
	}
	checkSafe(t, document.HTML)
	return document
}

func TestNestingThatJSONDoesNotAllow(t *testing.T) {
	deep := `{"nbformat":4,"cells":` + strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) + "}"
	_, err := newRenderer(t).Render(t.Context(), []byte(deep), "", 1)
	if fault.KindOf(err) != fault.Invalid {
		t.Errorf("%v", err)
	}
}
