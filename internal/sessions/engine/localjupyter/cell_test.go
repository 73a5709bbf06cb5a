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

// kernel is a kernel of a session with a tab on it.
type kernel struct {
	*bench
	id         string
	target     engine.Target
	base       string
	connection *websocket.Conn
}

// kernel starts a fresh kernel through the session's Target, as the gateway would.
func (b *bench) kernel(id string) *kernel {
	b.Helper()
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	opened := &kernel{bench: b, target: target, base: "/s/" + id + "/api/kernels"}
	var about struct{ ID string }
	if err := json.Unmarshal(b.call(b.Context(), target, http.MethodPost, opened.base), &about); err != nil {
		b.Fatal(err)
	}
	opened.id = about.ID
	opened.connection, _, err = websocket.Dial(b.Context(), target.URL.String()+opened.base+"/"+opened.id+"/channels",
		&websocket.DialOptions{
			HTTPClient: &http.Client{Transport: target.Transport},
			HTTPHeader: http.Header{"Authorization": {target.Authorization}},
		})
	if err != nil {
		b.Fatal(err)
	}
	opened.connection.SetReadLimit(1 << 20)
	return opened
}

// execute sends a cell and gives the id by which its answers are known.
func (k *kernel) execute(code string) string {
	k.Helper()
	asked := uuid.NewString()
	if err := wsjson.Write(k.Context(), k.connection, map[string]any{
		"channel": "shell", "parent_header": map[string]any{}, "metadata": map[string]any{}, "buffers": []any{},
		"header": map[string]any{
			"msg_id": asked, "username": "", "session": uuid.NewString(), "msg_type": "execute_request", "version": "5.3",
			"date": time.Now().UTC().Format(time.RFC3339),
		},
		"content": map[string]any{
			"code": code, "silent": false, "store_history": false, "user_expressions": map[string]any{}, "allow_stdin": false,
			"stop_on_error": false, // after an error the kernel would for a moment drop the cells that follow, without a word
		},
	}); err != nil {
		k.Fatal(err)
	}
	return asked
}

// interrupt ends the cell and closes the tab.
func (k *kernel) interrupt() {
	k.Helper()
	k.call(k.Context(), k.target, http.MethodPost, k.base+"/"+k.id+"/interrupt")
	k.close()
}

func (k *kernel) close() { _ = k.connection.CloseNow() }

// cell runs Python in a fresh kernel of the session and gives what it printed and, when it raised, the error's name and
// text.
func (b *bench) cell(id, code string) string {
	b.Helper()
	running := b.kernel(id)
	defer running.close()
	return running.run(code)
}

func (k *kernel) run(code string) string {
	k.Helper()
	ctx, cancel := context.WithTimeout(k.Context(), 60*time.Second)
	defer cancel()
	asked := k.execute(code)
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
		if err := wsjson.Read(ctx, k.connection, &message); err != nil {
			k.Fatal(err)
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
