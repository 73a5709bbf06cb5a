package origin_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

const shell = "<!DOCTYPE HTML>\n<html><body>Jupyter</body></html>\n"

func scriptTag(session sessions.Session) string {
	return `<script src="/.cairn/s/` + session.ID + `/reads.js" data-loaded="` + strconv.FormatInt(sessionstest.NewClock().Now().UnixMicro(), 10) + `"></script>` +
		`<script type="module" src="/.cairn/s/` + session.ID + `/session.js"></script><script type="module" src="/.cairn/assets/outputs.js"></script>` + "\n"
}

// answers makes the session's server answer everything with this body and these headers, names and values in turn.
func (w *world) answers(status int, body string, headers ...string) {
	w.Upstream.AnswerWith(func(rw http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			rw.Header().Set(headers[i], headers[i+1])
		}
		rw.WriteHeader(status)
		if r.Method != http.MethodHead && status != http.StatusNotModified {
			_, _ = io.WriteString(rw, body)
		}
	})
}

func TestScriptStandsInThePagesOfJupytersApplicationsAlone(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	w.answers(http.StatusOK, shell, "Content-Type", "text/html; charset=UTF-8", "Etag", `"x"`, "Accept-Ranges", "bytes",
		origin.ContentSecurityPolicy, "frame-ancestors 'self'; script-src 'self'")
	client := sessionstest.Browser(t, w.Server.Gateway)
	get := func(path string) (*http.Response, string) {
		t.Helper()
		made, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.Inside(session, path), nil)
		sessionstest.Check(t, err)
		made.Header.Set("Cookie", cookie)
		made.Header.Set("Accept-Encoding", "gzip, br")
		answer, err := client.Do(made)
		sessionstest.Check(t, err)
		return answer, sessionstest.BodyOf(t, answer)
	}
	for _, path := range []string{
		"tree", "tree/", "tree/a%20b", "notebooks/first%20steps/a.ipynb", "edit/page.html", "terminals/1", "consoles/1", "lab", "lab/",
		"lab/tree/a.ipynb", "lab/workspaces/auto-x/tree/a.ipynb", "doc/tree/a.ipynb", "nbclassic/notebooks/a.ipynb",
	} {
		answer, body := get(path)
		if body != shell+scriptTag(session) || answer.ContentLength != int64(len(body)) {
			t.Errorf("%s: %d bytes announced, and the page is %q", path, answer.ContentLength, body)
		}
		header := answer.Header
		if policies := header.Values(origin.ContentSecurityPolicy); header.Get("Etag") != "" || header.Get("Accept-Ranges") != "" ||
			!slices.Equal(policies, []string{"frame-ancestors 'self' " + sessionstest.Public, "script-src 'self'"}) {
			t.Errorf("%s: %v", path, header)
		}
		if got := w.Upstream.Last(t).Header.Get("Accept-Encoding"); got != "identity" {
			t.Errorf("%s: the session's server may pack the page by %q", path, got)
		}
	}
	for _, path := range []string{
		"", "files/page.html", "view/page.html", "nbconvert/html/a.ipynb", "static/page.html", "custom/tree/page.html", "api/contents/tree", "trees",
		"lab/extensions/x/static/page.html", "lab/api/translations/", "files/lab/tree/page.html", "laboratory",
	} {
		answer, body := get(path)
		if body != shell || answer.Header.Get("Etag") != `"x"` || answer.Header.Get("Accept-Ranges") != "bytes" {
			t.Errorf("%q: %q with %v", path, body, answer.Header)
		}
		if got := w.Upstream.Last(t).Header.Get("Accept-Encoding"); got != "gzip, br" {
			t.Errorf("%q: it asks for %q", path, got)
		}
	}
}

