package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cairn/internal/foundation/humanize"

	"cairn/internal/content/nbformat"
)

// Limits for the outputs of one cell together.
const (
	cellOutputs = 500
	cellBytes   = 12_000_000 // of HTML, mostly pictures
)

// writeOutputs writes the outputs of a cell; consecutive pieces of one stream are joined.
func (p *page) writeOutputs(outputs []output) {
	begin, written := p.out.Len(), 0
	name, said := "", []string{}
	missing := ""
	flush := func() {
		if len(said) > 0 {
			p.writeStream(name, strings.Join(said, ""))
			said = said[:0]
			written++
		}
	}
	for i, output := range outputs {
		if written >= cellOutputs || p.out.Len()-begin > cellBytes {
			said = nil
			p.beginOutput("")
			p.writeNote("%s more outputs of this cell are left out here.", grouped(len(outputs)-i))
			p.endOutput()
			break
		}
		if output.Type == "stream" {
			if output.Name != name {
				flush()
			}
			name, said = output.Name, append(said, string(output.Text))
			continue
		}
		flush()
		written++
		before := p.out.Len()
		switch program := p.writeOutput(output); {
		case program != "" && program == missing:
			p.out.Truncate(before) // such figures come in pieces; one note is enough
		default:
			missing = program
		}
	}
	flush()
}

func (p *page) beginOutput(prompt string) {
	fmt.Fprintf(&p.out, `<div class="output"><div class="prompt">%s</div><div class="result">`, prompt)
}

func (p *page) endOutput() { p.out.WriteString("</div></div>\n") }

func (p *page) writeStream(name, said string) {
	if said == "" {
		return
	}
	p.beginOutput("")
	if name == "stderr" {
		p.writeTerminal("Messages", "plain messages", said)
	} else {
		p.writePlain("Output", said)
	}
	p.endOutput()
}

// writeOutput returns what writeData returns.
func (p *page) writeOutput(output output) (missing string) {
	prompt := ""
	if output.Type == "execute_result" && output.ExecutionCount != nil {
		prompt = fmt.Sprintf("Out [%d]", *output.ExecutionCount)
	}
	p.beginOutput(prompt)
	switch output.Type {
	case "error":
		trace := strings.Join(output.Traceback, "\n")
		if strings.TrimSpace(trace) == "" {
			trace = strings.TrimSpace(output.ErrorName + ": " + output.ErrorValue)
		}
		p.writeTerminal("Error", "plain messages", trace)
	case "display_data", "execute_result", "update_display_data":
		missing = p.writeData(output.Data, output.Metadata)
	default:
		p.writeNote("An output of an unknown type is left out.")
	}
	p.endOutput()
	return missing
}

// richer are the data types that are shown, the richest first. Output that needs a program in the page is shown as a
// picture rather than as HTML, which is often empty without that program.
var (
	richer       = []string{"text/html", "text/markdown", "text/latex", "image/svg+xml", "image/png", "image/jpeg", "image/webp", "image/gif", "application/json", "application/geo+json", "text/plain"}
	picturesLast = []string{"image/svg+xml", "image/png", "image/jpeg", "image/webp", "image/gif", "text/html", "text/markdown", "text/latex", "text/plain"}
	// interactive are outputs drawn by a program in the page, by the beginning of their type.
	interactive = []struct{ begin, name string }{
		{"application/vnd.jupyter.widget-", "a widget"},
		{"application/vnd.plotly.", "an interactive Plotly figure"},
		{"application/vnd.bokehjs_", "an interactive Bokeh figure"},
		{"application/vnd.holoviews_", "an interactive HoloViews figure"},
		{"application/vnd.vega", "an interactive Vega figure"},
		{"application/javascript", "made by a script"},
		{"text/javascript", "made by a script"},
	}
	embeds = regexp.MustCompile(`(?i)<iframe[\s>]`)
	script = regexp.MustCompile(`(?i)<script[\s>]`)
	// emptyPlace is an element into which a script is likely to draw.
	emptyPlace = regexp.MustCompile(`(?i)<(div|span|figure|canvas|svg)\s[^>]*\bid=[^>]*>\s*</`)
)

