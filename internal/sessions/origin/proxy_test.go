package origin_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sessionstest"

	"github.com/coder/websocket"
)

// The client's cookies and tokens are ours or Jupyter's secrets of another login: none may reach the session's code.
func TestSecretsOfTheClientNeverReachTheSession(t *testing.T) {
	t.Parallel()
	for _, form := range []string{sessionstest.HostForm, sessionstest.PathForm} {
		w := newWorldAt(t, form)
		session := w.Running("Session")
		cookie := w.Enter(session, w.Ann)
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			answer := w.Visit(method, w.Inside(session, "api/contents/a%2Fb%20c?token=sesame&x=1"), "Cookie", cookie+"; other=sesame", "Cookie", "_xsrf=sesame",
				"Authorization", "Bearer sesame", "Proxy-Authorization", "Basic sesame", "Origin", w.Origin(session), "X-Forwarded-For", "10.0.0.1",
				"Accept", "text/x-test", "Connection", "X-Hop", "X-Hop", "sesame", "Keep-Alive", "sesame")
			w.WantStatus(method, answer, http.StatusOK)
			got := w.Upstream.Last(t)
			// The engine lets nothing pass without the authorisation that its target names, so ours was set.
			for name, values := range got.Header {
				if text := strings.Join(values, ", "); strings.Contains(text, "sesame") || strings.Contains(text, cookie) || name == "Cookie" {
					t.Errorf("%s %s reached the session: %s", method, name, text)
				}
			}
			if got.URL.RawQuery != "x=1" || got.URL.EscapedPath() != "/s/"+session.ID+"/api/contents/a%2Fb%20c" || got.Method != method {
				t.Errorf("%s %s?%s reached the session", got.Method, got.URL.EscapedPath(), got.URL.RawQuery)
			}
			if "http://"+got.Host != strings.Replace(w.Origin(session), "https", "http", 1) || got.Header.Get("Accept") != "text/x-test" {
				t.Errorf("host %q and Accept %q reached the session", got.Host, got.Header.Get("Accept"))
			}
		}
	}
}

func TestQueriesPassAsTheyAreButForTheToken(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"": "", "token=a": "", "a=1&token=b&c=3": "a=1&c=3", "token=a&token=b": "", "tok%65n=a&x": "x", "token": "", "a=token": "a=token",
		"tokens=1": "tokens=1", "b=%20&a=+&b=2": "b=%20&a=+&b=2", "a=%zz&b;c": "a=%zz&b;c", "a&&b=": "a&&b=", "%00token=1": "%00token=1",
	} {
		if got := origin.WithoutToken(query); got != want {
			t.Errorf("%q became %q, want %q", query, got, want)
		}
	}
}

func TestAnswersOfTheSessionSetNoCookiesAndChooseNoFrames(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	ours := "frame-ancestors 'self' " + sessionstest.Public
	for what, test := range map[string]struct{ sent, want []string }{
		"no policy":                  {nil, []string{ours}},
		"a policy of frames":         {[]string{"frame-ancestors *"}, []string{ours}},
		"in other letters":           {[]string{"Frame-Ancestors  http://evil.example ;"}, []string{ours}},
		"Jupyter's sandbox of files": {[]string{"frame-ancestors 'self'; sandbox allow-scripts"}, []string{ours, "sandbox allow-scripts"}},
		"several policies": {
			[]string{"default-src 'self';frame-ancestors *, sandbox", "frame-ancestors *", "img-src *; report-uri /x"},
			[]string{ours, "default-src 'self'", "sandbox", "img-src *; report-uri /x"},
		},
	} {
		w.Upstream.AnswerWith(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header()["Set-Cookie"] = []string{"cairn-s-" + session.ID + "=planted; Path=/", "_xsrf=x"}
			rw.Header().Set("X-Frame-Options", "ALLOWALL")
			rw.Header().Set("Cache-Control", "max-age=60")
			rw.Header()["Content-Security-Policy"] = test.sent
			rw.WriteHeader(http.StatusTeapot)
		})
		answer := w.Visit(http.MethodGet, w.Inside(session, "files/a.html"), "Cookie", cookie)
		header := answer.Header()
		if answer.Code != http.StatusTeapot || len(header.Values("Set-Cookie")) != 0 || header.Get("X-Frame-Options") != "" {
			t.Errorf("%s: got %d %v", what, answer.Code, header)
		}
		if got := header.Values("Content-Security-Policy"); strings.Join(got, "|") != strings.Join(test.want, "|") {
			t.Errorf("%s: the policies are %q, want %q", what, got, test.want)
		}
		if got := header.Values("Cache-Control"); len(got) != 1 || got[0] != "max-age=60" {
			t.Errorf("%s: Cache-Control is %q, want the session's own", what, got)
		}
	}
}

