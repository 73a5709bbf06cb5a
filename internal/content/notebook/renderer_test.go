package notebook

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"sync"
	"testing"

	"cairn/internal/foundation/fault"
)

func quoted(text string) string {
	made, err := json.Marshal(text)
	if err != nil {
		panic(err) // of a text
	}
	return string(made)
}

func TestWhatIsNoNotebookIsSaid(t *testing.T) {
	renderer := newRenderer(t)
	for source, want := range map[string]string{
		"":                       "This isn't a Jupyter notebook: the file is empty.",
		" \n":                    "This isn't a Jupyter notebook: the file is empty.",
		"<!DOCTYPE html>":        "This isn't a Jupyter notebook: it isn't valid JSON (line 1).",
		"{\n\"nbformat\": 4,\n}": "This isn't a Jupyter notebook: it isn't valid JSON (line 3).",
		"version https://git-lfs.github.com/spec/v1\noid sha256:0": "This isn't a Jupyter notebook: it isn't valid JSON (line 1).",
		"[]":                             "This isn't a Jupyter notebook: its JSON is something else.",
		"7":                              "This isn't a Jupyter notebook: its JSON is something else.",
		"null":                           "This isn't a Jupyter notebook: it doesn't state its format (nbformat).",
		"{}":                             "This isn't a Jupyter notebook: it doesn't state its format (nbformat).",
		`{"nbformat":"4","cells":[]}`:    `This isn't a Jupyter notebook: its "nbformat" is a JSON string.`,
		`{"nbformat":4,"cells":{}}`:      `This isn't a Jupyter notebook: its "cells" is a JSON object.`,
		`{"nbformat":2,"worksheets":[]}`: "This notebook has format 2; formats 3 and 4 can be read. Save it with a current Jupyter.",
		`{"nbformat":5,"cells":[]}`:      "This notebook has format 5; formats 3 and 4 can be read. Save it with a current Jupyter.",
	} {
		_, err := renderer.Render(t.Context(), []byte(source), "", 1)
		if fault.KindOf(err) != fault.Invalid || fault.MessageOf(err) != want {
			t.Errorf("%q: %v", source, err)
		}
	}
	_, err := renderer.Render(t.Context(), make([]byte, SourceBytes+1), "", 1)
	if fault.KindOf(err) != fault.TooLarge || !strings.Contains(fault.MessageOf(err), "20 MiB; up to 20 MiB can be shown") {
		t.Errorf("%v", err)
	}
}

func TestWhatTheNotebookIs(t *testing.T) {
	renderer := newRenderer(t)
	for source, want := range map[string]Document{
		"\xef\xbb\xbf" + `{"nbformat":4,"metadata":{"title":" A\n title ","language_info":{"name":"R"},"kernelspec":{"display_name":"R 4"}},"cells":[]}`:    {Title: "A title", Language: "R", Kernel: "R 4"},
		`{"nbformat":4,"metadata":{"kernelspec":{"language":"julia"}},"cells":[{"cell_type":"markdown","source":["x\n","# **First** #\n","# Second"]}]}`:    {Title: "First", Language: "julia"},
		`{"nbformat":3,"metadata":{},"worksheets":[{"cells":[{"cell_type":"heading","level":1,"source":"Old"},{"cell_type":"code","language":"python"}]}]}`: {Title: "Old", Language: "python"},
		`{"nbformat":4,"metadata":7,"cells":[]}`: {},
		`{"nbformat":4,"cells":[]}`:              {},
	} {
		got := render(t, renderer, source)
		if got.Title != want.Title || got.Language != want.Language || got.Kernel != want.Kernel || got.Part != 1 || got.Parts != 1 {
			t.Errorf("%s: %+v", source, got)
		}
	}
}

