package origin_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"

	"github.com/coder/websocket"
)

// shellTicket asks for a way to the SSH server of a session, as a program of its owner does.
func (w *world) shellTicket(session sessions.Session, caller identity.Caller) (ticket string) {
	w.T.Helper()
	way, err := w.Server.Gateway.OpenShell(w.As(caller), session.ID)
	sessionstest.Check(w.T, err)
	if want := "ws" + strings.TrimPrefix(w.Origin(session), "http") + "/.cairn/s/" + session.ID + "/ssh"; way.URL != want || strings.Contains(way.URL, way.Ticket) {
		w.T.Errorf("the way is %+v", way)
	}
	return way.Ticket
}

func (w *world) dialShell(ctx context.Context, session sessions.Session, ticket string) (*websocket.Conn, *http.Response, error) {
	address := "ws" + strings.TrimPrefix(strings.Replace(w.Origin(session), "https", "http", 1), "http") + "/.cairn/s/" + session.ID + "/ssh"
	client := sessionstest.Browser(w.T, httpapi.Observe(w.Options.Logger, time.Now, nil, w.Server.Gateway))
	return websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: client, HTTPHeader: http.Header{"Authorization": {"Bearer " + ticket}}})
}

func TestATicketConnectsOnceWithTheShell(t *testing.T) {
	t.Parallel()
	for _, form := range []string{sessionstest.HostForm, sessionstest.PathForm} {
		w := newWorldAt(t, form)
		session, other := w.Running("Session"), w.Running("Other")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		ticket := w.shellTicket(session, w.Ann)
		connection, _, err := w.dialShell(ctx, session, ticket)
		sessionstest.Check(t, err)
		stream := websocket.NetConn(ctx, connection, websocket.MessageBinary)
		for _, sent := range []string{"SSH-2.0-x\r\n", strings.Repeat("\x00\xff", 100_000)} {
			go func() { _, _ = io.WriteString(stream, sent) }()
			got := make([]byte, len(sent))
			if _, err := io.ReadFull(stream, got); err != nil || string(got) != sent {
				t.Fatalf("%d bytes came back, %v", len(got), err)
			}
		}
		if tabs := w.OpenSockets(session.ID); tabs != 1 {
			t.Errorf("%d connections count as open", tabs)
		}
		_ = stream.Close()

		late := w.shellTicket(session, w.Ann)
		for what, one := range map[string]struct {
			session sessions.Session
			ticket  string
		}{
			"a used ticket": {session, ticket}, "another session's": {other, w.shellTicket(session, w.Ann)}, "none": {session, ""},
			"a browser's": {session, strings.Split(w.Ticket(session, w.Ann), "ticket=")[1]},
		} {
			if _, answer, err := w.dialShell(ctx, one.session, one.ticket); err == nil || answer.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s: %v", what, err)
			}
		}
		w.Clock.Advance(31 * time.Second)
		if _, answer, err := w.dialShell(ctx, session, late); err == nil || answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("a ticket that is too old: %v", err)
		}
		w.WantStatus("a browser", w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/ssh", "Cookie", w.Enter(session, w.Ann)), http.StatusUnauthorized)
	}
}

// The connection ends soon after the right to it.
func TestTheShellEndsWithTheRightToIt(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(*world, sessions.Session, string){
		"a disabled account": func(w *world, _ sessions.Session, _ string) { w.Enable(w.Ann.Email, false) },
		"a deleted session": func(w *world, session sessions.Session, _ string) {
			sessionstest.Check(w.T, w.Server.Delete(w.As(w.Ann), []string{session.ID}, false))
		},
		"a revoked token": func(w *world, _ sessions.Session, token string) {
			sessionstest.Check(w.T, w.People.RevokeToken(w.As(w.Ann), token))
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorldAt(t, sessionstest.HostForm)
			session := w.Running("Session")
			token, secret, err := w.People.CreateToken(w.As(w.Ann), "laptop", []identity.Scope{identity.ScopeRun}, 1)
			sessionstest.Check(t, err)
			caller, err := w.People.Identify(t.Context(), secret)
			sessionstest.Check(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			connection, _, err := w.dialShell(ctx, session, w.shellTicket(session, caller))
			sessionstest.Check(t, err)
			stream := websocket.NetConn(ctx, connection, websocket.MessageBinary)
			_, err = io.WriteString(stream, "x")
			sessionstest.Check(t, err)
			if _, err := io.ReadFull(stream, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			end(w, session, token.ID)
			w.Server.Gateway.Recheck()
			if _, err := io.ReadAll(stream); ctx.Err() != nil {
				t.Errorf("it goes on: %v", err)
			}
		})
	}
}

func TestAShellNeedsARunningSessionOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session, starting := w.Running("Session"), w.Start("starting")
	for what, one := range map[string]struct {
		caller identity.Caller
		id     string
	}{"a stranger": {w.Bob, session.ID}, "one that starts": {w.Ann, starting.ID}, "none": {w.Ann, sessionstest.SomeID}} {
		if way, err := w.Server.Gateway.OpenShell(w.As(one.caller), one.id); err == nil {
			t.Errorf("%s: %+v", what, way)
		}
	}
}
