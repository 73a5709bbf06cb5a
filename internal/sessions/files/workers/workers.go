// Package workers counts the goroutines of whatever works on sessions in the background, so that it can be closed.
package workers

import (
	"context"
	"sync"
)

// Workers are goroutines that end before their owner is closed.
type Workers struct {
	sync.WaitGroup

	closing context.Context //nolint:containedctx // ends when the owner is closed
	cancel  context.CancelFunc

	// mu guards the field below.
	mu     sync.Mutex
	closed bool
}

// New returns none yet.
func New() *Workers {
	closing, cancel := context.WithCancel(context.Background())
	return &Workers{closing: closing, cancel: cancel}
}

// Closing returns a context that ends when the owner is closed.
func (w *Workers) Closing() context.Context { return w.closing }

// Begin counts one more piece of work, which ends with Done, unless the owner is closed.
func (w *Workers) Begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.Add(1)
	}
	return !w.closed
}

// Start runs work in a goroutine; false if the owner is closed.
func (w *Workers) Start(work func()) bool {
	if !w.Begin() {
		return false
	}
	go func() {
		defer w.Done()
		work()
	}()
	return true
}

// Cancel asks all work to end, and doesn't wait for it.
func (w *Workers) Cancel() { w.cancel() }

// Close lets no more work begin, asks what is under way to end, and waits for it.
func (w *Workers) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.cancel()
	w.Wait()
}
