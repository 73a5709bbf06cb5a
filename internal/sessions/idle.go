package sessions

import (
	"fmt"
	"time"

	"cairn/internal/sessions/engine"
)

// IdleLimits are the times without activity after which a session is stopped; zero: never.
type IdleLimits struct {
	Closed time.Duration // with no browser tab on it
	Open   time.Duration // while tabs are open
}

// observation is what the activity of a running session implies.
type observation struct {
	lastAt  time.Time // when something last happened
	stopsAt time.Time // when it will be stopped if nothing happens until then; zero: never
	open    bool      // browser tabs are open on it
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
	}
	return seen
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
	reason := "Nothing happened in it for " + humanDuration(l.Closed)
	if seen.open {
		reason = "Nothing happened in its open tabs for " + humanDuration(l.Open)
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
