package sessions

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

func TestSessionStartsRunsAndEndsByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.start("Session")
	if session.Status != Created {
		t.Fatalf("a new session is %s", session.Status)
	}
	w.launched(session.ID)
	if phase := w.phase(session.ID); phase != engine.Starting {
		t.Fatalf("the engine says %q", phase)
	}
	eventually(t, "the list says what the launch is at", func() bool { return w.row(session.ID).Step == "Copy the repository" })
	w.machine.Progress(session.ID, engine.StepRepository, engine.Done, "")
	w.machine.Progress(session.ID, engine.StepDatasets, engine.Active, "")
	eventually(t, "the list says what the launch is at next", func() bool { return w.row(session.ID).Step == "Connect the datasets" })
	w.machine.Ready(session.ID)
	if got := w.waitFor(session.ID, Running); got.Step != "" {
		t.Errorf("a running session is at the step %q", got.Step)
	}
	w.machine.End(session.ID, true, "Jupyter was shut down.")
	if got := w.waitFor(session.ID, Finished); got.StatusReason != "Jupyter was shut down." {
		t.Errorf("the reason is %q", got.StatusReason)
	}
}

func TestFailuresBecomeErrorsWithTheirReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)

	broken := w.start("launch fails")
	w.launched(broken.ID)
	w.machine.Fail(broken.ID, engine.StepRepository, "There is no such repository.")
	crashed := w.running("server crashes")
	w.machine.End(crashed.ID, false, "Jupyter crashed.")
	lost, err := w.service.Start(w.as(w.ann), w.projects["lost data"], "dataset is missing", "", "", "")
	check(t, err)
	for id, want := range map[string]string{
		broken.ID: "There is no such repository.", crashed.ID: "Jupyter crashed.",
		lost.ID: `The dataset "Entry missing" isn't available: it isn't on this server.`,
	} {
		if got := w.waitFor(id, Failed); got.StatusReason != want {
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
		status Status
		reason string
	}{
		"for now":             {fault.New(fault.Unavailable, "No room."), launchDeadline - time.Second, Created, ""},
		"for too long":        {fault.New(fault.Unavailable, "No room."), launchDeadline, Failed, "No room."},
		"a defect":            {errors.New("secret"), launchDeadline - time.Second, Created, ""},
		"a defect that lasts": {errors.New("secret"), launchDeadline, Failed, fault.MessageOf(nil)},
		"for good":            {fault.New(fault.Invalid, "That cannot be."), 0, Failed, "That cannot be."},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("Session")
			stuck := NamedEngine{Engine: stuckEngine{Engine: w.service.Engines[0].Engine, err: test.err}, Name: "local"}
			check(t, w.service.admit(t.Context(), stuck))
			w.clock.advance(test.after)
			check(t, w.service.reconcile(t.Context(), stuck))
			if got := w.row(session.ID); got.Status != test.status || got.StatusReason != test.reason {
				t.Errorf("got %s, %q; want %s, %q", got.Status, got.StatusReason, test.status, test.reason)
			}
		})
	}
}

func TestLaunchThatMakesNoProgressIsGivenUpAndStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.start("Session")
	look := func(after time.Duration) Session {
		t.Helper()
		w.clock.advance(after)
		check(t, w.service.reconcile(t.Context(), w.service.Engines[0]))
		return w.row(session.ID)
	}
	look(0)
	w.clock.advance(launchDeadline)
	w.machine.Progress(session.ID, engine.StepRepository, engine.Done, "")
	if got := look(launchDeadline); got.Status != Created {
		t.Fatalf("%s although a step went on", got.Status)
	}
	got := look(time.Second)
	if got.Status != Failed || got.StatusReason != "It didn't become ready: no step made progress for 3 minutes." {
		t.Errorf("got %s, %q", got.Status, got.StatusReason)
	}
	look(0)
	eventually(t, "the engine stopped the launch", func() bool { return w.phase(session.ID) == engine.Ended })
	if got := look(0); got.Status != Failed {
		t.Errorf("the stop made it %s", got.Status)
	}
}

func TestTerminateWaitsUntilTheEngineConfirms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.running("Session")
	got, err := w.service.Terminate(w.as(w.ann), session.ID)
	check(t, err)
	if got.Status != Terminated || got.RequestedStatus != "" || w.phase(session.ID) != engine.Ended {
		t.Fatalf("got %s, requested %q, the engine says %q", got.Status, got.RequestedStatus, w.phase(session.ID))
	}
	for _, status := range []Status{Finished, Failed, Terminated} {
		ended := w.settled(string(status), status)
		if got, err := w.service.Terminate(w.as(w.ann), ended.ID); err != nil || got.Status != Terminated {
			t.Errorf("from %s: %s, %v; want TERMINATED at once", status, got.Status, err)
		}
	}
}

