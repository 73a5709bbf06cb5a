package reconcile

import (
	"context"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
)

const (
	removedTime     = 10 * time.Minute // how long their sessions stay as they are: operators may have removed an engine by mistake
	removedInterval = time.Minute      // how often they are checked without a request
)

// reconcileRemoved settles the sessions of engines that were removed from the configuration, until ctx ends.
func (r *Reconciler) reconcileRemoved(ctx context.Context) {
	begun := r.Now()
	r.warnOfRemoved(ctx)
	ticker := time.NewTicker(removedInterval)
	defer ticker.Stop()
	for {
		if err := r.settleRemoved(ctx, r.Now().Sub(begun) >= removedTime); err != nil && ctx.Err() == nil {
			r.Logger.WarnContext(ctx, "sessions of removed engines cannot be settled; trying again", "error", err)
		}
		select {
		case <-r.removed:
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (r *Reconciler) warnOfRemoved(ctx context.Context) {
	all, err := r.ofRemoved(ctx)
	if err != nil {
		return // the loop reports it
	}
	counts := map[string]int{}
	for _, session := range all {
		counts[session.Engine]++
	}
	for name, count := range counts {
		r.Logger.WarnContext(ctx, "an engine is not in the configuration, and sessions are on it: they are given up unless it comes back",
			"engine", name, "sessions", count, "after", removedTime)
	}
}

// ofRemoved returns the sessions of removed engines that are live or to be stopped. Those to be deleted wait: if their
// engine ever comes back, it removes their work, and until then nobody sees them.
func (r *Reconciler) ofRemoved(ctx context.Context) (found []sessions.Session, err error) {
	all, err := r.stores.Sessions.Unfinished(ctx)
	for _, session := range all {
		if _, removed := r.Engines.Of(session.Engine); removed != nil && !session.Gone() {
			found = append(found, session)
		}
	}
	return found, err
}

// settleRemoved carries out requests, and gives up the others when it is time.
func (r *Reconciler) settleRemoved(ctx context.Context, giveUp bool) error {
	all, err := r.ofRemoved(ctx)
	for _, session := range all {
		_, removed := r.Engines.Of(session.Engine)
		what := action{status: sessions.Failed, reason: fault.MessageOf(removed)}
		if session.RequestedStatus == sessions.Terminated {
			what = action{status: sessions.Terminated}
		} else if !giveUp {
			continue
		}
		if _, err := r.settle(ctx, session, what); err != nil {
			return err
		}
	}
	return err
}
