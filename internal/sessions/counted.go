package sessions

import (
	"context"
	"strings"
	"sync/atomic"
	"time"
)

// Counter is told what happens to sessions.
type Counter interface {
	// LaunchReady is called with the time since the session was requested, and the durations of the launch's steps.
	LaunchReady(engine string, total time.Duration, steps map[string]time.Duration)
	// LaunchFailed is called with the code of the cause, or unknown.
	LaunchFailed(engine, reason string)
	LaunchStopped(engine string)
	// Stopped is called when a running session ended, with what ended it.
	Stopped(cause string)
	// Reconciled is called after each pass that succeeded.
	Reconciled(engine string, took time.Duration)
	// Corrected is called with what a pass put right.
	Corrected(what string)
}

// uncounted is the Counter where nobody counts.
type uncounted struct{}

func (uncounted) LaunchReady(string, time.Duration, map[string]time.Duration) {}
func (uncounted) LaunchFailed(string, string)                                 {}
func (uncounted) LaunchStopped(string)                                        {}
func (uncounted) Stopped(string)                                              {}
func (uncounted) Reconciled(string, time.Duration)                            {}
func (uncounted) Corrected(string)                                            {}

// What ends running sessions.
const (
	byUser      = "user"
	byOperators = "operators"
	byIdling    = "idle"
	byItself    = "ended"
	byFailure   = "failed"
	byDisabling = "disabled"
	byDeletion  = "deleted"
)

// countSettled counts a change of a session's status.
func (s *Service) countSettled(before Session, what action) {
	switch {
	case what.status == Failed && before.Status == Created:
		reason := string(what.code)
		if before.Cause != nil { // explained just before
			reason = string(before.Cause.Code)
		}
		if reason == "" {
			reason = "unknown"
		}
		s.Counter.LaunchFailed(before.Engine, reason)
	case before.Status == Created && what.status != Running:
		s.Counter.LaunchStopped(before.Engine)
	case before.Status == Running:
		s.Counter.Stopped(endedBy(what))
	}
	if what.corrects != "" {
		s.Counter.Corrected(what.corrects)
	}
}

// endedBy returns what ended a running session.
func endedBy(what action) string {
	switch {
	case what.status == Failed:
		return byFailure
	case what.do == expire:
		return byIdling
	case what.status == Finished && what.do == stop:
		return byDisabling
	case what.status == Finished:
		return byItself
	case strings.HasPrefix(what.reason, StoppedByOperators):
		return byOperators
	}
	return byUser
}

// countLaunch counts a launch that has just succeeded.
func (s *Service) countLaunch(engine string, taken durations) {
	steps := make(map[string]time.Duration, len(taken))
	var total time.Duration
	for step, milliseconds := range taken {
		took := time.Duration(milliseconds) * time.Millisecond
		if step == stepTotal {
			total += took
			continue
		}
		if step == stepQueued {
			total += took
		}
		steps[step] = took
	}
	s.Counter.LaunchReady(engine, total, steps)
}

// Connections returns how many requests to sessions and launch pages are open in this process, by kind.
func (s *Service) Connections() map[string]int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	sockets, events := 0, 0
	for _, count := range s.sockets {
		sockets += count
	}
	for _, count := range s.streams {
		events += count
	}
	return map[string]int{"http": max(0, int(s.proxied.Load())-sockets), "ws": sockets, "events": events}
}

// proxying counts a request to a session until the returned function is called.
func proxying(count *atomic.Int64) (done func()) {
	count.Add(1)
	return func() { count.Add(-1) }
}

// Queued is the state of sessions that wait for room, in counts.
const Queued = "QUEUED"

// StateCount is a number of sessions in a state: a Status, or Queued.
type StateCount struct {
	Engine string
	State  string
	Count  int
}

// FailedSince returns the sessions that failed since a time and weren't started again or deleted, newest first.
func (s *Service) FailedSince(ctx context.Context, since time.Time) ([]Failure, error) {
	return s.store.FailedSince(ctx, since)
}

// LongestWait returns since when the session waits that has waited longest for room; the zero time if none does.
func (s *Service) LongestWait(ctx context.Context) (time.Time, error) {
	return s.store.LongestWait(ctx)
}

// Counts returns how many sessions there are on each engine in each state, without deleted ones.
func (s *Service) Counts(ctx context.Context) ([]StateCount, error) { return s.store.Counts(ctx) }
