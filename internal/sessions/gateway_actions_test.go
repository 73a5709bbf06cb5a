package sessions

import (
	"bufio"
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// press sends a form of the launch page, as its own page does unless another origin is named.
func (w *world) press(session Session, action, body, origin string) *httptest.ResponseRecorder {
	w.t.Helper()
	made := request(http.MethodPost, w.origin(session)+"/.cairn/s/"+session.ID+"/"+action, "Cookie", w.enter(session, w.ann),
		"Content-Type", "application/x-www-form-urlencoded")
	if origin != "" {
		made.Header.Set("Origin", origin)
	}
	made.Body = http.NoBody
	if body != "" {
		made = cloneWithBody(made, body)
	}
	answer := httptest.NewRecorder()
	w.service.Gateway().ServeHTTP(answer, made)
	return answer
}

func cloneWithBody(made *http.Request, body string) *http.Request {
	other := httptest.NewRequest(made.Method, made.URL.String(), strings.NewReader(body))
	other.Host, other.Header = made.Host, made.Header
	return other
}

func TestQueuedLaunchShowsItsPlaceAndCanBeCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Capacity = 1
	w.service = w.newService()
	w.run(w.service)
	w.running("first")
	w.clock.advance(time.Second)
	next := w.start("next")
	w.clock.advance(time.Second)
	last := w.start("last")
	eventually(t, "both have places", func() bool { return w.row(next.ID).QueuePosition == 1 && w.row(last.ID).QueuePosition == 2 })
	if page := w.launchPage(next); !strings.Contains(page, "This session starts next") || !strings.Contains(page, "Number 1 in the queue") {
		t.Errorf("the page of the next one is\n%s", page)
	}
	if page := w.launchPage(last); !strings.Contains(page, "This session is number 2 in the queue") {
		t.Errorf("the page of the last one is\n%s", page)
	}
	w.wantStatus("a foreign page's cancel", w.press(next, "cancel", "", "https://evil.example"), http.StatusForbidden)
	w.wantStatus("a cancel from nowhere", w.press(next, "cancel", "", ""), http.StatusForbidden)
	if got := w.row(next.ID); got.Status != Created || got.RequestedStatus != "" {
		t.Fatalf("a refused cancel made it %s", got.Status)
	}
	answer := w.press(next, "cancel", "", w.origin(next))
	if got := answer.Header().Get("Location"); answer.Code != http.StatusSeeOther || got != "/.cairn/s/"+next.ID+"/launch" {
		t.Errorf("the cancel leads by %d to %q", answer.Code, got)
	}
	if got := w.row(next.ID); got.Status != Terminated {
		t.Errorf("the cancel made it %s", got.Status)
	}
	if page := w.launchPage(next); !strings.Contains(page, `<button id="start">Start it again</button>`) || !strings.Contains(page, `id="cancel" hidden`) {
		t.Errorf("the page after a cancel is\n%s", page)
	}
	eventually(t, "the last one moves up", func() bool { return w.row(last.ID).QueuePosition == 1 })
}

