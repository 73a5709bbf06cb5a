package sessions

import (
	"reflect"
	"testing"
	"time"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// Every state x wish x report, for a session that was launched just now.
func TestNextIsDecidedByWhatTheEngineReports(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	const unknown = engine.Phase("")
	phases := []engine.Phase{unknown, engine.Starting, engine.Running, engine.Ended, engine.Failed}
	lost := action{do: settle, status: Failed, reason: "The engine no longer knows this session. Start it again.", corrects: "lost"}
	ended := action{do: settle, status: Finished, reason: "why"}
	failed := action{do: settle, status: Failed, reason: "why"}
	want := map[Status]map[engine.Phase]action{
		Created: {unknown: lost, engine.Starting: {}, engine.Running: {do: settle, status: Running}, engine.Ended: ended, engine.Failed: failed},
		Running: {unknown: lost, engine.Starting: {}, engine.Running: {}, engine.Ended: ended, engine.Failed: failed},
		// What has ended stays so, whatever is reported: what still runs is a stray.
		Finished: {}, Terminated: {}, Failed: {},
	}
	for status, byPhase := range want {
		for _, phase := range phases {
			for wish, wanted := range map[Status]action{
				"":         byPhase[phase],
				Terminated: {do: stop, status: Terminated},
				Deleted:    {do: retire},
				erased:     {do: remove},
			} {
				session := Session{Status: status, RequestedStatus: wish, admittedAt: now, launchedAt: now}
				var report *engine.Status
				if phase != unknown {
					report = &engine.Status{Phase: phase, Reason: "why"}
				}
				if got := next(session, report, launchDeadline, now); !reflect.DeepEqual(got, wanted) {
					t.Errorf("%s, wish %q, engine %q: got %+v, want %+v", status, wish, phase, got, wanted)
				}
			}
		}
	}
}

// A session that waits for its launch isn't judged by the engine's report on an earlier one.
func TestNextLaunchesWhatWasNotLaunchedYet(t *testing.T) {
	t.Parallel()
	for _, phase := range []engine.Phase{"", engine.Starting, engine.Ended, engine.Failed} {
		report := &engine.Status{Phase: phase, Reason: "of the last launch"}
		if phase == "" {
			report = nil
		}
		if got := next(Session{Status: Created, admittedAt: newClock().Now()}, report, launchDeadline, newClock().Now()); got.do != launch {
			t.Errorf("engine %q: got %+v, want a launch", phase, got)
		}
	}
	if got := next(Session{Status: Created}, &engine.Status{Phase: engine.Running}, launchDeadline, newClock().Now()); got.status != Running {
		t.Errorf("the engine runs it already: got %+v, want RUNNING", got)
	}
}

func TestDeadlineOfALaunchCountsFromTheLastProgress(t *testing.T) {
	t.Parallel()
	launched := newClock().Now()
	for name, test := range map[string]struct {
		progress time.Duration // after the launch; zero: none yet
		age      time.Duration
		late     bool
	}{
		"nothing happened yet":           {0, launchDeadline, false},
		"nothing happened":               {0, launchDeadline + time.Second, true},
		"something happened late":        {time.Hour, launchDeadline + time.Hour, false},
		"it went on and then stopped":    {time.Minute, launchDeadline + 61*time.Second, true},
		"what happened before the start": {-time.Hour, launchDeadline, false},
	} {
		session := Session{Status: Created, admittedAt: launched, launchedAt: launched}
		report := &engine.Status{Phase: engine.Starting}
		if test.progress != 0 {
			report.ProgressedAt = launched.Add(test.progress)
		}
		got := next(session, report, launchDeadline, launched.Add(test.age))
		wanted := action{}
		if test.late {
			wanted = action{do: settle, status: Failed, reason: "It didn't become ready: no step made progress for 3 minutes.", code: diagnosis.Time, corrects: "timeout"}
		}
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: got %+v, want %+v", name, got, wanted)
		}
	}
}

// A session in the queue has no deadline, and the engine's report on an earlier launch isn't about it.
func TestNextLeavesTheQueueAlone(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	for _, report := range []*engine.Status{nil, {Phase: engine.Starting}, {Phase: engine.Ended}, {Phase: engine.Failed}} {
		if got := next(Session{Status: Created, queuedAt: now}, report, launchDeadline, now.Add(24*time.Hour)); !reflect.DeepEqual(got, action{}) {
			t.Errorf("%+v: got %+v, want nothing", report, got)
		}
	}
	if got := next(Session{Status: Created, RequestedStatus: Terminated}, nil, launchDeadline, now); got.do != stop || got.status != Terminated {
		t.Errorf("cancelled: got %+v", got)
	}
}
