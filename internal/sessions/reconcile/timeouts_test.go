package reconcile

import (
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// Operators may let the launches of an engine take longer, as on a cluster that fetches images.
func TestDeadlineOfALaunchIsItsEngines(t *testing.T) {
	t.Parallel()
	launched := noon
	session := sessions.Session{Status: sessions.Created, AdmittedAt: launched, LaunchedAt: launched}
	for timeout, words := range map[time.Duration]string{20 * time.Minute: "20 minutes", time.Minute: "1 minute", 90 * time.Second: "90 seconds"} {
		patient := sizes.Engine{LaunchTimeout: timeout}
		report := &engine.Status{Phase: engine.Starting}
		if got := next(session, report, patient.Patience(), launched.Add(timeout)); got.do != rest {
			t.Errorf("within %s: %+v", timeout, got)
		}
		want := "It didn't become ready: no step made progress for " + words + "."
		if got := next(session, report, patient.Patience(), launched.Add(timeout+time.Second)); got.status != sessions.Failed || got.reason != want {
			t.Errorf("after %s: %+v", timeout, got)
		}
	}
}

// Whoever reads that a session ended reads why.
func TestEndingsHaveAReason(t *testing.T) {
	t.Parallel()
	now := noon
	for _, phase := range []engine.Phase{engine.Ended, engine.Failed} {
		session := sessions.Session{Status: sessions.Running, AdmittedAt: now, LaunchedAt: now}
		if got := next(session, &engine.Status{Phase: phase}, sizes.Engine{}.Patience(), now); got.reason == "" {
			t.Errorf("%s: no reason", phase)
		}
	}
}
