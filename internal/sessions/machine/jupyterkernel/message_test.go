package jupyterkernel

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

const stream = `{"header": {"msg_id": "m", "msg_type": "stream", "date": "2026-11-25T10:11:12.5Z"}, "parent_header": {"msg_id": "asked"}, "metadata": {}, ` +
	`"content": {"name": "stdout", "text": "hello"}, "buffers": [], "channel": "iopub"}`

// binaryFrame is a frame of parts, as servers send messages with buffers.
func binaryFrame(parts ...string) []byte {
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(parts)))
	at := 4 * (len(parts) + 1)
	for _, part := range parts {
		frame = binary.BigEndian.AppendUint32(frame, uint32(at))
		at += len(part)
	}
	return append(frame, strings.Join(parts, "")...)
}

func TestMessages(t *testing.T) {
	whole := Message{
		Channel: "iopub", Type: "stream", Parent: "asked", Date: time.Date(2026, 11, 25, 10, 11, 12, 5e8, time.UTC),
		Content: json.RawMessage(`{"name": "stdout", "text": "hello"}`),
	}
	cut := Message{Type: whole.Type, Parent: whole.Parent, Date: whole.Date, Cut: true}
	for name, test := range map[string]struct {
		frame  []byte
		binary bool
		cut    bool
		want   Message
	}{
		"text":                     {[]byte(stream), false, false, whole},
		"cut in its content":       {[]byte(stream[:strings.Index(stream, "hello")]), false, true, cut},
		"binary":                   {binaryFrame(stream), true, false, whole},
		"binary with buffers":      {binaryFrame(stream, "one", "two"), true, false, whole},
		"cut in its buffers":       {binaryFrame(stream, "one", "two")[:len(stream)+17], true, true, whole},
		"binary, cut in its text":  {binaryFrame(stream, "one")[:12+strings.Index(stream, "hello")], true, true, cut},
		"a type beside the header": {[]byte(`{"msg_type": "status", "content": {}}`), false, false, Message{Type: "status", Content: json.RawMessage("{}")}},
		"bytes that aren't UTF-8":  {[]byte("{\"msg_type\": \"a\xffb\", \"content\": {}}"), false, false, Message{Type: "a\uFFFDb", Content: json.RawMessage("{}")}},
	} {
		got, err := parse(test.frame, test.binary, test.cut)
		if err != nil || string(got.Content) != string(test.want.Content) || got.Channel != test.want.Channel || got.Type != test.want.Type ||
			got.Parent != test.want.Parent || !got.Date.Equal(test.want.Date) || got.Cut != test.want.Cut {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestStates(t *testing.T) {
	for content, died := range map[string]bool{
		`{"execution_state": "idle"}`: false, `{"execution_state": "dead"}`: true, `{"execution_state": "restarting"}`: true,
		`{"execution_state": "autorestarting"}`: true, `{"execution_state": 7}`: false, ``: false,
	} {
		message := Message{Type: "status", Content: json.RawMessage(content)}
		if message.Died() != died {
			t.Errorf("%s: died is %t", content, !died)
		}
		if message.Type = "stream"; message.State() != "" || message.Died() {
			t.Errorf("%s of a stream is a state", content)
		}
	}
}

// FuzzMessage parses frames: nothing but a message with a type, or ErrMalformed, comes of them.
func FuzzMessage(f *testing.F) {
	f.Add([]byte(stream), false, false)
	f.Add([]byte(stream[:100]), false, true)
	f.Add(binaryFrame(stream, "buffer"), true, false)
	f.Add(binaryFrame(stream, "buffer")[:100], true, true)
	f.Fuzz(func(t *testing.T, frame []byte, binary, cut bool) {
		message, err := parse(frame, binary, cut)
		switch {
		case err != nil && !errors.Is(err, ErrMalformed):
			t.Errorf("%v", err)
		case err == nil && (message.Type == "" || !message.Cut && !json.Valid(message.Content)):
			t.Errorf("%+v", message)
		}
	})
}
