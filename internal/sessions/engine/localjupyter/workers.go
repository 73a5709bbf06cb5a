package localjupyter

import (
	"context"
	"sync"
)

// workers are the goroutines of an engine, which end before it is closed.
type workers struct {
	sync.WaitGroup

	closing context.Context //nolint:containedctx // ends when the engine is closed
	cancel  context.CancelFunc

	// mu guards the field below.
	mu     sync.Mutex
	closed bool
}

func newWorkers() *workers {
	closing, cancel := context.WithCancel(context.Background())
	return &workers{closing: closing, cancel: cancel}
}

// begin counts one more piece of work, which ends with Done, unless the engine is closed.
func (w *workers) begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.Add(1)
	}
	return !w.closed
}

// close lets no more work begin, asks what is under way to end, and waits for it.
func (w *workers) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.cancel()
	w.Wait()
}
