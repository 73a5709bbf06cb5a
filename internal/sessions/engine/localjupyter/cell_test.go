package localjupyter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/uuid"

	"cairn/internal/sessions/engine"
)

// cell runs Python in a fresh kernel of the session through its Target, as the gateway would, and gives what it printed
// and, when it raised, the error's name and text.
func (b *bench) cell(id, code string) string {
	b.Helper()
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), 60*time.Second)
	defer cancel()
	var kernel struct{ ID string }
	if err := json.Unmarshal(b.call(ctx, target, http.MethodPost, "/s/"+id+"/api/kernels"), &kernel); err != nil {
		b.Fatal(err)
	}
	connection, _, err := websocket.Dial(ctx, target.URL.String()+"/s/"+id+"/api/kernels/"+kernel.ID+"/channels",
		&websocket.DialOptions{
			HTTPClient: &http.Client{Transport: target.Transport},
			HTTPHeader: http.Header{"Authorization": {target.Authorization}},
		})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = connection.CloseNow() }()
	connection.SetReadLimit(1 << 20)
	asked := uuid.NewString()
	if err := wsjson.Write(ctx, connection, map[string]any{
		"channel": "shell", "parent_header": map[string]any{}, "metadata": map[string]any{}, "buffers": []any{},
		"header": map[string]any{
			"msg_id": asked, "username": "", "session": uuid.NewString(), "msg_type": "execute_request", "version": "5.3",
			"date": time.Now().UTC().Format(time.RFC3339),
		},
		"content": map[string]any{
			"code": code, "silent": false, "store_history": false, "user_expressions": map[string]any{}, "allow_stdin": false,
		},
	}); err != nil {
		b.Fatal(err)
	}
	var printed strings.Builder
	for {
		var message struct {
			Type   string `json:"msg_type"`
			Parent struct {
				ID string `json:"msg_id"`
			} `json:"parent_header"`
			Content struct {
				Text   string
				Name   string `json:"ename"`
				Value  string `json:"evalue"`
				Status string `json:"execution_state"`
			}
		}
		if err := wsjson.Read(ctx, connection, &message); err != nil {
			b.Fatal(err)
		}
		if message.Parent.ID != asked {
			continue
		}
		switch {
		case message.Type == "stream":
			printed.WriteString(message.Content.Text)
		case message.Type == "error":
			fmt.Fprintf(&printed, "%s: %s", message.Content.Name, message.Content.Value)
		case message.Type == "status" && message.Content.Status == "idle":
			return strings.TrimSpace(printed.String())
		}
	}
}

func (b *bench) call(ctx context.Context, target engine.Target, method, path string) []byte {
	b.Helper()
	request, err := http.NewRequestWithContext(ctx, method, target.URL.String()+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", target.Authorization)
	response, err := target.Transport.RoundTrip(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		b.Fatalf("%s %s: %s %v\n%s", method, path, response.Status, err, body)
	}
	return body
}

// wants compares what a cell printed.
func (b *bench) wants(what, printed, want string) {
	b.Helper()
	if !strings.Contains(printed, want) {
		b.Errorf("%s: the cell printed %q, want %q in it", what, printed, want)
	}
}
