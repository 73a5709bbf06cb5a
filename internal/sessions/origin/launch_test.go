package origin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sessionstest"
)

const hostileName = `</script><img src=x onerror=alert(1)>"'&{{.}}`

func TestLaunchPageShowsTheSteps(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start("My session")
	w.Launched(session.ID)
	w.Machine.Progress(session.ID, engine.StepRepository, engine.Active, "Receiving objects: 45 %")
	page := w.LaunchPage(session)
	for _, want := range []string{
		"<h1>My session</h1>", "notes", "The session is starting and opens here automatically.", `href="` + sessionstest.Public + `/sessions"`,
		`data-events="/.cairn/s/` + session.ID + `/events"`,
		`<li data-state="done"><span class="dot"></span><span class="label">Queued</span>`,
		`<li data-state="active" aria-current="step"><span class="dot"></span><span class="label">Copy the repository</span>`,
		`<span class="detail">Receiving objects: 45 %</span>`,
		`<li data-state="waiting"><span class="dot"></span><span class="label">Connect the datasets</span>`,
		`<li data-state="waiting"><span class="dot"></span><span class="label">Start Jupyter</span>`,
		`<li data-state="waiting"><span class="dot"></span><span class="label">Ready</span>`,
		`<button id="start" hidden></button>`, `<button class="second" id="cancel">Cancel</button>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page:\n%s", want, page)
		}
	}
	w.Machine.Fail(session.ID, engine.StepRepository, "There is no such repository.")
	w.WaitFor(session.ID, sessions.Failed)
	page = w.LaunchPage(session)
	if !strings.Contains(page, "There is no such repository.") || !strings.Contains(page, `<button id="start">Try again</button>`) ||
		!strings.Contains(page, `id="without" hidden`) || !strings.Contains(page, `id="cancel" hidden`) ||
		!strings.Contains(page, `<li data-state="failed">`) || !strings.Contains(page, `<details id="log" open>`) {
		t.Errorf("the page of a failed launch is\n%s", page)
	}
}

func TestLaunchPageExplainsAFailure(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start("Session")
	w.Launched(session.ID)
	const log = "Starting slirp\n* MTU:             65520\nERROR: No matching distribution found for numppy\n"
	w.Machine.FailWith(session.ID, engine.StepEnvironment, "What the engine says.", "", log)
	failed := w.WaitFor(session.ID, sessions.Failed)
	if failed.Cause == nil || failed.Cause.Code != diagnosis.PackageUnknown || failed.StatusReason != "What the engine says." {
		t.Errorf("got %+v of %+v", failed.Cause, failed)
	}
	source := "https://github.com/example/tools/blob/HEAD/requirements.txt"
	card, err := w.Server.Own(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	if card.Help == nil || card.Help.Address != source {
		t.Errorf("its card offers %+v", card.Help)
	}
	page := w.LaunchPage(session)
	for _, want := range []string{
		html.EscapeString(failed.Cause.Sentence) + "</p>", html.EscapeString(failed.Cause.Fix) + "</p>", "The authors can fix this.</p>",
		`<mark>ERROR: No matching distribution found for numppy`, `<details><summary>2 more lines</summary>Starting slirp`,
		`href="` + source + `"`, `Open requirements.txt</a>`, `<button id="start">Try again</button>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page:\n%s", want, page)
		}
	}
	again, err := w.Server.Restart(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	if again.Cause != nil || again.Help != nil {
		t.Errorf("after a restart it says %+v and offers %+v", again.Cause, again.Help)
	}
}

func TestAFailureIsOfItsStep(t *testing.T) {
	t.Parallel()
	done := engine.Step{Name: engine.StepRepository, State: engine.Done}
	for want, steps := range map[diagnosis.Step][]engine.Step{
		diagnosis.Clone:   {{Name: engine.StepRepository, State: engine.Broken}},
		diagnosis.Install: {done, {Name: engine.StepEnvironment, State: engine.Broken}, {Name: engine.StepServer, State: engine.Waiting}},
		diagnosis.Run:     {done, {Name: engine.StepServer, State: engine.Done}},
		"":                {done, {Name: engine.StepServer, State: engine.Waiting}},
	} {
		if got := sessions.FailedStep(engine.Status{Steps: steps}); got != want {
			t.Errorf("%+v: got %q, want %q", steps, got, want)
		}
	}
}

