package origin_test

import (
	"net/http"
	"strings"
	"testing"

	"cairn/internal/sessions/sessionstest"
)

// GHSA-7cc2-r658-7xpf: what answers at a host name of somebody else's choice.
func TestSessionsAnswerAtTheirOwnHostOnly(t *testing.T) {
	t.Parallel()
	for form, hosts := range map[string][]string{
		sessionstest.HostForm: {"localhost:8081", "s-" + sessionstest.SomeID + ".localhost:8081", "n-ID.localhost:8081", "s-ID.localhost:8081.evil.example", "127.0.0.1:8080"},
		sessionstest.PathForm: {"example.org", "run.example.org.evil.example", "127.0.0.1:8080"},
	} {
		w := newWorldAt(t, form)
		session := w.Running("Session")
		cookie := w.Enter(session, w.Ann)
		_, ticket, _ := strings.Cut(w.Ticket(session, w.Ann), "?")
		for _, host := range append(hosts, "") {
			for _, path := range []string{"/.cairn/s/ID/enter?" + ticket, "/.cairn/s/ID/launch", "/.cairn/s/ID/events", "/s/ID/tree"} {
				made := sessionstest.Request(http.MethodGet, "http://x"+strings.ReplaceAll(path, "ID", session.ID), "Cookie", cookie)
				made.Host = strings.ReplaceAll(host, "ID", session.ID)
				w.WantRefused(path+" at "+made.Host, made, http.StatusNotFound, "There is no page at this address.")
			}
		}
	}
}

// Jupyter's own page would say that somebody has logged out who still can enter.
func TestLogoutOfJupyterIsAnsweredHere(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	made := sessionstest.Request(http.MethodGet, w.Inside(session, "logout"), "Cookie", w.Enter(session, w.Ann))
	w.WantRefused("logout", made, http.StatusOK, "Sign out in the catalog")
}

func TestAddressesThatAreNone(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	for _, path := range []string{
		"/x", "/s/", "/s/nonsense/tree", "/s/" + strings.ToUpper(session.ID) + "/tree", "/.cairn/", "/.cairn/s/" + session.ID + "/x", "/favicon.ico",
		"/.cairn/assets/", "/.cairn/assets/x/y.css", "/n/" + session.ID + "/",
	} {
		w.WantRefused(path, sessionstest.Request(http.MethodGet, w.Origin(session)+path, "Cookie", cookie), http.StatusNotFound, "/sessions\">Go to your sessions</a>")
	}
	for _, path := range []string{"launch.html", "message.html", "gateway.go", "%2e%2e%2fpages%2flaunch.html", "..%5claunch.html"} {
		if answer := w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/assets/"+path); answer.Code == http.StatusOK {
			t.Errorf("%s is served: %s", path, answer.Body)
		}
	}
	for path, kind := range map[string]string{"pages.css": "text/css", "launch.js": "text/javascript"} {
		answer := w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/assets/"+path)
		if got := answer.Header().Get("Content-Type"); answer.Code != http.StatusOK || !strings.HasPrefix(got, kind) ||
			answer.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %q", path, answer.Code, got)
		}
	}
}
