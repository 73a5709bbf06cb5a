package notebook

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
)

// drawingsIn returns the drawings that HTML shows as pictures, decoded; each is read as XML to its end.
func drawingsIn(t *testing.T, made []byte) []string {
	t.Helper()
	var drawings []string
	for _, found := range regexp.MustCompile(`src="data:image/svg\+xml;base64,([^"]*)"`).FindAllSubmatch(made, -1) {
		drawing, err := base64.StdEncoding.DecodeString(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		reader := xml.NewDecoder(strings.NewReader(string(drawing)))
		for err == nil {
			_, err = reader.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%v in %s", err, drawing)
		}
		drawings = append(drawings, string(drawing))
	}
	return drawings
}

// TestDrawingsInHTML: an <svg> in an output or a text is shown as a picture, and its words are nowhere else.
func TestDrawingsInHTML(t *testing.T) {
	renderer := newRenderer(t)
	const plot = `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"><style>text{font:9px sans-serif}</style><rect width="60" height="30" fill="#cde"/>` +
		`<text x="5" y="15">soma</text><text x="30" y="15">axon</text></svg>`
	for name, c := range map[string]struct {
		source string
		shown  []string // in each drawing
		beside string   // the text around, without tags
	}{
		"an output": {`<div>` + plot + `</div>`, []string{`<text x="5" y="15">soma</text>`}, ""},
		"a text":    {"Text before\n\n" + plot + "\n\nafter", []string{"axon"}, "Text before after"},
		"a browser's way of writing": {
			`<p>x<SVG viewbox="0 0 9 9" width=9><LinearGradient id=g /><path d=M0,0L9,9 stroke="url(#g)"><title>a &nbsp;line</title></path><text>soma&nbsp;&lt;1</text></svg>y</p>`,
			[]string{`viewBox="0 0 9 9"`, "<linearGradient", "soma\u00a0&lt;1"},
			"xy",
		},
		"a drawing program's": {
			`<div><svg xmlns:inkscape="http://i" inkscape:version="1"><inkscape:note>soma</inkscape:note><defs><path id="a" d="M0 0h9"/></defs><use xlink:href="#a" inkscape:x="1"/></svg></div>`,
			[]string{`xlink:href="#a"`},
			"",
		},
		"an empty line in it":        {"a\n\n<svg>\n<rect width=\"9\" height=\"9\"/>\n\n<text>soma</text>\n\n</svg>\n\nb", []string{"<rect", "<text>soma</text>"}, "a b"},
		"HTML in it":                 {`<svg><foreignObject width="9" height="9"><div>soma</div></foreignObject></svg>`, []string{`<div xmlns="http://www.w3.org/1999/xhtml">soma</div>`}, ""},
		"one in another":             {`<svg><svg x="1"><rect/></svg><text>axon</text></svg>z`, []string{"axon"}, "z"},
		"no end":                     {`<div><svg><text>soma</text></div><p>behind</p><svg><text>axon</text><p>last</p>`, []string{"<text>"}, "behind last"},
		"symbols and what uses them": {`<svg><defs><symbol id="i"><title>soma</title><path d="M0 0"/></symbol></defs></svg><svg class="icon"><use xlink:href="#i"></use></svg>word`, nil, "word"},
		"entities":                   {`<svg><!DOCTYPE x [<!ENTITY e "axon">]><text>&e;</text></svg>`, []string{"&amp;e;"}, ""},
		"a script":                   {`<svg onload="x()"><script>soma</script><rect onclick="x()"/></svg>`, []string{"<rect></rect>"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, source := range map[string]string{"HTML": withOutputs(shows("text/html", c.source)), "Markdown": inMarkdown(c.source)} {
				document := render(t, renderer, source)
				checkSafe(t, document.HTML)
				drawings := drawingsIn(t, document.HTML)
				if (len(drawings) == 0) != (c.shown == nil) {
					t.Errorf("%s: %d drawings: %s", kind, len(drawings), document.HTML)
				}
				for _, drawing := range drawings {
					for _, part := range c.shown {
						if !strings.Contains(drawing, part) {
							t.Errorf("%s: no %s in %s", kind, part, drawing)
						}
					}
					if strings.Contains(drawing, "x()") || strings.Contains(drawing, "inkscape") || strings.Contains(drawing, "script") {
						t.Errorf("%s: %s", kind, drawing)
					}
				}
				_, made, _ := strings.Cut(string(document.HTML), `class="result">`)
				if kind == "Markdown" {
					made = string(document.HTML)
				}
				if beside := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(made, " ")), " "); strings.ReplaceAll(beside, " ", "") != strings.ReplaceAll(c.beside, " ", "") {
					t.Errorf("%s: %q is beside the drawing", kind, beside)
				}
			}
		})
	}
	large := render(t, renderer, withOutputs(shows("text/html", "<p>a</p><svg><path d='"+strings.Repeat("M0 0 L1 1 ", 60_000)+"'/></svg><p>b</p>")))
	if len(drawingsIn(t, large.HTML)) != 1 || !strings.Contains(string(large.HTML), "<p>b</p>") {
		t.Errorf("a large drawing: %.300s", large.HTML)
	}
	for name, source := range map[string]string{
		"too large": "<svg><text>" + strings.Repeat("soma ", drawingBytes/5) + "</text></svg>", "too deep": strings.Repeat("<svg><g>", 400) + "soma",
	} {
		made := string(render(t, renderer, withOutputs(shows("text/html", source))).HTML)
		if !strings.Contains(made, `<span class="absent">Drawing: it is a drawing`) || strings.Contains(made, "soma") {
			t.Errorf("%s: %.300s", name, made)
		}
	}
}

