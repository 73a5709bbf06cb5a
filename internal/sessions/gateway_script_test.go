package sessions

import (
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

	"cairn/internal/catalog"
	"cairn/internal/sessions/engine"
)

const shell = "<!DOCTYPE HTML>\n<html><body>Jupyter</body></html>\n"

func scriptTag(session Session) string {
	return `<script src="/.cairn/s/` + session.ID + `/reads.js" data-loaded="` + strconv.FormatInt(newClock().Now().UnixMicro(), 10) + `"></script>` +
		`<script type="module" src="/.cairn/s/` + session.ID + `/session.js"></script>` + "\n"
}

// answers makes the session's server answer everything with this body and these headers, names and values in turn.
func (w *world) answers(status int, body string, headers ...string) {
	w.upstream.mutex.Lock()
	defer w.upstream.mutex.Unlock()
	w.upstream.answer = func(rw http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			rw.Header().Set(headers[i], headers[i+1])
		}
		rw.WriteHeader(status)
		if r.Method != http.MethodHead && status != http.StatusNotModified {
			_, _ = io.WriteString(rw, body)
		}
	}
}

func TestScriptStandsInThePagesOfJupytersApplicationsAlone(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	w.answers(http.StatusOK, shell, "Content-Type", "text/html; charset=UTF-8", "Etag", `"x"`, "Accept-Ranges", "bytes",
		contentSecurityPolicy, "frame-ancestors 'self'; script-src 'self'")
	client := browser(t, w.service.Gateway())
	get := func(path string) (*http.Response, string) {
		t.Helper()
		made, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.inside(session, path), nil)
		check(t, err)
		made.Header.Set("Cookie", cookie)
		made.Header.Set("Accept-Encoding", "gzip, br")
		answer, err := client.Do(made)
		check(t, err)
		return answer, bodyOf(t, answer)
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
		if policies := header.Values(contentSecurityPolicy); header.Get("Etag") != "" || header.Get("Accept-Ranges") != "" ||
			!slices.Equal(policies, []string{"frame-ancestors 'self' " + public, "script-src 'self'"}) {
			t.Errorf("%s: %v", path, header)
		}
		if got := w.upstream.last(t).Header.Get("Accept-Encoding"); got != "identity" {
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
		if got := w.upstream.last(t).Header.Get("Accept-Encoding"); got != "gzip, br" {
			t.Errorf("%q: it asks for %q", path, got)
		}
	}
}

func TestWhatIsNoWholePageOfJupyterStaysAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
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
		"a file in a sandbox":    {http.MethodGet, http.StatusOK, []string{contentSecurityPolicy, "Sandbox allow-scripts"}},
		"another type":           {http.MethodGet, http.StatusOK, []string{"Content-Type", "application/json"}},
		"another way of writing": {http.MethodGet, http.StatusOK, []string{"Content-Type", "text/html; charset=utf-16"}},
	} {
		w.answers(test.status, shell, append([]string{"Content-Type", "text/html", "Etag", `"x"`}, test.headers...)...)
		answer := w.visit(test.method, w.inside(session, "tree"), "Cookie", cookie, "Origin", w.origin(session))
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
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	read := make(chan struct{})
	w.upstream.answer = func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(rw, "begin")
		_ = http.NewResponseController(rw).Flush()
		select {
		case <-read:
			_, _ = io.WriteString(rw, "end")
		case <-r.Context().Done():
		}
	}
	made, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.inside(session, "tree"), nil)
	check(t, err)
	made.Header.Set("Cookie", cookie)
	answer, err := browser(t, w.service.Gateway()).Do(made)
	check(t, err)
	begin := make([]byte, len("begin"))
	_, err = io.ReadFull(answer.Body, begin)
	check(t, err)
	close(read)
	if rest := bodyOf(t, answer); string(begin) != "begin" || rest != "end"+scriptTag(session) {
		t.Errorf("the page is %q, then %q", begin, rest)
	}
}

func TestScriptIsServedToThePolicyOfAnyPage(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.start("Session")
	answer := w.visit(http.MethodGet, w.origin(session)+"/.cairn/s/"+session.ID+"/session.js")
	if answer.Code != http.StatusOK || !strings.HasPrefix(answer.Header().Get("Content-Type"), "text/javascript") || answer.Body.String() != sessionScript {
		t.Errorf("got %d %v", answer.Code, answer.Header())
	}
	w.wantStatus("at another host", w.visit(http.MethodGet, w.origin(session)+"/.cairn/s/"+someID+"/session.js"), http.StatusNotFound)
}