func TestWhatIsNoWholePageOfJupyterStaysAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	for what, test := range map[string]struct {
		method  string
		status  int
		headers []string
	}{
		"HEAD":                   {http.MethodHead, http.StatusOK, []string{"Content-Length", "51"}},
		"POST":                   {http.MethodPost, http.StatusOK, nil},
		"a copy that is kept":    {http.MethodGet, http.StatusNotModified, nil},
		"a part":                 {http.MethodGet, http.StatusPartialContent, []string{"Content-Range", "bytes 0-50/99"}},
		"an error":               {http.MethodGet, http.StatusNotFound, nil},
		"a packed page":          {http.MethodGet, http.StatusOK, []string{"Content-Encoding", "gzip"}},
		"a download":             {http.MethodGet, http.StatusOK, []string{"Content-Disposition", "attachment"}},
		"a file in a sandbox":    {http.MethodGet, http.StatusOK, []string{origin.ContentSecurityPolicy, "Sandbox allow-scripts"}},
		"another type":           {http.MethodGet, http.StatusOK, []string{"Content-Type", "application/json"}},
		"another way of writing": {http.MethodGet, http.StatusOK, []string{"Content-Type", "text/html; charset=utf-16"}},
	} {
		w.answers(test.status, shell, append([]string{"Content-Type", "text/html", "Etag", `"x"`}, test.headers...)...)
		answer := w.Visit(test.method, w.Inside(session, "tree"), "Cookie", cookie, "Origin", w.Origin(session))
		want := shell
		if test.method == http.MethodHead || test.status == http.StatusNotModified {
			want = ""
		}
		if answer.Code != test.status || answer.Body.String() != want || answer.Header().Get("Etag") != `"x"` {
			t.Errorf("%s: %d %q with %v", what, answer.Code, answer.Body, answer.Header())
		}
	}
}

func TestPageWithTheScriptIsStillStreamed(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	read := make(chan struct{})
	w.Upstream.AnswerWith(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(rw, "begin")
		_ = http.NewResponseController(rw).Flush()
		select {
		case <-read:
			_, _ = io.WriteString(rw, "end")
		case <-r.Context().Done():
		}
	})
	made, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.Inside(session, "tree"), nil)
	sessionstest.Check(t, err)
	made.Header.Set("Cookie", cookie)
	answer, err := sessionstest.Browser(t, w.Server.Gateway).Do(made)
	sessionstest.Check(t, err)
	begin := make([]byte, len("begin"))
	_, err = io.ReadFull(answer.Body, begin)
	sessionstest.Check(t, err)
	close(read)
	if rest := sessionstest.BodyOf(t, answer); string(begin) != "begin" || rest != "end"+scriptTag(session) {
		t.Errorf("the page is %q, then %q", begin, rest)
	}
}

func TestScriptIsServedToThePolicyOfAnyPage(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start("Session")
	answer := w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/session.js")
	if answer.Code != http.StatusOK || !strings.HasPrefix(answer.Header().Get("Content-Type"), "text/javascript") || answer.Body.String() != origin.SessionScript {
		t.Errorf("got %d %v", answer.Code, answer.Header())
	}
	w.WantStatus("at another host", w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+sessionstest.SomeID+"/session.js"), http.StatusNotFound)
}

// origin.PageState is the answer to the script in a page of a session.
func (w *world) pageState(session sessions.Session, cookie string, status int) origin.PageState {
	w.T.Helper()
	reached := len(w.Upstream.Requests())
	answer := w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/state", "Cookie", cookie)
	w.WantStatus("the state", answer, status)
	if header := answer.Header(); header.Get("Content-Type") != "application/json" || header.Get("Cache-Control") != "no-store" {
		w.T.Errorf("the state has %v", header)
	}
	if len(w.Upstream.Requests()) != reached {
		w.T.Error("the session's server was asked, so its session seems to be used")
	}
	state := sessionstest.Decode[origin.PageState](w.T, answer)
	if want := sessionstest.Public + "/sessions/" + session.ID + "/open"; state.Open != want {
		w.T.Errorf("it leads to %q, want %q", state.Open, want)
	}
	return state
}

func TestStateSaysWhenTheSignInEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.CookieLife = 12 * time.Hour
	w.Server = w.NewService()
	w.Run(w.Server)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	first := w.pageState(session, cookie, http.StatusOK)
	if first.Code != "running" || first.Text != "" || first.Run == "" || first.SignIn != 0 {
		t.Errorf("at first it is %+v", first)
	}
	left := func(after, want time.Duration) {
		t.Helper()
		w.Clock.Advance(after)
		if got := w.pageState(session, cookie, http.StatusOK); got.Code != "running" || got.Run != first.Run || got.SignIn != int(want.Seconds()) {
			t.Errorf("it is %+v, want the sign-in to end in %s", got, want)
		}
	}
	left(7*time.Hour+55*time.Minute, 0) // the cookie itself was renewed by this very look
	left(3*time.Hour+55*time.Minute-time.Second, 0)
	left(time.Second, 10*time.Minute)
	left(9*time.Minute, time.Minute)
	left(time.Minute-time.Millisecond, time.Second)
	w.Clock.Advance(time.Millisecond)
	if got := w.pageState(session, cookie, http.StatusUnauthorized); got.Code != "sign_in" || got.Text != "" || got.Run != "" {
		t.Errorf("afterwards it is %+v", got)
	}
	sessionstest.Check(t, w.Accounts.MarkSeen(t.Context(), w.Ann.AccountID)) // somebody signed in, in whichever tab
	left(0, 0)
}

func TestStateOfASessionThatHasEnded(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	first := w.pageState(session, cookie, http.StatusOK)
	w.Machine.HoldStops(true)
	w.Server.Settle = time.Millisecond
	_, err := w.Server.Terminate(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	if got := w.pageState(session, cookie, http.StatusOK); got.Code != "stopping" {
		t.Errorf("during the stop it is %+v", got)
	}
	w.Machine.HoldStops(false)
	w.WaitFor(session.ID, sessions.Terminated)
	w.Server.Gateway.ForgetGrants()
	if got := w.pageState(session, cookie, http.StatusOK); got.Code != "ended" || got.Text != "The session was terminated. Its work is kept." {
		t.Errorf("then it is %+v", got)
	}
	w.Clock.Advance(time.Second)
	_, err = w.Server.Restart(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	if got := w.pageState(session, cookie, http.StatusOK); got.Code != "starting" || got.Text != "" {
		t.Errorf("while it starts again it is %+v", got)
	}
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running)
	if got := w.pageState(session, cookie, http.StatusOK); got.Code != "running" || got.Run == first.Run {
		t.Errorf("the next run is %+v, the one before was %q", got, first.Run)
	}
}

// The session's code can ask all that the script can.
func TestStateRevealsNothingToStrangers(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("A secret name")
	ask := func(id, cookie string) *httptest.ResponseRecorder {
		return w.Visit(http.MethodGet, w.Options.Address.Origin("s", id)+"/.cairn/s/"+id+"/state", "Cookie", cookie)
	}
	for what, cookie := range map[string]string{"no cookie": "", "a wrong one": "cairn-s-" + session.ID + "=x"} {
		known, unknown := ask(session.ID, cookie), ask(sessionstest.SomeID, cookie)
		w.WantStatus(what, known, http.StatusUnauthorized)
		if strings.ReplaceAll(known.Body.String(), session.ID, sessionstest.SomeID) != unknown.Body.String() || known.Code != unknown.Code {
			t.Errorf("with %s a stranger can tell a session from none: %s %s", what, known.Body, unknown.Body)
		}
	}
	cookie := w.Enter(session, w.Ann)
	if body := ask(session.ID, cookie).Body.String(); strings.Contains(body, "secret") || strings.Contains(body, "ann") {
		t.Errorf("the state is %s", body)
	}
	w.Enable(w.Ann.Email, false)
	if got := w.pageState(session, cookie, http.StatusForbidden); got.Code != "refused" || !strings.Contains(got.Text, "help@example.org") {
		t.Errorf("of a disabled account it is %+v", got)
	}
	made := w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/state", "Cookie", cookie, "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors")
	w.WantStatus("another session's page", made, http.StatusForbidden)
}

func TestStateSaysWhatARunningSessionUses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Idle = sessionstest.HourAndWorkday
	w.Server = w.NewService()
	limits := sizes.Limits{MemoryBytes: 2 << 30, DiskBytes: 10 << 30}
	w.Server.Engines.All[0].Limits = limits
	w.Run(w.Server)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	first := w.pageState(session, cookie, http.StatusOK).Session
	home := origin.PageLink{Name: "notes", URL: sessionstest.Public + "/resources/repositories/" + w.ID("tools")}
	catalogPage := origin.PageLink{Name: "Cairn", URL: sessionstest.Public + "/"}
	if want := (origin.RunState{Catalog: catalogPage, Saving: first.Saving, Home: home, Limits: limits, Contact: "help@example.org", Jupyter: sessions.ServerPath(session.ID), Share: sessionstest.Public + "/sessions/" + session.ID + "/share"}); first == nil || !reflect.DeepEqual(*first, want) {
		t.Fatalf("at first it is %+v", first)
	}
	w.Machine.Report(session.ID, engine.Activity{LastAt: w.Clock.Now()}, "A kernel ran out of memory.")
	w.Machine.Use(session.ID, engine.Usage{MemoryBytes: 1 << 30, DiskBytes: 2 << 20})
	sessionstest.Eventually(t, "it is known when it stops", func() bool { return w.Row(session.ID).StopsAt != nil })
	w.Server.Gateway.ForgetGrants()
	want := origin.RunState{
		Catalog: catalogPage, Saving: first.Saving, Home: home, StopsIn: 3600, MayKeep: true, Warning: "A kernel ran out of memory.", Limits: limits, Contact: "help@example.org",
		Share: first.Share, Jupyter: sessions.ServerPath(session.ID), Usage: sessions.Usage{MemoryBytes: 1 << 30, DiskBytes: 2 << 20},
	}
	if got := w.pageState(session, cookie, http.StatusOK).Session; !reflect.DeepEqual(*got, want) {
		t.Errorf("then it is %+v", got)
	}
	session.Resource = &sessions.SessionResource{ID: sessionstest.SomeID, Type: catalog.Dataset}
	if got := w.Server.Gateway.Home(session); got != sessionstest.Public+"/resources/datasets/"+sessionstest.SomeID {
		t.Errorf("from a dataset it leads to %s", got)
	}
}