// TestManyDrawings: the number of drawings is bounded, and so is the search for their ends.
func TestManyDrawings(t *testing.T) {
	renderer := newRenderer(t)
	for name, source := range map[string]string{
		"drawings": strings.Repeat("<svg><rect/></svg>", 5_000), "starts": strings.Repeat("<svg><div>", 20_000), "ends": strings.Repeat("</svg>", 20_000),
		"starts of others": strings.Repeat("<svg><rect><div><svg>", 10_000),
	} {
		document := render(t, renderer, withOutputs(shows("text/html", source)))
		if made := strings.Count(string(document.HTML), "<img "); made > drawingsKept {
			t.Errorf("%s: %d", name, made)
		}
	}
}

// TestWhatCannotPlayIsSaid: in the place of what plays or is drawn by a script there is a sentence, and no words of it.
func TestWhatCannotPlayIsSaid(t *testing.T) {
	renderer := newRenderer(t)
	const object = "&lt;IPython.core.display.HTML object&gt;"
	for name, c := range map[string]struct {
		html    string
		says    string
		without string
	}{
		"a video":               {`<video width="40" height="20" controls autoplay loop><source type="video/mp4" src="data:video/mp4;base64,AAAAIGZ0eXBtcDQy"></video>`, "A video is left out here.</span>", object},
		"a sound":               {"\n <audio controls=\"controls\"><source src=\"data:audio/wav;base64,UklGRiQAAABXQVZF\" type=\"audio/wav\" />Your browser does not support the audio element.</audio>", "A sound is left out here.</span>", "browser"},
		"a video on the web":    {`<p>a</p><VIDEO src=https://example.org/a.mp4>Fallback</VIDEO><p>b</p>`, "A video is left out here (https://example.org/a.mp4).</span><p>b</p>", "Fallback"},
		"a canvas":              {`<canvas id="c" width="20" height="20">Fallback</canvas><script>draw()</script>`, "A drawing that a script makes is left out here.</span>", "Fallback"},
		"an object":             {`<object data="https://example.org/a.pdf" type="application/pdf"><p>Fallback</p></object>`, "An embedded object is left out here (https://example.org/a.pdf).</span>", "Fallback"},
		"an embedded file":      {`<embed src="https://example.org/a.swf">b`, "An embedded object is left out here (https://example.org/a.swf).</span>b", object},
		"places for a script":   {"\n<div class=\"bk-root\"><div class=\"bk-plotdiv\" id=\"x1\"></div></div><script type=\"text/javascript\">(function(){})();</script>", "made by a script, which needs a running session", "function"},
		"a place with a style":  {`<div id="abc" style="height:100px"></div><style>#abc { color: red }</style><SCRIPT>draw()</SCRIPT>`, "made by a script, which needs a running session", "draw"},
		"a title of a plot":     {`<p>Figure 1</p><div id="vis"></div><script>vega()</script>`, "A script would draw more", "vega"},
		"a table with a script": {`<table id="t"><tr><td>1</td></tr></table><script>sort()</script>`, "<td>1</td>", "script"},
	} {
		t.Run(name, func(t *testing.T) {
			document := render(t, renderer, withOutputs(map[string]any{"output_type": "display_data", "data": map[string]any{"text/html": c.html, "text/plain": "<IPython.core.display.HTML object>"}}))
			checkSafe(t, document.HTML)
			if made := string(document.HTML); !strings.Contains(made, c.says) || strings.Contains(made, c.without) {
				t.Errorf("%s", made)
			}
		})
	}
	document := render(t, renderer, withOutputs(shows("text/html", `<div id="abc"></div><script>draw()</script>`)))
	if !strings.Contains(string(document.HTML), "made by a script, which can be seen only in a running session") {
		t.Errorf("nothing else: %s", document.HTML)
	}
	document = render(t, renderer, inMarkdown("See\n\n<iframe src=\"https://example.org/v\" width=\"9\">Fallback</iframe>\n\nand <video controls>words</video> end"))
	checkSafe(t, document.HTML)
	if made := string(document.HTML); !strings.Contains(made, "An embedded page is left out here (https://example.org/v).") || !strings.Contains(made, "A video is left out here.</span> end") || strings.Contains(made, "Fallback") {
		t.Errorf("a text: %s", made)
	}
}
