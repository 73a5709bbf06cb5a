package jupyterkernel

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/uuid"
)

// Connection is a tab on a kernel. One goroutine may read while another one asks.
type Connection struct {
	Limit int64 // the most bytes of a message that are kept, 1 MiB unless it is set before the first is read

	socket  *websocket.Conn
	session string
	buffer  bytes.Buffer
}

// SessionPrefix begins the names that connections of this package give themselves; no page of Jupyter's begins its own like that.
const SessionPrefix = "cairn-"

// Dial connects to the channels of a kernel. The server accepts once the kernel answers, or has not for a minute.
func (s Server) Dial(ctx context.Context, kernel string) (*Connection, error) {
	session := SessionPrefix + uuid.NewString()
	address := s.URL + "api/kernels/" + url.PathEscape(kernel) + "/channels?session_id=" + session
	socket, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{ //nolint:bodyclose // the package closes it
		HTTPClient: s.client(), HTTPHeader: s.Header,
	})
	if err != nil {
		return nil, err
	}
	socket.SetReadLimit(-1) // Read has its own
	return &Connection{Limit: 1 << 20, socket: socket, session: session}, nil
}

// Ask sends a request on a channel and returns the id that its answers name as their parent.
func (c *Connection) Ask(ctx context.Context, channel, kind string, content map[string]any) (id string, err error) {
	id = uuid.NewString()
	return id, wsjson.Write(ctx, c.socket, map[string]any{
		"channel": channel, "parent_header": map[string]any{}, "metadata": map[string]any{}, "buffers": []any{}, "content": content,
		"header": map[string]any{
			"msg_id": id, "username": "", "session": c.session, "msg_type": kind, "version": "5.3",
			"date": time.Now().UTC().Format(time.RFC3339Nano),
		},
	})
}

// Read returns the next message, waiting for it; the end of ctx closes the connection. A message that isn't understood is
// ErrMalformed, after which the next one can be read.
func (c *Connection) Read(ctx context.Context) (Message, error) {
	kind, reader, err := c.socket.Reader(ctx)
	if err != nil {
		return Message{}, err
	}
	c.buffer.Reset()
	if _, err := c.buffer.ReadFrom(io.LimitReader(reader, c.Limit)); err != nil {
		return Message{}, err
	}
	more, err := io.Copy(io.Discard, reader)
	if err != nil {
		return Message{}, err
	}
	return parse(c.buffer.Bytes(), kind == websocket.MessageBinary, more > 0)
}

// Close closes the connection; the kernel goes on.
func (c *Connection) Close() { _ = c.socket.CloseNow() }