func TestStateSaysWhenTheWorkWasSavedAndWhenAnOpenTabEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Idle = sessionstest.HourAndWorkday
	w.Server = w.NewService()
	w.Run(w.Server)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	page := sessionstest.Public + "/sessions/" + session.ID
	if got := w.pageState(session, cookie, http.StatusOK).Session.Saving; got == nil || got.Ago != 0 || got.URL != page+"/versions" || got.Publish != page+"/publish" {
		t.Errorf("at first it is %+v", got)
	}
	w.Machine.Put(session.ID, "notes.txt", "one")
	_, err := w.Server.Work.SaveVersion(w.As(w.Ann), session.ID, "step")
	sessionstest.Check(t, err)
	w.Machine.Report(session.ID, engine.Activity{LastAt: w.Clock.Now()}, "")
	sessionstest.Eventually(t, "it is known when it stops", func() bool { return w.Row(session.ID).StopsAt != nil })
	w.Clock.Advance(2 * time.Minute)
	w.Server.Gateway.ForgetGrants()
	if got := w.pageState(session, cookie, http.StatusOK).Session; got.Saving.Ago < 120 || got.StopsIn > 3600 || !got.MayKeep {
		t.Errorf("two minutes later it is %+v, %+v", got, got.Saving)
	}
	w.Machine.Report(session.ID, engine.Activity{LastAt: w.Clock.Now(), Connections: 1}, "") // the reconciler learns of it later
	if got := w.pageState(session, cookie, http.StatusOK).Session; got.StopsIn < 7*3600 || got.MayKeep {
		t.Errorf("with an open tab it is %+v", got)
	}
}

