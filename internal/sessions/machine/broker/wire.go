package broker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/coder/websocket"
)

// message is one of Jupyter's protocol, on its way between a page and a kernel. Its parts are passed on as they came.
// https://jupyter-client.readthedocs.io/en/stable/messaging.html
type message struct {
	Channel  string            `json:"channel"`
	Header   json.RawMessage   `json:"header"`
	Parent   json.RawMessage   `json:"parent_header"`
	Metadata json.RawMessage   `json:"metadata"`
	Content  json.RawMessage   `json:"content"`
	Buffers  []json.RawMessage `json:"buffers"` // always empty: the bytes are in binary

	binary [][]byte // the buffers
	header header   // Header, and
	parent header   // Parent, as far as they matter here
}

// header is the part of a message's header that matters here.
type header struct {
	ID      string `json:"msg_id"`
	Type    string `json:"msg_type"`
	Session string `json:"session"`
}

// newSubprotocol is the name of the newer of the two forms in which messages go over a websocket. Pages that know it ask for it.
// https://jupyter-server.readthedocs.io/en/latest/developers/websocket-protocols.html
const newSubprotocol = "v1.kernel.websocket.jupyter.org"

var errMalformed = errors.New("a message isn't one of Jupyter's protocol")

// wireForm is one of the two forms.
type wireForm bool

const (
	oldForm wireForm = false // JSON in text, or in binary before its buffers
	newForm wireForm = true  // newSubprotocol: each part of the message for itself, in binary
)

// formOf returns the form that both sides of a connection have agreed on.
func formOf(subprotocol string) wireForm { return subprotocol == newSubprotocol }

// decode reads a frame.
func (f wireForm) decode(kind websocket.MessageType, frame []byte) (*message, error) {
	m := &message{}
	var err error
	switch {
	case f == newForm && kind == websocket.MessageBinary:
		err = m.decodeNew(frame)
	case kind == websocket.MessageBinary:
		var parts [][]byte
		if parts, err = cut(frame, 4, func(at []byte) uint64 { return uint64(binary.BigEndian.Uint32(at)) }, false); err == nil {
			m.binary = parts[1:]
			err = json.Unmarshal(parts[0], m)
		}
	default:
		err = json.Unmarshal(frame, m)
	}
	if err == nil {
		err = json.Unmarshal(m.Header, &m.header)
	}
	if err != nil || m.header.Type == "" {
		return nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	_ = json.Unmarshal(m.Parent, &m.parent) // many have none
	m.fill()
	return m, nil
}

// fill sets the parts of the message that are missing to their empty values.
func (m *message) fill() {
	for _, part := range []*json.RawMessage{&m.Parent, &m.Metadata, &m.Content} {
		if len(*part) == 0 || string(*part) == "null" {
			*part = json.RawMessage("{}")
		}
	}
	m.Buffers = []json.RawMessage{}
}

func (m *message) decodeNew(frame []byte) error {
	parts, err := cut(frame, 8, binary.LittleEndian.Uint64, true)
	if err != nil {
		return err
	}
	const fixed = 5 // the channel, and four parts of the message
	if len(parts) < fixed {
		return fmt.Errorf("%w: it has %d parts", errMalformed, len(parts))
	}
	m.Channel, m.Header, m.Parent, m.Metadata, m.Content, m.binary = string(parts[0]), parts[1], parts[2], parts[3], parts[4], parts[fixed:]
	return nil
}

// cut returns the parts of a binary frame, which begins with their number and where each begins; closed frames have the end of the last
// part as another number. Numbers take so many bytes.
func cut(frame []byte, size uint64, number func([]byte) uint64, closed bool) (parts [][]byte, err error) {
	length := uint64(len(frame))
	at := func(index uint64) uint64 { return number(frame[index*size:]) }
	if length < size || at(0) == 0 || at(0) > length/size-1 {
		return nil, fmt.Errorf("%w: its parts can't be found", errMalformed)
	}
	count := at(0)
	first := (count + 1) * size
	for index := uint64(1); index <= count; index++ {
		begin, end := at(index), length
		if index < count {
			end = at(index + 1)
		} else if closed {
			break
		}
		if begin < first || begin > end || end > length {
			return nil, fmt.Errorf("%w: its parts overlap", errMalformed)
		}
		parts = append(parts, frame[begin:end])
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("%w: it has no part", errMalformed)
	}
	return parts, nil
}

// encode writes a frame.
func (f wireForm) encode(m *message) (kind websocket.MessageType, frame []byte, err error) {
	if f == newForm {
		parts := append([][]byte{[]byte(m.Channel), m.Header, m.Parent, m.Metadata, m.Content}, m.binary...)
		return websocket.MessageBinary, join(parts, 8, func(to []byte, value uint64) []byte { return binary.LittleEndian.AppendUint64(to, value) }, true), nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(m); err != nil {
		return 0, nil, err
	}
	if len(m.binary) == 0 {
		return websocket.MessageText, text.Bytes(), nil
	}
	parts := append([][]byte{text.Bytes()}, m.binary...)
	return websocket.MessageBinary, join(parts, 4, func(to []byte, value uint64) []byte { return binary.BigEndian.AppendUint32(to, uint32(value)) }, false), nil
}

// join is the reverse of cut.
func join(parts [][]byte, size uint64, number func([]byte, uint64) []byte, closed bool) []byte {
	count := uint64(len(parts))
	if closed {
		count++
	}
	frame := number(nil, count)
	begin := (count + 1) * size
	for _, part := range parts {
		frame = number(frame, begin)
		begin += uint64(len(part))
	}
	if closed {
		frame = number(frame, begin)
	}
	for _, part := range parts {
		frame = append(frame, part...)
	}
	return frame
}

// size is how many bytes a message keeps.
func (m *message) size() int {
	size := 200 + len(m.Header) + len(m.Parent) + len(m.Metadata) + len(m.Content)
	for _, buffer := range m.binary {
		size += len(buffer)
	}
	return size
}