func TestSessionsThatDoNotRunLeadToTheLaunchPage(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start("Session")
	cookie := w.Enter(session, w.Ann)
	answer := w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie, "Accept", "text/html,*/*;q=0.8")
	if got := answer.Header().Get("Location"); answer.Code != http.StatusFound || got != "/.cairn/s/"+session.ID+"/launch?next=%2Fs%2F"+session.ID+"%2Ftree" {
		t.Errorf("a page: %d to %q", answer.Code, got)
	}
	made := sessionstest.Request(http.MethodGet, w.Inside(session, "api/status"), "Cookie", cookie, "Accept", "application/json")
	w.WantRefused("a call", made, http.StatusConflict, "This session isn't running.")
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running)
	w.WantStatus("once it runs", w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie), http.StatusOK)
}

func TestServerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	w.Upstream.AnswerWith(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	answer := w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie)
	body := answer.Body.String()
	if answer.Code != http.StatusBadGateway || !strings.Contains(body, ">Session not open<") || !strings.Contains(body, "Wait a moment and reload the page.") ||
		answer.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %v %s", answer.Code, answer.Header(), body)
	}
}

func TestWebsocketsPass(t *testing.T) {
	t.Parallel()
	for _, form := range []string{sessionstest.HostForm, sessionstest.PathForm} {
		w := newWorldAt(t, form)
		session := w.Running("Session")
		cookie := w.Enter(session, w.Ann)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		// The server stands behind one that ends TLS where the template says https.
		address := "ws" + strings.TrimPrefix(strings.Replace(w.Inside(session, "echo"), "https", "http", 1), "http")
		client := sessionstest.Browser(t, httpapi.Observe(w.Options.Logger, time.Now, nil, w.Server.Gateway))
		dial := func(site string) (*websocket.Conn, *http.Response, error) {
			return websocket.Dial(ctx, address+"?token=sesame&session_id=1", &websocket.DialOptions{
				HTTPClient: client, HTTPHeader: http.Header{"Cookie": {cookie}, "Origin": {site}},
			})
		}
		if _, answer, err := dial("http://evil.example"); err == nil || answer.StatusCode != http.StatusForbidden {
			t.Fatalf("a foreign page opened a websocket: %v", err)
		}
		connection, _, err := dial(w.Origin(session))
		sessionstest.Check(t, err)
		for _, message := range []string{"print(1)", strings.Repeat("a long cell ", 1000)} {
			sessionstest.Check(t, connection.Write(ctx, websocket.MessageText, []byte(message)))
			if _, got, err := connection.Read(ctx); err != nil || string(got) != message {
				t.Fatalf("got %q, %v", got, err)
			}
		}
		sessionstest.Check(t, connection.Close(websocket.StatusNormalClosure, ""))
		if got := w.Upstream.Last(t); got.URL.RawQuery != "session_id=1" || got.Header.Get("Cookie") != "" {
			t.Errorf("query %q and cookies %q reached the session", got.URL.RawQuery, got.Header.Get("Cookie"))
		}
	}
}

