package sessions

import (
	"context"
	"fmt"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

// IdleLimits are the times without activity after which a session is stopped; zero: never.
type IdleLimits struct {
	Closed time.Duration // with no browser tab on it
	Open   time.Duration // while tabs are open
}

// keepLimit is how long an idle session can be kept going after something last happened in it.
const keepLimit = 8 * time.Hour

// observation is what the activity of a running session implies.
type observation struct {
	lastAt  time.Time // when something last happened
	stopsAt time.Time // when it will be stopped if nothing happens until then; zero: never
	open    bool      // browser tabs are open on it
	kept    bool      // it isn't stopped yet because its user asked to keep it going
	known   bool      // false until the engine knows of any activity: until then nothing is decided
}

// observe evaluates a running session. A busy kernel counts as activity now; connections counts tabs that the engine
// may not see.
func (l IdleLimits) observe(session Session, activity engine.Activity, connections int, now time.Time) observation {
	seen := observation{lastAt: session.lastActivityAt, open: activity.Connections+connections > 0, known: activity.Busy || !activity.LastAt.IsZero()}
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
		seen.stopsAt = minuteAfter(seen.lastAt.Add(limit)) // people see the minute, so nothing happens before it
		kept := minuteAfter(session.keptAt.Add(limit))
		if last := keptAtMost(seen.lastAt); kept.After(last) {
			kept = last
		}
		if seen.kept = kept.After(seen.stopsAt); seen.kept {
			seen.stopsAt = kept
		}
	}
	return seen
}

// keptAtMost returns until when a session can be kept going after something last happened in it.
func keptAtMost(lastAt time.Time) time.Time { return minuteAfter(lastAt.Add(keepLimit)) }

// mayKeep reports whether its user can keep the session going for longer.
func (s Session) mayKeep() bool {
	return s.Status == Running && s.StopsAt != nil && s.StopsAt.Before(keptAtMost(s.lastActivityAt))
}

// KeepGoing gives one of the caller's sessions another idle period from now on, up to keepLimit after something last happened
// in it. Repeating it adds nothing. Conflict unless the session runs.
func (s *Service) KeepGoing(ctx context.Context, id string) error {
	session, report, err := s.look(ctx, id)
	if err != nil {
		return err
	}
	if session.Status != Running || session.RequestedStatus != "" {
		return errNotRunning
	}
	session.keptAt = s.Now()
	kept, err := s.store.Keep(ctx, session, session.keptAt)
	if err != nil {
		return err
	}
	if !kept {
		return errNotRunning
	}
	_, err = s.store.Observe(ctx, sighting{session, s.observed(session, report.Activity), report.Warning})
	s.announce()
	return err
}

var errNotRunning = fault.New(fault.SessionNotRunning, "This session isn't running.")

// observed evaluates a running session now.
func (s *Service) observed(session Session, activity engine.Activity) observation {
	return s.Idle.observe(session, activity, s.openSockets(session.ID), s.Now())
}

func minuteAfter(t time.Time) time.Time {
	if whole := t.Truncate(time.Minute); whole.Before(t) {
		return whole.Add(time.Minute)
	}
	return t
}

// expire is next for a running session with this observation: a session that has been idle for too long is stopped, if
// its kernels confirm it.
func (l IdleLimits) expire(what action, seen observation, now time.Time) action {
	if what.do != rest || seen.stopsAt.IsZero() || now.Before(seen.stopsAt) {
		return what
	}
	reason := "It was idle for " + humanDuration(l.Closed)
	if seen.open {
		reason = "Its open tabs were idle for " + humanDuration(l.Open)
	}
	if seen.kept {
		reason = "It stayed idle after it was kept going"
	}
	return action{do: expire, status: Finished, reason: reason + ", so it was stopped. Its work is kept."}
}

// humanDuration returns a duration in words, such as "2 hours".
func humanDuration(d time.Duration) string {
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		if d >= unit.length && d%unit.length == 0 {
			if count := d / unit.length; count != 1 {
				return fmt.Sprintf("%d %ss", count, unit.name)
			}
			return "1 " + unit.name
		}
	}
	return d.String()
}
