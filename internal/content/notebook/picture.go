package notebook

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"cairn/internal/foundation/humanize"

	"cairn/internal/content/nbformat"
	"cairn/internal/content/raster"
	"cairn/internal/foundation/fault"
)

// attachments are the pictures attached to a Markdown cell, by name and then by MIME type.
type attachments map[string]json.RawMessage

// pictureBytes is the size of the largest picture that is shown, decoded.
const pictureBytes = 8_000_000

// pictureTypes are the types of pictures, the best first.
var pictureTypes = []string{"image/svg+xml", "image/png", "image/jpeg", "image/webp", "image/gif"}

// writeImage writes the target of an <img>: a picture from the notebook or its repository, a link to an external one (which
// isn't fetched until somebody clicks), or its name.
func (p *page) writeImage(source, alt, dimensions string, attachments attachments, inLink bool) {
	name := cmp.Or(alt, "picture")
	scheme, rest, _ := strings.Cut(strings.TrimSpace(source), ":")
	switch strings.ToLower(scheme) {
	case "data":
		data, err := dataPicture(rest)
		p.writePicture(data, err, name, dimensions)
		return
	case "attachment":
		data, err := attachments.picture(rest)
		p.writePicture(data, err, name, dimensions)
		return
	}
	if address, ok := webAddress(source); ok {
		p.note("Pictures at other web addresses are shown as links, so that reading this doesn't contact other servers.")
		if host, err := url.Parse(address); err == nil && host.Host != "" {
			name += " (picture at " + host.Host + ")"
		}
		if !inLink {
			p.out.WriteString(openLink(address, "") + escape(name) + "</a>")
			return
		}
		p.out.WriteString(escape(name))
		return
	}
	if file, _, ok := p.fileOf(source); ok && file != "" {
		fmt.Fprintf(&p.out, `<img src="%s" alt="%s"%s loading="lazy">`, escape(waitingFor(file, "")), escape(name), dimensions)
		return
	}
	if p.path == "" {
		p.note("Pictures that are stored next to the notebook, not in it, are shown by name.")
	} else {
		p.note("Pictures that aren't in the notebook's repository are shown by name.")
	}
	p.out.WriteString(`<span class="absent">` + escape(name+" ("+label(source)+", not in the notebook)") + "</span>")
}

// writePicture writes a checked picture, or why it can't be shown.
func (p *page) writePicture(data string, err error, alt, dimensions string) {
	p.out.WriteString(pictureHTML(data, err, alt, dimensions))
}

// dimensionsIn returns the width and height that an output's metadata have for one of its forms, or for all, as attributes.
func dimensionsIn(metadata json.RawMessage, mime string) string {
	var dimensions strings.Builder
	for _, name := range []string{"width", "height"} {
		for _, place := range []json.RawMessage{fieldsOf(metadata)[mime], metadata} {
			value := strings.Trim(string(fieldsOf(place)[name]), `"`)
			if number, err := strconv.ParseFloat(strings.TrimSuffix(value, "px"), 64); err == nil && number >= 1 && number < 10_000 {
				fmt.Fprintf(&dimensions, ` %s="%d"`, name, int(number))
				break
			}
		}
	}
	return dimensions.String()
}

func pictureHTML(data string, err error, alt, dimensions string) string {
	if err != nil {
		return `<span class="absent">` + escape(alt+": it "+fault.MessageOf(err)) + "</span>"
	}
	return fmt.Sprintf(`<img src="%s" alt="%s"%s>`, data, escape(alt), dimensions)
}

// picture returns an attachment as a data: address.
func (a attachments) picture(name string) (string, error) {
	if decoded, err := url.PathUnescape(name); err == nil && a[name] == nil {
		name = decoded
	}
	var types map[string]nbformat.Text
	if err := json.Unmarshal(a[name], &types); err != nil {
		return "", fault.Wrap(err, fault.Invalid, "is not among the cell's attachments.")
	}
	for _, mime := range pictureTypes {
		if content, ok := types[mime]; ok {
			return pictureOf(mime, string(content))
		}
	}
	return "", fault.New(fault.Invalid, "is an attachment, but not a picture.")
}

// dataPicture parses the part after "data:" in an address.
func dataPicture(rest string) (string, error) {
	kind, content, _ := strings.Cut(rest, ",")
	kind, encoded := strings.CutSuffix(strings.ToLower(kind), ";base64")
	mime, _, _ := strings.Cut(kind, ";")
	if encoded {
		if mime == "image/svg+xml" {
			drawing, err := decodeBase64(content)
			if err != nil {
				return "", err
			}
			return drawingOf(drawing)
		}
		return pictureOf(mime, content)
	}
	drawing, err := url.PathUnescape(content)
	if err != nil || mime != "image/svg+xml" {
		return "", fault.New(fault.Invalid, "isn't a picture that can be shown.")
	}
	return drawingOf([]byte(drawing))
}

// pictureOf checks a picture of an output or attachment and returns it as a data: address: SVG as text, others in
// base64. The type is detected from the content.
func pictureOf(mime, content string) (string, error) {
	if mime == "image/svg+xml" {
		return drawingOf([]byte(content))
	}
	if len(content) > pictureBytes*4/3 {
		return "", fault.New(fault.TooLarge, "is larger than %s.", humanize.Bytes(pictureBytes))
	}
	picture, err := decodeBase64(content)
	if err != nil {
		return "", err
	}
	format, err := raster.Check(picture)
	if err != nil {
		return "", err
	}
	return "data:" + raster.Kinds()[format].MIME + ";base64," + base64.StdEncoding.EncodeToString(picture), nil
}

// decodeBase64 decodes base64 as programs write it: with line breaks, with or without padding.
func decodeBase64(content string) ([]byte, error) {
	if strings.ContainsAny(content, " \t\r\n") {
		content = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "").Replace(content)
	}
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(content, "="))
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "is damaged: it isn't base64.")
	}
	return decoded, nil
}

// FirstPicture returns the first PNG or JPEG that the code of a notebook made and that a caller accepts; nil if there is
// none, or if the source isn't a notebook.
func FirstPicture(source []byte, accepts func([]byte) bool) []byte {
	f, err := read(source)
	if err != nil {
		return nil
	}
	for _, raw := range f.cells {
		cell, err := readCell(raw)
		if err != nil || cell.Type != "code" {
			continue
		}
		for _, output := range cell.Outputs {
			for _, mime := range []string{"image/png", "image/jpeg"} {
				var content nbformat.Text
				if raw, ok := output.Data[mime]; !ok || content.UnmarshalJSON(raw) != nil || len(content) > pictureBytes*4/3 {
					continue
				}
				if picture, err := decodeBase64(string(content)); err == nil && accepts(picture) {
					return picture
				}
			}
		}
	}
	return nil
}
