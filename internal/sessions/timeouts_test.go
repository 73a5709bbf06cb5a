package sessions

import (
	"testing"
	"time"

	"cairn/internal/sessions/engine"
)

// Operators may let the launches of an engine take longer, as on a cluster that fetches images.
func TestDeadlineOfALaunchIsItsEngines(t *testing.T) {
	t.Parallel()
	launched := newClock().Now()
	session := Session{Status: Created, admittedAt: launched, launchedAt: launched}
	for timeout, words := range map[time.Duration]string{20 * time.Minute: "20 minutes", time.Minute: "1 minute", 90 * time.Second: "90 seconds"} {
		patient := NamedEngine{LaunchTimeout: timeout}
		report := &engine.Status{Phase: engine.Starting}
		if got := next(session, report, patient.launchTimeout(), launched.Add(timeout)); got.do != rest {
			t.Errorf("within %s: %+v", timeout, got)
		}
		want := "It didn't become ready: no step made progress for " + words + "."
		if got := next(session, report, patient.launchTimeout(), launched.Add(timeout+time.Second)); got.status != Failed || got.reason != want {
			t.Errorf("after %s: %+v", timeout, got)
		}
	}
}

// Whoever reads that a session ended reads why.
func TestEndingsHaveAReason(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	for _, phase := range []engine.Phase{engine.Ended, engine.Failed} {
		session := Session{Status: Running, admittedAt: now, launchedAt: now}
		if got := next(session, &engine.Status{Phase: phase}, launchDeadline, now); got.reason == "" {
			t.Errorf("%s: no reason", phase)
		}
	}
}
