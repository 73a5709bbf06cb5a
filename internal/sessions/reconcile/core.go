package reconcile

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"cairn/internal/people/identity"
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

// core is what the loops of all engines share.
type core struct {
	Options

	stores     Stores
	changes    *sessions.Changes
	accounts   *identity.Service
	background *background
}

func newCore(stores Stores, changes *sessions.Changes, accounts *identity.Service, options Options) *core {
	options.SignInterval = cmp.Or(options.SignInterval, signInterval)
	if options.Counter == nil {
		options.Counter = uncounted{}
	}
	return &core{
		Options: options, stores: stores, changes: changes, accounts: accounts,
		background: &background{logger: options.Logger, done: changes.Announce, running: map[string]bool{}},
	}
}

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

// settle records a status; it reports whether the session was still as it was read.
func (c *core) settle(ctx context.Context, session sessions.Session, what action) (bool, error) {
	changed, err := c.stores.Sessions.Settle(ctx, session, what.status, what.reason, what.missing...)
	if changed {
		countSettled(c.Counter, session, what)
		c.changes.Announce()
	}
	return changed, err
}
