package jupyterkernel

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// Message is what a kernel says.
type Message struct {
	Channel string          // shell, iopub, stdin or control; empty if the message was cut
	Type    string          // never empty
	Parent  string          // the id of the request that it belongs to; may be empty
	Date    time.Time       // when the kernel says that it sent it; zero if it doesn't say
	Content json.RawMessage // an object; nil if the message was cut
	Cut     bool            // it is longer than the connection's limit
}

// ErrMalformed says that a message isn't one of Jupyter's protocol.
var ErrMalformed = errors.New("a message isn't one of Jupyter's protocol")

// State returns the state that a message of the type status tells, such as busy or idle; else "".
func (m Message) State() string {
	var said struct {
		State string `json:"execution_state"`
	}
	if m.Type == "status" {
		_ = json.Unmarshal(m.Content, &said)
	}
	return said.State
}

// Died reports whether the server says that the kernel's process ended on its own.
func (m Message) Died() bool {
	switch m.State() {
	case "dead", "restarting", "autorestarting":
		return true
	}
	return false
}

// parse reads a message; of one that was cut, it reads what comes before its content. In binary frames the message is
// followed by buffers, which outputs of notebooks have no use for.
func parse(frame []byte, binaryFrame, cut bool) (Message, error) {
	if binaryFrame {
		var whole bool
		var err error
		if frame, whole, err = withoutBuffers(frame); err != nil {
			return Message{}, err
		}
		cut = cut && !whole
	}
	if cut {
		frame = wholeFields(frame)
	}
	if !utf8.Valid(frame) {
		frame = bytes.ToValidUTF8(frame, []byte("\uFFFD"))
	}
	var read struct {
		Channel string
		Type    string `json:"msg_type"`
		Header  struct {
			Type string `json:"msg_type"`
			Date string
		}
		Parent struct {
			ID string `json:"msg_id"`
		} `json:"parent_header"`
		Content json.RawMessage
	}
	if err := json.Unmarshal(frame, &read); err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	message := Message{Channel: read.Channel, Type: read.Header.Type, Parent: read.Parent.ID, Content: read.Content, Cut: cut}
	if cut {
		message.Content = nil
	}
	if message.Type == "" {
		message.Type = read.Type
	}
	if message.Type == "" || !cut && !bytes.HasPrefix(message.Content, []byte("{")) {
		return Message{}, fmt.Errorf("%w: it has no type or no content", ErrMalformed)
	}
	message.Date, _ = time.Parse(time.RFC3339Nano, read.Header.Date)
	return message, nil
}

// withoutBuffers returns the JSON of a binary frame, and whether it is known to be whole. The frame begins with the number
// of its parts and where each begins; the message is the first.
func withoutBuffers(frame []byte) (text []byte, whole bool, err error) {
	const word = 4
	number := func(at int) uint64 {
		if len(frame) < (at+1)*word {
			return 0
		}
		return uint64(binary.BigEndian.Uint32(frame[at*word:]))
	}
	count, start, end := number(0), number(1), uint64(len(frame))
	if next := number(2); count > 1 && next <= end {
		end, whole = next, true
	}
	if count == 0 || start < (count+1)*word || start > end {
		return nil, false, fmt.Errorf("%w: the parts of its frame are elsewhere", ErrMalformed)
	}
	return frame[start:end], whole, nil
}

// wholeFields returns the object that the complete fields at the beginning of a JSON object make.
func wholeFields(text []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(text))
	_, err := decoder.Token()
	end := decoder.InputOffset()
	for err == nil {
		var value json.RawMessage
		if _, err = decoder.Token(); err != nil {
			break
		}
		if err = decoder.Decode(&value); err == nil {
			end = decoder.InputOffset()
		}
	}
	return append(text[:end:end], '}')
}
