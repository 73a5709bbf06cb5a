package reconcile

import (
	"context"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
)

// Reconciler carries out requests and records what engines report.
type Reconciler struct {
	*core

	loops   []*engineLoop
	removed chan struct{} // wakes the loop for the sessions of removed engines
}

// New returns a reconciler, which begins its work with Run.
func New(stores Stores, changes *sessions.Changes, accounts *identity.Service, options Options) *Reconciler {
	r := &Reconciler{core: newCore(stores, changes, accounts, options), removed: make(chan struct{}, 1)}
	for _, one := range options.Engines.All {
		r.loops = append(r.loops, newLoop(r.core, one))
	}
	changes.OnAnnounce(r.wake)
	return r
}

// wake has every loop look again.
func (r *Reconciler) wake() {
	signal(r.removed)
	for _, loop := range r.loops {
		signal(loop.wake)
	}
}

// signal wakes who waits for a channel of capacity one. Signals that come while one waits to be read are one.
func signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// Run works until ctx ends.
func (r *Reconciler) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { r.reconcileRemoved(ctx) })
	loops.Go(func() { r.eraseOverdue(ctx) })
	loops.Go(func() { r.Warm.follow(ctx) })
	for _, loop := range r.loops {
		loops.Go(func() { loop.run(ctx) })
	}
	loops.Wait()
}

// Pass looks once at the sessions of an engine, and does what is next for each. Run does so all the time.
func (r *Reconciler) Pass(ctx context.Context, engineName string) error {
	for _, loop := range r.loops {
		if loop.engine.Name == engineName {
			return loop.pass(ctx)
		}
	}
	return fault.New(fault.NotFound, "There is no engine with the name %s.", fault.Quote(engineName))
}

// IsBusy reports whether an operation that may take seconds is under way for a session in this process.
func (r *Reconciler) IsBusy(id string) bool { return r.background.isRunning(id) }

// eraseOverdue deletes forever what was deleted longer ago than it can be undone, until ctx ends.
func (r *Reconciler) eraseOverdue(ctx context.Context) {
	if r.Undo == 0 {
		return
	}
	ticker := time.NewTicker(overdueInterval)
	defer ticker.Stop()
	for {
		count, err := r.stores.Sessions.Overdue(ctx, r.Now().Add(-r.Undo))
		if err != nil && ctx.Err() == nil {
			r.Logger.WarnContext(ctx, "sessions that were deleted long ago cannot be erased; trying again", "error", err)
		}
		if count > 0 {
			r.changes.Announce()
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
