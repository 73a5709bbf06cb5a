package reconcile

import (
	"context"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

// IdleLimits are the times without activity after which a session is stopped; zero: never.
type IdleLimits struct {
	Closed time.Duration // with no browser tab on it
	Open   time.Duration // while tabs are open
}

// idleness is what the activity of a running session implies.
type idleness struct {
	lastAt  time.Time // when something last happened
	stopsAt time.Time // when it will be stopped if nothing happens until then; zero: never
	open    bool      // browser tabs are open on it
	kept    bool      // it isn't stopped yet because its user asked to keep it going
	known   bool      // false until the engine knows of any activity: until then nothing is decided
}

// observe evaluates a running session. A busy kernel counts as activity now; connections counts tabs that the engine
// may not see.
func (l IdleLimits) observe(session sessions.Session, activity engine.Activity, connections int, now time.Time) idleness {
	seen := idleness{lastAt: session.ActiveAt, open: activity.Connections+connections > 0, known: activity.Busy || !activity.LastAt.IsZero()}
	if activity.LastAt.After(seen.lastAt) {
		seen.lastAt = activity.LastAt
	}
	if activity.Busy || seen.lastAt.After(now) {
		seen.lastAt = now
	}
	limit := l.Closed
	if seen.open {
		limit = l.Open
	}
	if limit > 0 && !activity.Busy && seen.known {
		seen.stopsAt = sessions.MinuteAfter(seen.lastAt.Add(limit)) // people see the minute, so nothing happens before it
		kept := sessions.MinuteAfter(session.KeptAt.Add(limit))
		if last := sessions.KeptAtMost(seen.lastAt); kept.After(last) {
			kept = last
		}
		if seen.kept = kept.After(seen.stopsAt); seen.kept {
			seen.stopsAt = kept
		}
	}
	return seen
}

// KeepGoing gives a running session another idle period from now on, as far as Session.MayKeep allows. Repeating it adds
// nothing. Conflict unless the session runs.
func (r *Reconciler) KeepGoing(ctx context.Context, session sessions.Session) error {
	if session.Status != sessions.Running || session.RequestedStatus != "" {
		return errNotRunning
	}
	chosen, err := r.Engines.Of(session.Engine)
	if err != nil {
		return err
	}
	report := chosen.Report(ctx, r.Logger, session.ID)
	session.KeptAt = r.Now()
	kept, err := r.stores.Sessions.Keep(ctx, session, session.KeptAt)
	if err != nil {
		return err
	}
	if !kept {
		return errNotRunning
	}
	err = r.observe(ctx, session, report)
	r.changes.Announce()
	return err
}

// StopsAt returns when a running session with this activity is stopped if nothing happens in it from now on; nil: it isn't, or
// that isn't known.
func (r *Reconciler) StopsAt(session sessions.Session, activity engine.Activity) *time.Time {
	return sessions.OptionalTime(r.idleness(session, activity).stopsAt)
}

var errNotRunning = fault.New(fault.SessionNotRunning, "This session isn't running.")

// idleness evaluates a running session now.
func (c *core) idleness(session sessions.Session, activity engine.Activity) idleness {
	return c.Idle.observe(session, activity, c.Tabs.OpenSockets(session.ID), c.Now())
}

// observe records what an engine reports of a running session.
func (c *core) observe(ctx context.Context, session sessions.Session, report engine.Status) error {
	_, err := c.stores.Sessions.Observe(ctx, *observation(session, c.idleness(session, report.Activity), report.Warning))
	return err
}

func observation(session sessions.Session, idle idleness, warning string) *sessions.Observation {
	return &sessions.Observation{Session: session, LastAt: idle.lastAt, StopsAt: idle.stopsAt, Warning: warning}
}

// expire is next for a running session with this observation: a session that has been idle for too long is stopped, if
// its kernels confirm it.
func (l IdleLimits) expire(what action, seen idleness, now time.Time) action {
	if what.do != rest || seen.stopsAt.IsZero() || now.Before(seen.stopsAt) {
		return what
	}
	reason := "It was idle for " + humanize.Duration(l.Closed)
	if seen.open {
		reason = "Its open tabs were idle for " + humanize.Duration(l.Open)
	}
	if seen.kept {
		reason = "It stayed idle after it was kept going"
	}
	return action{do: expire, status: sessions.Finished, reason: reason + ", so it was stopped. Its work is kept."}
}
