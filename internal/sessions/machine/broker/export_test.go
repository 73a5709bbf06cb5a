package broker

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// NewSubprotocol is the name of the newer form of messages.
const NewSubprotocol = newSubprotocol

// Kept returns how many executions are known.
func (b *Broker) Kept() (count int) {
	for _, k := range b.all("") {
		k.mu.Lock()
		count += len(k.record.executions)
		k.mu.Unlock()
	}
	return count
}

// Recode reads a frame and writes it again.
func Recode(newer, inBinary bool, frame []byte) ([]byte, error) {
	kind := websocket.MessageText
	if inBinary {
		kind = websocket.MessageBinary
	}
	m, err := wireForm(newer).decode(kind, frame)
	if err != nil {
		return nil, err
	}
	_, again, err := wireForm(newer).encode(m)
	return again, err
}

// Shown returns what a cell shows after messages, of which the type and the content follow each other.
func Shown(t *testing.T, said []any) string {
	t.Helper()
	shown, known := &cell{}, displays{}
	for at := 0; at < len(said); at += 2 {
		content, err := json.Marshal(said[at+1])
		if err != nil {
			t.Fatal(err)
		}
		kind, _ := said[at].(string)
		if err := known.apply(shown, kind, content); err != nil {
			t.Fatal(err)
		}
	}
	var parts []string
	for _, one := range shown.outputs {
		fields := one.json()
		switch fields["output_type"] {
		case "stream":
			parts = append(parts, one.name+":"+fields["text"].(string))
		case "error":
			parts = append(parts, fields["ename"].(string))
		default:
			parts = append(parts, "["+fields["data"].(map[string]any)["text/plain"].(string)+"]")
		}
	}
	return strings.Join(parts, " ")
}
