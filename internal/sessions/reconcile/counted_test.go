package reconcile_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/operators"
	"cairn/internal/sessions/reconcile"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

// tally is a Counter that writes down what it is told.
type tally struct {
	mu     sync.Mutex
	told   []string
	passes int
	steps  map[string]time.Duration
	total  time.Duration
}

func (c *tally) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, what)
}

func (c *tally) LaunchReady(engine string, total time.Duration, steps map[string]time.Duration) {
	c.note("ready on " + engine)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total, c.steps = total, steps
}

func (c *tally) LaunchFailed(engine, reason string) { c.note("failed on " + engine + ": " + reason) }
func (c *tally) LaunchStopped(engine string)        { c.note("launch stopped on " + engine) }
func (c *tally) Stopped(cause string)               { c.note("stopped: " + cause) }
func (c *tally) Corrected(what string)              { c.note("corrected: " + what) }

func (c *tally) Reconciled(string, time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passes++
}

// wait waits for what is told next.
func (c *tally) wait(t *testing.T, want ...string) {
	t.Helper()
	sessionstest.Eventually(t, "it is counted", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.told) >= len(want)
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.told, want) {
		t.Errorf("counted %q, want %q", c.told, want)
	}
	c.told = nil
}

func TestLaunchesAndStopsAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	counter := &tally{}
	w.Options.Counter, w.Options.Idle = counter, reconcile.IdleLimits{Closed: time.Hour, Open: time.Hour}
	w.Server = w.NewService()
	w.Run(w.Server)
	olga := w.Operator()

	session := w.Start("Session")
	w.Launched(session.ID)
	w.Machine.Progress(session.ID, engine.StepRepository, engine.Active, "")
	w.Clock.Advance(3 * time.Second)
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running)
	counter.wait(t, "ready on local")
	if _, known := counter.steps["queued"]; !known || counter.total != 3*time.Second {
		t.Errorf("it took %s, %v", counter.total, counter.steps)
	}
	_, err := w.Server.Terminate(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	counter.wait(t, "stopped: user")

	session = w.Running("Stopped by operators")
	counter.wait(t, "ready on local")
	_, err = w.Server.Operators.Stop(w.As(olga), session.ID, "Tonight.")
	sessionstest.Check(t, err)
	counter.wait(t, "stopped: operators")

	session = w.Running("Stopped by the command")
	counter.wait(t, "ready on local")
	_, err = w.Store.RequestStop(t.Context(), session.ID, "Die Maschine zieht um.")
	sessionstest.Check(t, err)
	w.Server.Changes.Announce()
	counter.wait(t, "stopped: operators")

	session = w.Running("Stopped by operators, then by its owner")
	counter.wait(t, "ready on local")
	w.Machine.HoldStops(true)
	_, err = w.Store.RequestStop(t.Context(), session.ID, "It takes too much.")
	sessionstest.Check(t, err)
	sessionstest.Check(t, w.Store.Request(t.Context(), []string{session.ID}, sessions.Terminated))
	w.Machine.HoldStops(false)
	w.Server.Changes.Announce()
	counter.wait(t, "stopped: operators")

	session = w.Running("Stopped by its owner, then by operators")
	counter.wait(t, "ready on local")
	w.Machine.HoldStops(true)
	sessionstest.Check(t, w.Store.Request(t.Context(), []string{session.ID}, sessions.Terminated))
	_, err = w.Store.RequestStop(t.Context(), session.ID, "The operators stopped this session: Tonight.")
	sessionstest.Check(t, err)
	w.Machine.HoldStops(false)
	w.Server.Changes.Announce()
	counter.wait(t, "stopped: user")

	session = w.Running("Ends by itself")
	counter.wait(t, "ready on local")
	w.Machine.End(session.ID, true, "")
	counter.wait(t, "stopped: ended")

	session = w.Running("Breaks")
	counter.wait(t, "ready on local")
	w.Machine.End(session.ID, false, "It broke.")
	counter.wait(t, "stopped: failed")

	session = w.Running("Deleted")
	counter.wait(t, "ready on local")
	sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{session.ID}, false))
	counter.wait(t, "stopped: deleted")

	session = w.Running("Idle")
	counter.wait(t, "ready on local")
	w.Machine.Report(session.ID, engine.Activity{LastAt: w.Clock.Now()}, "")
	w.Clock.Advance(2 * time.Hour)
	w.Server.Changes.Announce()
	counter.wait(t, "stopped: idle")

	session = w.Start("Fails")
	w.Launched(session.ID)
	w.Machine.FailWith(session.ID, engine.StepServer, "It failed.", diagnosis.Memory, "")
	counter.wait(t, "failed on local: "+string(diagnosis.Memory))

	session = w.Start("Cancelled")
	w.Launched(session.ID)
	_, err = w.Server.Terminate(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	counter.wait(t, "launch stopped on local")

	session = w.Start("Hangs")
	w.Launched(session.ID)
	w.Clock.Advance(sizes.Engine{}.Patience() + time.Second)
	w.Server.Changes.Announce()
	counter.wait(t, "failed on local: "+string(diagnosis.Time), "corrected: timeout", "corrected: stray")

	w.Running("Disabled")
	counter.wait(t, "ready on local")
	w.Enable("ann@example.org", false)
	w.Server.Changes.Announce()
	counter.wait(t, "stopped: disabled")
	if counter.passes == 0 {
		t.Error("no pass is counted")
	}
}

