package fake

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/broker"
)

// server is a real HTTP server over connections in memory, so that upgrades and streams work as on a socket.
type server struct {
	server    *http.Server
	transport *http.Transport
	secret    string
}

// serve answers at broker.LookPath with what look returns, unless that is nil, and everything else as handler does.
func serve(handler http.Handler, look func() *broker.Look) *server {
	connections := &listener{connections: make(chan net.Conn), closed: make(chan struct{})}
	running := &server{secret: "token " + rand.Text()}
	running.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != running.secret {
			http.Error(w, "Forbidden", http.StatusForbidden)
			return
		}
		shown := look()
		switch {
		case shown == nil || !strings.HasSuffix(r.URL.Path, "/"+broker.LookPath):
			handler.ServeHTTP(w, r)
		case r.URL.Query().Get("have") == shown.Revision:
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(shown)
		}
	})}
	running.transport = &http.Transport{DialContext: connections.dial, DisableCompression: true}
	go func() { _ = running.server.Serve(connections) }()
	return running
}

func (s *server) target() engine.Target {
	return engine.Target{
		Transport: s.transport, URL: &url.URL{Scheme: "http", Host: "session.fake"}, Authorization: s.secret,
	}
}

func (s *server) close() {
	_ = s.server.Close()
	s.transport.CloseIdleConnections()
}

// listener hands the far ends of dialed pipes to the server.
type listener struct {
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.connections <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case connection := <-l.connections:
		return connection, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "memory" }
func (address) String() string  { return "memory" }
