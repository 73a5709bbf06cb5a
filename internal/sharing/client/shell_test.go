package client

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"

	"github.com/coder/websocket"
)

func TestAShellIsReachedWithATicket(t *testing.T) {
	t.Parallel()
	const ticket = "TICKET"
	var status int // that the session's address answers instead of a connection
	server := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "POST /api/v1/rf/sessions/known/ssh":
			if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer cairn_pat_") {
				t.Errorf("asked with %q", r.Header.Get("Authorization"))
			}
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"url": "ws://s-known.localhost:`+portOf(r.Host)+`/ssh", "ticket": "`+ticket+`"}`)
		case "GET /ssh":
			if r.Header.Get("Authorization") != "Bearer "+ticket || r.URL.RawQuery != "" {
				t.Errorf("dialed with %q and %q", r.Header.Get("Authorization"), r.URL.RawQuery)
			}
			if status != 0 {
				w.WriteHeader(status)
				return
			}
			connection, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			stream := websocket.NetConn(r.Context(), connection, websocket.MessageBinary)
			_, _ = io.CopyN(stream, stream, 5)
			_ = stream.Close()
		default:
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"code": "not_found", "message": "It does not exist."}`)
		}
	}))
	connection, err := server.Shell(t.Context(), "known"+ShellSuffix)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in, typed := io.Pipe()
	go func() { _, _ = io.WriteString(typed, "hello") }()
	Join(connection, in, &out) // until the session's side has ended
	if out.String() != "hello" {
		t.Errorf("%q came back", out.String())
	}
	if _, err := server.Shell(t.Context(), "unknown"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an unknown session: %v", err)
	}
	for status = range map[int]bool{http.StatusConflict: true, http.StatusUnauthorized: true} {
		if connection, err := server.Shell(t.Context(), "known"); err == nil {
			t.Errorf("%d: %v", status, connection)
		}
	}
}

func portOf(host string) string {
	_, port, _ := strings.Cut(host, ":")
	return port
}