func TestOperatorsSearchSessionsAndSeeWhatFailed(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		olga := w.Operator()
		first := w.Settled("First", sessions.Failed)
		w.Clock.Advance(90 * time.Minute)
		second := w.Settled("Second", sessions.Failed)
		w.Start("Third")
		for name, c := range map[string]struct {
			query sessions.AllQuery
			want  int
		}{
			"all":                     {sessions.AllQuery{}, 3},
			"of an owner":             {sessions.AllQuery{Text: " ANN@"}, 3},
			"of nobody":               {sessions.AllQuery{Text: "bob"}, 0},
			"by a sign of LIKE":       {sessions.AllQuery{Text: "a%n"}, 0},
			"by id":                   {sessions.AllQuery{Text: first.ID}, 1},
			"in a state":              {sessions.AllQuery{Status: sessions.Failed}, 2},
			"that live, in one state": {sessions.AllQuery{Status: sessions.Failed, Live: true}, 0},
			"on an engine":            {sessions.AllQuery{Engine: "local"}, 3},
			"on another":              {sessions.AllQuery{Engine: "hub"}, 0},
		} {
			c.query.Size = 10
			page, err := w.Server.Operators.All(w.As(olga), c.query, operators.Newest)
			if err != nil || page.TotalElements != c.want || len(page.Content) != c.want {
				t.Errorf("%s: %d, %d shown, %v; want %d", name, page.TotalElements, len(page.Content), err, c.want)
			}
		}
		failed, err := w.Store.FailedSince(t.Context(), w.Clock.Now().Add(-time.Hour))
		if err != nil || len(failed) != 1 || !failed[0].At.Equal(second.UpdatedAt) || failed[0].Engine != "local" {
			t.Errorf("failed: %+v, %v", failed, err)
		}
		counts, err := w.Store.Counts(t.Context())
		if want := []sessions.StateCount{{Engine: "local", State: sessions.Queued, Count: 1}, {Engine: "local", State: "ERROR", Count: 2}}; err != nil || !slices.Equal(counts, want) {
			t.Errorf("%v, %v", counts, err)
		}
		since, err := w.Store.LongestWait(t.Context())
		if err != nil || !since.Equal(w.Clock.Now()) {
			t.Errorf("somebody waits since %s, %v", since, err)
		}
		_, err = w.Server.Operators.All(w.As(identity.Caller{}), sessions.AllQuery{Size: 1}, operators.Newest)
		sessionstest.WantKind(t, err, fault.Forbidden)
	})
}