// expectOwnPagesAlone expects that an action of a session's pages is refused to everything else, and does nothing.
func (w *world) expectOwnPagesAlone(session, other sessions.Session, cookie, otherCookie, address string, unchanged func() error) {
	w.T.Helper()
	site := w.Origin(session)
	for what, test := range map[string]struct {
		method  string
		status  int
		headers []string
	}{
		"no cookie":             {http.MethodPost, http.StatusUnauthorized, []string{"Origin", site}},
		"another's cookie":      {http.MethodPost, http.StatusUnauthorized, []string{"Origin", site, "Cookie", strings.ReplaceAll(otherCookie, other.ID, session.ID)}},
		"no origin":             {http.MethodPost, http.StatusForbidden, []string{"Cookie", cookie}},
		"the catalog's page":    {http.MethodPost, http.StatusForbidden, []string{"Cookie", cookie, "Origin", sessionstest.Public}},
		"another session's":     {http.MethodPost, http.StatusForbidden, []string{"Cookie", cookie, "Origin", w.Origin(other)}},
		"a page without origin": {http.MethodPost, http.StatusForbidden, []string{"Cookie", cookie, "Origin", "null"}},
		"a link":                {http.MethodGet, http.StatusNotFound, []string{"Cookie", cookie}},
	} {
		w.WantStatus(what, w.Visit(test.method, address, test.headers...), test.status)
		if err := unchanged(); err != nil {
			w.T.Fatalf("%s: %v", what, err)
		}
	}
}

func TestOnlyThePagesOfASessionStopIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Address = sessionstest.AddressOf(t, sessionstest.HostForm)
	w.Server = w.NewService()
	w.Run(w.Server)
	session, other := w.Running("Session"), w.Running("another")
	cookie, otherCookie := w.Enter(session, w.Ann), w.Enter(other, w.Ann)
	address, site := w.Origin(session)+"/.cairn/s/"+session.ID+"/stop", w.Origin(session)
	w.expectOwnPagesAlone(session, other, cookie, otherCookie, address, func() error {
		if got := w.Row(session.ID); got.Status != sessions.Running || got.RequestedStatus != "" {
			return fmt.Errorf("it is %s, and %q was asked for", got.Status, got.RequestedStatus)
		}
		return nil
	})
	answer := w.Visit(http.MethodPost, address, "Cookie", cookie, "Origin", site)
	w.WantStatus("its own page", answer, http.StatusOK)
	if state := sessionstest.Decode[origin.PageState](t, answer); state.Code != "stopping" && state.Code != "ended" {
		t.Errorf("the answer is %+v", state)
	}
	w.WaitFor(session.ID, sessions.Terminated)
	if got := w.Row(other.ID); got.Status != sessions.Running {
		t.Errorf("the other is %s", got.Status)
	}
}

func TestOnlyThePagesOfASessionKeepIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Idle = sessionstest.HourAndWorkday
	w.Options.Address = sessionstest.AddressOf(t, sessionstest.HostForm)
	w.Server = w.NewService()
	w.Run(w.Server)
	session, other := w.Running("Session"), w.Running("another")
	for _, one := range []sessions.Session{session, other} {
		w.Machine.Report(one.ID, engine.Activity{LastAt: w.Clock.Now()}, "")
		sessionstest.Eventually(t, "it is known when it stops", func() bool { return w.Row(one.ID).StopsAt != nil })
	}
	cookie, otherCookie := w.Enter(session, w.Ann), w.Enter(other, w.Ann)
	address, site := w.Origin(session)+"/.cairn/s/"+session.ID+"/keep", w.Origin(session)
	w.Clock.Advance(30 * time.Minute)
	stopsAt := *w.Row(session.ID).StopsAt
	w.expectOwnPagesAlone(session, other, cookie, otherCookie, address, func() error {
		if got := *w.Row(session.ID).StopsAt; !got.Equal(stopsAt) {
			return fmt.Errorf("it was kept until %s", got)
		}
		return nil
	})
	reached := len(w.Upstream.Requests())
	for range 2 {
		answer := w.Visit(http.MethodPost, address, "Cookie", cookie, "Origin", site)
		w.WantStatus("its own page", answer, http.StatusOK)
		if state := sessionstest.Decode[origin.PageState](t, answer); state.Code != "running" || state.Session.StopsIn != 3600 || len(w.Upstream.Requests()) != reached {
			t.Errorf("the answer is %+v", state)
		}
	}
	_, err := w.Server.Terminate(w.As(w.Ann), other.ID)
	sessionstest.Check(t, err)
	w.WaitFor(other.ID, sessions.Terminated)
	ended := w.Visit(http.MethodPost, w.Origin(other)+"/.cairn/s/"+other.ID+"/keep", "Cookie", otherCookie, "Origin", w.Origin(other))
	w.WantStatus("a session that has ended", ended, http.StatusConflict)
	if got := w.Row(other.ID); got.Status != sessions.Terminated || got.StopsAt != nil {
		t.Errorf("it is %s and stops at %v", got.Status, got.StopsAt)
	}
	w.Enable(w.Ann.Email, false) // last: the reconciler stops a disabled account's sessions
	refused := w.Visit(http.MethodPost, address, "Cookie", cookie, "Origin", site)
	w.WantStatus("a disabled account", refused, http.StatusForbidden)
	if state := sessionstest.Decode[origin.PageState](t, refused); state.Code != "refused" {
		t.Errorf("a disabled account gets %+v", state)
	}
}

