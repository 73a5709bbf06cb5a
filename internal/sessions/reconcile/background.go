package reconcile

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// stopTime limits one attempt to stop or remove a session; the next pass tries again.
const stopTime = 60 * time.Second

// background runs operations that may take seconds, at most one at a time for each session.
type background struct {
	logger *slog.Logger
	done   func() // called after each one that succeeded

	mu      sync.Mutex
	running map[string]bool // protected by mu; by session
}

// start runs an operation for a session, unless one is under way for it.
func (b *background) start(ctx context.Context, id string, work func(ctx context.Context) error) {
	b.startFor(ctx, id, stopTime, work)
}

// startFor is start for an operation that may take longer.
func (b *background) startFor(ctx context.Context, id string, most time.Duration, work func(ctx context.Context) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running[id] {
		return
	}
	b.running[id] = true
	go func() {
		bounded, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		err := work(bounded)
		if err != nil && ctx.Err() == nil {
			b.logger.WarnContext(ctx, "what was begun for a session cannot be finished; trying again", "session", id, "error", err)
		}
		b.mu.Lock()
		delete(b.running, id)
		b.mu.Unlock()
		if err == nil {
			b.done()
		}
	}()
}

// isRunning reports whether an operation is under way for a session.
func (b *background) isRunning(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running[id]
}
