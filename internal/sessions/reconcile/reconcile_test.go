package reconcile_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

func TestSessionStartsRunsAndEndsByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Start("Session")
	if session.Status != sessions.Created {
		t.Fatalf("a new session is %s", session.Status)
	}
	w.Launched(session.ID)
	if phase := w.Phase(session.ID); phase != engine.Starting {
		t.Fatalf("the engine says %q", phase)
	}
	sessionstest.Eventually(t, "the list says what the launch is at", func() bool { return w.Row(session.ID).Step == "Copy the repository" })
	w.Machine.Progress(session.ID, engine.StepRepository, engine.Done, "")
	w.Machine.Progress(session.ID, engine.StepDatasets, engine.Active, "")
	sessionstest.Eventually(t, "the list says what the launch is at next", func() bool { return w.Row(session.ID).Step == "Connect the datasets" })
	w.Machine.Ready(session.ID)
	if got := w.WaitFor(session.ID, sessions.Running); got.Step != "" {
		t.Errorf("a running session is at the step %q", got.Step)
	}
	w.Machine.End(session.ID, true, "Jupyter was shut down.")
	if got := w.WaitFor(session.ID, sessions.Finished); got.StatusReason != "Jupyter was shut down." {
		t.Errorf("the reason is %q", got.StatusReason)
	}
}

func TestFailuresBecomeErrorsWithTheirReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)

	broken := w.Start("launch fails")
	w.Launched(broken.ID)
	w.Machine.Fail(broken.ID, engine.StepRepository, "There is no such repository.")
	crashed := w.Running("server crashes")
	w.Machine.End(crashed.ID, false, "Jupyter crashed.")
	lost, err := w.Server.Start(w.As(w.Ann), w.Projects["lost data"], "dataset is missing", "", "", "")
	sessionstest.Check(t, err)
	for id, want := range map[string]string{
		broken.ID: "There is no such repository.", crashed.ID: "Jupyter crashed.",
		lost.ID: `The dataset "Entry missing" isn't available: it isn't on this server.`,
	} {
		if got := w.WaitFor(id, sessions.Failed); got.StatusReason != want {
			t.Errorf("%s: the reason is %q, want %q", got.SessionName, got.StatusReason, want)
		}
	}
}

// stuckEngine refuses to start anything.
type stuckEngine struct {
	engine.Engine

	err error
}

func (e stuckEngine) Start(context.Context, engine.Spec) error { return e.err }

// A launch that the engine can't even begin has the same deadline, whatever the reason.
func TestRefusedLaunches(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		err    error
		after  time.Duration
		status sessions.Status
		reason string
	}{
		"for now":             {fault.New(fault.Unavailable, "No room."), sizes.Engine{}.Patience() - time.Second, sessions.Created, ""},
		"for too long":        {fault.New(fault.Unavailable, "No room."), sizes.Engine{}.Patience(), sessions.Failed, "No room."},
		"a defect":            {errors.New("secret"), sizes.Engine{}.Patience() - time.Second, sessions.Created, ""},
		"a defect that lasts": {errors.New("secret"), sizes.Engine{}.Patience(), sessions.Failed, fault.MessageOf(nil)},
		"for good":            {fault.New(fault.Invalid, "That cannot be."), 0, sessions.Failed, "That cannot be."},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			session := w.Start("Session")
			stuck := sizes.Engine{Engine: stuckEngine{Engine: w.Server.Engines.All[0].Engine, err: test.err}, Name: "local"}
			sessionstest.Check(t, w.Server.Reconciler.MoveQueue(t.Context(), stuck))
			w.Clock.Advance(test.after)
			sessionstest.Check(t, w.Server.Reconciler.PassOver(t.Context(), stuck))
			if got := w.Row(session.ID); got.Status != test.status || got.StatusReason != test.reason {
				t.Errorf("got %s, %q; want %s, %q", got.Status, got.StatusReason, test.status, test.reason)
			}
		})
	}
}

func TestLaunchThatMakesNoProgressIsGivenUpAndStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Start("Session")
	look := func(after time.Duration) sessions.Session {
		t.Helper()
		w.Clock.Advance(after)
		sessionstest.Check(t, w.Server.Pass(t.Context()))
		return w.Row(session.ID)
	}
	look(0)
	w.Clock.Advance(sizes.Engine{}.Patience())
	w.Machine.Progress(session.ID, engine.StepRepository, engine.Done, "")
	if got := look(sizes.Engine{}.Patience()); got.Status != sessions.Created {
		t.Fatalf("%s although a step went on", got.Status)
	}
	got := look(time.Second)
	if got.Status != sessions.Failed || got.StatusReason != "It didn't become ready: no step made progress for 3 minutes." {
		t.Errorf("got %s, %q", got.Status, got.StatusReason)
	}
	look(0)
	sessionstest.Eventually(t, "the engine stopped the launch", func() bool { return w.Phase(session.ID) == engine.Ended })
	if got := look(0); got.Status != sessions.Failed {
		t.Errorf("the stop made it %s", got.Status)
	}
}