func TestFailedLaunchCanBeTriedAgainAndWithoutWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session, err := w.service.Start(w.as(w.ann), w.projects["lost data"], "Session", "", "", "")
	check(t, err)
	w.waitFor(session.ID, Failed)
	page := w.launchPage(session)
	for _, want := range []string{
		"The dataset &#34;Entry missing&#34; isn&#39;t available: it isn&#39;t on this server", "Start without it, or ask the authors", `<button id="start">Try again</button>`,
		`<button class="second" id="without">Start without “Entry missing”</button>`, `<details id="log" open>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page:\n%s", want, page)
		}
	}
	told := call(w.api(), http.MethodGet, "/sessions/"+session.ID+"/log", "ann")
	answer := decode[struct {
		Log   string
		Parts []diagnosis.LogPart
	}](t, told)
	if answer.Log == "" || !strings.Contains(page, html.EscapeString(answer.Log)) {
		t.Errorf("the call tells the log %q, the page is\n%s", answer.Log, page)
	}
	joined := ""
	for _, part := range answer.Parts {
		joined += part.Text
	}
	if strings.TrimSpace(joined) != strings.TrimSpace(answer.Log) {
		t.Errorf("the parts of the log are %+v", answer.Parts)
	}
	w.wantStatus("try again", w.press(session, "start", "", w.origin(session)), http.StatusSeeOther)
	w.waitFor(session.ID, Failed)
	if w.machine.Launches(session.ID) != 2 || w.row(session.ID).Project.Datasets[0].Skipped {
		t.Errorf("%d launches of %+v", w.machine.Launches(session.ID), w.row(session.ID).Project.Datasets)
	}
	w.wantStatus("start without it", w.press(session, "start", "without=missing", w.origin(session)), http.StatusSeeOther)
	w.launched(session.ID)
	w.machine.Ready(session.ID)
	if got := w.waitFor(session.ID, Running); !got.Project.Datasets[0].Skipped {
		t.Errorf("it holds %+v", got.Project.Datasets)
	}
}

// Which datasets are left out hangs on ids alone, whatever the reason says and however it quotes.
func TestOnlyWhatTheEngineCouldNotHaveIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.start("Session")
	w.launched(session.ID)
	w.machine.Fail(session.ID, engine.StepDatasets, `“Entry more” could not be fetched, unlike "Entry spikes".`, w.id("more"))
	w.waitFor(session.ID, Failed)
	if page := w.launchPage(session); !strings.Contains(page, `id="without">Start without “Entry more”</button>`) {
		t.Errorf("the page is\n%s", page)
	}
	told := call(w.api(), http.MethodGet, "/sessions/"+session.ID, "ann")
	if got := decode[Session](t, told).Missing; !slices.Equal(got, []string{w.id("more")}) {
		t.Errorf("the call tells that %v are missing", got)
	}
	w.wantStatus("start without it", w.press(session, "start", "without=missing", w.origin(session)), http.StatusSeeOther)
	w.launched(session.ID)
	if got := w.row(session.ID); got.Project.Datasets[0].Skipped || !got.Project.Datasets[1].Skipped || len(got.Missing) > 0 {
		t.Errorf("it starts again with %+v, missing %v", got.Project.Datasets, got.Missing)
	}
	w.machine.Fail(session.ID, engine.StepDatasets, "The disk is full.")
	w.waitFor(session.ID, Failed)
	if page := w.launchPage(session); !strings.Contains(page, `id="without" hidden`) {
		t.Errorf("no dataset is to blame, and the page is\n%s", page)
	}
}

// Starting again is refused as everywhere: over the limit, and to accounts that are disabled.
func TestStartOfTheLaunchPageKnowsTheRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.Limit = 1
	ended := w.settled("ended", Finished)
	w.start("takes the only place")
	answer := w.press(ended, "start", "", w.origin(ended))
	if answer.Code != http.StatusConflict || !strings.Contains(answer.Body.String(), "the maximum number of sessions running or starting (1)") {
		t.Errorf("over the limit: %d %s", answer.Code, answer.Body)
	}
	if got := w.row(ended.ID); got.Status != Finished {
		t.Errorf("it became %s", got.Status)
	}
}

// A bookmarked address inside of a session that has ended leads back there once it runs again.
func TestBookmarkedAddressIsKeptOverTheLaunch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	w.machine.End(session.ID, true, "")
	w.waitFor(session.ID, Finished)
	path := "/s/" + session.ID + "/notebooks/caf\u00e9 1.ipynb"
	answer := w.visit(http.MethodGet, w.origin(session)+"/s/"+session.ID+"/notebooks/caf%C3%A9%201.ipynb", "Cookie", cookie, "Accept", "text/html")
	launch := answer.Header().Get("Location")
	if answer.Code != http.StatusFound || !strings.HasPrefix(launch, "/.cairn/s/"+session.ID+"/launch?next=") {
		t.Fatalf("got %d to %q", answer.Code, launch)
	}
	page := w.visit(http.MethodGet, w.origin(session)+launch, "Cookie", cookie)
	if !strings.Contains(page.Body.String(), "Start it again") || !strings.Contains(page.Body.String(), "/start?next=%2Fs%2F"+session.ID) {
		t.Fatalf("the page is\n%s", page.Body)
	}
	if _, err := w.service.Restart(w.as(w.ann), session.ID); err != nil {
		t.Fatal(err)
	}
	w.launched(session.ID)
	w.machine.Ready(session.ID)
	w.waitFor(session.ID, Running)
	answer = w.visit(http.MethodGet, w.origin(session)+launch, "Cookie", cookie)
	if got := answer.Header().Get("Location"); got != "/s/"+session.ID+"/notebooks/caf%C3%A9%201.ipynb" {
		t.Errorf("it leads to %q, want %q", got, path)
	}
}

// CVE-2019-10255, GHSA-r726-vmfq-j9j3: a returned address led elsewhere.
func TestLaunchLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	id := "01900000-0000-7000-8000-000000000001"
	ready := "/s/" + id + "/tree"
	for next, want := range map[string]string{
		"": ready, "https://evil.example/": ready, "//evil.example/s/" + id + "/": ready, "/\\evil.example": ready, "/s/" + id + "/../../x": ready,
		"/s/" + id: ready, "/s/01900000-0000-7000-8000-000000000002/tree": ready, "/s/" + id + "/x\ty": ready, "/s/" + id + "/a?b#1": "/s/" + id + "/a%3Fb%231",
		"/s/" + id + "//evil": ready, "/s/" + id + "/lab": "/s/" + id + "/lab", "/s/" + id + "/tree/a b": "/s/" + id + "/tree/a%20b", "/s/" + id + "/edit/": "/s/" + id + "/edit/",
	} {
		if got := insidePath(Session{ID: id}, next); got != want {
			t.Errorf("%q: got %q, want %q", next, got, want)
		}
	}
}

// lines reads a stream of events line by line.
func (w *world) lines(session Session, headers ...string) <-chan string {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	w.t.Cleanup(cancel)
	made, err := http.NewRequestWithContext(ctx, http.MethodGet, w.origin(session)+"/.cairn/s/"+session.ID+"/events", nil)
	check(w.t, err)
	made.Header.Set("Cookie", w.enter(session, w.ann))
	for i := 0; i < len(headers); i += 2 {
		made.Header.Set(headers[i], headers[i+1])
	}
	answer, err := browser(w.t, w.service.Gateway()).Do(made)
	check(w.t, err)
	if got := answer.Header.Get("X-Accel-Buffering"); got != "no" {
		w.t.Errorf("X-Accel-Buffering is %q", got)
	}
	lines := make(chan string)
	go func() {
		defer answer.Body.Close()
		for scanner := bufio.NewScanner(answer.Body); scanner.Scan(); {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

func nextLine(t *testing.T, lines <-chan string, prefix string) string {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case line := <-lines:
			if rest, found := strings.CutPrefix(line, prefix); found {
				return rest
			}
		case <-deadline:
			t.Fatalf("no line begins with %q", prefix)
		}
	}
}

func TestEventsResumeByTheirLastIDAndKeepTheConnectionAlive(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.start("Session")
	w.launched(session.ID)
	seen := nextLine(t, w.lines(session), "id: ")
	again := w.lines(session, "Last-Event-ID", seen)
	nextLine(t, again, ": connected") // nothing was missed, so nothing is sent but this, until
	w.clock.advance(keepAlive)
	if line := <-again; line != "" {
		t.Errorf("after the comment came %q", line)
	}
	if line := <-again; line != ": still here" {
		t.Errorf("to somebody who has seen all, %q was sent", line)
	}
	w.machine.Progress(session.ID, engine.StepRepository, engine.Done, "")
	if changed := nextLine(t, again, "id: "); changed == seen {
		t.Error("another state has the same id")
	}
}

func TestWhatOpenedASessionHasNoHoldOnIt(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	for _, path := range []string{w.inside(session, "tree"), w.origin(session) + "/.cairn/s/" + session.ID + "/launch", w.origin(session) + "/nowhere"} {
		answer := w.visit(http.MethodGet, path, "Cookie", w.enter(session, w.ann))
		if got := answer.Header().Get("Cross-Origin-Opener-Policy"); got != "same-origin-allow-popups" {
			t.Errorf("%s: the opener policy is %q", path, got)
		}
	}
}

// silentEngine tells nothing of single sessions.
type silentEngine struct{ engine.Engine }

func (silentEngine) Status(context.Context, string) (engine.Status, error) {
	return engine.Status{}, fault.New(fault.Unavailable, "The hub isn't responding.")
}

func TestLaunchPageDoesWithoutAnEngineThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.start("Session")
	w.launched(session.ID)
	w.service = w.newService() // of another process: the first one goes on asking
	w.service.Engines[0].Engine = silentEngine{w.service.Engines[0].Engine}
	if page := w.launchPage(session); !strings.Contains(page, "The session is starting and opens here automatically.") || !strings.Contains(page, `<button class="second" id="cancel">`) {
		t.Errorf("the page is\n%s", page)
	}
}

// Two tabs that open a session which has ended start it once, and both are let in.
func TestTwoTabsStartASessionOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.run(w.service)
		session := w.running("Session")
		w.machine.End(session.ID, true, "")
		w.waitFor(session.ID, Finished)
		api := w.apiAs(w.ann)
		var tabs sync.WaitGroup
		for range 6 {
			tabs.Go(func() {
				answer := call(api, http.MethodGet, "/hub/resume/session/"+session.ID, "")
				if answer.Code != http.StatusOK {
					t.Errorf("a tab got %d %s", answer.Code, answer.Body)
				}
			})
		}
		tabs.Wait()
		w.launched(session.ID)
		w.machine.Ready(session.ID)
		w.waitFor(session.ID, Running)
		if launches := w.machine.Launches(session.ID); launches != 2 {
			t.Errorf("%d launches, want one more", launches)
		}
	})
}
