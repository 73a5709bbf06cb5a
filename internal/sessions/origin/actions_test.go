package origin_test

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

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sessionstest"
)

// press sends a form of the launch page, as its own page does unless another origin is named.
func (w *world) press(session sessions.Session, action, body, site string) *httptest.ResponseRecorder {
	w.T.Helper()
	made := sessionstest.Request(http.MethodPost, w.Origin(session)+"/.cairn/s/"+session.ID+"/"+action, "Cookie", w.Enter(session, w.Ann),
		"Content-Type", "application/x-www-form-urlencoded")
	if site != "" {
		made.Header.Set("Origin", site)
	}
	made.Body = http.NoBody
	if body != "" {
		made = cloneWithBody(made, body)
	}
	answer := httptest.NewRecorder()
	w.Server.Gateway.ServeHTTP(answer, made)
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
	w.Options.Engines.Capacity = 1
	w.Server = w.NewService()
	w.Run(w.Server)
	w.Running("first")
	w.Clock.Advance(time.Second)
	next := w.Start("next")
	w.Clock.Advance(time.Second)
	last := w.Start("last")
	sessionstest.Eventually(t, "both have places", func() bool { return w.Row(next.ID).QueuePosition == 1 && w.Row(last.ID).QueuePosition == 2 })
	if page := w.LaunchPage(next); !strings.Contains(page, "Yours is next") || !strings.Contains(page, "Number 1 in the queue") {
		t.Errorf("the page of the next one is\n%s", page)
	}
	if page := w.LaunchPage(last); !strings.Contains(page, "This session is number 2 in the queue") {
		t.Errorf("the page of the last one is\n%s", page)
	}
	w.WantStatus("a foreign page's cancel", w.press(next, "cancel", "", "https://evil.example"), http.StatusForbidden)
	w.WantStatus("a cancel from nowhere", w.press(next, "cancel", "", ""), http.StatusForbidden)
	if got := w.Row(next.ID); got.Status != sessions.Created || got.RequestedStatus != "" {
		t.Fatalf("a refused cancel made it %s", got.Status)
	}
	answer := w.press(next, "cancel", "", w.Origin(next))
	if got := answer.Header().Get("Location"); answer.Code != http.StatusSeeOther || got != "/.cairn/s/"+next.ID+"/launch" {
		t.Errorf("the cancel leads by %d to %q", answer.Code, got)
	}
	if got := w.Row(next.ID); got.Status != sessions.Terminated {
		t.Errorf("the cancel made it %s", got.Status)
	}
	if page := w.LaunchPage(next); !strings.Contains(page, `<button id="start">Start it again</button>`) || !strings.Contains(page, `id="cancel" hidden`) {
		t.Errorf("the page after a cancel is\n%s", page)
	}
	sessionstest.Eventually(t, "the last one moves up", func() bool { return w.Row(last.ID).QueuePosition == 1 })
}

