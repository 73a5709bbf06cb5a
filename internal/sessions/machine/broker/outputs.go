package broker

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cairn/internal/foundation/humanize"
)

// output is one of a cell, as https://nbformat.readthedocs.io/en/stable/format_description.html has it.
type output struct {
	kind    string // stream, display_data, execute_result or error
	name    string // of a stream
	head    string // of a stream's text: its beginning, and
	tail    strings.Builder
	dropped int            // how many bytes were between the two
	fields  map[string]any // of the others
	display string         // the id by which later messages change it; "": they can't
	size    int            // bytes
}

const (
	overhead   = 200      // bytes that an output takes besides what is in it
	streamHead = 64 << 10 // bytes of the beginning of a stream that are kept whatever follows
	streamTail = 1 << 20  // and of its end; up to twice that
	thinTail   = 4 << 10  // of its end where there is no room
)

// write adds to the text of a stream.
func (o *output) write(text string) {
	if room := streamHead - len(o.head); o.dropped == 0 && o.tail.Len() == 0 && room > 0 {
		part := beginning(text, room)
		o.head += part
		if text = text[len(part):]; text == "" {
			o.size = overhead + len(o.head)
			return
		}
	}
	o.tail.WriteString(text)
	if o.tail.Len() > 2*streamTail {
		o.keepEnd(streamTail)
	}
	o.size = overhead + len(o.head) + o.tail.Len()
}

// keepEnd drops all but so many bytes of the end of a stream.
func (o *output) keepEnd(most int) {
	all := o.tail.String()
	if len(all) <= most {
		return
	}
	end := all[len(all)-most:]
	for end != "" && !utf8.RuneStart(end[0]) {
		end = end[1:]
	}
	if _, after, found := strings.Cut(end, "\n"); found {
		end = after
	}
	o.dropped += len(all) - len(end)
	o.tail.Reset()
	o.tail.WriteString(end)
	o.size = overhead + len(o.head) + o.tail.Len()
}

// json returns the output as notebooks store it.
func (o *output) json() map[string]any {
	if o.kind != "stream" {
		return o.fields
	}
	text := o.head + o.tail.String()
	if o.dropped > 0 {
		text = o.head + fmt.Sprintf("\n[%s of output were left out here.]\n", humanize.Bytes(int64(o.dropped))) + o.tail.String()
	}
	return map[string]any{"output_type": "stream", "name": o.name, "text": text}
}

// cell is what a cell shows.
type cell struct {
	outputs []*output
	waiting bool // the next output replaces the others
}

// displays are the outputs of a kernel that later messages may change, by their id.
type displays map[string][]*output

// apply changes what a cell shows as a message of its kernel says.
func (d displays) apply(c *cell, kind string, content json.RawMessage) error {
	var said struct {
		Name, Text string
		Wait       bool
		Data       map[string]any
		Metadata   map[string]any
		Count      *int     `json:"execution_count"`
		Ename      string   `json:"ename"`
		Evalue     string   `json:"evalue"`
		Traceback  []string `json:"traceback"`
		Transient  struct {
			ID string `json:"display_id"`
		}
	}
	if err := json.Unmarshal(content, &said); err != nil {
		return fmt.Errorf("%w: %w", errMalformed, err)
	}
	if said.Data == nil {
		said.Data = map[string]any{}
	}
	if said.Metadata == nil {
		said.Metadata = map[string]any{}
	}
	made := &output{kind: kind, display: said.Transient.ID, size: overhead + len(content)}
	switch kind {
	case "clear_output":
		if c.waiting = said.Wait; !said.Wait {
			d.clear(c)
		}
		return nil
	case "stream":
		if said.Text == "" {
			return nil
		}
		d.clearIfWaiting(c)
		if last := len(c.outputs) - 1; last < 0 || c.outputs[last].kind != kind || c.outputs[last].name != said.Name {
			c.outputs = append(c.outputs, &output{kind: kind, name: said.Name, size: overhead})
			d.limit(c)
		}
		c.outputs[len(c.outputs)-1].write(said.Text)
		return nil
	case "update_display_data":
		for _, one := range d[made.display] {
			one.fields["data"], one.fields["metadata"], one.size = said.Data, said.Metadata, made.size
		}
		return nil
	case "error":
		made.fields = map[string]any{"output_type": kind, "ename": said.Ename, "evalue": said.Evalue, "traceback": append([]string{}, said.Traceback...)}
	case "execute_result":
		made.fields = map[string]any{"output_type": kind, "data": said.Data, "metadata": said.Metadata, "execution_count": said.Count}
	case "display_data":
		made.fields = map[string]any{"output_type": kind, "data": said.Data, "metadata": said.Metadata}
	default:
		return nil
	}
	d.clearIfWaiting(c)
	c.outputs = append(c.outputs, made)
	if made.display != "" && kind != "error" {
		d[made.display] = append(d[made.display], made)
	}
	d.limit(c)
	return nil
}

// outputsKept is how many outputs of a cell are kept, or up to twice as many: the first and the last.
const outputsKept = 1000

// limit leaves out what is in the middle of a cell with too many outputs.
func (d displays) limit(c *cell) {
	if len(c.outputs) <= 2*outputsKept {
		return
	}
	const half = outputsKept / 2
	left := &output{kind: "stream", name: "stderr", size: overhead}
	for _, one := range c.outputs[half : len(c.outputs)-half] {
		d.forget(one)
		left.dropped += one.size + one.dropped
	}
	c.outputs = slices.Concat(c.outputs[:half], []*output{left}, c.outputs[len(c.outputs)-half:])
}

func (d displays) clearIfWaiting(c *cell) {
	if c.waiting {
		d.clear(c)
	}
}

// clear empties a cell.
func (d displays) clear(c *cell) {
	for _, one := range c.outputs {
		d.forget(one)
	}
	c.outputs, c.waiting = nil, false
}

// forget has later messages no longer change an output.
func (d displays) forget(one *output) {
	if one.display == "" {
		return
	}
	d[one.display] = slices.DeleteFunc(d[one.display], func(other *output) bool { return other == one })
	if len(d[one.display]) == 0 {
		delete(d, one.display)
	}
}

// size is how many bytes a cell keeps.
func (c *cell) size() (size int) {
	for _, one := range c.outputs {
		size += one.size
	}
	return size
}

// thin makes what a cell keeps smaller by so many bytes, if it can: first of its streams, and where that isn't enough, of the rest.
func (c *cell) thin(d displays, excess int, streamsOnly bool) (saved int) {
	for _, one := range c.outputs {
		if saved >= excess {
			return saved
		}
		before := one.size
		switch {
		case one.kind == "stream":
			one.shorten()
		case !streamsOnly && before > 2*overhead && one.kind != "error":
			d.forget(one)
			*one = output{kind: "stream", name: "stderr", dropped: before, size: overhead}
		}
		saved += before - one.size
	}
	return saved
}

// shorten keeps the beginning and the end of a stream.
func (o *output) shorten() {
	if len(o.head)+o.tail.Len() <= 2*thinTail {
		return
	}
	if len(o.head) > thinTail {
		rest := o.head[len(beginning(o.head, thinTail)):]
		o.head = o.head[:len(o.head)-len(rest)]
		if o.dropped == 0 && o.tail.Len() < thinTail {
			all := rest + o.tail.String()
			o.tail.Reset()
			o.tail.WriteString(all)
		} else {
			o.dropped += len(rest)
		}
	}
	o.keepEnd(thinTail)
	o.size = overhead + len(o.head) + o.tail.Len()
}

// beginning returns the beginning of a text, at most so many bytes.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
