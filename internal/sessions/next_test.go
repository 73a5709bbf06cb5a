package sessions

import (
	"testing"
	"time"

	"cairn/internal/sessions/engine"
)

// Every state x wish x report, for a session that was launched just now.
func TestNextIsDecidedByWhatTheEngineReports(t *testing.T) {
	now := newClock().Now()
	const unknown = engine.Phase("")
	phases := []engine.Phase{unknown, engine.Starting, engine.Running, engine.Ended, engine.Failed}
	lost := action{do: settle, status: Failed, reason: "The engine no longer knows this session; start it again."}
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
				deleted:    {do: remove},
			} {
				session := Session{Status: status, RequestedStatus: wish, launchedAt: now}
				var report *engine.Status
				if phase != unknown {
					report = &engine.Status{Phase: phase, Reason: "why"}
				}
				if got := next(session, report, now); got != wanted {
					t.Errorf("%s, wish %q, engine %q: got %+v, want %+v", status, wish, phase, got, wanted)
				}
			}
		}
	}
}

// A session that waits for its launch is not judged by what the engine reports of an earlier one.
func TestNextLaunchesWhatWasNotLaunchedYet(t *testing.T) {
	for _, phase := range []engine.Phase{"", engine.Starting, engine.Ended, engine.Failed} {
		report := &engine.Status{Phase: phase, Reason: "of the last launch"}
		if phase == "" {
			report = nil
		}
		if got := next(Session{Status: Created}, report, newClock().Now()); got.do != launch {
			t.Errorf("engine %q: got %+v, want a launch", phase, got)
		}
	}
	if got := next(Session{Status: Created}, &engine.Status{Phase: engine.Running}, newClock().Now()); got.status != Running {
		t.Errorf("the engine runs it already: got %+v, want RUNNING", got)
	}
}

func TestDeadlineOfALaunchCountsFromTheLastProgress(t *testing.T) {
	launched := newClock().Now()
	step := func(started, ended time.Duration) engine.Step {
		made := engine.Step{Name: engine.StepRepository, StartedAt: launched.Add(started)}
		if ended != 0 {
			made.EndedAt = launched.Add(ended)
		}
		return made
	}
	for name, test := range map[string]struct {
		steps []engine.Step
		age   time.Duration
		late  bool
	}{
		"nothing happened yet":             {nil, launchDeadline, false},
		"nothing happened":                 {nil, launchDeadline + time.Second, true},
		"a step began late":                {[]engine.Step{step(time.Minute, 0)}, launchDeadline + time.Minute, false},
		"a step began and did not go on":   {[]engine.Step{step(time.Minute, 0)}, launchDeadline + 61*time.Second, true},
		"a step ended late":                {[]engine.Step{step(0, 2*time.Minute), step(0, 0)}, launchDeadline + 2*time.Minute, false},
		"steps of an earlier launch":       {[]engine.Step{step(-time.Hour, -time.Hour)}, launchDeadline, false},
		"old steps do not make it earlier": {[]engine.Step{step(-time.Hour, 0)}, launchDeadline + time.Second, true},
	} {
		session := Session{Status: Created, launchedAt: launched}
		got := next(session, &engine.Status{Phase: engine.Starting, Steps: test.steps}, launched.Add(test.age))
		wanted := action{}
		if test.late {
			wanted = action{do: settle, status: Failed, reason: "It did not become ready: no step made progress for 3 minutes."}
		}
		if got != wanted {
			t.Errorf("%s: got %+v, want %+v", name, got, wanted)
		}
	}
}
