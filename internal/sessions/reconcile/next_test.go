package reconcile

import (
	"reflect"
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Every state x wish x report, for a session that was launched just now.
func TestNextIsDecidedByWhatTheEngineReports(t *testing.T) {
	t.Parallel()
	now := noon
	const unknown = engine.Phase("")
	phases := []engine.Phase{unknown, engine.Starting, engine.Running, engine.Ended, engine.Failed}
	lost := action{do: settle, status: sessions.Failed, reason: "The engine no longer knows this session. Start it again.", corrects: "lost"}
	ended := action{do: settle, status: sessions.Finished, reason: "why"}
	failed := action{do: settle, status: sessions.Failed, reason: "why"}
	want := map[sessions.Status]map[engine.Phase]action{
		sessions.Created: {unknown: lost, engine.Starting: {}, engine.Running: {do: settle, status: sessions.Running}, engine.Ended: ended, engine.Failed: failed},
		sessions.Running: {unknown: lost, engine.Starting: {}, engine.Running: {}, engine.Ended: ended, engine.Failed: failed},
		// What has ended stays so, whatever is reported: what still runs is a stray.
		sessions.Finished: {}, sessions.Terminated: {}, sessions.Failed: {},
	}
	for status, byPhase := range want {
		for _, phase := range phases {
			for wish, wanted := range map[sessions.Status]action{
				"":                  byPhase[phase],
				sessions.Terminated: {do: stop, status: sessions.Terminated},
				sessions.Deleted:    {do: retire},
				sessions.Erased:     {do: remove},
			} {
				session := sessions.Session{Status: status, RequestedStatus: wish, AdmittedAt: now, LaunchedAt: now}
				var report *engine.Status
				if phase != unknown {
					report = &engine.Status{Phase: phase, Reason: "why"}
				}
				if got := next(session, report, sizes.Engine{}.Patience(), now); !reflect.DeepEqual(got, wanted) {
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
		if got := next(sessions.Session{Status: sessions.Created, AdmittedAt: noon}, report, sizes.Engine{}.Patience(), noon); got.do != launch {
			t.Errorf("engine %q: got %+v, want a launch", phase, got)
		}
	}
	if got := next(sessions.Session{Status: sessions.Created}, &engine.Status{Phase: engine.Running}, sizes.Engine{}.Patience(), noon); got.status != sessions.Running {
		t.Errorf("the engine runs it already: got %+v, want RUNNING", got)
	}
}

func TestDeadlineOfALaunchCountsFromTheLastProgress(t *testing.T) {
	t.Parallel()
	launched := noon
	for name, test := range map[string]struct {
		progress time.Duration // after the launch; zero: none yet
		age      time.Duration
		late     bool
	}{
		"nothing happened yet":           {0, sizes.Engine{}.Patience(), false},
		"nothing happened":               {0, sizes.Engine{}.Patience() + time.Second, true},
		"something happened late":        {time.Hour, sizes.Engine{}.Patience() + time.Hour, false},
		"it went on and then stopped":    {time.Minute, sizes.Engine{}.Patience() + 61*time.Second, true},
		"what happened before the start": {-time.Hour, sizes.Engine{}.Patience(), false},
	} {
		session := sessions.Session{Status: sessions.Created, AdmittedAt: launched, LaunchedAt: launched}
		report := &engine.Status{Phase: engine.Starting}
		if test.progress != 0 {
			report.ProgressedAt = launched.Add(test.progress)
		}
		got := next(session, report, sizes.Engine{}.Patience(), launched.Add(test.age))
		wanted := action{}
		if test.late {
			wanted = action{do: settle, status: sessions.Failed, reason: "It didn't become ready: no step made progress for 3 minutes.", code: diagnosis.Time, corrects: "timeout"}
		}
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: got %+v, want %+v", name, got, wanted)
		}
	}
}

// A session in the queue has no deadline, and the engine's report on an earlier launch isn't about it.
func TestNextLeavesTheQueueAlone(t *testing.T) {
	t.Parallel()
	now := noon
	for _, report := range []*engine.Status{nil, {Phase: engine.Starting}, {Phase: engine.Ended}, {Phase: engine.Failed}} {
		if got := next(sessions.Session{Status: sessions.Created, QueuedAt: now}, report, sizes.Engine{}.Patience(), now.Add(24*time.Hour)); !reflect.DeepEqual(got, action{}) {
			t.Errorf("%+v: got %+v, want nothing", report, got)
		}
	}
	if got := next(sessions.Session{Status: sessions.Created, RequestedStatus: sessions.Terminated}, nil, sizes.Engine{}.Patience(), now); got.do != stop || got.status != sessions.Terminated {
		t.Errorf("cancelled: got %+v", got)
	}
}