func TestStreamsPassAsTheyCome(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	goOn := make(chan struct{})
	w.Upstream.AnswerWith(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(rw, "first")
		_ = http.NewResponseController(rw).Flush()
		<-goOn
		_, _ = io.WriteString(rw, "second")
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	made, err := http.NewRequestWithContext(ctx, http.MethodGet, w.Inside(session, "files/long"), nil)
	sessionstest.Check(t, err)
	made.Header.Set("Cookie", cookie)
	answer, err := sessionstest.Browser(t, httpapi.Observe(w.Options.Logger, time.Now, nil, w.Server.Gateway)).Do(made)
	sessionstest.Check(t, err)
	first := make([]byte, len("first"))
	if _, err := io.ReadFull(answer.Body, first); err != nil || string(first) != "first" {
		t.Fatalf("got %q, %v before the answer was complete", first, err)
	}
	close(goOn)
	if rest := sessionstest.BodyOf(t, answer); rest != "second" {
		t.Errorf("the rest is %q", rest)
	}
}

// lines collects what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// Closing a tab while its session still answers isn't a failure of the session.
func TestClosedTabsAreNotLoggedAsSessionsThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	logged := &lines{}
	w := newWorld(t)
	w.Options.Logger = slog.New(slog.NewTextHandler(logged, nil))
	w.Server = w.NewService()
	w.Run(w.Server)
	session := w.Running("Session")
	ctx, closeTab := context.WithCancel(t.Context())
	w.Upstream.AnswerWith(func(_ http.ResponseWriter, r *http.Request) {
		closeTab()
		<-r.Context().Done()
	})
	made, err := http.NewRequestWithContext(ctx, http.MethodGet, w.Inside(session, "api/contents"), nil)
	sessionstest.Check(t, err)
	made.Header.Set("Cookie", w.Enter(session, w.Ann))
	if answer, err := sessionstest.Browser(t, httpapi.Observe(w.Options.Logger, time.Now, nil, w.Server.Gateway)).Do(made); err == nil {
		_ = answer.Body.Close()
		t.Fatal("it was answered")
	}
	sessionstest.Eventually(t, "the request is logged", func() bool {
		logged.mu.Lock()
		defer logged.mu.Unlock()
		return strings.Contains(logged.text.String(), "status=499")
	})
	if text := logged.text.String(); strings.Contains(text, "level=WARN") || strings.Contains(text, "level=ERROR") {
		t.Errorf("the log is\n%s", text)
	}
}

// CVE-2020-26261, CVE-2025-58366: secrets in logs.
func TestTicketsAndCookiesAreNotLogged(t *testing.T) {
	t.Parallel()
	logged := &lines{}
	logger := slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w := newWorld(t)
	w.Options.Logger = logger
	w.Server = w.NewService()
	kill := w.Run(w.Server)
	session := w.Running("Session")
	client := sessionstest.Browser(t, httpapi.Observe(logger, time.Now, nil, w.Server.Gateway))
	address := w.Ticket(session, w.Ann)
	var cookie string
	for _, status := range []int{http.StatusSeeOther, http.StatusUnauthorized} {
		answer, err := client.Get(address)
		sessionstest.Check(t, err)
		_ = answer.Body.Close()
		if answer.StatusCode != status {
			t.Fatalf("got %d, want %d", answer.StatusCode, status)
		}
		if status == http.StatusSeeOther {
			cookie = answer.Cookies()[0].Value
		}
	}
	w.Upstream.AnswerWith(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	made, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.Inside(session, "tree?token=sesame"), nil)
	sessionstest.Check(t, err)
	made.Header.Set("Cookie", "cairn-s-"+session.ID+"="+cookie)
	answer, err := client.Do(made)
	sessionstest.Check(t, err)
	_ = answer.Body.Close()
	kill()
	_, ticket, _ := strings.Cut(address, "?ticket=")
	sessionstest.Eventually(t, "three requests are logged", func() bool {
		logged.mu.Lock()
		defer logged.mu.Unlock()
		return strings.Count(logged.text.String(), "msg=request ") == 3
	})
	logged.mu.Lock()
	defer logged.mu.Unlock()
	if text := logged.text.String(); strings.Contains(text, ticket) || strings.Contains(text, cookie) || strings.Contains(text, "sesame") ||
		!strings.Contains(text, "/enter") || !strings.Contains(text, "session isn't responding") {
		t.Errorf("the log is\n%s", text)
	}
}
