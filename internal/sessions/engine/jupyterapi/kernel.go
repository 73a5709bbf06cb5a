package jupyterapi

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"cairn/internal/sessions/engine"
)

// messageLimit is the most bytes of one message of a kernel that are read.
const messageLimit = 1 << 20

// Dial connects to the channels of a kernel, as a browser tab does. base is the path of the session's server, which runs
// the user's code: its redirects aren't followed.
func Dial(ctx context.Context, target engine.Target, base, kernel string) (*websocket.Conn, error) {
	address := target.URL.String() + base + "api/kernels/" + url.PathEscape(kernel) + "/channels?session_id=" + uuid.NewString()
	connection, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{ //nolint:bodyclose // the package closes it
		HTTPClient: &http.Client{
			Transport:     target.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		HTTPHeader: http.Header{"Authorization": {target.Authorization}},
	})
	if err != nil {
		return nil, err
	}
	connection.SetReadLimit(messageLimit)
	return connection, nil
}

// Request returns a message for a kernel's shell channel, ready for JSON, and the id that its answers name as their parent.
func Request(kind string, content map[string]any) (id string, message map[string]any) {
	id = uuid.NewString()
	return id, map[string]any{
		"channel": "shell", "parent_header": map[string]any{}, "metadata": map[string]any{}, "buffers": []any{}, "content": content,
		"header": map[string]any{
			"msg_id": id, "username": "", "session": uuid.NewString(), "msg_type": kind, "version": "5.3",
			"date": time.Now().UTC().Format(time.RFC3339),
		},
	}
}

// Message is the envelope of what a kernel says.
type Message struct {
	Channel string
	Type    string `json:"msg_type"`
	Parent  struct {
		ID string `json:"msg_id"`
	} `json:"parent_header"`
}
