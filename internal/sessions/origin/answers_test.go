package origin_test

import (
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sessionstest"
)

// The hosts of sessions are one site, so each one's cookie travels when the page of another includes its files.
func TestFilesOfASessionCannotBeIncludedByOtherPages(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.SecureForm)
	session, starting := w.Running("Session"), w.Start("starting")
	cookies := w.Enter(session, w.Ann) + "; " + w.Enter(starting, w.Ann)
	inside, launch := w.Inside(session, "files/s.js"), w.Origin(starting)+"/.cairn/s/"+starting.ID+"/launch"
	for _, site := range []string{"same-site", "cross-site"} {
		for _, mode := range []string{"no-cors", "cors", "websocket", "same-origin", ""} {
			for _, address := range []string{inside, launch} {
				made := sessionstest.Request(http.MethodGet, address, "Cookie", cookies, "Sec-Fetch-Site", site, "Sec-Fetch-Mode", mode)
				w.WantRefused(site+" "+mode, made, http.StatusForbidden, origin.ForeignText)
			}
		}
	}
	passes := func(what, site, mode string) {
		t.Helper()
		for _, address := range []string{inside, launch} {
			answer := w.Visit(http.MethodGet, address, "Cookie", cookies, "Sec-Fetch-Site", site, "Sec-Fetch-Mode", mode)
			w.WantStatus(what, answer, http.StatusOK)
			if got := answer.Header().Values("Cross-Origin-Resource-Policy"); len(got) != 1 || got[0] != "same-origin" {
				t.Errorf("%s: Cross-Origin-Resource-Policy is %q", what, got)
			}
		}
	}
	passes("a link of the catalog", "cross-site", "navigate")
	passes("a link of another session", "same-site", "navigate")
	passes("a typed address", "none", "navigate")
	passes("the session's own page", "same-origin", "no-cors")

	entered := w.Visit(http.MethodGet, w.Ticket(session, w.Ann), "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate")
	w.WantStatus("entering from the catalog", entered, http.StatusSeeOther)
	_, ticket, _ := strings.Cut(w.Ticket(session, w.Ann), "?")
	downloaded := w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/work.zip?"+ticket, "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate")
	if strings.Contains(downloaded.Body.String(), origin.ForeignText) {
		t.Error("a download from the catalog is refused as foreign")
	}
}

// A session's code may answer in place of Jupyter.
func TestHeadersOfTheSessionCannotReplaceOurs(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	kept := map[string]string{
		"Accept-Ranges": "bytes", "Cache-Control": "max-age=60", "Content-Disposition": `attachment; filename="a.csv"`, "Content-Language": "en",
		"Content-Range": "bytes 0-1/2", "Etag": `"x"`, "Last-Modified": "Sun, 22 Nov 2026 21:00:00 GMT", "Vary": "Accept",
		"Location": "/s/" + session.ID + "/lab", "Content-Type": "text/csv",
	}
	w.Upstream.AnswerWith(func(rw http.ResponseWriter, _ *http.Request) {
		header := rw.Header()
		for _, name := range []string{
			"Set-Cookie", "Set-Cookie2", "Clear-Site-Data", "Strict-Transport-Security", "Alt-Svc", "Nel", "Report-To", "Reporting-Endpoints",
			"Service-Worker-Allowed", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Www-Authenticate", "Refresh", "Link",
			"X-Accel-Redirect", "X-Sendfile", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Referrer-Policy",
			"X-Content-Type-Options", "X-Frame-Options", "Content-Security-Policy-Report-Only", "Sec-Websocket-Accept",
		} {
			header[name] = []string{"evil", "evil"}
		}
		rw.WriteHeader(http.StatusEarlyHints)
		rw.WriteHeader(http.StatusProcessing)
		for name, value := range kept {
			header.Set(name, value)
		}
		header.Set("Trailer", "X-Announced")
		rw.WriteHeader(http.StatusTeapot)
		_, _ = rw.Write([]byte("a,b"))
		header.Set("X-Announced", "evil")
		header.Set(http.TrailerPrefix+"Set-Cookie", "evil")
	})
	var interim []int
	trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, _ textproto.MIMEHeader) error { interim = append(interim, code); return nil }}
	made, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, w.Inside(session, "files/a.csv"), nil)
	sessionstest.Check(t, err)
	made.Header.Set("Cookie", cookie)
	answer, err := sessionstest.Browser(t, w.Server.Gateway).Do(made)
	sessionstest.Check(t, err)
	if body := sessionstest.BodyOf(t, answer); body != "a,b" || answer.StatusCode != http.StatusTeapot || len(interim) != 0 {
		t.Errorf("got %d %q after the interim answers %v", answer.StatusCode, body, interim)
	}
	want := map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
		"Cross-Origin-Resource-Policy": "same-origin", origin.ContentSecurityPolicy: "frame-ancestors 'self' " + sessionstest.Public,
	}
	maps.Copy(want, kept)
	answer.Header.Del("Date")
	for _, name := range slices.Sorted(maps.Keys(answer.Header)) {
		if got := answer.Header.Values(name); len(got) != 1 || got[0] != want[name] {
			t.Errorf("%s is %q, want %q once", name, got, want[name])
		}
		delete(want, name)
	}
	if len(want) != 0 || len(answer.Trailer) != 0 {
		t.Errorf("absent: %v; trailers: %v", want, answer.Trailer)
	}
}

func TestConnectionsAreUpgradedOnlyWhenTheBrowserAsks(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	w.Upstream.AnswerWith(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Connection", "Upgrade")
		rw.Header().Set("Upgrade", "websocket")
		rw.WriteHeader(http.StatusSwitchingProtocols)
	})
	w.WantStatus("a page", w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie), http.StatusBadGateway)
}

// What the server of a session sends is input: nothing of it breaks a connection by a panic, or writes outside of the log.
func TestAnswersThatDoNotExistAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	raw := ""
	w.Upstream.AnswerWith(func(rw http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(rw).Hijack()
		if err == nil {
			_, err = connection.Write([]byte(raw))
			_ = connection.Close()
		}
		if err != nil {
			t.Error(err)
		}
	})
	for name, answer := range map[string]string{
		"the status 000":          "HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n",
		"a status beyond all":     "HTTP/1.1 999 Request Denied\r\nContent-Length: 2\r\n\r\nno",
		"a status of two digits":  "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
		"a negative status":       "HTTP/1.1 -01 OK\r\nContent-Length: 0\r\n\r\n",
		"a status of Node.js":     "HTTP/1.1 099 Early\r\nContent-Length: 0\r\n\r\n",
		"interim answers only":    strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 3),
		"another protocol":        "SSH-2.0-OpenSSH_9.2\r\n",
		"nothing":                 "",
		"two lengths":             "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"a header without a name": "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
	} {
		raw = answer
		w.WantStatus(name, w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie), http.StatusBadGateway)
	}
}
