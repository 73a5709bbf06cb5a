package reconcile

import (
	"time"

	"cairn/internal/sessions"
)

// Counter counts what happens to sessions.
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

// uncounted is the Counter of a reconciler without one: it discards everything.
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
func countSettled(counter Counter, before sessions.Session, what action) {
	switch {
	case what.status == sessions.Failed && before.Status == sessions.Created:
		reason := string(what.code)
		if before.Cause != nil { // explained just before
			reason = string(before.Cause.Code)
		}
		if reason == "" {
			reason = "unknown"
		}
		counter.LaunchFailed(before.Engine, reason)
	case before.Status == sessions.Created && what.status != sessions.Running:
		counter.LaunchStopped(before.Engine)
	case before.Status == sessions.Running:
		counter.Stopped(endedBy(before, what))
	}
	if what.corrects != "" {
		counter.Corrected(what.corrects)
	}
}

// endedBy returns what ended a running session, which was as given before it ended.
func endedBy(before sessions.Session, what action) string {
	switch {
	case what.status == sessions.Failed:
		return byFailure
	case what.do == expire:
		return byIdling
	case what.status == sessions.Finished && what.do == stop:
		return byDisabling
	case what.status == sessions.Finished:
		return byItself
	case before.RequestedBy == sessions.ByOperators:
		return byOperators
	}
	return byUser
}

// countLaunch counts a launch that has just succeeded.
func countLaunch(counter Counter, engine string, taken sessions.Durations) {
	steps := make(map[string]time.Duration, len(taken))
	var total time.Duration
	for step, milliseconds := range taken {
		took := time.Duration(milliseconds) * time.Millisecond
		if step == sessions.StepTotal {
			total += took
			continue
		}
		if step == sessions.StepQueued {
			total += took
		}
		steps[step] = took
	}
	counter.LaunchReady(engine, total, steps)
}