// writeData writes the richest form of an output that has something to show. It returns what would draw the output if
// nothing but a note of that is shown, or "".
func (p *page) writeData(data map[string]json.RawMessage, metadata json.RawMessage) (missing string) {
	order, program, drawn := richer, "", false
	for _, one := range interactive {
		for mime := range data {
			if program == "" && strings.HasPrefix(mime, one.begin) {
				order, program = picturesLast, one.name
			}
		}
	}
	embedded := program == "" && embeds.Match(data["text/html"])
	if embedded {
		order, program = picturesLast, "an embedded page, such as a map"
	}
	if source := textOfForm(data["text/html"]); program == "" && script.MatchString(source) {
		before, notes := p.out.Len(), len(p.notes)
		visible := p.writeHTML(source)
		switch {
		case !visible:
			p.out.Truncate(before)
			p.notes = p.notes[:notes]
			order, program, drawn = picturesLast, "made by a script", true
		case emptyPlace.MatchString(source):
			p.writeNote("A script would draw more in this output, which can be seen only in a running session.")
			return ""
		default:
			return ""
		}
	}
	shown := slices.ContainsFunc(order, func(mime string) bool {
		raw, ok := data[mime]
		return ok && (!embedded && !drawn || mime != "text/html") && p.writeForm(mime, raw, metadata)
	})
	switch {
	case program != "" && shown:
		p.writeNote("This output is %s, which needs a running session; what is shown here is its fallback.", program)
	case program != "":
		p.writeNote("This output is %s, which can be seen only in a running session.", program)
		return program
	case !shown && len(data) > 0:
		types := []string{}
		for mime := range data {
			types = append(types, label(mime))
		}
		slices.Sort(types)
		p.writeNote("This output is of a type that cannot be shown here (%s).", label(strings.Join(types, ", ")))
	}
	return ""
}

// textOfForm returns a form of an output as text; "" for anything else.
func textOfForm(raw json.RawMessage) string {
	var content nbformat.Text
	_ = content.UnmarshalJSON(raw)
	return string(content)
}

// writeForm writes one form of an output; it returns false and writes nothing if there is nothing to show.
func (p *page) writeForm(mime string, raw, metadata json.RawMessage) bool {
	if strings.HasSuffix(mime, "json") {
		p.writeJSON(raw)
		return true
	}
	var content nbformat.Text
	if err := content.UnmarshalJSON(raw); err != nil || strings.TrimSpace(string(content)) == "" {
		return false
	}
	before := p.out.Len()
	shown := true
	switch {
	case mime == "text/html":
		shown = p.writeHTML(string(content))
	case mime == "text/markdown":
		p.writeMarkdown(string(content), nil)
	case mime == "text/latex":
		p.writeLatex(string(content))
	case strings.HasPrefix(mime, "image/"):
		picture, err := pictureOf(mime, string(content))
		p.writePicture(picture, err, "Picture made by the code", dimensionsIn(metadata, mime))
	default:
		p.writePlain("Output", string(content))
	}
	if !shown {
		p.out.Truncate(before)
	}
	return shown
}

// Limits of HTML.
const (
	htmlBytes    = 400_000 // without the pictures in it; the rest is left out
	htmlPictures = 6_000_000
)

var pictureInHTML = regexp.MustCompile(`data:image/[a-z+]+;base64,[A-Za-z0-9+/=]*`)

func (p *page) writeHTML(source string) (visible bool) {
	source, left := p.holdMedia(source), 0 // before anything is cut off: drawings are large and have a limit of their own
	if len(source) > htmlBytes && (len(source) > htmlPictures || len(pictureInHTML.ReplaceAllString(source, "")) > htmlBytes) {
		end := htmlBytes
		for _, mark := range []string{"</tr>", "</p>", ">", " "} {
			if at := strings.LastIndex(source[:htmlBytes], mark); at > htmlBytes/2 {
				end = at + len(mark)
				break
			}
		}
		left = len(source) - end
		source = strings.ToValidUTF8(source[:end], "")
	}
	visible = p.sanitize(source, nil)
	if left > 0 {
		p.writeNote("%s more are left out here.", humanize.Bytes(int64(left)))
	}
	return visible
}

// writeLatex writes an output in TeX: formulas with text between them, or only a formula.
func (p *page) writeLatex(source string) {
	if len(source) > 10*formulaBytes {
		p.writePlain("Output", source)
		return
	}
	p.out.WriteString(`<div class="latex">`)
	splitTex(source, func(plain string) { p.out.WriteString(escape(plain)) }, func(found tex, written string) {
		p.out.WriteString(p.formula(found.source, written, found.display))
	})
	p.out.WriteString("</div>")
}

// jsonDepth is how deep JSON is indented; deeper JSON would be mostly spaces.
const jsonDepth = 32

func (p *page) writeJSON(raw json.RawMessage) {
	var indented bytes.Buffer
	if depth(raw) > jsonDepth || len(raw) > 2*plainBytes || json.Indent(&indented, raw, "", "  ") != nil {
		p.writePlain("JSON", string(raw))
		return
	}
	p.writePlain("JSON", indented.String())
}

// depth returns how deep JSON is nested; brackets in its texts may count too.
func depth(raw []byte) int {
	deepest, now := 0, 0
	for _, c := range raw {
		switch c {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}
