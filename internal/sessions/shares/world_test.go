package shares_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/shares"
	"cairn/internal/sessions/wiring"
)

// world is a server whose links work for anyone, and whose help desk is carol.
type world struct {
	*sessionstest.World

	carol identity.Caller
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return around(sessionstest.New(t))
}

// each runs a test on both databases.
func each(t *testing.T, test func(w *world)) {
	t.Helper()
	sessionstest.Each(t, func(_ *testing.T, w *sessionstest.World) { test(around(w)) })
}

func around(inner *sessionstest.World) *world {
	w := &world{World: inner, carol: inner.Person("carol")}
	w.Options.Sharing = wiring.Sharing{HelpDesk: []string{"carol@example.org"}, Links: shares.LinksForAnyone}
	w.Server = w.NewService()
	w.Store = w.Server.Store
	return w
}

// call makes a call with a body, as somebody ("" for nobody). The headers are names and values in turn.
func (w *world) call(method, path, caller, body string, headers ...string) *httptest.ResponseRecorder {
	return callAt(w.API(), method, path, caller, body, headers...)
}

func callAt(api http.Handler, method, path, caller, body string, headers ...string) *httptest.ResponseRecorder {
	return sessionstest.Send(api, method, path, caller, body, headers...)
}

// share shares a session of ann's.
func (w *world) share(session sessions.Session, body string) shares.Share {
	w.T.Helper()
	answer := w.call(http.MethodPost, "/sessions/"+session.ID+"/shares", "ann", body)
	w.WantStatus("sharing "+body, answer, http.StatusCreated)
	return sessionstest.Decode[shares.Share](w.T, answer)
}

// secretOf returns the secret of a link.
func secretOf(t *testing.T, share shares.Share) string {
	t.Helper()
	_, secret, found := strings.Cut(share.URL, "#")
	if !found {
		t.Fatalf("%q has no secret", share.URL)
	}
	return secret
}

// statusOf returns what a call answers.
func (w *world) statusOf(method, path, caller, body string, headers ...string) int {
	return w.call(method, path, caller, body, headers...).Code
}

// level returns what somebody may do with a session; "" for nothing.
func (w *world) level(session sessions.Session, caller identity.Caller) shares.Level {
	w.T.Helper()
	right, err := w.Server.Shares.RightOf(w.As(caller), session.ID, shares.Visitor{AccountID: caller.AccountID}, shares.See)
	if err != nil {
		return ""
	}
	return right.Level
}

// stream is an open stream of what a session shows.
type stream struct {
	t      *testing.T
	events chan [2]string // name and data
	closed chan struct{}
	cancel context.CancelFunc
}

// follow opens a stream at a server.
func follow(t *testing.T, api http.Handler, session sessions.Session, caller string, headers ...string) *stream {
	t.Helper()
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+httpapi.Base+"/sessions/"+session.ID+"/see/events", http.NoBody)
	sessionstest.Check(t, err)
	if caller != "" {
		request.Header.Set("Test-Caller", caller)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := server.Client().Do(request)
	sessionstest.Check(t, err)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("following answers %d %s", answer.StatusCode, sessionstest.BodyOf(t, answer))
	}
	if !answer.Close {
		t.Error("the connection of a stream serves other requests too, with the deadlines of the stream")
	}
	s := &stream{t: t, events: make(chan [2]string, 100), closed: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(s.closed)
		defer answer.Body.Close()
		var pending bytes.Buffer
		chunk := make([]byte, 32<<10)
		for {
			n, err := answer.Body.Read(chunk)
			pending.Write(chunk[:n])
			for {
				text, rest, complete := bytes.Cut(pending.Bytes(), []byte("\n\n"))
				if !complete {
					break
				}
				if name, data, ok := strings.Cut(strings.TrimPrefix(string(text), "event: "), "\ndata: "); ok {
					s.events <- [2]string{name, data}
				}
				pending = *bytes.NewBuffer(bytes.Clone(rest))
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

// next returns the next event with a name.
func (s *stream) next(name string) string {
	s.t.Helper()
	for {
		select {
		case one := <-s.events:
			if one[0] == name {
				return one[1]
			}
		case <-s.closed:
			select {
			case one := <-s.events:
				if one[0] == name {
					return one[1]
				}
				continue
			default:
			}
			s.t.Fatalf("the stream has ended before %q", name)
		case <-time.After(time.Minute):
			s.t.Fatalf("no %q came", name)
		}
	}
}

// wantEnded waits until the server has ended the stream, and checks why.
func (s *stream) wantEnded(code string) {
	s.t.Helper()
	var said struct{ Code string }
	sessionstest.Check(s.t, json.Unmarshal([]byte(s.next("ended")), &said))
	if said.Code != code {
		s.t.Errorf("it ended because of %q, want %q", said.Code, code)
	}
	<-s.closed
}