func TestSignInLeadsBackToTheSamePage(t *testing.T) {
	t.Parallel()
	for _, form := range []string{sessionstest.HostForm, sessionstest.PathForm} {
		w := newWorldAt(t, form)
		session, starting := w.Running("Session"), w.Start("starting")
		own, inside := "/.cairn/s/"+session.ID+"/", "/s/"+session.ID+"/"
		file := inside + "edit/tools/README.md"
		for next, want := range map[string]string{
			inside + "notebooks/café 1 % & +.ipynb": inside + "notebooks/caf%C3%A9%201%20%25%20&%20+.ipynb", inside + "notebooks/a #1?.ipynb": inside + "notebooks/a%20%231%3F.ipynb", own + "signed-in/notebooks/a b.ipynb": own + "signed-in/notebooks/a%20b.ipynb",
			"": file, "https://evil.example/": file, "//evil.example" + inside: file, own + "work.zip": file,
			own + "signed-in/../enter": file, "/.cairn/s/" + sessionstest.SomeID + "/signed-in/tree": file, "/s/" + sessionstest.SomeID + "/tree": file,
		} {
			answer := w.Visit(http.MethodGet, w.Ticket(session, w.Ann)+"&next="+url.QueryEscape(next))
			w.WantStatus("entering", answer, http.StatusSeeOther)
			if got := answer.Header().Get("Location"); got != want {
				t.Errorf("%s: %q leads to %q, want %q", form, next, got, want)
			}
		}
		answer := w.Visit(http.MethodGet, w.Ticket(starting, w.Ann)+"&next=%2Fs%2F"+starting.ID+"%2Flab")
		if got, want := answer.Header().Get("Location"), "/.cairn/s/"+starting.ID+"/launch?next=%2Fs%2F"+starting.ID+"%2Flab"; got != want {
			t.Errorf("%s: into a session that starts it leads to %q, want %q", form, got, want)
		}

		page := w.Visit(http.MethodGet, w.Origin(session)+own+"signed-in/notebooks/a%20b.ipynb", "Cookie", w.Enter(session, w.Ann))
		w.WantStatus("signed in", page, http.StatusOK)
		for _, part := range []string{"You&#39;re signed in", `href="` + inside + `notebooks/a%20b.ipynb"`} {
			if !strings.Contains(page.Body.String(), part) {
				t.Errorf("%s: %q is not in the page %s", form, part, page.Body)
			}
		}
		lost := w.page(sessionstest.Request(http.MethodGet, w.Origin(session)+own+"signed-in/tree"))
		if !strings.Contains(lost, belongsText) {
			t.Errorf("%s: without a cookie the page is %s", form, lost)
		}
		deep := w.page(sessionstest.Request(http.MethodGet, w.Inside(session, "notebooks/a%20b.ipynb")))
		if link := `href="` + sessionstest.Public + "/sessions/" + session.ID + "/open?next=%2Fs%2F" + session.ID + `%2Fnotebooks%2Fa&#43;b.ipynb"`; !strings.Contains(deep, link) {
			t.Errorf("%s: %s is not in %s", form, link, deep)
		}
	}
}
