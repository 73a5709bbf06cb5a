package localjupyter

import (
	"context"
	"sync"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// task is an operation on a session's processes.
type task struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
	err    error // read it after done
	stop   bool
}

// queue runs the tasks of a session one after the other. The zero value is empty.
type queue struct {
	// mu guards the field below.
	mu   sync.Mutex
	last *task
}

// add runs the work after all previous tasks. It returns nil if the engine is closed.
func (q *queue) add(e *Engine, work func(context.Context) error) *task {
	if !e.workers.Begin() {
		return nil
	}
	ctx, cancel := context.WithCancelCause(e.workers.Closing())
	next := &task{cancel: cancel, done: make(chan struct{})}
	q.mu.Lock()
	previous := q.last
	q.last = next
	q.mu.Unlock()
	go func() {
		defer e.workers.Done()
		defer cancel(nil)
		if previous != nil {
			<-previous.done
		}
		next.err = work(ctx)
		close(next.done)
	}()
	return next
}

// current returns the last task unless it is done; else nil.
func (q *queue) current() *task {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.last == nil || closed(q.last.done) {
		return nil
	}
	return q.last
}

// await returns what comes of a task, or says that it's late when the context ends. A nil task has nothing to do.
func (t *task) await(ctx context.Context, late string) error {
	if t == nil {
		return nil
	}
	select {
	case <-t.done:
		return t.err
	case <-ctx.Done():
		return fault.Wrap(ctx.Err(), fault.Unavailable, "%s", late)
	}
}

// refused is a task that failed because the engine is closed.
func refused() *task {
	over := &task{done: make(chan struct{}), err: engine.ErrClosing}
	close(over.done)
	return over
}

func closed(done chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