func TestTerminateWaitsUntilTheEngineConfirms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	got, err := w.Server.Terminate(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	if got.Status != sessions.Terminated || got.RequestedStatus != "" || w.Phase(session.ID) != engine.Ended {
		t.Fatalf("got %s, requested %q, the engine says %q", got.Status, got.RequestedStatus, w.Phase(session.ID))
	}
	for _, status := range []sessions.Status{sessions.Finished, sessions.Failed, sessions.Terminated} {
		ended := w.Settled(string(status), status)
		if got, err := w.Server.Terminate(w.As(w.Ann), ended.ID); err != nil || got.Status != sessions.Terminated {
			t.Errorf("from %s: %s, %v; want TERMINATED at once", status, got.Status, err)
		}
	}
}

func TestStopThatTakesLongIsAnsweredAsUnderWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Settle = 20 * time.Millisecond
	w.Run(w.Server)
	session := w.Running("Session")
	w.Machine.HoldStops(true)
	got, err := w.Server.Terminate(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	if got.Status != sessions.Running || got.RequestedStatus != sessions.Terminated {
		t.Fatalf("got %s, requested %q; want RUNNING with the stop under way", got.Status, got.RequestedStatus)
	}
	if _, err := w.Server.Restart(w.As(w.Ann), session.ID); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a restart meanwhile: %v, want a conflict", err)
	}
	w.Machine.HoldStops(false)
	w.WaitFor(session.ID, sessions.Terminated)
}

// A launch never shows the state in which the previous one ended.
func TestRestartBeginsWithNoStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kill := w.Run(w.Server)
	session := w.Start("Session")
	sessionstest.Eventually(t, "the list says what the launch is at", func() bool { return w.Row(session.ID).Step != "" })
	_, err := w.Server.Terminate(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	w.WaitFor(session.ID, sessions.Terminated)
	kill()
	_, err = w.Server.Restart(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	if got := w.Row(session.ID); got.Status != sessions.Created || got.Step != "" {
		t.Errorf("it is %s at %q", got.Status, got.Step)
	}
}

func TestRestartKeepsTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	if _, err := w.Server.Terminate(w.As(w.Ann), session.ID); err != nil {
		t.Fatal(err)
	}
	again, err := w.Server.Restart(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	if again.ID != session.ID || again.Status != sessions.Created {
		t.Fatalf("got %s, %s; want the same session CREATED", again.ID, again.Status)
	}
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running)
	if w.Machine.Launches(session.ID) != 2 {
		t.Errorf("%d launches, want 2", w.Machine.Launches(session.ID))
	}
}

func TestDeleteRemovesWorkAndRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	live, ended := w.Running("live"), w.Running("ended")
	w.Machine.End(ended.ID, true, "")
	w.WaitFor(ended.ID, sessions.Finished)
	sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{live.ID, ended.ID}, true))
	for _, id := range []string{live.ID, ended.ID} {
		if rows, err := w.Store.ByID(t.Context(), id); err != nil || len(rows) != 0 || w.Phase(id) != "" {
			t.Errorf("%d rows, %v, the engine says %q; want that nothing is left", len(rows), err, w.Phase(id))
		}
	}
}

func TestDeletedSessionsAreGoneForTheirOwnerAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Settle = 20 * time.Millisecond
	w.Run(w.Server)
	session := w.Running("Session")
	w.Machine.HoldStops(true)
	sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{session.ID}, true))
	_, err := w.Server.Own(w.As(w.Ann), session.ID)
	sessionstest.WantKind(t, err, fault.NotFound)
	if list, err := w.Server.List(w.As(w.Ann), sessions.Filter{}); err != nil || len(list) != 0 {
		t.Errorf("%d sessions are listed, %v", len(list), err)
	}
	w.Machine.HoldStops(false)
	sessionstest.Eventually(t, "nothing is left", func() bool {
		rows, err := w.Store.ByID(t.Context(), session.ID)
		return err == nil && len(rows) == 0 && w.Phase(session.ID) == ""
	})
}

// What a launch left out stays known after its end, until the next one says otherwise.
func TestWhatALaunchLeftOutStaysKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Start("first")
	w.Clock.Advance(time.Second)
	left := engine.LeftOut{What: "gromacs (conda)", Why: "The package index doesn't have it <here>."}
	w.Launched(session.ID)
	w.Machine.LeaveOut(session.ID, left)
	if page := w.LaunchPage(session); !strings.Contains(page, "Left out of the environment: 1") || !strings.Contains(page, "<dt>gromacs (conda)</dt><dd>The package index doesn&#39;t have it &lt;here&gt;.</dd>") {
		t.Errorf("the page of the launch is\n%s", page)
	}
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running)
	has := func(when string, want ...engine.LeftOut) {
		t.Helper()
		if got := w.Row(session.ID).LeftOut; !slices.Equal(got, want) {
			t.Errorf("%s: %+v", when, got)
		}
	}
	has("while it runs", left)
	w.Machine.End(session.ID, true, "")
	w.WaitFor(session.ID, sessions.Finished)
	has("after its end", left)
	if _, err := w.Server.Restart(w.As(w.Ann), session.ID); err != nil {
		t.Fatal(err)
	}
	sessionstest.Eventually(t, "it is launched again", func() bool {
		row := w.Row(session.ID)
		return row.Status == sessions.Created && !row.LaunchedAt.IsZero()
	})
	w.Machine.LeaveOut(session.ID)
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running)
	has("after a launch that left nothing out")
}