// pageState is the answer to the script in a page of a session.
func (w *world) pageState(session Session, cookie string, status int) pageState {
	w.t.Helper()
	reached := len(w.upstream.requests())
	answer := w.visit(http.MethodGet, w.origin(session)+"/.cairn/s/"+session.ID+"/state", "Cookie", cookie)
	w.wantStatus("the state", answer, status)
	if header := answer.Header(); header.Get("Content-Type") != "application/json" || header.Get("Cache-Control") != "no-store" {
		w.t.Errorf("the state has %v", header)
	}
	if len(w.upstream.requests()) != reached {
		w.t.Error("the session's server was asked, so its session seems to be used")
	}
	state := decode[pageState](w.t, answer)
	if want := public + "/sessions/" + session.ID + "/open"; state.Open != want {
		w.t.Errorf("it leads to %q, want %q", state.Open, want)
	}
	return state
}

func TestStateSaysWhenTheSignInEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.CookieLife = 12 * time.Hour
	w.service = w.newService()
	w.run(w.service)
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	first := w.pageState(session, cookie, http.StatusOK)
	if first.Code != "running" || first.Text != "" || first.Run == "" || first.SignIn != 0 {
		t.Errorf("at first it is %+v", first)
	}
	left := func(after, want time.Duration) {
		t.Helper()
		w.clock.advance(after)
		if got := w.pageState(session, cookie, http.StatusOK); got.Code != "running" || got.Run != first.Run || got.SignIn != int(want.Seconds()) {
			t.Errorf("it is %+v, want the sign-in to end in %s", got, want)
		}
	}
	left(7*time.Hour+55*time.Minute, 0) // the cookie itself was renewed by this very look
	left(3*time.Hour+55*time.Minute-time.Second, 0)
	left(time.Second, 10*time.Minute)
	left(9*time.Minute, time.Minute)
	left(time.Minute-time.Millisecond, time.Second)
	w.clock.advance(time.Millisecond)
	if got := w.pageState(session, cookie, http.StatusUnauthorized); got.Code != "sign_in" || got.Text != "" || got.Run != "" {
		t.Errorf("afterwards it is %+v", got)
	}
	check(t, w.accounts.MarkSeen(t.Context(), w.ann.AccountID)) // somebody signed in, in whichever tab
	left(0, 0)
}

func TestStateOfASessionThatHasEnded(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	first := w.pageState(session, cookie, http.StatusOK)
	w.machine.HoldStops(true)
	w.service.settleTime = time.Millisecond
	_, err := w.service.Terminate(w.as(w.ann), session.ID)
	check(t, err)
	if got := w.pageState(session, cookie, http.StatusOK); got.Code != "stopping" {
		t.Errorf("during the stop it is %+v", got)
	}
	w.machine.HoldStops(false)
	w.waitFor(session.ID, Terminated)
	w.service.passes.Forget()
	if got := w.pageState(session, cookie, http.StatusOK); got.Code != "ended" || got.Text != "The session was terminated. Its work is kept." {
		t.Errorf("then it is %+v", got)
	}
	w.clock.advance(time.Second)
	_, err = w.service.Restart(w.as(w.ann), session.ID)
	check(t, err)
	if got := w.pageState(session, cookie, http.StatusOK); got.Code != "starting" || got.Text != "" {
		t.Errorf("while it starts again it is %+v", got)
	}
	w.launched(session.ID)
	w.machine.Ready(session.ID)
	w.waitFor(session.ID, Running)
	if got := w.pageState(session, cookie, http.StatusOK); got.Code != "running" || got.Run == first.Run {
		t.Errorf("the next run is %+v, the one before was %q", got, first.Run)
	}
}