func TestFailedLaunchCanBeTriedAgainAndWithoutWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session, err := w.Server.Start(w.As(w.Ann), w.Projects["lost data"], "Session", "", "", "")
	sessionstest.Check(t, err)
	w.WaitFor(session.ID, sessions.Failed)
	page := w.LaunchPage(session)
	for _, want := range []string{
		"The dataset &#34;Entry missing&#34; isn&#39;t available: it isn&#39;t on this server", "Start without it, or ask the authors", `<button id="start">Try again</button>`,
		`<button class="second" id="without">Start without “Entry missing”</button>`, `<details id="log" open>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page:\n%s", want, page)
		}
	}
	told := sessionstest.Call(w.API(), http.MethodGet, "/sessions/"+session.ID+"/log", "ann")
	answer := sessionstest.Decode[struct {
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
	w.WantStatus("try again", w.press(session, "start", "", w.Origin(session)), http.StatusSeeOther)
	w.WaitFor(session.ID, sessions.Failed)
	if w.Machine.Launches(session.ID) != 2 || w.Row(session.ID).Project.Datasets[0].Skipped {
		t.Errorf("%d launches of %+v", w.Machine.Launches(session.ID), w.Row(session.ID).Project.Datasets)
	}
	w.WantStatus("start without it", w.press(session, "start", "without=missing", w.Origin(session)), http.StatusSeeOther)
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	if got := w.WaitFor(session.ID, sessions.Running); !got.Project.Datasets[0].Skipped {
		t.Errorf("it holds %+v", got.Project.Datasets)
	}
}

// Which datasets are left out hangs on ids alone, whatever the reason says and however it quotes.
func TestOnlyWhatTheEngineCouldNotHaveIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Start("Session")
	w.Launched(session.ID)
	w.Machine.Fail(session.ID, engine.StepDatasets, `“Entry more” could not be fetched, unlike "Entry spikes".`, w.ID("more"))
	w.WaitFor(session.ID, sessions.Failed)
	if page := w.LaunchPage(session); !strings.Contains(page, `id="without">Start without “Entry more”</button>`) {
		t.Errorf("the page is\n%s", page)
	}
	told := sessionstest.Call(w.API(), http.MethodGet, "/sessions/"+session.ID, "ann")
	if got := sessionstest.Decode[sessions.Session](t, told).Missing; !slices.Equal(got, []string{w.ID("more")}) {
		t.Errorf("the call tells that %v are missing", got)
	}
	w.WantStatus("start without it", w.press(session, "start", "without=missing", w.Origin(session)), http.StatusSeeOther)
	w.Launched(session.ID)
	if got := w.Row(session.ID); got.Project.Datasets[0].Skipped || !got.Project.Datasets[1].Skipped || len(got.Missing) > 0 {
		t.Errorf("it starts again with %+v, missing %v", got.Project.Datasets, got.Missing)
	}
	w.Machine.Fail(session.ID, engine.StepDatasets, "The disk is full.")
	w.WaitFor(session.ID, sessions.Failed)
	if page := w.LaunchPage(session); !strings.Contains(page, `id="without" hidden`) {
		t.Errorf("no dataset is to blame, and the page is\n%s", page)
	}
}

// Starting again is refused as everywhere: over the limit, and to accounts that are disabled.
func TestStartOfTheLaunchPageKnowsTheRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Limit = 1
	ended := w.Settled("ended", sessions.Finished)
	w.Start("takes the only place")
	answer := w.press(ended, "start", "", w.Origin(ended))
	if answer.Code != http.StatusConflict || !strings.Contains(answer.Body.String(), "the maximum number of sessions running or starting (1)") {
		t.Errorf("over the limit: %d %s", answer.Code, answer.Body)
	}
	if got := w.Row(ended.ID); got.Status != sessions.Finished {
		t.Errorf("it became %s", got.Status)
	}
}

// A bookmarked address inside of a session that has ended leads back there once it runs again.
func TestBookmarkedAddressIsKeptOverTheLaunch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	w.Machine.End(session.ID, true, "")
	w.WaitFor(session.ID, sessions.Finished)
	path := "/s/" + session.ID + "/notebooks/caf\u00e9 1.ipynb"
	answer := w.Visit(http.MethodGet, w.Origin(session)+"/s/"+session.ID+"/notebooks/caf%C3%A9%201.ipynb", "Cookie", cookie, "Accept", "text/html")
	launch := answer.Header().Get("Location")
	if answer.Code != http.StatusFound || !strings.HasPrefix(launch, "/.cairn/s/"+session.ID+"/launch?next=") {
		t.Fatalf("got %d to %q", answer.Code, launch)
	}
	page := w.Visit(http.MethodGet, w.Origin(session)+launch, "Cookie", cookie)
	if !strings.Contains(page.Body.String(), "Start it again") || !strings.Contains(page.Body.String(), "/start?next=%2Fs%2F"+session.ID) {
		t.Fatalf("the page is\n%s", page.Body)
	}
	if _, err := w.Server.Restart(w.As(w.Ann), session.ID); err != nil {
		t.Fatal(err)
	}
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running)
	answer = w.Visit(http.MethodGet, w.Origin(session)+launch, "Cookie", cookie)
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
		if got := origin.InsidePath(sessions.Session{ID: id}, next); got != want {
			t.Errorf("%q: got %q, want %q", next, got, want)
		}
	}
}

// lines reads a stream of events line by line.
func (w *world) lines(session sessions.Session, headers ...string) <-chan string {
	w.T.Helper()
	ctx, cancel := context.WithCancel(w.T.Context())
	w.T.Cleanup(cancel)
	made, err := http.NewRequestWithContext(ctx, http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/events", nil)
	sessionstest.Check(w.T, err)
	made.Header.Set("Cookie", w.Enter(session, w.Ann))
	for i := 0; i < len(headers); i += 2 {
		made.Header.Set(headers[i], headers[i+1])
	}
	answer, err := sessionstest.Browser(w.T, w.Server.Gateway).Do(made)
	sessionstest.Check(w.T, err)
	if got := answer.Header.Get("X-Accel-Buffering"); got != "no" {
		w.T.Errorf("X-Accel-Buffering is %q", got)
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
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start("Session")
	w.Launched(session.ID)
	seen := nextLine(t, w.lines(session), "id: ")
	again := w.lines(session, "Last-Event-ID", seen)
	nextLine(t, again, ": connected") // nothing was missed, so nothing is sent but this, until
	w.Clock.Advance(origin.KeepAlive)
	if line := <-again; line != "" {
		t.Errorf("after the comment came %q", line)
	}
	if line := <-again; line != ": still here" {
		t.Errorf("to somebody who has seen all, %q was sent", line)
	}
	w.Machine.Progress(session.ID, engine.StepRepository, engine.Done, "")
	if changed := nextLine(t, again, "id: "); changed == seen {
		t.Error("another state has the same id")
	}
}

func TestWhatOpenedASessionHasNoHoldOnIt(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	for _, path := range []string{w.Inside(session, "tree"), w.Origin(session) + "/.cairn/s/" + session.ID + "/launch", w.Origin(session) + "/nowhere"} {
		answer := w.Visit(http.MethodGet, path, "Cookie", w.Enter(session, w.Ann))
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
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start("Session")
	w.Launched(session.ID)
	w.Server = w.NewService() // of another process: the first one goes on asking
	w.Server.Engines.All[0].Engine = silentEngine{w.Server.Engines.All[0].Engine}
	if page := w.LaunchPage(session); !strings.Contains(page, `data-status="CREATED"`) || !strings.Contains(page, `<button class="second" id="cancel">`) {
		t.Errorf("the page is\n%s", page)
	}
}

// Two tabs that open a session which has ended start it once, and both are let in.
func TestTwoTabsStartASessionOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Run(w.Server)
		session := w.Running("Session")
		w.Machine.End(session.ID, true, "")
		w.WaitFor(session.ID, sessions.Finished)
		api := w.APIAs(w.Ann)
		var tabs sync.WaitGroup
		for range 6 {
			tabs.Go(func() {
				answer := sessionstest.Call(api, http.MethodGet, "/hub/resume/session/"+session.ID, "")
				if answer.Code != http.StatusOK {
					t.Errorf("a tab got %d %s", answer.Code, answer.Body)
				}
			})
		}
		tabs.Wait()
		w.Launched(session.ID)
		w.Machine.Ready(session.ID)
		w.WaitFor(session.ID, sessions.Running)
		if launches := w.Machine.Launches(session.ID); launches != 2 {
			t.Errorf("%d launches, want one more", launches)
		}
	})
}
