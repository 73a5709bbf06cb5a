package executor

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"cairn/internal/foundation/humanize"

	"cairn/internal/content/nbformat"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// output is an output of a cell.
type output struct {
	cell    *cell
	kind    string          // stream, display_data, execute_result or error
	name    string          // of the stream, or of the exception
	text    strings.Builder // of the stream
	value   string          // of the exception
	trace   []string        // of the exception
	data    object          // by media type
	about   object          // metadata of data
	count   json.RawMessage // of a result: null, or the number of the execution
	display string          // the id by which a later message may change it; may be empty
	size    int64           // bytes that count as kept
}

func (o *output) fields() map[string]any {
	fields := map[string]any{"output_type": o.kind}
	switch o.kind {
	case "stream":
		fields["name"], fields["text"] = o.name, o.text.String()
	case "error":
		fields["ename"], fields["evalue"], fields["traceback"] = o.name, o.value, o.trace
	case "execute_result":
		fields["execution_count"] = o.count
		fallthrough
	default:
		fields["data"], fields["metadata"] = o.data, o.about
	}
	return fields
}

const (
	overhead   = 100      // bytes that an output counts in addition to what is in it
	errorLimit = 64 << 10 // bytes of an exception that are kept in addition to a cell's limit
)

// outputMessage has the contents of all messages that make outputs.
type outputMessage struct {
	Name      string
	Text      string
	ErrorName string          `json:"ename"`
	Value     string          `json:"evalue"`
	Trace     []string        `json:"traceback"`
	Data      object          `json:"data"`
	About     json.RawMessage `json:"metadata"`
	Count     *int            `json:"execution_count"`
	Wait      bool
	Transient struct {
		Display string `json:"display_id"`
	}
}

// outputs are those of all cells of a run, within its limits.
type outputs struct {
	cellLimit, limit int64
	kept             int64
	displays         map[string][]*output // by display id
	looks            int                  // at outputs with the display id of a message, beyond what the messages paid for
}

// Many outputs may have one display id, and a message with it looks at each. Each message pays for some of these looks, so
// that all of them together cost what the kernel sent, not its square; what is used beyond that has a limit.
const (
	looksEach = 16 // of a message
	looksMost = 1 << 20
)

// look counts looks at outputs with one display id. Its error is a stop: there were too many.
func (o *outputs) look(count int) error {
	if o.looks += count; o.looks > looksMost {
		return stopped(OutputLimit, "The cells change outputs that share a display id too often.")
	}
	return nil
}

// apply changes a cell's outputs as a message says. An error is ErrMalformed, or a stop the first time that all outputs
// together are too large.
func (o *outputs) apply(c *cell, message jupyterkernel.Message) error {
	var content outputMessage
	if err := json.Unmarshal(message.Content, &content); err != nil {
		return fmt.Errorf("%w: %w", jupyterkernel.ErrMalformed, err)
	}
	o.looks = max(0, o.looks-looksEach)
	switch message.Type {
	case "clear_output":
		if c.waiting = content.Wait; !content.Wait {
			return o.clear(c)
		}
		return nil
	case "stream":
		return o.print(c, content.Name, content.Text)
	}
	made := &output{
		cell: c, kind: message.Type, data: content.Data, about: objectOf(content.About), display: content.Transient.Display, count: json.RawMessage("null"),
	}
	if made.kind == "error" {
		made.name, made.value, made.trace = content.ErrorName, content.Value, append([]string{}, content.Trace...)
	} else if err := cleanData(content.Data); err != nil {
		return err
	}
	if content.Count != nil {
		made.count = fmt.Append(nil, *content.Count)
	}
	made.size = sizeOf(made)
	if err := o.update(made); err != nil {
		return err
	}
	if made.kind == "update_display_data" {
		return nil
	}
	return o.add(made)
}

// anyJSON matches the media types whose data may be any JSON.
var anyJSON = regexp.MustCompile(`^application/(.*\+)?json$`)

// cleanData makes of data what the format of notebooks allows: any JSON for its media types, else texts.
func cleanData(data object) error {
	if data == nil {
		return fmt.Errorf("%w: an output has no data", jupyterkernel.ErrMalformed)
	}
	for kind, value := range data {
		if value[0] == '"' || anyJSON.MatchString(kind) {
			continue
		}
		var lines nbformat.Text
		if value[0] != '[' || json.Unmarshal(value, &lines) != nil {
			return fmt.Errorf("%w: %s isn't text", jupyterkernel.ErrMalformed, kind)
		}
		data[kind], _ = json.Marshal(lines) // a text always can be
	}
	return nil
}