// The session's code can ask all that the script can.
func TestStateRevealsNothingToStrangers(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("A secret name")
	ask := func(id, cookie string) *httptest.ResponseRecorder {
		return w.visit(http.MethodGet, w.options.Address.Origin(sessionKind, id)+"/.cairn/s/"+id+"/state", "Cookie", cookie)
	}
	for what, cookie := range map[string]string{"no cookie": "", "a wrong one": "cairn-s-" + session.ID + "=x"} {
		known, unknown := ask(session.ID, cookie), ask(someID, cookie)
		w.wantStatus(what, known, http.StatusUnauthorized)
		if strings.ReplaceAll(known.Body.String(), session.ID, someID) != unknown.Body.String() || known.Code != unknown.Code {
			t.Errorf("with %s a stranger can tell a session from none: %s %s", what, known.Body, unknown.Body)
		}
	}
	cookie := w.enter(session, w.ann)
	if body := ask(session.ID, cookie).Body.String(); strings.Contains(body, "secret") || strings.Contains(body, "ann") {
		t.Errorf("the state is %s", body)
	}
	w.enable(w.ann.Email, false)
	if got := w.pageState(session, cookie, http.StatusForbidden); got.Code != "refused" || !strings.Contains(got.Text, "help@example.org") {
		t.Errorf("of a disabled account it is %+v", got)
	}
	made := w.visit(http.MethodGet, w.origin(session)+"/.cairn/s/"+session.ID+"/state", "Cookie", cookie, "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors")
	w.wantStatus("another session's page", made, http.StatusForbidden)
}

func TestStateSaysWhatARunningSessionUses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Idle = hourAndWorkday
	w.service = w.newService()
	limits := Limits{MemoryBytes: 2 << 30, DiskBytes: 10 << 30}
	w.service.Engines[0].Limits = limits
	w.run(w.service)
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	first := w.pageState(session, cookie, http.StatusOK).Session
	home := pageLink{Name: "notes", URL: public + "/resources/repositories/" + w.id("tools")}
	if want := (runState{Home: home, Limits: limits, Contact: "help@example.org"}); first == nil || !reflect.DeepEqual(*first, want) {
		t.Fatalf("at first it is %+v", first)
	}
	w.machine.Report(session.ID, engine.Activity{LastAt: w.clock.Now()}, "A kernel ran out of memory.")
	w.machine.Use(session.ID, engine.Usage{MemoryBytes: 1 << 30, DiskBytes: 2 << 20})
	eventually(t, "it is known when it stops", func() bool { return w.row(session.ID).StopsAt != nil })
	w.service.passes.Forget()
	want := runState{
		Home: home, StopsIn: 3600, MayKeep: true, Warning: "A kernel ran out of memory.", Limits: limits, Contact: "help@example.org",
		Usage: Usage{MemoryBytes: 1 << 30, DiskBytes: 2 << 20},
	}
	if got := w.pageState(session, cookie, http.StatusOK).Session; !reflect.DeepEqual(*got, want) {
		t.Errorf("then it is %+v", got)
	}
	session.Resource = &SessionResource{ID: someID, Type: catalog.Dataset}
	if got := (&gateway{Service: w.service}).home(session).URL; got != public+"/resources/datasets/"+someID {
		t.Errorf("from a dataset it leads to %s", got)
	}
}

func TestOnlyThePagesOfASessionKeepIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Idle = hourAndWorkday
	w.options.Address = addressOf(t, hostForm)
	w.service = w.newService()
	w.run(w.service)
	session, other := w.running("Session"), w.running("another")
	for _, one := range []Session{session, other} {
		w.machine.Report(one.ID, engine.Activity{LastAt: w.clock.Now()}, "")
		eventually(t, "it is known when it stops", func() bool { return w.row(one.ID).StopsAt != nil })
	}
	cookie, otherCookie := w.enter(session, w.ann), w.enter(other, w.ann)
	address, origin := w.origin(session)+"/.cairn/s/"+session.ID+"/keep", w.origin(session)
	w.clock.advance(30 * time.Minute)
	stopsAt := *w.row(session.ID).StopsAt
	for what, test := range map[string]struct {
		method  string
		status  int
		headers []string
	}{
		"no cookie":             {http.MethodPost, http.StatusUnauthorized, []string{"Origin", origin}},
		"another's cookie":      {http.MethodPost, http.StatusUnauthorized, []string{"Origin", origin, "Cookie", strings.ReplaceAll(otherCookie, other.ID, session.ID)}},
		"no origin":             {http.MethodPost, http.StatusForbidden, []string{"Cookie", cookie}},
		"the catalog's page":    {http.MethodPost, http.StatusForbidden, []string{"Cookie", cookie, "Origin", public}},
		"another session's":     {http.MethodPost, http.StatusForbidden, []string{"Cookie", cookie, "Origin", w.origin(other)}},
		"a page without origin": {http.MethodPost, http.StatusForbidden, []string{"Cookie", cookie, "Origin", "null"}},
		"a link":                {http.MethodGet, http.StatusNotFound, []string{"Cookie", cookie}},
	} {
		answer := w.visit(test.method, address, test.headers...)
		w.wantStatus(what, answer, test.status)
		if got := *w.row(session.ID).StopsAt; !got.Equal(stopsAt) {
			t.Fatalf("%s: it was kept until %s", what, got)
		}
	}
	reached := len(w.upstream.requests())
	for range 2 {
		answer := w.visit(http.MethodPost, address, "Cookie", cookie, "Origin", origin)
		w.wantStatus("its own page", answer, http.StatusOK)
		if state := decode[pageState](t, answer); state.Code != "running" || state.Session.StopsIn != 3600 || len(w.upstream.requests()) != reached {
			t.Errorf("the answer is %+v", state)
		}
	}
	_, err := w.service.Terminate(w.as(w.ann), other.ID)
	check(t, err)
	w.waitFor(other.ID, Terminated)
	ended := w.visit(http.MethodPost, w.origin(other)+"/.cairn/s/"+other.ID+"/keep", "Cookie", otherCookie, "Origin", w.origin(other))
	w.wantStatus("a session that has ended", ended, http.StatusConflict)
	if got := w.row(other.ID); got.Status != Terminated || got.StopsAt != nil {
		t.Errorf("it is %s and stops at %v", got.Status, got.StopsAt)
	}
	w.enable(w.ann.Email, false) // last: the reconciler stops a disabled account's sessions
	refused := w.visit(http.MethodPost, address, "Cookie", cookie, "Origin", origin)
	w.wantStatus("a disabled account", refused, http.StatusForbidden)
	if state := decode[pageState](t, refused); state.Code != "refused" {
		t.Errorf("a disabled account gets %+v", state)
	}
}

