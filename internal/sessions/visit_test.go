package sessions

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

	"cairn/internal/identity"

	"github.com/coder/websocket"
)

// upstream stands in for Jupyter and records the requests that reach it. Below "echo" it is a websocket; elsewhere it
// answers as configured.
type upstream struct {
	mutex  sync.Mutex
	got    []*http.Request
	answer http.HandlerFunc
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mutex.Lock()
	u.got = append(u.got, r.Clone(r.Context()))
	answer := u.answer
	u.mutex.Unlock()
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

// requests returns what reached the session's server so far.
func (u *upstream) requests() []*http.Request {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	return append([]*http.Request{}, u.got...)
}

// last returns the request that reached it last.
func (u *upstream) last(t *testing.T) *http.Request {
	t.Helper()
	all := u.requests()
	if len(all) == 0 {
		t.Fatal("nothing reached the session's server")
	}
	return all[len(all)-1]
}

// request creates a request to the session origin as it arrives there. The headers are names and values in turn.
func request(method, address string, headers ...string) *http.Request {
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

// visit creates a request to the session origin.
func (w *world) visit(method, address string, headers ...string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	w.service.Gateway().ServeHTTP(answer, request(method, address, headers...))
	return answer
}

// origin is a session's own.
func (w *world) origin(session Session) string {
	return w.options.Address.Origin(sessionKind, session.ID)
}

// inside is an address of a session's server.
func (w *world) inside(session Session, path string) string {
	return w.origin(session) + "/s/" + session.ID + "/" + path
}

// ticket returns an address with a fresh ticket of a caller for a session.
func (w *world) ticket(session Session, caller identity.Caller) string {
	w.t.Helper()
	address, err := w.service.Redirect(w.as(caller), session)
	check(w.t, err)
	return address
}

// enter follows a ticket and returns the cookie as browsers send it.
func (w *world) enter(session Session, caller identity.Caller) (cookie string) {
	w.t.Helper()
	answer := w.visit(http.MethodGet, w.ticket(session, caller))
	w.wantStatus("entering", answer, http.StatusSeeOther)
	cookies := answer.Result().Cookies()
	if len(cookies) != 1 {
		w.t.Fatalf("entering set %d cookies", len(cookies))
	}
	return cookies[0].Name + "=" + cookies[0].Value
}

// wantRefused checks that a request is refused with a page for people and never reaches the session's server.
func (w *world) wantRefused(what string, made *http.Request, status int, text string) {
	w.t.Helper()
	before := len(w.upstream.requests())
	answer := httptest.NewRecorder()
	w.service.Gateway().ServeHTTP(answer, made)
	if answer.Code != status || !strings.Contains(html.UnescapeString(answer.Body.String()), text) {
		w.t.Errorf("%s: got %d %s, want %d with %q", what, answer.Code, answer.Body, status, text)
	}
	if len(w.upstream.requests()) != before {
		w.t.Errorf("%s: it reached the session's server", what)
	}
	if security := answer.Header().Get("Content-Security-Policy"); security != pageSecurity {
		w.t.Errorf("%s: the page's policy is %q", what, security)
	}
}

// browser is a client of a real server; it resolves every name to it and follows no redirects.
func browser(t *testing.T, handler http.Handler) *http.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.DialContext = dialTo(server.Listener.Addr().String())
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func bodyOf(t *testing.T, answer *http.Response) string {
	t.Helper()
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(t, err)
	return string(body)
}

// dialTo connects to one address, whatever name is asked for: *.localhost is resolved by browsers only.
func dialTo(address string) func(ctx context.Context, network, name string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
}
