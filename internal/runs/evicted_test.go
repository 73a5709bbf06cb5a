package runs

import (
	"context"
	"testing"

	"cairn/internal/runs/executor"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// What a cluster takes away says nothing about the entry: the run is tried again, a few times.
func TestEvictedRunsAreTriedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		const reason = "Its machine is being emptied."
		evictions := 0
		w.kernels(func(_ context.Context, source []byte, _ executor.Options) executor.Executed {
			executed := finished(string(source))
			if evictions == 0 {
				for id := range w.batch.yields {
					evictions++
					w.machine.Evict(id, reason)
				}
				executed.Ending = executor.ServerLost
			}
			return executed
		})
		if run := w.run(""); run.State != Done || run.Verdict != Clean || evictions != 1 || run.attempts != 2 {
			t.Errorf("after an eviction it is %+v", run)
		}
		evictions = 0
		w.batch.fail = func(id string) {
			evictions++
			w.machine.FailWith(id, engine.StepServer, reason, diagnosis.Evicted, "")
		}
		if run := w.run(""); run.State != Stopped || run.Verdict != "" || run.Reason != reason || evictions != attemptsLimit {
			t.Errorf("after %d evictions it is %+v", evictions, run)
		}
	})
}
