package progress

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"slices"
)

// newSubprotocol is the name of the newer of the two forms in which Jupyter's messages go over a websocket.
// https://jupyter-server.readthedocs.io/en/latest/developers/websocket-protocols.html
const newSubprotocol = "v1.kernel.websocket.jupyter.org"

// message is what matters of one of Jupyter's messages. Metadata and content may be cut off anywhere.
// https://jupyter-client.readthedocs.io/en/stable/messaging.html
type message struct {
	kind     string // execute_request, for example
	id       string
	parent   string // the id of the request that it belongs to
	metadata json.RawMessage
	content  json.RawMessage
}

// decode reads a message in the new form or the old one; it returns false for anything else.
func decode(f frame, newForm bool) (m message, ok bool) {
	var header, parent json.RawMessage
	switch {
	case newForm && f.binary:
		parts := newParts(f)
		if parts == nil {
			return message{}, false
		}
		header, parent, m.metadata, m.content = parts[1], parts[2], parts[3], parts[4]
	default:
		text := f.data
		if f.binary {
			text = oldText(f)
		}
		parts := members(text, "header", "parent_header", "metadata", "content")
		header, parent, m.metadata, m.content = parts["header"], parts["parent_header"], parts["metadata"], parts["content"]
	}
	var about struct {
		ID   string `json:"msg_id"`
		Type string `json:"msg_type"`
	}
	if json.Unmarshal(header, &about) != nil {
		return message{}, false
	}
	m.id, m.kind = about.ID, about.Type
	about.ID = ""
	_ = json.Unmarshal(parent, &about) // many have none
	m.parent = about.ID
	return m, m.kind != ""
}

// newParts returns the parts of a message in the new form: its channel, header, parent header, metadata and content. They follow a
// number and so many places, of eight bytes each: where each part begins, and where the last one ends.
func newParts(f frame) [][]byte {
	const size, wanted = 8, 5
	length := uint64(len(f.data))
	if length < size {
		return nil
	}
	count := binary.LittleEndian.Uint64(f.data)
	if count <= wanted || count > length/size-1 {
		return nil
	}
	place := func(index int) uint64 {
		at := binary.LittleEndian.Uint64(f.data[(index+1)*size:])
		if f.cut {
			at = min(at, length)
		}
		return at
	}
	parts := make([][]byte, wanted)
	for index := range parts {
		begin, end := place(index), place(index+1)
		if begin > end || end > length {
			return nil
		}
		parts[index] = f.data[begin:end]
	}
	return parts
}

// oldText returns the text of a message in the old form that has buffers: it's the first of the parts that follow their number and where
// each begins, of four bytes each.
func oldText(f frame) []byte {
	const size = 4
	length := uint64(len(f.data))
	if length < 2*size {
		return nil
	}
	count := uint64(binary.BigEndian.Uint32(f.data))
	begin, end := uint64(binary.BigEndian.Uint32(f.data[size:])), length
	if count > 1 && length >= 3*size {
		end = uint64(binary.BigEndian.Uint32(f.data[2*size:]))
		if f.cut {
			end = min(end, length)
		}
	}
	if count == 0 || begin > end || end > length {
		return nil
	}
	return f.data[begin:end]
}

// members returns the values of an object that have certain names. If the object is cut off, the value where that happens is too.
func members(object []byte, names ...string) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	decoder := json.NewDecoder(bytes.NewReader(object))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return found
	}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			break
		}
		rest := object[decoder.InputOffset():]
		var value json.RawMessage
		err = decoder.Decode(&value)
		if err != nil {
			value = bytes.TrimLeft(rest, ": \t\r\n")
		}
		if slices.Contains(names, name) {
			found[name] = value
		}
		if err != nil {
			break
		}
	}
	return found
}

// textOf returns a text; it returns false for any other value and for what is cut off.
func textOf(value json.RawMessage) (string, bool) {
	var text *string
	if json.Unmarshal(value, &text) != nil || text == nil {
		return "", false
	}
	return *text, true
}

// placeOf returns a place that a page names.
func placeOf(value json.RawMessage) Place {
	place := Place{Index: -1}
	if json.Unmarshal(value, &place) != nil || place.Index < 0 {
		place.Index = -1
	}
	place.ID = boundedID(place.ID)
	return place
}
