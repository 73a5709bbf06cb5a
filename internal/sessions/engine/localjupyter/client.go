package localjupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterapi"
)

const (
	maxIdle  = 16          // connections kept for the next requests: each uses one of our files and one of the server's
	idleTime = time.Minute // how long they are kept
	maxHead  = 1 << 20     // bytes of an answer's headers, interim answers included
)

// client calls the Jupyter of one launch.
type client struct {
	transport transport
	editor    transport   // to its VS Code
	edits     atomic.Bool // that has answered
	base      string      // "/s/<id>/"
	token     string
	socket    string // path of Jupyter's; the others are beside it
	owner     int    // of the sockets
}

func newClient(socket string, owner int, id, token string) *client {
	c := &client{base: basePath(id), token: token, socket: socket, owner: owner}
	c.transport = newTransport(func(ctx context.Context) (net.Conn, error) { return dialSocket(ctx, socket, owner) })
	c.editor = newTransport(func(ctx context.Context) (net.Conn, error) { return c.dialBeside(ctx, editorSocket) })
	return c
}

// dialBeside connects to another socket of the session.
func (c *client) dialBeside(ctx context.Context, name string) (net.Conn, error) {
	return dialSocket(ctx, filepath.Join(filepath.Dir(c.socket), name), c.owner)
}

// transport is an http.Transport whose server can't make another protocol of a connection unless it was asked to: the body of
// such an answer has no end that a client could wait for.
type transport struct{ *http.Transport }

var errUpgraded = errors.New("the server upgraded a connection that was not to be upgraded")

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.Transport.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusSwitchingProtocols && request.Header.Get("Upgrade") == "" {
		return nil, errors.Join(errUpgraded, response.Body.Close())
	}
	return response, err
}

// newTransport returns a transport to the server that dial connects to, whatever the addresses of the requests are.
func newTransport(dial func(context.Context) (net.Conn, error)) transport {
	return transport{&http.Transport{
		DialContext:  func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		MaxIdleConns: maxIdle, MaxIdleConnsPerHost: maxIdle, IdleConnTimeout: idleTime,
		MaxResponseHeaderBytes: maxHead, DisableCompression: true,
	}}
}

func basePath(id string) string { return "/s/" + id + "/" }

// dialSocket only connects to the session's socket: the folder belongs to the session, whose user could put a link to
// any socket of the machine there, which we, being root, would open. So the file is pinned first, checked, and then
// dialed through the pin, so the length of its path doesn't matter either.
func dialSocket(ctx context.Context, socket string, userID int) (net.Conn, error) {
	pin, err := unix.Open(socket, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("the session's socket cannot be opened: %w", err)
	}
	defer unix.Close(pin)
	var about unix.Stat_t
	if err := unix.Fstat(pin, &about); err != nil {
		return nil, err
	}
	if about.Mode&unix.S_IFMT != unix.S_IFSOCK || int(about.Uid) != userID {
		return nil, fmt.Errorf("the session's socket was replaced")
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, "unix", "/proc/self/fd/"+strconv.Itoa(pin))
}

func (c *client) target() engine.Target {
	return engine.Target{
		Transport: c.transport, URL: &url.URL{Scheme: "http", Host: "127.0.0.1"}, Authorization: "token " + c.token,
	}
}

// status returns nil if Jupyter answers and accepts our token.
func (c *client) status(ctx context.Context) error {
	return c.call(ctx, http.MethodGet, "api/status", nil)
}

// shutdown asks Jupyter to shut down its kernels and itself.
func (c *client) shutdown(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "api/shutdown", nil)
}

// activity reports what happens in the session, whose server may have terminals.
func (c *client) activity(ctx context.Context, terminals bool) (engine.Activity, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return jupyterapi.Activity(ctx, c.ask, terminals)
}

// idle reports whether all kernels are idle.
func (c *client) idle(ctx context.Context) (bool, error) {
	return jupyterapi.Idle(ctx, c.target(), c.base, c.ask)
}

// trust tells Jupyter that the outputs in a notebook, a path below the work folder, are as good as its user's own.
func (c *client) trust(ctx context.Context, notebook string) error {
	contents := url.URL{Path: "api/contents/" + notebook + "/trust"}
	return c.send(ctx, http.MethodPost, contents.EscapedPath(), nil, http.StatusCreated, nil)
}

// startKernel starts the kernel of a notebook, a path below the work folder; its page then finds it. Only kernels that are
// installed are started: Jupyter would write to the log that another one is missing.
func (c *client) startKernel(ctx context.Context, notebook string, installed []engine.Kernel) error {
	var file struct {
		Content struct {
			Metadata struct {
				Kernel struct {
					Name string `json:"name"`
				} `json:"kernelspec"`
			} `json:"metadata"`
		} `json:"content"`
	}
	contents := url.URL{Path: "api/contents/" + notebook}
	if err := c.ask(ctx, contents.EscapedPath()+"?type=notebook", &file); err != nil {
		return err
	}
	kernel := file.Content.Metadata.Kernel.Name
	if !slices.ContainsFunc(installed, func(one engine.Kernel) bool { return one.Name == kernel }) {
		return nil
	}
	wanted, err := json.Marshal(map[string]any{
		"path": notebook, "name": path.Base(notebook), "type": "notebook", "kernel": map[string]string{"name": kernel},
	})
	if err != nil {
		return err
	}
	return c.send(ctx, http.MethodPost, "api/sessions", bytes.NewReader(wanted), http.StatusCreated, nil)
}

// ask decodes a JSON response.
func (c *client) ask(ctx context.Context, path string, answer any) error {
	return c.call(ctx, http.MethodGet, path, func(body io.Reader) error { return json.NewDecoder(body).Decode(answer) })
}

func (c *client) call(ctx context.Context, method, path string, read func(io.Reader) error) error {
	return c.send(ctx, method, path, nil, http.StatusOK, read)
}

func (c *client) send(ctx context.Context, method, path string, content io.Reader, wanted int, read func(io.Reader) error) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1"+c.base+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "token "+c.token)
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != wanted {
		return fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	body := io.LimitReader(response.Body, 1<<20)
	defer func() { _, _ = io.Copy(io.Discard, body) }() // so that the connection is used again
	if read == nil {
		return nil
	}
	return read(body)
}

func (c *client) close() {
	c.transport.CloseIdleConnections()
	c.editor.CloseIdleConnections()
}
