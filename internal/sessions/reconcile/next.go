package reconcile

import (
	"cmp"
	"time"

	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// action is the next thing to do for a session.
type action struct {
	do     verb
	status sessions.Status // the session's status once that is done
	reason string

	missing []string       // Failed: ids of the missing datasets that caused it
	code    diagnosis.Code // Failed: the cause if it is known without the log

	corrects string // what it puts right, for those who count; may be empty
}

type verb int

const (
	rest    verb = iota // nothing to do
	launch              // ask the engine to start it
	settle              // record the status
	requeue             // put it back into the queue
	stop                // stop it on the engine, then record the status
	expire              // the same, unless one of its kernels is busy
	retire              // let the engine keep its versions alone, then record that it is deleted
	remove              // remove it from the engine, then delete its row
)

// next is the state machine: the next action for a session with this request when its engine reports this. A nil report
// means that the engine doesn't know the session. A launch may go on for the timeout without progress.
func next(session sessions.Session, report *engine.Status, timeout time.Duration, now time.Time) action {
	switch session.RequestedStatus {
	case sessions.Deleted:
		return action{do: retire}
	case sessions.Erased:
		return action{do: remove}
	case sessions.Terminated:
		return action{do: stop, status: sessions.Terminated, reason: session.StatusReason} // the operators' reason, if they requested it
	}
	phase := engine.Phase("")
	reason := ""
	if report != nil {
		phase, reason = report.Phase, report.Reason
	}
	switch {
	case session.Status == sessions.Created && phase == engine.Running:
		return action{do: settle, status: sessions.Running}
	case session.Queued():
		return action{}
	case session.Status == sessions.Created && phase == engine.Starting:
		if session.LaunchedAt.IsZero() {
			return action{do: launch, status: sessions.Created}
		}
		if now.Sub(lastProgress(session, report)) > timeout {
			return action{do: settle, status: sessions.Failed, reason: "It didn't become ready: no step made progress for " + humanize.Duration(timeout) + ".", code: diagnosis.Time, corrects: "timeout"}
		}
		return action{}
	case session.Status == sessions.Created && session.LaunchedAt.IsZero():
		return action{do: launch, status: sessions.Created}
	case session.Status == sessions.Created && phase == engine.Full:
		return action{do: requeue, status: sessions.Created, reason: reason}
	case session.Status.Live() && phase == engine.Ended:
		return action{do: settle, status: sessions.Finished, reason: cmp.Or(reason, "Jupyter was shut down.")}
	case session.Status.Live() && phase == engine.Failed:
		failed := action{do: settle, status: sessions.Failed, reason: cmp.Or(reason, "It failed for an unknown reason. The log may say more."), missing: report.Missing, code: report.Code}
		if failed.code == "" && len(failed.missing) > 0 {
			failed.code = diagnosis.DatasetMissing
		}
		return failed
	case session.Status.Live() && phase == "":
		return action{do: settle, status: sessions.Failed, reason: "The engine no longer knows this session. Start it again.", corrects: "lost"}
	}
	return action{}
}

// stopDisabled replaces the next action for the session of an account that isn't enabled: a live session is stopped, unless
// its user is already ending it.
func stopDisabled(session sessions.Session, what action) action {
	if !session.Status.Live() || what.do == retire || what.do == remove || what.do == stop {
		return what
	}
	if session.Workshop != "" { // a guest's, when the workshop ends
		return action{do: stop, status: sessions.Terminated}
	}
	return action{do: stop, status: sessions.Finished, reason: "The operators disabled this account, so the session was stopped. Its work is kept."}
}

func lastProgress(session sessions.Session, report *engine.Status) time.Time {
	if report.ProgressedAt.After(session.LaunchedAt) {
		return report.ProgressedAt
	}
	return session.LaunchedAt
}
