package comparator

import "strings"

// readOutputs reads the outputs of either format. All texts of a stream are one, wherever its pieces are: when a
// notebook was stored decides where a stream is cut, and often also what is displayed between its pieces.
func (c *cell) readOutputs(outputs value, limits *budget) {
	stdout, stderr, rest := newKeeper(textBytes), newKeeper(textBytes), newKeeper(0)
	c.stdout.index, c.stderr.index = -1, -1
	index := -1
	for part := range outputs.elements() {
		index++
		switch kind := short(part.member("output_type")); kind {
		case "stream":
			to, place := stdout, &c.stdout.index
			if name := short(part.member("name")) + short(part.member("stream")); name == "stderr" {
				to, place = stderr, &c.stderr.index
			}
			if *place < 0 {
				*place = index
			}
			part.member("text").write(to)
		case "error", "pyerr":
			if c.failure == nil {
				message := newKeeper(textBytes)
				part.member("evalue").write(message)
				c.failure = &failure{index, short(part.member("ename")), message.content(limits)}
			}
		case "display_data", "execute_result", "pyout", "update_display_data":
			if limits.outputs == 0 || len(c.shown) == cellOutputs {
				_, _ = rest.Write(part)
				continue
			}
			limits.outputs--
			c.shown = append(c.shown, readOutput(index, part, limits))
		default:
			_, _ = rest.Write(part)
		}
	}
	c.stdout.content, c.stderr.content, c.rest = stdout.content(limits), stderr.content(limits), rest.content(limits)
}

// shortNames are those that format 3 has for MIME types, beside the other members of an output.
var shortNames = map[string]string{
	"text": "text/plain", "html": "text/html", "svg": "image/svg+xml", "png": "image/png", "jpeg": "image/jpeg",
	"latex": "text/latex", "json": "application/json", "javascript": "application/javascript",
}

func readOutput(index int, part value, limits *budget) *output {
	o := &output{index: index, forms: map[string]content{}}
	keep := func(mime string, form value) {
		if len(o.forms) < outputForms && len(mime) <= nameBytes {
			o.forms[mime] = readForm(mime, form, limits)
		}
	}
	data := part.member("data")
	for mime, form := range data.members() {
		keep(mime, form)
	}
	if data == nil {
		for name, form := range part.members() {
			if mime, ok := shortNames[name]; ok {
				keep(mime, form)
			}
		}
	}
	return o
}

func readForm(mime string, form value, limits *budget) content {
	switch kind := kindOf(mime); {
	case kind == picture || kind == binary && strings.HasPrefix(mime, "image/"):
		kept := newKeeper(pictureBytes)
		form.write(unspaced{kept})
		return kept.content(limits)
	case kind == values && form.begins() != '"': // format 3 has JSON in a text
		kept := newKeeper(textBytes)
		_, _ = kept.Write(form)
		return kept.content(limits)
	default:
		kept := newKeeper(textBytes)
		form.write(kept)
		return kept.content(limits)
	}
}

// kind is how a form is compared.
type kind int

const (
	binary  kind = iota // byte for byte
	plain               // text, line by line
	markup              // HTML
	drawing             // SVG
	values              // JSON
	picture             // PNG, JPEG
)

func kindOf(mime string) kind {
	switch {
	case mime == "image/png", mime == "image/jpeg":
		return picture
	case mime == "text/html":
		return markup
	case mime == "image/svg+xml":
		return drawing
	case mime == "application/json", strings.HasSuffix(mime, "+json"):
		return values
	case strings.HasPrefix(mime, "text/"), mime == "application/javascript":
		return plain
	}
	return binary
}

// richness orders forms: the richest one that both outputs have is compared. Widgets and Bokeh's programs come last,
// because their JSON says only which number a program of the page has given them.
func richness(mime string) int {
	switch kind := kindOf(mime); {
	case strings.HasPrefix(mime, "application/vnd.jupyter.widget-"), strings.HasPrefix(mime, "application/vnd.bokehjs_"),
		strings.HasPrefix(mime, "application/vnd.holoviews_"):
		return 0
	case kind == values:
		return 9
	case mime == "image/svg+xml":
		return 8
	case kind == picture:
		return 7
	case strings.HasPrefix(mime, "image/"):
		return 6
	case mime == "text/html":
		return 5
	case mime == "text/markdown":
		return 4
	case mime == "text/latex":
		return 3
	case mime == "text/plain":
		return 1
	}
	return 2
}

// richest returns the richest form that both outputs have; "" if there is none.
func richest(a, b *output) string {
	best := ""
	for mime := range a.forms {
		if _, ok := b.forms[mime]; ok && (best == "" || richness(mime) > richness(best) || richness(mime) == richness(best) && mime < best) {
			best = mime
		}
	}
	return best
}

// best returns the richest form of an output.
func (o *output) best() string { return richest(o, o) }

// pictured reports whether an output has a picture.
func (o *output) pictured() bool {
	for mime := range o.forms {
		if strings.HasPrefix(mime, "image/") {
			return true
		}
	}
	return false
}