func sizeOf(o *output) int64 {
	size := overhead + len(o.name) + len(o.value) + len(o.display)
	for _, line := range o.trace {
		size += len(line)
	}
	for _, fields := range []object{o.data, o.about} {
		for key, value := range fields {
			size += len(key) + len(value)
		}
	}
	return int64(size)
}

// print adds to the last output if that is the same stream. Of a text that is too long, it keeps the beginning.
func (o *outputs) print(c *cell, name, text string) error {
	if name == "" {
		return fmt.Errorf("%w: a stream has no name", jupyterkernel.ErrMalformed)
	}
	if err := o.clearIfWaiting(c); err != nil {
		return err
	}
	if c.cut || text == "" {
		return nil
	}
	room := o.remaining(c)
	if count := len(c.outputs); count == 0 || c.outputs[count-1].kind != "stream" || c.outputs[count-1].name != name {
		if room <= overhead {
			return o.cutOff(c)
		}
		o.store(&output{cell: c, kind: "stream", name: name, size: overhead})
		room -= overhead
	}
	last, part := c.outputs[len(c.outputs)-1], cutText(text, room)
	last.text.WriteString(part)
	last.size += int64(len(part))
	c.kept += int64(len(part))
	o.kept += int64(len(part))
	if part != text {
		return o.cutOff(c)
	}
	return nil
}

// add adds an output if there is room.
func (o *outputs) add(made *output) error {
	if err := o.clearIfWaiting(made.cell); err != nil {
		return err
	}
	room := o.remaining(made.cell)
	if made.kind == "error" {
		room += errorLimit
		if made.size > room { // the traceback is the longest part
			made.trace, made.value = []string{}, cutText(made.value, 1000)
			made.size = sizeOf(made)
		}
	} else if made.cell.cut {
		return nil
	}
	if made.size > room {
		return o.cutOff(made.cell)
	}
	o.store(made)
	return nil
}

// remaining is how many bytes more are kept of a cell.
func (o *outputs) remaining(c *cell) int64 { return min(o.cellLimit-c.kept, o.limit-o.kept) }

func (o *outputs) store(made *output) {
	made.cell.outputs = append(made.cell.outputs, made)
	made.cell.kept += made.size
	o.kept += made.size
	if made.display != "" {
		o.displays[made.display] = append(o.displays[made.display], made)
	}
}

// cutOff drops what follows in a cell.
func (o *outputs) cutOff(c *cell) error {
	c.cut = true
	if o.cellLimit-c.kept < o.limit-o.kept {
		return nil // there is room for other cells
	}
	return stopped(OutputLimit, "The cells print more than the %s that are kept of a notebook.", humanize.Bytes(o.limit))
}

// update changes every output with the display id of a new one, in whichever cell, if there is room.
func (o *outputs) update(made *output) error {
	if made.display == "" || made.kind == "error" {
		return nil
	}
	if err := o.look(len(o.displays[made.display])); err != nil {
		return err
	}
	for _, one := range o.displays[made.display] {
		grown := made.size - one.size
		if grown > o.remaining(one.cell) {
			one.cell.cut = true
			continue
		}
		one.data, one.about, one.size = made.data, made.about, made.size
		one.cell.kept += grown
		o.kept += grown
	}
	return nil
}

// clearIfWaiting clears the outputs if that was to wait for the next one.
func (o *outputs) clearIfWaiting(c *cell) error {
	if c.waiting {
		return o.clear(c)
	}
	return nil
}

func (o *outputs) clear(c *cell) error {
	ids := map[string]bool{}
	for _, one := range c.outputs {
		if one.display != "" {
			ids[one.display] = true
		}
	}
	o.kept -= c.kept
	c.outputs, c.kept, c.cut, c.waiting = nil, 0, false, false
	looks := 0
	for id := range ids {
		looks += len(o.displays[id])
		o.displays[id] = slices.DeleteFunc(o.displays[id], func(other *output) bool { return other.cell == c })
		if len(o.displays[id]) == 0 {
			delete(o.displays, id)
		}
	}
	return o.look(looks)
}

// cutText returns the beginning of a text, at most so many bytes.
func cutText(text string, limit int64) string {
	if int64(len(text)) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
