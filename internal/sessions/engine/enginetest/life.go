package enginetest

import (
	"context"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

func progress(b *bench) {
	asked := time.Now()
	spec := b.started(b.Slow)
	status := b.awaitThat(spec.ID, "at its repository", func(status engine.Status) bool {
		return b.step(status, engine.StepRepository).State == engine.Active
	})
	if status.ProgressedAt.Before(asked) || status.ProgressedAt.After(time.Now()) {
		b.Errorf("The session made progress at %v, asked for at %v", status.ProgressedAt, asked)
	}
	b.Release()
	b.await(spec.ID, engine.Running)
	b.stop(spec.ID)
	b.status(spec.ID)
}

func activity(b *bench) {
	asked := time.Now()
	spec := b.running()
	quiet := b.status(spec.ID)
	if quiet.Activity.Busy || quiet.Activity.Connections != 0 {
		b.Errorf("A fresh session is %+v", quiet.Activity)
	}
	b.Work(spec.ID, true)
	busy := b.awaitThat(spec.ID, "busy", func(status engine.Status) bool {
		return status.Activity.Busy && status.Activity.Connections == 1
	})
	b.Work(spec.ID, false)
	after := b.awaitThat(spec.ID, "idle", func(status engine.Status) bool {
		return !status.Activity.Busy && status.Activity.Connections == 0
	})
	if busy.Activity.LastAt.Before(asked) || !busy.Activity.LastAt.After(quiet.Activity.LastAt) || after.Activity.LastAt.Before(busy.Activity.LastAt) {
		b.Errorf("The work began at %v, ended at %v; before it was %v", busy.Activity.LastAt, after.Activity.LastAt, quiet.Activity.LastAt)
	}
	b.Work(spec.ID, true)
	b.stop(spec.ID)
	b.status(spec.ID)
}

func idle(b *bench) {
	spec := b.running()
	b.awaitIdle(spec.ID)
	for name, work := range map[string]func(id string, busy bool){"busy": b.Work, "hidden": b.Hide} {
		work(spec.ID, true)
		for range 2 { // what the first question leaves behind doesn't count for the second
			if b.isIdle(spec.ID, time.Second) {
				b.Errorf("A session with a %s kernel is idle", name)
			}
		}
		work(spec.ID, false)
		b.awaitIdle(spec.ID)
	}
	b.stop(spec.ID)
	_, err := b.engine.Idle(b.Context(), spec.ID)
	b.wants(fault.Conflict, "Idle after the stop", err)
}

// isIdle asks whether a session is idle, and returns its kernels a time to answer.
func (b *bench) isIdle(id string, within time.Duration) bool {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), within)
	defer cancel()
	answered, err := b.engine.Idle(ctx, id)
	if err != nil {
		b.Fatalf("Idle: %v", err)
	}
	return answered
}

func (b *bench) awaitIdle(id string) {
	b.Helper()
	for late := time.Now().Add(waitTimeout); !b.isIdle(id, waitTimeout); {
		if time.Now().After(late) {
			b.Fatalf("The session is not idle after %v", waitTimeout)
		}
	}
}

func warning(b *bench) {
	spec := b.running()
	b.Crowd(spec.ID, true)
	b.awaitThat(spec.ID, "warned of", func(status engine.Status) bool { return status.Warning != "" })
	b.Crowd(spec.ID, false)
	b.awaitThat(spec.ID, "safe", func(status engine.Status) bool { return status.Warning == "" })
}
