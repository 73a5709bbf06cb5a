package sessions

import (
	"testing"
	"time"

	"cairn/internal/sessions/engine"
)

func TestUsualTimesAreNearestRankPercentiles(t *testing.T) {
	t.Parallel()
	var launches []Durations
	for i := 1; i <= 10; i++ {
		launches = append(launches, Durations{StepTotal: int64(i) * 1000})
	}
	launches = append(launches, Durations{StepQueued: 1500})
	if got, ok := usual(launches, StepTotal); !ok || got != (Usual{P50: 5, P90: 9}) {
		t.Errorf("got %+v", got)
	}
	if got, ok := usual(launches, StepQueued); !ok || got != (Usual{P50: 1.5, P90: 1.5}) {
		t.Errorf("one time: got %+v", got)
	}
	if _, ok := usual(launches, "server"); ok {
		t.Error("a step that no launch had is known")
	}
}

// A step that an earlier launch did, such as the copy of the repository, isn't part of this one.
func TestStepsOfEarlierLaunchesDoNotCount(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	session := Session{QueuedAt: now, LaunchedAt: now.Add(time.Second)}
	taken := LaunchDurations(session, []engine.Step{
		{Name: engine.StepRepository, State: engine.Done, StartedAt: now.Add(-time.Hour), EndedAt: now.Add(-time.Hour + time.Second)},
		{Name: engine.StepServer, State: engine.Done, StartedAt: now.Add(time.Second), EndedAt: now.Add(3 * time.Second)},
	}, now.Add(4*time.Second))
	if len(taken) != 3 || taken["server"] != 2000 || taken[StepQueued] != 1000 || taken[StepTotal] != 3000 {
		t.Errorf("got %v", taken)
	}
}
