package reconcile

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sizes"
)

const (
	passInterval    = 2 * time.Second        // how long a session may be shown wrong if an engine doesn't signal a change
	signInterval    = 100 * time.Millisecond // between passes over an engine that signals all the time
	longestBackOff  = 8 * time.Second        // between passes over an engine that doesn't answer
	answerTime      = 5 * time.Second        // for the kernels of a session that seems idle: one that takes longer is busy
	overdueInterval = 10 * time.Minute       // how often deleted sessions are looked at whose time has come
)

// Tabs knows which sessions have open browser tabs that their engine may not see.
type Tabs interface {
	// OpenSockets returns how many websockets into a session are open through this process.
	OpenSockets(sessionID string) int
}

// Options configure the reconciler.
type Options struct {
	Engines sizes.Engines
	Idle    IdleLimits
	Undo    time.Duration // how long deleted sessions can be undeleted; zero: forever
	Tabs    Tabs
	Warm    *WarmPool
	Counter Counter // optional; nil disables metrics

	SignInterval time.Duration // between passes over an engine that signals all the time; zero: a tenth of a second

	Resolver *sessions.Resolver
	Now      func() time.Time
	Logger   *slog.Logger
}

// Stores are what a reconciler reads and writes.
type Stores struct {
	Sessions *sessions.Store
	Launches *sessions.LaunchTimes
	Batch    *sessions.BatchSlots
}

// Reconciler carries out requests and records what engines report.
type Reconciler struct {
	Options

	stores   Stores
	changes  *sessions.Changes
	accounts *identity.Service

	background *background
	loops      []*engineLoop
	removed    chan struct{} // wakes the loop for the sessions of removed engines
}

// New returns a reconciler, which begins its work with Run.
func New(stores Stores, changes *sessions.Changes, accounts *identity.Service, options Options) *Reconciler {
	options.SignInterval = cmp.Or(options.SignInterval, signInterval)
	if options.Counter == nil {
		options.Counter = uncounted{}
	}
	r := &Reconciler{Options: options, stores: stores, changes: changes, accounts: accounts, removed: make(chan struct{}, 1)}
	r.background = &background{logger: options.Logger, done: changes.Announce, running: map[string]bool{}}
	for _, one := range options.Engines.All {
		r.loops = append(r.loops, newLoop(r, one))
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

// settle records a status; it reports whether the session was still as it was read.
func (r *Reconciler) settle(ctx context.Context, session sessions.Session, what action) (bool, error) {
	changed, err := r.stores.Sessions.Settle(ctx, session, what.status, what.reason, what.missing...)
	if changed {
		countSettled(r.Counter, session, what)
		r.changes.Announce()
	}
	return changed, err
}

// eraseOverdue deletes for ever what was deleted longer ago than it can be undone, until ctx ends.
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
