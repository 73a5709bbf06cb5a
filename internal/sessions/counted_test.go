package sessions

import (
	"slices"
	"sync"
	"testing"
	"time"

	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// tally is a Counter that writes down what it is told.
type tally struct {
	mutex  sync.Mutex
	told   []string
	passes int
	steps  map[string]time.Duration
	total  time.Duration
}

func (c *tally) note(what string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.told = append(c.told, what)
}

func (c *tally) LaunchReady(engine string, total time.Duration, steps map[string]time.Duration) {
	c.note("ready on " + engine)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.total, c.steps = total, steps
}

func (c *tally) LaunchFailed(engine, reason string) { c.note("failed on " + engine + ": " + reason) }
func (c *tally) LaunchStopped(engine string)        { c.note("launch stopped on " + engine) }
func (c *tally) Stopped(cause string)               { c.note("stopped: " + cause) }
func (c *tally) Corrected(what string)              { c.note("corrected: " + what) }

func (c *tally) Reconciled(string, time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.passes++
}

// wait waits for what is told next.
func (c *tally) wait(t *testing.T, want ...string) {
	t.Helper()
	eventually(t, "it is counted", func() bool {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		return len(c.told) >= len(want)
	})
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !slices.Equal(c.told, want) {
		t.Errorf("counted %q, want %q", c.told, want)
	}
	c.told = nil
}

func TestLaunchesAndStopsAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	counter := &tally{}
	w.options.Counter, w.options.Idle = counter, IdleLimits{Closed: time.Hour, Open: time.Hour}
	w.service = w.newService()
	w.run(w.service)
	olga := w.operator()

	session := w.start("Session")
	w.launched(session.ID)
	w.machine.Progress(session.ID, engine.StepRepository, engine.Active, "")
	w.clock.advance(3 * time.Second)
	w.machine.Ready(session.ID)
	w.waitFor(session.ID, Running)
	counter.wait(t, "ready on local")
	if _, known := counter.steps["queued"]; !known || counter.total != 3*time.Second {
		t.Errorf("it took %s, %v", counter.total, counter.steps)
	}
	_, err := w.service.Terminate(w.as(w.ann), session.ID)
	check(t, err)
	counter.wait(t, "stopped: user")

	session = w.running("Stopped by operators")
	counter.wait(t, "ready on local")
	_, err = w.service.StopForOperators(w.as(olga), session.ID, "Tonight.")
	check(t, err)
	counter.wait(t, "stopped: operators")

	session = w.running("Ends by itself")
	counter.wait(t, "ready on local")
	w.machine.End(session.ID, true, "")
	counter.wait(t, "stopped: ended")

	session = w.running("Breaks")
	counter.wait(t, "ready on local")
	w.machine.End(session.ID, false, "It broke.")
	counter.wait(t, "stopped: failed")

	session = w.running("Deleted")
	counter.wait(t, "ready on local")
	check(t, w.service.Delete(w.as(w.ann), []string{session.ID}, false))
	counter.wait(t, "stopped: deleted")

	session = w.running("Idle")
	counter.wait(t, "ready on local")
	w.machine.Report(session.ID, engine.Activity{LastAt: w.clock.Now()}, "")
	w.clock.advance(2 * time.Hour)
	w.service.announce()
	counter.wait(t, "stopped: idle")

	session = w.start("Fails")
	w.launched(session.ID)
	w.machine.FailWith(session.ID, engine.StepServer, "It failed.", diagnosis.Memory, "")
	counter.wait(t, "failed on local: "+string(diagnosis.Memory))

	session = w.start("Cancelled")
	w.launched(session.ID)
	_, err = w.service.Terminate(w.as(w.ann), session.ID)
	check(t, err)
	counter.wait(t, "launch stopped on local")

	session = w.start("Hangs")
	w.launched(session.ID)
	w.clock.advance(launchDeadline + time.Second)
	w.service.announce()
	counter.wait(t, "failed on local: "+string(diagnosis.Time), "corrected: timeout", "corrected: stray")

	w.running("Disabled")
	counter.wait(t, "ready on local")
	w.enable("ann@example.org", false)
	w.service.announce()
	counter.wait(t, "stopped: disabled")
	if counter.passes == 0 {
		t.Error("no pass is counted")
	}
}

func TestOperatorsSearchSessionsAndSeeWhatFailed(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		olga := w.operator()
		first := w.settled("First", Failed)
		w.clock.advance(90 * time.Minute)
		second := w.settled("Second", Failed)
		w.start("Third")
		for name, c := range map[string]struct {
			query AllQuery
			want  int
		}{
			"all":                     {AllQuery{}, 3},
			"of an owner":             {AllQuery{Text: " ANN@"}, 3},
			"of nobody":               {AllQuery{Text: "bob"}, 0},
			"by a sign of LIKE":       {AllQuery{Text: "a%n"}, 0},
			"by id":                   {AllQuery{Text: first.ID}, 1},
			"in a state":              {AllQuery{Status: Failed}, 2},
			"that live, in one state": {AllQuery{Status: Failed, Live: true}, 0},
			"on an engine":            {AllQuery{Engine: "local"}, 3},
			"on another":              {AllQuery{Engine: "hub"}, 0},
		} {
			c.query.Size = 10
			page, err := w.service.All(w.as(olga), c.query)
			if err != nil || page.TotalElements != c.want || len(page.Content) != c.want {
				t.Errorf("%s: %d, %d shown, %v; want %d", name, page.TotalElements, len(page.Content), err, c.want)
			}
		}
		failed, err := w.service.FailedSince(t.Context(), w.clock.Now().Add(-time.Hour))
		if err != nil || len(failed) != 1 || !failed[0].At.Equal(second.UpdatedAt) || failed[0].Engine != "local" {
			t.Errorf("failed: %+v, %v", failed, err)
		}
		counts, err := w.service.Counts(t.Context())
		if want := []StateCount{{"local", Queued, 1}, {"local", "ERROR", 2}}; err != nil || !slices.Equal(counts, want) {
			t.Errorf("%v, %v", counts, err)
		}
		since, err := w.service.LongestWait(t.Context())
		if err != nil || !since.Equal(w.clock.Now()) {
			t.Errorf("somebody waits since %s, %v", since, err)
		}
		_, err = w.service.All(w.as(identity.Caller{}), AllQuery{Size: 1})
		wantKind(t, err, fault.Forbidden)
	})
}
