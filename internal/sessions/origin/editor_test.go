package origin_test

import (
	"net/http"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
)

func TestVSCodeIsAtItsOwnPath(t *testing.T) {
	t.Parallel()
	for _, form := range []string{sessionstest.HostForm, sessionstest.PathForm} {
		w := newWorldAt(t, form)
		w.Machine.OfferEditors()
		session, other := w.Running("Session"), w.Running("Other")
		at := func(session sessions.Session, path string) string {
			return w.Origin(session) + "/vscode/" + session.ID + "/" + path
		}
		address, err := w.Server.Redirect(w.As(w.Ann), session, sessions.VSCode)
		sessionstest.Check(t, err)
		entered := w.Visit(http.MethodGet, address)
		if entered.Code != http.StatusSeeOther || entered.Header().Get("Location") != "/vscode/"+session.ID+"/" {
			t.Fatalf("entering: %d to %q", entered.Code, entered.Header().Get("Location"))
		}
		cookie, _, _ := strings.Cut(entered.Header().Get("Set-Cookie"), ";")
		w.Upstream.AnswerWith(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Security-Policy", "default-src 'self'; connect-src 'self' https:")
			rw.Header().Set("Service-Worker-Allowed", "/")
			rw.Header().Set("Set-Cookie", "vscode-tkn=planted")
		})
		answer := w.Visit(http.MethodGet, at(session, "a%20b?folder=/session/work&token=x"), "Cookie", cookie)
		w.WantStatus("a page", answer, http.StatusOK)
		if got := w.Upstream.Last(t); got.URL.EscapedPath() != "/a%20b" || got.URL.RawQuery != "folder=/session/work" || got.Header.Get("Cookie") != "" {
			t.Errorf("%s?%s with %q reached the editor", got.URL.EscapedPath(), got.URL.RawQuery, got.Header.Get("Cookie"))
		}
		policies := strings.Join(answer.Header().Values("Content-Security-Policy"), " | ")
		for _, want := range []string{"frame-ancestors 'self' " + sessionstest.Public, "connect-src 'self' ws" + strings.TrimPrefix(w.Origin(session), "http") + " ", "form-action 'self'", "default-src 'self'"} {
			if !strings.Contains(policies, want) {
				t.Errorf("the policies are %s", policies)
			}
		}
		if answer.Header().Get("Service-Worker-Allowed") != "" || len(answer.Result().Cookies()) > 0 {
			t.Errorf("the headers are %v", answer.Header())
		}
		w.WantStatus("a climbing path", w.Visit(http.MethodGet, at(session, "%2e%2e/x"), "Cookie", cookie), http.StatusNotFound)
		w.WantRefused("without a cookie", sessionstest.Request(http.MethodGet, at(session, "")), http.StatusUnauthorized, belongsText)
		if form == sessionstest.PathForm {
			w.WantRefused("another session", sessionstest.Request(http.MethodGet, at(other, ""), "Cookie", cookie), http.StatusUnauthorized, belongsText)
		}
		foreign := append([]string{"Cookie", cookie, "Origin", "https://evil.example"}, upgrade...)
		w.WantRefused("a websocket of another page", sessionstest.Request(http.MethodGet, at(session, "stable"), foreign...), http.StatusForbidden, "This request came from another site, so it was refused.")
		// What VS Code holds open says nothing about its user, unlike what pages of Jupyter hold open.
		w.Upstream.AnswerWith(nil)
		w.OpenSocketAt(session, at(session, "stable-1/echo?reconnectionToken=x"), cookie)
		if tabs := w.OpenSockets(session.ID); tabs != 0 {
			t.Errorf("an open page of VS Code counts as %d tabs", tabs)
		}
		w.OpenSocket(session, cookie)
		if tabs := w.OpenSockets(session.ID); tabs != 1 {
			t.Errorf("beside it, a page of Jupyter counts as %d tabs", tabs)
		}
	}
}

func TestSessionsWithoutVSCode(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	if _, err := w.Server.Redirect(w.As(w.Ann), session, sessions.VSCode); fault.CodeOf(err) != fault.InterfaceUnknown {
		t.Errorf("a way into it: %v", err)
	}
	if _, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: w.ID("tools"), Interface: sessions.VSCode}); fault.CodeOf(err) != fault.InterfaceUnknown {
		t.Errorf("a start in it: %v", err)
	}
	w.Machine.OfferEditors()
	if _, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: w.ID("tools"), Interface: sessions.VSCode}); err != nil {
		t.Errorf("a start in it, where it is: %v", err)
	}
}

// The page of a launch leads to what the session doesn't open in, as long as it has that.
func TestLaunchPageLeadsToVSCodeAndBack(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start("Session")
	launch := w.Origin(session) + "/.cairn/s/" + session.ID + "/launch"
	cookie := w.Enter(session, w.Ann)
	page := func(query string) string {
		answer := w.Visit(http.MethodGet, launch+query, "Cookie", cookie)
		w.WantStatus("the page", answer, http.StatusOK)
		return answer.Body.String()
	}
	if text := page(""); strings.Contains(text, "Open in") {
		t.Errorf("without VS Code the page is\n%s", text)
	}
	w.Machine.OfferEditors()
	there := "?next=%2Fvscode%2F" + session.ID + "%2F"
	if text := page(""); !strings.Contains(text, `href="/.cairn/s/`+session.ID+"/launch"+there+`">Open in VS Code</a>`) {
		t.Errorf("the page is\n%s", text)
	}
	if text := page(there); !strings.Contains(text, `href="/.cairn/s/`+session.ID+`/launch">Open in Jupyter</a>`) {
		t.Errorf("on the way to VS Code the page is\n%s", text)
	}
}