func TestLaunchPageOffersWhatHelps(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := sessions.Session{ID: "1", SessionName: "S", Status: sessions.Failed, Project: sessions.Holds{Repository: sessions.Part{ID: "2", Address: "https://github.com/lab/study.git"}}}
	for action, want := range map[diagnosis.Action]sessions.Help{
		diagnosis.Again:        {},
		diagnosis.Requirements: {Label: "Open requirements.txt", Address: "https://github.com/lab/study/blob/HEAD/requirements.txt"},
		diagnosis.Repository:   {Label: "Open the repository", Address: "https://github.com/lab/study"},
		diagnosis.Entry:        {Label: "Go to the entry", Address: sessionstest.Public + "/resources/repositories/2"},
		diagnosis.Contact:      {Label: "Copy a message to the operators", Message: "Session 1 (S): The disk is full. [disk_full]\nfatal: full\n"},
	} {
		session.Cause = &diagnosis.Cause{Code: diagnosis.DiskFull, Sentence: "The disk is full.", Action: action}
		shown := session
		shown.Help = w.Server.HelpFor(session)
		got, known := origin.CauseOf(shown, []diagnosis.LogPart{{Kind: diagnosis.Plain, Text: "x\n"}, {Kind: diagnosis.Marked, Text: "fatal: full\n"}})
		if !known || got != want {
			t.Errorf("%s: got %+v", action, got)
		}
	}
	session.Status = sessions.Created
	session.Help = w.Server.HelpFor(session)
	if got, known := origin.CauseOf(session, nil); known {
		t.Errorf("while it starts: %+v", got)
	}
}

func TestLaunchPageOfASessionThatRunsLeadsIntoIt(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	answer := w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/launch", "Cookie", w.Enter(session, w.Ann))
	if got := answer.Header().Get("Location"); answer.Code != http.StatusFound || got != "/s/"+session.ID+"/edit/tools/README.md" {
		t.Errorf("got %d to %q", answer.Code, got)
	}
	w.Machine.HoldStops(true)
	w.Server.Settle = time.Millisecond
	if _, err := w.Server.Terminate(w.As(w.Ann), session.ID); err != nil {
		t.Fatal(err)
	}
	if page := w.LaunchPage(session); !strings.Contains(page, "The session is being stopped.") {
		t.Errorf("during a stop:\n%s", page)
	}
	w.Machine.HoldStops(false)
}

// CVE-2018-19351, CVE-2024-6886: names that ran script where they were shown.
func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start(hostileName)
	w.Launched(session.ID)
	w.Machine.Progress(session.ID, engine.StepRepository, engine.Active, hostileName)
	w.Machine.Fail(session.ID, engine.StepDatasets, hostileName)
	w.WaitFor(session.ID, sessions.Failed)
	page := w.LaunchPage(session)
	if strings.Contains(page, "<img src=x") || strings.Count(page, "<script") != 1 || strings.Count(page, "&lt;/script&gt;&lt;img") < 3 {
		t.Errorf("the page is\n%s", page)
	}
}

// The first step is the wait for the engine to be asked, which may also end without it.
func TestStepOfWaitingInTheQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for what, test := range map[string]struct {
		session sessions.Session
		state   engine.StepState
	}{
		"asked for":               {sessions.Session{Status: sessions.Created}, engine.Active},
		"launched":                {sessions.Session{Status: sessions.Created, LaunchedAt: w.Clock.Now()}, engine.Done},
		"runs":                    {sessions.Session{Status: sessions.Running}, engine.Done},
		"refused by the engine":   {sessions.Session{Status: sessions.Failed}, engine.Broken},
		"failed after its launch": {sessions.Session{Status: sessions.Failed, LaunchedAt: w.Clock.Now()}, engine.Done},
	} {
		if got := origin.QueuedStep(test.session); got.State != test.state || (got.EndedAt == nil) != test.session.LaunchedAt.IsZero() {
			t.Errorf("%s: got %+v, want %s", what, got, test.state)
		}
	}
	// What the engine still knows of the last launch is not shown as part of the next one.
	w.Server = w.NewService()
	session := w.Settled("Session", sessions.Finished)
	sessionstest.Check(t, w.Server.Engines.All[0].Start(t.Context(), w.SpecOf(session)))
	w.Machine.Fail(session.ID, engine.StepServer, "Crashed.")
	sessionstest.Check(t, w.Store.Relaunch(t.Context(), session, 3))
	if page := w.LaunchPage(session); strings.Contains(page, "Copy the repository") || !strings.Contains(page, `<li data-state="active" aria-current="step">`) {
		t.Errorf("the page of a new launch is\n%s", page)
	}
}

