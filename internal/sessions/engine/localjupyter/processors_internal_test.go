package localjupyter

import (
	"testing"
	"time"
)

func TestHowManyProcessorsASessionKeepsBusy(t *testing.T) {
	t.Parallel()
	var state processorState
	began := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, look := range []struct {
		after, total time.Duration
		want         float64
	}{
		{0, time.Minute, 0}, // what came before the first look is of an unknown time
		{10 * time.Second, time.Minute + 15*time.Second, 1.5}, // 15 s in 10 s
		{10500 * time.Millisecond, 2 * time.Minute, 1.5},      // too soon to say more
		{20 * time.Second, time.Minute + 15*time.Second, 0},   // idle
		{30 * time.Second, time.Minute + 17500*time.Millisecond, 0.25},
		{40 * time.Second, time.Second, 0}, // another group counts from zero
	} {
		if state.note(look.total, began.Add(look.after)); state.busy != look.want {
			t.Errorf("after %v: %v, want %v", look.after, state.busy, look.want)
		}
	}
}