func TestStopThatTakesLongIsAnsweredAsUnderWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.settleTime = 20 * time.Millisecond
	w.run(w.service)
	session := w.running("Session")
	w.machine.HoldStops(true)
	got, err := w.service.Terminate(w.as(w.ann), session.ID)
	check(t, err)
	if got.Status != Running || got.RequestedStatus != Terminated {
		t.Fatalf("got %s, requested %q; want RUNNING with the stop under way", got.Status, got.RequestedStatus)
	}
	if _, err := w.service.Restart(w.as(w.ann), session.ID); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a restart meanwhile: %v, want a conflict", err)
	}
	w.machine.HoldStops(false)
	w.waitFor(session.ID, Terminated)
}

// A launch never shows the state in which the previous one ended.
func TestRestartBeginsWithNoStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kill := w.run(w.service)
	session := w.start("Session")
	eventually(t, "the list says what the launch is at", func() bool { return w.row(session.ID).Step != "" })
	_, err := w.service.Terminate(w.as(w.ann), session.ID)
	check(t, err)
	w.waitFor(session.ID, Terminated)
	kill()
	_, err = w.service.Restart(w.as(w.ann), session.ID)
	check(t, err)
	if got := w.row(session.ID); got.Status != Created || got.Step != "" {
		t.Errorf("it is %s at %q", got.Status, got.Step)
	}
}

func TestRestartKeepsTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.running("Session")
	if _, err := w.service.Terminate(w.as(w.ann), session.ID); err != nil {
		t.Fatal(err)
	}
	again, err := w.service.Restart(w.as(w.ann), session.ID)
	check(t, err)
	if again.ID != session.ID || again.Status != Created {
		t.Fatalf("got %s, %s; want the same session CREATED", again.ID, again.Status)
	}
	w.launched(session.ID)
	w.machine.Ready(session.ID)
	w.waitFor(session.ID, Running)
	if w.machine.Launches(session.ID) != 2 {
		t.Errorf("%d launches, want 2", w.machine.Launches(session.ID))
	}
}

func TestDeleteRemovesWorkAndRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	live, ended := w.running("live"), w.running("ended")
	w.machine.End(ended.ID, true, "")
	w.waitFor(ended.ID, Finished)
	check(t, w.service.Delete(w.as(w.ann), []string{live.ID, ended.ID}, true))
	for _, id := range []string{live.ID, ended.ID} {
		if rows, err := w.store.ByID(t.Context(), id); err != nil || len(rows) != 0 || w.phase(id) != "" {
			t.Errorf("%d rows, %v, the engine says %q; want that nothing is left", len(rows), err, w.phase(id))
		}
	}
}

func TestDeletedSessionsAreGoneForTheirOwnerAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.settleTime = 20 * time.Millisecond
	w.run(w.service)
	session := w.running("Session")
	w.machine.HoldStops(true)
	check(t, w.service.Delete(w.as(w.ann), []string{session.ID}, true))
	_, err := w.service.Own(w.as(w.ann), session.ID)
	wantKind(t, err, fault.NotFound)
	if list, err := w.service.List(w.as(w.ann), Filter{}); err != nil || len(list) != 0 {
		t.Errorf("%d sessions are listed, %v", len(list), err)
	}
	w.machine.HoldStops(false)
	eventually(t, "nothing is left", func() bool {
		rows, err := w.store.ByID(t.Context(), session.ID)
		return err == nil && len(rows) == 0 && w.phase(session.ID) == ""
	})
}

// What a launch left out stays known after its end, until the next one says otherwise.
func TestWhatALaunchLeftOutStaysKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.start("first")
	w.clock.advance(time.Second)
	left := engine.LeftOut{What: "gromacs (conda)", Why: "The package index doesn't have it <here>."}
	w.launched(session.ID)
	w.machine.LeaveOut(session.ID, left)
	if page := w.launchPage(session); !strings.Contains(page, "Left out of the environment: 1") || !strings.Contains(page, "<dt>gromacs (conda)</dt><dd>The package index doesn&#39;t have it &lt;here&gt;.</dd>") {
		t.Errorf("the page of the launch is\n%s", page)
	}
	w.machine.Ready(session.ID)
	w.waitFor(session.ID, Running)
	has := func(when string, want ...engine.LeftOut) {
		t.Helper()
		if got := w.row(session.ID).LeftOut; !slices.Equal(got, want) {
			t.Errorf("%s: %+v", when, got)
		}
	}
	has("while it runs", left)
	w.machine.End(session.ID, true, "")
	w.waitFor(session.ID, Finished)
	has("after its end", left)
	if _, err := w.service.Restart(w.as(w.ann), session.ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is launched again", func() bool { row := w.row(session.ID); return row.Status == Created && !row.launchedAt.IsZero() })
	w.machine.LeaveOut(session.ID)
	w.machine.Ready(session.ID)
	w.waitFor(session.ID, Running)
	has("after a launch that left nothing out")
}