// events opens the stream of a session's launch; the channel is closed when the stream ends.
func (w *world) events(ctx context.Context, handler http.Handler, session sessions.Session) <-chan origin.LaunchState {
	w.T.Helper()
	made, err := http.NewRequestWithContext(ctx, http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/events", nil)
	sessionstest.Check(w.T, err)
	made.Header.Set("Cookie", w.Enter(session, w.Ann))
	answer, err := sessionstest.Browser(w.T, handler).Do(made)
	sessionstest.Check(w.T, err)
	if got := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || got != "text/event-stream" || answer.Header.Get("Cache-Control") != "no-store" {
		w.T.Fatalf("got %d %v", answer.StatusCode, answer.Header)
	}
	states := make(chan origin.LaunchState)
	go func() {
		defer close(states)
		defer answer.Body.Close()
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			data, found := strings.CutPrefix(lines.Text(), "data: ")
			if !found {
				continue
			}
			var state origin.LaunchState
			if json.Unmarshal([]byte(data), &state) != nil {
				return
			}
			select {
			case states <- state:
			case <-ctx.Done():
				return
			}
		}
	}()
	return states
}

// waitState reads states until one fits.
func waitState(t *testing.T, states <-chan origin.LaunchState, what string, fits func(origin.LaunchState) bool) origin.LaunchState {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case state, open := <-states:
			if !open {
				t.Fatalf("the stream ended before %s", what)
			}
			if fits(state) {
				return state
			}
		case <-deadline:
			t.Fatalf("no state came that says that %s", what)
		}
	}
}

func TestEventsTellEveryChangeUntilTheClientGoes(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Start(hostileName)
	w.Launched(session.ID)
	ended := make(chan struct{})
	gateway := w.Server.Gateway
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	states := w.events(ctx, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		gateway.ServeHTTP(rw, r)
		close(ended)
	}), session)

	first := waitState(t, states, "it starts", func(state origin.LaunchState) bool { return state.Status == sessions.Created })
	if first.Name != hostileName || first.Project != "notes" || first.Next != "" || !first.ServerTime.Equal(w.Clock.Now()) {
		t.Errorf("the first state is %+v", first)
	}
	for _, detail := range []string{"Receiving objects: 10 %", "Receiving objects: 90 %"} {
		w.Machine.Progress(session.ID, engine.StepRepository, engine.Active, detail)
		waitState(t, states, detail, func(state origin.LaunchState) bool {
			return len(state.Steps) > 1 && state.Steps[1].Detail == detail && state.Steps[1].StartedAt != nil && state.Steps[1].EndedAt == nil
		})
	}
	w.Machine.Ready(session.ID)
	last := waitState(t, states, "it runs", func(state origin.LaunchState) bool { return state.Status == sessions.Running })
	if last.Next != "/s/"+session.ID+"/edit/tools/README.md" || last.Steps[len(last.Steps)-1].State != engine.Done {
		t.Errorf("the last state is %+v", last)
	}
	leave()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("the stream goes on without a client")
	}
}

func TestEventsEndWithTheSession(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	states := w.events(t.Context(), w.Server.Gateway, session)
	waitState(t, states, "it runs", func(state origin.LaunchState) bool { return state.Status == sessions.Running })
	sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{session.ID}, false))
	deadline := time.After(30 * time.Second)
	for open := true; open; {
		select {
		case _, open = <-states:
		case <-deadline:
			t.Fatal("the stream goes on without a session")
		}
	}
	if _, err := w.Server.Own(w.As(w.Ann), session.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}

// A refusal costs no parsing: strangers may ask for as many as they like.
func TestPagesAreParsedOnce(t *testing.T) {
	g := newWorld(t).Server.Gateway
	answer := httptest.NewRecorder()
	if count := testing.AllocsPerRun(20, func() { g.NotFound(answer) }); count > 100 {
		t.Errorf("a refusal makes %v allocations", count)
	}
}