func TestLargeNotebooksHaveParts(t *testing.T) {
	renderer := newRenderer(t)
	many := make([]map[string]any, 1201)
	for i := range many {
		many[i] = map[string]any{"cell_type": "raw", "source": "cell of its own"}
	}
	large := strings.Repeat("x", 900_000)
	for name, c := range map[string]struct {
		source string
		cells  []int // per part
	}{
		"many cells":  {notebookOf(many...), []int{500, 500, 201}},
		"large cells": {notebookOf(raw(large), raw(large), raw(large), raw("small")), []int{2, 2}},
		"one larger":  {notebookOf(raw("small"), raw(large+large+large), raw("small")), []int{1, 1, 1}},
		"small":       {notebookOf(raw("small"), raw("small")), []int{2}},
	} {
		for i, cells := range c.cells {
			document, err := renderer.Render(t.Context(), []byte(c.source), "", i+1)
			if err != nil || document.Part != i+1 || document.Parts != len(c.cells) || strings.Count(string(document.HTML), `<div class="cell`) != cells {
				t.Errorf("%s, part %d: %v, %d of %d parts, %d cells", name, i+1, err, document.Part, document.Parts, strings.Count(string(document.HTML), `<div class="cell`))
			}
		}
		for _, part := range []int{-1, 0, len(c.cells) + 1} {
			if _, err := renderer.Render(t.Context(), []byte(c.source), "", part); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s, part %d: %v", name, part, err)
			}
		}
	}
}

func raw(source string) map[string]any { return map[string]any{"cell_type": "raw", "source": source} }

func TestWhatIsLeftOutIsSaid(t *testing.T) {
	renderer := newRenderer(t)
	for name, c := range map[string]struct{ source, want string }{
		"text":    {withOutputs(map[string]any{"output_type": "stream", "text": strings.Repeat("a line\n", 100_000)}), `488 KiB more are left out here.</p>`},
		"folded":  {withOutputs(map[string]any{"output_type": "stream", "text": strings.Repeat("a line\n", 2_000)}), `<summary>1,975 more lines</summary>`},
		"a line":  {withOutputs(map[string]any{"output_type": "stream", "text": strings.Repeat("x", 50_000)}), `29.3 KiB more are left out here.</p>`},
		"HTML":    {withOutputs(shows("text/html", "<table>"+strings.Repeat("<tr><td>x</td></tr>", 30_000)+"</table>")), `more are left out here.</p>`},
		"rows":    {withOutputs(shows("text/html", "<table>"+strings.Repeat("<tr><td>x</td></tr>", 41)+"</table>")), `</table></div><details><summary>All 41 rows</summary></details></div>`},
		"outputs": {withOutputs(manyOutputs(cellOutputs + 7)...), `7 more outputs of this cell are left out here.`},
	} {
		document := render(t, renderer, c.source)
		if !strings.Contains(string(document.HTML), c.want) {
			t.Errorf("%s: %.200s ... %s", name, document.HTML, document.HTML[max(0, len(document.HTML)-300):])
		}
		checkSafe(t, document.HTML)
	}
}

func TestLargePicturesAreShownWhereverTheyStand(t *testing.T) {
	noise := image.NewGray(image.Rect(0, 0, 800, 800))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(i * i >> 3)
	}
	var content bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&content, noise); err != nil {
		t.Fatal(err)
	}
	picture := base64.StdEncoding.EncodeToString(content.Bytes())
	want := `<img src="data:image/png;base64,` + picture + `" alt="`
	renderer := newRenderer(t)
	for name, source := range map[string]string{
		"an output":             withOutputs(shows("image/png", picture[:76]+"\n"+picture[76:]+"\n")),
		"HTML":                  withOutputs(shows("text/html", `<p>x</p><img src="data:image/png;base64,`+picture+`">`)),
		"Markdown":              inMarkdown("![x](data:image/png;base64," + picture + ")"),
		"HTML in Markdown":      inMarkdown(`<img src="data:image/png;base64,` + picture + `">`),
		"an attachment":         notebookOf(map[string]any{"cell_type": "markdown", "source": "![x](attachment:a%20b.png)", "attachments": map[string]any{"a b.png": map[string]any{"image/png": picture}}}),
		"an output of format 3": `{"nbformat":3,"worksheets":[{"cells":[{"cell_type":"code","outputs":[{"output_type":"display_data","png":"` + picture + `"}]}]}]}`,
	} {
		if made := string(render(t, renderer, source).HTML); !strings.Contains(made, want) {
			t.Errorf("not in %s: %.200s", name, made)
		}
	}
}

func manyOutputs(count int) []map[string]any {
	outputs := make([]map[string]any, count)
	for i := range outputs {
		outputs[i] = shows("text/plain", "x")
	}
	return outputs
}

