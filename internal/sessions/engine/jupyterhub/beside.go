package jupyterhub

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/coder/websocket"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/front"
	"cairn/internal/sessions/machine/jupyterkernel"
)

var (
	_ engine.EditorEngine = (*Engine)(nil)
	_ engine.ShellDialer  = (*Engine)(nil)
)

// What sessions lack that were started before their operators offered it.
var (
	errWithoutEditor = fault.New(fault.Conflict, "This session was started without VS Code. Stop it and start it again.")
	errWithoutShell  = fault.New(fault.Conflict, "This session was started without SSH. Stop it and start it again.")
)

// HasEditor implements engine.EditorEngine. Whether the program exists where sessions run is only known once one is opened in
// it.
func (e *Engine) HasEditor() bool { return e.options.VSCode != "" && e.fronts.Load() }

// Editor implements engine.EditorEngine.
func (e *Engine) Editor(ctx context.Context, id string) (engine.Target, error) {
	r, err := e.running(ctx, id)
	if err != nil {
		return engine.Target{}, err
	}
	target := e.hub.target(r)
	known, err := e.find(ctx, id)
	switch {
	case err != nil:
		return engine.Target{}, err
	case known == nil:
		return engine.Target{}, engine.ErrNotRunning
	}
	if !known.hasEditor(r.Launch) {
		server := jupyterkernel.NewServer(target.URL.JoinPath(target.Base), target.Authorization, target.Transport)
		err := server.Call(ctx, http.MethodPost, front.StartPath, front.Start{Session: id, Open: r.Opens}, nil)
		switch refused := jupyterkernel.StatusOf(err); {
		case refused == http.StatusNotFound || refused == http.StatusMethodNotAllowed: // Jupyter's own answer
			return engine.Target{}, errWithoutEditor
		case err != nil:
			return engine.Target{}, fault.Wrap(err, fault.Unavailable, "VS Code doesn't start in this session. The hub's operators may not have installed it.")
		}
		known.noteEditor(r.Launch)
	}
	target.Base += front.EditorPath
	return target, nil
}

// hasEditor reports whether the VS Code of a launch has answered.
func (s *session) hasEditor(launch int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.edits == launch
}

func (s *session) noteEditor(launch int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.edits = launch
}

// HasShell reports whether sessions that start now have an SSH server.
func (e *Engine) HasShell() bool { return e.options.SSH && e.fronts.Load() }

// DialShell implements engine.ShellDialer: the connection is a websocket through the hub's proxy.
func (e *Engine) DialShell(ctx context.Context, id string) (net.Conn, error) {
	if !e.HasShell() {
		return nil, fault.New(fault.NotFound, "Sessions of this kind have no SSH. The operators can turn it on with sessions.ssh.")
	}
	r, err := e.running(ctx, id)
	if err != nil {
		return nil, err
	}
	target := e.hub.target(r)
	address := "ws" + strings.TrimPrefix(target.URL.String(), "http") + target.Base + front.ShellPath
	socket, answer, err := websocket.Dial(ctx, address, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: target.Transport}, HTTPHeader: http.Header{"Authorization": {target.Authorization}},
	})
	if answer != nil && answer.Body != nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<10))
		_ = answer.Body.Close()
	}
	switch {
	case err == nil:
		socket.SetReadLimit(-1)
		return websocket.NetConn(context.WithoutCancel(ctx), socket, websocket.MessageBinary), nil
	case answer != nil && answer.StatusCode == http.StatusNotFound:
		return nil, errWithoutShell
	}
	return nil, fault.Wrap(err, fault.Unavailable, "The session's SSH server isn't responding. Stop the session and start it again.")
}
