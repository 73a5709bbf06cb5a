package sessionstest

import (
	"context"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/origin"
)

// Upstream stands in for Jupyter and records the requests that reach it. Below "echo" it is a websocket; elsewhere it
// answers as configured.
type Upstream struct {
	mu     sync.Mutex
	got    []*http.Request  // protected by mu
	answer http.HandlerFunc // protected by mu
}

// ServeHTTP implements http.Handler.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	u.got = append(u.got, r.Clone(r.Context()))
	answer := u.answer
	u.mu.Unlock()
	switch {
	case answer != nil:
		answer(w, r)
	case strings.HasSuffix(r.URL.Path, "/echo"):
		connection, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // as Jupyter with a token
		if err != nil {
			return
		}
		for {
			kind, message, err := connection.Read(r.Context())
			if err != nil || connection.Write(r.Context(), kind, message) != nil {
				return
			}
		}
	default:
		_, _ = fmt.Fprintf(w, "Jupyter at %s", r.URL.Path)
	}
}

// AnswerWith makes it answer everything like this; nil: with the path.
func (u *Upstream) AnswerWith(answer http.HandlerFunc) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.answer = answer
}

// Requests returns what reached the session's server so far.
func (u *Upstream) Requests() []*http.Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]*http.Request{}, u.got...)
}

// Last returns the request that reached it last.
func (u *Upstream) Last(t *testing.T) *http.Request {
	t.Helper()
	all := u.Requests()
	if len(all) == 0 {
		t.Fatal("nothing reached the session's server")
	}
	return all[len(all)-1]
}

// Request creates a request to the session origin as it arrives there. The headers are names and values in turn.
func Request(method, address string, headers ...string) *http.Request {
	parsed, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	made := httptest.NewRequest(method, parsed.RequestURI(), nil)
	made.Host = parsed.Host
	for i := 0; i < len(headers); i += 2 {
		made.Header.Add(headers[i], headers[i+1])
	}
	return made
}

// Visit creates a request to the session origin.
func (w *World) Visit(method, address string, headers ...string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	w.Server.Gateway.ServeHTTP(answer, Request(method, address, headers...))
	return answer
}

// Origin is a session's own.
func (w *World) Origin(session sessions.Session) string {
	return w.Options.Address.Origin("s", session.ID)
}

// Inside is an address of a session's server.
func (w *World) Inside(session sessions.Session, path string) string {
	return w.Origin(session) + "/s/" + session.ID + "/" + path
}

// Ticket returns an address with a fresh ticket of a caller for a session.
func (w *World) Ticket(session sessions.Session, caller identity.Caller) string {
	w.T.Helper()
	address, err := w.Server.Redirect(w.As(caller), session, "")
	Check(w.T, err)
	return address
}

// Enter follows a ticket and returns the cookie as browsers send it.
func (w *World) Enter(session sessions.Session, caller identity.Caller) (cookie string) {
	w.T.Helper()
	answer := w.Visit(http.MethodGet, w.Ticket(session, caller))
	w.WantStatus("entering", answer, http.StatusSeeOther)
	cookies := answer.Result().Cookies()
	if len(cookies) != 1 {
		w.T.Fatalf("entering set %d cookies", len(cookies))
	}
	return cookies[0].Name + "=" + cookies[0].Value
}

// WantRefused checks that a request is refused with a page for people and never reaches the session's server.
func (w *World) WantRefused(what string, made *http.Request, status int, text string) {
	w.T.Helper()
	before := len(w.Upstream.Requests())
	answer := httptest.NewRecorder()
	w.Server.Gateway.ServeHTTP(answer, made)
	if answer.Code != status || !strings.Contains(html.UnescapeString(answer.Body.String()), text) {
		w.T.Errorf("%s: got %d %s, want %d with %q", what, answer.Code, answer.Body, status, text)
	}
	if len(w.Upstream.Requests()) != before {
		w.T.Errorf("%s: it reached the session's server", what)
	}
	if security := answer.Header().Get("Content-Security-Policy"); security != origin.PageSecurity {
		w.T.Errorf("%s: the page's policy is %q", what, security)
	}
}

// Browser is a client of a real server; it resolves every name to it and follows no redirects.
func Browser(t *testing.T, handler http.Handler) *http.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	used, ok := server.Client().Transport.(*http.Transport)
	if !ok {
		t.Fatal("the server's client has another transport")
	}
	transport := used.Clone()
	transport.DialContext = DialTo(server.Listener.Addr().String())
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// BodyOf reads an answer.
func BodyOf(t *testing.T, answer *http.Response) string {
	t.Helper()
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	Check(t, err)
	return string(body)
}

// DialTo connects to one address, whatever name is asked for: *.localhost is resolved by browsers only.
func DialTo(address string) func(ctx context.Context, network, name string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
}

// OpenSocket opens a websocket of Jupyter's and returns a channel that is closed when it ends.
func (w *World) OpenSocket(session sessions.Session, cookie string) (ended chan struct{}) {
	w.T.Helper()
	return w.OpenSocketAt(session, w.Inside(session, "echo"), cookie)
}

// OpenSocketAt opens a websocket at an address of a session and returns a channel that is closed when it ends.
func (w *World) OpenSocketAt(session sessions.Session, address, cookie string) (ended chan struct{}) {
	w.T.Helper()
	ctx, cancel := context.WithTimeout(w.T.Context(), time.Minute)
	w.T.Cleanup(cancel)
	_, address, _ = strings.Cut(address, "://")
	connection, _, err := websocket.Dial(ctx, "ws://"+address, &websocket.DialOptions{
		HTTPClient: Browser(w.T, w.Server.Gateway), HTTPHeader: http.Header{"Cookie": {cookie}, "Origin": {w.Origin(session)}},
	})
	Check(w.T, err)
	Check(w.T, connection.Write(ctx, websocket.MessageText, []byte("here")))
	if _, got, err := connection.Read(ctx); err != nil || string(got) != "here" {
		w.T.Fatalf("got %q, %v", got, err)
	}
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		_, _, _ = connection.Read(ctx)
	}()
	return ended
}

// LaunchPage opens a session's launch page as its owner.
func (w *World) LaunchPage(session sessions.Session) string {
	w.T.Helper()
	answer := w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/launch", "Cookie", w.Enter(session, w.Ann))
	w.WantStatus("the launch page", answer, http.StatusOK)
	if got := answer.Header().Get("Content-Security-Policy"); got != origin.PageSecurity {
		w.T.Errorf("the page's policy is %q", got)
	}
	return answer.Body.String()
}

// SignOut ends the access that the caller's login has to sessions.
func (w *World) SignOut(caller identity.Caller) {
	w.T.Helper()
	w.WantStatus("signing out", Call(w.APIAs(caller), http.MethodDelete, "/sessions/access", ""), http.StatusOK)
}
