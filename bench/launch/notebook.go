package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// jupyter is a way to a Jupyter server.
type jupyter struct {
	client *http.Client
	base   string // its address, without a slash at the end
	header http.Header
}

// clientTo connects to one address, whatever the host in a request; it keeps cookies.
func clientTo(network, address string) *http.Client {
	cookies, _ := cookiejar.New(nil) // it never fails
	return &http.Client{Jar: cookies, Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}}
}

// get reads a whole answer, and returns the address that it came from.
func (j jupyter) get(ctx context.Context, address string) (from string, status int, body []byte, err error) {
	return j.send(ctx, http.MethodGet, address, nil)
}

func (j jupyter) send(ctx context.Context, method, address string, content any) (from string, status int, body []byte, err error) {
	var sent io.Reader = http.NoBody
	if content != nil {
		text, err := json.Marshal(content)
		if err != nil {
			return "", 0, nil, err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, sent)
	if err != nil {
		return "", 0, nil, err
	}
	request.Header = j.header.Clone()
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := j.client.Do(request)
	if err != nil {
		return "", 0, nil, err
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	return answer.Request.URL.String(), answer.StatusCode, body, err
}

// message is as much of a message of Jupyter's protocol as we need.
type message struct {
	Header  map[string]string `json:"header"`
	Parent  map[string]string `json:"parent_header"`
	Content map[string]any    `json:"content"`
	Meta    struct{}          `json:"metadata"`
	Channel string            `json:"channel"`
}

// useKernel starts the notebook's kernel as its page does, and returns when the kernel has answered and is idle.
func (j jupyter) useKernel(ctx context.Context) error {
	wish := map[string]any{"path": notebook, "name": notebook, "type": "notebook", "kernel": map[string]string{"name": "python3"}}
	_, status, body, err := j.send(ctx, http.MethodPost, j.base+"/api/sessions", wish)
	if err != nil {
		return err
	}
	var made struct{ Kernel struct{ ID string } }
	if err := json.Unmarshal(body, &made); err != nil || status != http.StatusCreated {
		return fmt.Errorf("a kernel was answered %d: %.300s", status, body)
	}
	connection, _, err := websocket.Dial( //nolint:bodyclose // the library closes it
		ctx, strings.Replace(j.base, "http", "ws", 1)+"/api/kernels/"+made.Kernel.ID+"/channels",
		&websocket.DialOptions{HTTPClient: j.client, HTTPHeader: j.header})
	if err != nil {
		return err
	}
	defer func() { _ = connection.CloseNow() }()
	connection.SetReadLimit(-1)
	asked := message{Channel: "shell", Parent: map[string]string{}, Content: map[string]any{}, Header: map[string]string{
		"msg_id": "first", "msg_type": "kernel_info_request", "session": "bench", "username": "", "version": "5.3", "date": time.Now().UTC().Format(time.RFC3339),
	}}
	text, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	if err := connection.Write(ctx, websocket.MessageText, text); err != nil {
		return err
	}
	for answered, idle := false, false; !answered || !idle; {
		_, text, err := connection.Read(ctx)
		if err != nil {
			return err
		}
		var got struct {
			Header struct {
				Type string `json:"msg_type"`
			} `json:"header"`
			Parent struct {
				ID string `json:"msg_id"`
			} `json:"parent_header"`
			Content struct {
				State string `json:"execution_state"`
			} `json:"content"`
		}
		if err := json.Unmarshal(text, &got); err != nil {
			return err
		}
		if got.Parent.ID == "first" {
			answered = answered || got.Header.Type == "kernel_info_reply"
			idle = idle || got.Content.State == "idle"
		}
	}
	return nil
}
