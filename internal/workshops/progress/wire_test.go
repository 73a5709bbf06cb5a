package progress_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"cairn/internal/workshops/progress"
)

const newSubprotocol = "v1.kernel.websocket.jupyter.org"

// fields are the members of a message's part.
type fields map[string]any

// note is one of Jupyter's messages.
type note struct {
	channel, id, kind, parent string
	metadata, content         fields
	buffers                   [][]byte
}

func encoded(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return data
}

func (n note) header() fields {
	return fields{"msg_id": n.id, "msg_type": n.kind, "username": "", "session": "s1", "date": "2026-08-20T07:00:00Z", "version": "5.4"}
}

func (n note) parentHeader() fields {
	if n.parent == "" {
		return fields{}
	}
	return note{id: n.parent, kind: "execute_request"}.header()
}

func (n note) of(part fields) fields {
	if part == nil {
		return fields{}
	}
	return part
}

// inNewForm is how JupyterLab 4 and current servers write a message.
func (n note) inNewForm() []byte {
	parts := append([][]byte{
		[]byte(n.channel), encoded(n.header()), encoded(n.parentHeader()), encoded(n.of(n.metadata)), encoded(n.of(n.content)),
	}, n.buffers...)
	at := 8 * (len(parts) + 2)
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(parts)+1))
	for _, part := range parts {
		out = binary.LittleEndian.AppendUint64(out, uint64(at))
		at += len(part)
	}
	out = binary.LittleEndian.AppendUint64(out, uint64(at))
	return append(out, bytes.Join(parts, nil)...)
}

// inOldForm is how Notebook 6 and its server write a message. The order of the members is the server's.
func (n note) inOldForm() []byte {
	text := []byte(`{"header": ` + string(encoded(n.header())) + `, "msg_id": "` + n.id + `", "msg_type": "` + n.kind + `", "parent_header": ` +
		string(encoded(n.parentHeader())) + `, "metadata": ` + string(encoded(n.of(n.metadata))) + `, "content": ` + string(encoded(n.of(n.content))) +
		`, "buffers": [], "channel": "` + n.channel + `"}`)
	if len(n.buffers) == 0 {
		return text
	}
	parts := append([][]byte{text}, n.buffers...)
	at := 4 * (len(parts) + 1)
	out := binary.BigEndian.AppendUint32(nil, uint32(len(parts)))
	for _, part := range parts {
		out = binary.BigEndian.AppendUint32(out, uint32(at))
		at += len(part)
	}
	return append(out, bytes.Join(parts, nil)...)
}

const (
	text         = 1
	binaryOpcode = 2
	final        = 0x80
)

// frameOf returns a frame of a websocket. first is its first byte.
func frameOf(first byte, masked bool, payload []byte) []byte {
	out := []byte{first, 0}
	switch length := len(payload); {
	case length < 126:
		out[1] = byte(length)
	case length < 1<<16:
		out[1] = 126
		out = binary.BigEndian.AppendUint16(out, uint16(length))
	default:
		out[1] = 127
		out = binary.BigEndian.AppendUint64(out, uint64(length))
	}
	if !masked {
		return append(out, payload...)
	}
	out[1] |= 0x80
	mask := []byte{0x37, 0xfa, 0x21, 0x3d}
	out = append(out, mask...)
	for at, one := range payload {
		out = append(out, one^mask[at%4])
	}
	return out
}

// wire is one of the ways in which messages go over a websocket.
type wire struct {
	subprotocol string
	fragment    int // bytes of a frame's payload; 0: a message is one frame
}

var wires = map[string]wire{
	"the new form":                {newSubprotocol, 0},
	"the new form, in fragments":  {newSubprotocol, 100},
	"the old form":                {"", 0},
	"the old form, in fragments":  {"", 7},
	"the old form, a byte a time": {"", 1},
}

// bytesOf returns a message's frames. Between fragments are pings, some without payload.
func (w wire) bytesOf(masked bool, n note) []byte {
	opcode, payload := byte(binaryOpcode), n.inNewForm()
	if w.subprotocol == "" {
		payload = n.inOldForm()
		if len(n.buffers) == 0 {
			opcode = text
		}
	}
	if w.fragment == 0 {
		return frameOf(final|opcode, masked, payload)
	}
	var out []byte
	for len(payload) > w.fragment {
		out = append(out, frameOf(opcode, masked, payload[:w.fragment])...)
		out = append(out, frameOf(final|9, masked, []byte("ping")[:len(payload)%5])...)
		payload, opcode = payload[w.fragment:], 0
	}
	return append(out, frameOf(final|opcode, masked, payload)...)
}

