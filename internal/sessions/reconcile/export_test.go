package reconcile

import (
	"context"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
	"cairn/internal/sessions/warm"
)

// The pauses of warm sessions.
const (
	RefillPause = refillPause
	WarmPause   = warmPause
)

// PassOver makes a pass over an engine, which may be another one than that of the same name in the configuration.
func (r *Reconciler) PassOver(ctx context.Context, one sizes.Engine) error {
	return newLoop(r.core, one).pass(ctx)
}

// AddLoop adds a loop for an engine, and returns what runs it.
func (r *Reconciler) AddLoop(one sizes.Engine) (run func(ctx context.Context)) {
	added := newLoop(r.core, one)
	r.loops = append(r.loops, added)
	return added.run
}

// GiveUp is giveUp for an engine.
func (r *Reconciler) GiveUp(ctx context.Context, one sizes.Engine, since time.Time, cause error) {
	newLoop(r.core, one).giveUp(ctx, since, cause)
}

// MoveQueue is moveQueue for an engine.
func (r *Reconciler) MoveQueue(ctx context.Context, one sizes.Engine) error {
	_, err := newLoop(r.core, one).moveQueue(ctx)
	return err
}

// StopStrays is stopStrays for an engine, on which nothing is meant to run.
func (r *Reconciler) StopStrays(ctx context.Context, one sizes.Engine, reports []engine.Status) {
	newLoop(r.core, one).stopStrays(ctx, reports, nil)
}

// Stop does what follows when a session's stop was requested and its engine doesn't know it.
func (r *Reconciler) Stop(ctx context.Context, one sizes.Engine, session sessions.Session) error {
	return newLoop(r.core, one).act(ctx, session, action{do: stop, status: sessions.Terminated}, nil)
}

// SettleRemoved is settleRemoved.
func (r *Reconciler) SettleRemoved(ctx context.Context, giveUp bool) error {
	return r.settleRemoved(ctx, giveUp)
}

// WarnOfRemoved is warnOfRemoved.
func (r *Reconciler) WarnOfRemoved(ctx context.Context) { r.warnOfRemoved(ctx) }

// RefreshWarm looks at the entries whose sessions are kept warm.
func (r *Reconciler) RefreshWarm(ctx context.Context) { r.Warm.refresh(ctx) }

// KeepWarm starts and ends warm sessions as a pass does.
func (r *Reconciler) KeepWarm(ctx context.Context, one sizes.Engine, reported map[string]*engine.Status) ([]warm.Session, error) {
	return r.Warm.keep(ctx, one, r.background, look{byID: reported}, 0)
}

// RoomForWarm is room.
func (r *Reconciler) RoomForWarm(one sizes.Engine, people []sessions.Session) (room int, busy bool) {
	return r.Warm.room(one, people, 0, nil)
}