func TestHeadingsHaveNoGaps(t *testing.T) {
	document := render(t, newRenderer(t), inMarkdown("### a\n\n# b\n\n#### c\n\n###### d\n\n## e\n\n<h6>f</h6>"))
	for i, level := range []int{1, 1, 2, 3, 2, 3} {
		heading := Heading{ID: fmt.Sprintf("heading-1-%d", i+1), Level: level, Text: string(rune('a' + i))}
		if want := fmt.Sprintf(`<h%d id="%s"><span id="to-%s"></span>%s</h%d>`, level, heading.ID, heading.Text, heading.Text, level); !strings.Contains(string(document.HTML), want) {
			t.Errorf("no %s in %s", want, document.HTML)
		}
		if len(document.Headings) != 6 || document.Headings[i] != heading {
			t.Errorf("%+v, want %+v", document.Headings, heading)
		}
	}
}

// The outline has the headings of texts as text, in each part under its own ids, and no more than people read.
func TestOutline(t *testing.T) {
	renderer := newRenderer(t)
	document := render(t, renderer, notebookOf(
		map[string]any{"cell_type": "markdown", "source": "# The *energy* $E_{1}$ of `x` <b>&lt;i&gt;</b>\n\n##\n\n## ![only a picture](data:image/png;base64,AAAA)"},
		map[string]any{"cell_type": "code", "source": "1", "outputs": []any{shows("text/html", "<h2>of an output</h2>"), shows("text/markdown", "## of an output")}},
	))
	want := []Heading{{ID: "heading-1-1", Level: 1, Text: "The energy E_{1} of x <i>"}}
	if !slices.Equal(document.Headings, want) {
		t.Errorf("%+v, want %+v", document.Headings, want)
	}
	checkSafe(t, document.HTML)
	many := render(t, renderer, inMarkdown(strings.Repeat("# "+strings.Repeat("x", 500)+"\n\n", 500)))
	if len(many.Headings) != headingsKept || len([]rune(many.Headings[0].Text)) != 200 {
		t.Errorf("%d headings, the first %q", len(many.Headings), many.Headings[0].Text)
	}
	checkSafe(t, many.HTML)
}

// A table has its first rows in sight when one of its bodies is long; the others are one click away.
func TestLongTablesAreFolded(t *testing.T) {
	renderer := newRenderer(t)
	row := "<tr><td>x</td></tr>"
	for source, want := range map[string]string{
		"<table><thead><tr><th>x</th></tr></thead>" + strings.Repeat(row, 40) + "</table>":          "",
		"<table><thead><tr><th>x</th></tr></thead>" + strings.Repeat(row, 60) + "</table>":          "All 60 rows",
		"<table><tbody>" + strings.Repeat(row, 1200) + "</tbody><tbody>" + row + "</tbody></table>": "All 1,201 rows",
		"<table>" + strings.Repeat("<tbody>"+strings.Repeat(row, 40)+"</tbody>", 3) + "</table>":    "",
		"<table><tr><td><table>" + strings.Repeat(row, 60) + "</table></td></tr></table>":           "All 60 rows",
		strings.Repeat("<table>"+row+"</table>", 60):                                                "",
	} {
		made := string(render(t, renderer, withOutputs(shows("text/html", source))).HTML)
		if strings.Contains(made, "<summary>"+want+"</summary>") != (want != "") || strings.Contains(made, `class="rows"`) != (want != "") {
			t.Errorf("%.100s: no %q in %.300s", source, want, made)
		}
		checkSafe(t, []byte(made))
	}
}

func TestManyAtOnceAndGivingUp(t *testing.T) {
	renderer := newRenderer(t)
	source := inMarkdown("$a^2$ `b`\n\n```python\nprint(1)\n```")
	want := string(render(t, renderer, source).HTML)
	var waiting sync.WaitGroup
	for range 16 {
		waiting.Go(func() {
			for i := range 5 {
				if document, err := renderer.Render(t.Context(), []byte(source), "", 1); err != nil || string(document.HTML) != want {
					t.Errorf("%v %s", err, document.HTML)
				}
				_, _ = renderer.Render(t.Context(), []byte(inMarkdown("$x_{"+strings.Repeat("1", i)+"}$")), "", 1)
			}
		})
	}
	waiting.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := renderer.Render(ctx, []byte(source), "", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("after its caller went: %v", err)
	}
}