// line is a connection with a tap at it.
type line struct {
	wire   wire
	tap    *progress.Tap
	piece  int // bytes at a time; 0: all at once
	events *[]progress.Event
}

func newLine(w wire) *line {
	events := &[]progress.Event{}
	return &line{wire: w, events: events, tap: progress.NewTap(w.subprotocol, func(event progress.Event) { *events = append(*events, event) })}
}

func (l *line) send(to func([]byte), data []byte) {
	piece := l.piece
	if piece == 0 {
		piece = len(data)
	}
	for len(data) > 0 {
		part := bytes.Clone(data[:min(piece, len(data))])
		to(part)
		clear(part) // the tap may not use it any more
		data = data[min(piece, len(data)):]
	}
}

func (l *line) page(n note)   { l.send(l.tap.FromPage, l.wire.bytesOf(true, n)) }
func (l *line) kernel(n note) { l.send(l.tap.FromKernel, l.wire.bytesOf(false, n)) }

// told returns what was reported, without digests: "started r1 [id 3] Class".
func (l *line) told() string {
	var out []string
	for _, event := range *l.events {
		place := ""
		if event.Cell != (progress.Place{Index: -1}) {
			place = " " + string(encoded(event.Cell))
		}
		out = append(out, strings.TrimRight(string(event.Kind)+" "+event.Request+place+" "+event.Class, " "))
	}
	return strings.Join(out, "\n")
}

func (l *line) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := l.told(); got != strings.Join(want, "\n") {
		t.Errorf("reported is\n%s\nwanted is\n%s", got, strings.Join(want, "\n"))
	}
}

// What pages and kernels say, with the members that JupyterLab 4.4, Notebook 6.4, ipykernel 6 and IRkernel 1.3 send.

// request is what a page sends to execute code. Only JupyterLab names the cell.
func request(id, code, cell string) note {
	metadata := fields{}
	if cell != "" {
		metadata = fields{"trusted": true, "tags": []string{}, "deletedCells": []string{}, "recordTiming": false, "cellId": cell}
	}
	return note{channel: "shell", id: id, kind: "execute_request", metadata: metadata, content: fields{
		"code": code, "silent": false, "store_history": true, "user_expressions": fields{}, "allow_stdin": true, "stop_on_error": true,
	}}
}

// cell is what our script in Notebook 6 says of a request.
func cell(id, of string, index int) note {
	return note{channel: "shell", id: "p-" + of, kind: "cairn_cell", content: fields{"request": of, "cell": fields{"id": id, "index": index}}}
}

func status(parent, state string) note {
	return note{channel: "iopub", id: parent + "-" + state, kind: "status", parent: parent, content: fields{"execution_state": state}}
}

func input(parent, code string) note {
	return note{channel: "iopub", id: parent + "-in", kind: "execute_input", parent: parent, content: fields{"code": code, "execution_count": 1}}
}

func printed(parent, what string) note {
	return note{channel: "iopub", id: parent + "-out", kind: "stream", parent: parent, content: fields{"name": "stdout", "text": what}}
}

func failure(parent, name, value string) note {
	return note{channel: "iopub", id: parent + "-err", kind: "error", parent: parent, content: fields{
		"traceback": []string{"\x1b[0;31m" + name + "\x1b[0m: " + value}, "ename": name, "evalue": value,
	}}
}

func reply(parent, status string, more fields) note {
	content := fields{"status": status, "execution_count": 1, "user_expressions": fields{}, "payload": []any{}}
	maps.Copy(content, more)
	return note{
		channel: "shell", id: parent + "-reply", kind: "execute_reply", parent: parent, content: content,
		metadata: fields{"dependencies_met": true, "engine": "e", "started": "2026-08-20T07:00:00Z", "status": status},
	}
}

// run is all that a kernel says of an execution that succeeds.
func (l *line) run(id, code string) {
	for _, one := range []note{status(id, "busy"), input(id, code), printed(id, "1\n"), status(id, "idle"), reply(id, "ok", nil)} {
		l.kernel(one)
	}
}