func TestSignInLeadsBackToTheSamePage(t *testing.T) {
	t.Parallel()
	for _, form := range []string{hostForm, pathForm} {
		w := newWorldAt(t, form)
		session, starting := w.running("Session"), w.start("starting")
		own, inside := "/.cairn/s/"+session.ID+"/", "/s/"+session.ID+"/"
		file := inside + "edit/tools/README.md"
		for next, want := range map[string]string{
			inside + "notebooks/café 1 % & +.ipynb": inside + "notebooks/caf%C3%A9%201%20%25%20&%20+.ipynb", inside + "notebooks/a #1?.ipynb": inside + "notebooks/a%20%231%3F.ipynb", own + "signed-in/notebooks/a b.ipynb": own + "signed-in/notebooks/a%20b.ipynb",
			"": file, "https://evil.example/": file, "//evil.example" + inside: file, own + "work.zip": file,
			own + "signed-in/../enter": file, "/.cairn/s/" + someID + "/signed-in/tree": file, "/s/" + someID + "/tree": file,
		} {
			answer := w.visit(http.MethodGet, w.ticket(session, w.ann)+"&next="+url.QueryEscape(next))
			w.wantStatus("entering", answer, http.StatusSeeOther)
			if got := answer.Header().Get("Location"); got != want {
				t.Errorf("%s: %q leads to %q, want %q", form, next, got, want)
			}
		}
		answer := w.visit(http.MethodGet, w.ticket(starting, w.ann)+"&next=%2Fs%2F"+starting.ID+"%2Flab")
		if got, want := answer.Header().Get("Location"), "/.cairn/s/"+starting.ID+"/launch?next=%2Fs%2F"+starting.ID+"%2Flab"; got != want {
			t.Errorf("%s: into a session that starts it leads to %q, want %q", form, got, want)
		}

		page := w.visit(http.MethodGet, w.origin(session)+own+"signed-in/notebooks/a%20b.ipynb", "Cookie", w.enter(session, w.ann))
		w.wantStatus("signed in", page, http.StatusOK)
		for _, part := range []string{"You&#39;re signed in", `href="` + inside + `notebooks/a%20b.ipynb"`} {
			if !strings.Contains(page.Body.String(), part) {
				t.Errorf("%s: %q is not in the page %s", form, part, page.Body)
			}
		}
		lost := w.page(request(http.MethodGet, w.origin(session)+own+"signed-in/tree"))
		if !strings.Contains(lost, belongsText) {
			t.Errorf("%s: without a cookie the page is %s", form, lost)
		}
		deep := w.page(request(http.MethodGet, w.inside(session, "notebooks/a%20b.ipynb")))
		if link := `href="` + public + "/sessions/" + session.ID + "/open?next=%2Fs%2F" + session.ID + `%2Fnotebooks%2Fa&#43;b.ipynb"`; !strings.Contains(deep, link) {
			t.Errorf("%s: %s is not in %s", form, link, deep)
		}
	}
}
