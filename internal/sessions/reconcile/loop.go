package reconcile

import (
	"context"
	"errors"
	"slices"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// run makes a pass at the start, after every announcement and every signal of the engine, and every passInterval.
func (l *engineLoop) run(ctx context.Context) {
	wait := passInterval
	var failingSince time.Time
	for {
		wake, sign := l.wake, l.engine.Changed()
		began := time.Now()
		err := l.pass(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			l.Counter.Reconciled(l.engine.Name, time.Since(began))
			wait, failingSince = passInterval, time.Time{}
		default:
			l.Logger.WarnContext(ctx, "sessions cannot be reconciled; trying again", "engine", l.engine.Name, "error", err)
			if failingSince.IsZero() {
				failingSince = l.Now()
			}
			l.giveUp(ctx, failingSince, err)
			wait, wake, sign = min(2*wait, longestBackOff), nil, nil
		}
		ended := time.Now()
		timer := time.NewTimer(wait)
		select {
		case <-sign:
			l.changes.Notify() // steps and logs of launches are read from the engine
			select {
			case <-time.After(l.SignInterval - time.Since(ended)):
			case <-wake:
			case <-ctx.Done():
			}
		case <-wake:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// giveUp fails the launches on an engine that hasn't answered for as long as a launch may go without progress.
func (l *engineLoop) giveUp(ctx context.Context, since time.Time, cause error) {
	all, err := l.stores.Sessions.Unfinished(ctx)
	if err != nil {
		return // it's the database that doesn't answer
	}
	for _, session := range all {
		begun := session.AdmittedAt
		if since.After(begun) {
			begun = since
		}
		if session.Engine != l.engine.Name || session.Status != sessions.Created || session.RequestedStatus != "" || session.Queued() ||
			l.Now().Sub(begun) <= l.engine.Patience() {
			continue
		}
		if _, err := l.settle(ctx, session, action{status: sessions.Failed, reason: "Its engine isn't responding. " + fault.MessageOf(cause)}); err != nil {
			l.Logger.WarnContext(ctx, "session cannot be given up; trying again", "session", session.ID, "error", err)
		}
	}
}

// pass looks once at the sessions of the engine, and does what is next for each.
func (l *engineLoop) pass(ctx context.Context) error {
	seen, err := l.look(ctx)
	if err != nil {
		return err
	}
	var observed []sessions.Observation
	for _, session := range seen.sessions {
		if session.Engine != l.engine.Name || l.background.isRunning(session.ID) {
			continue // what runs in the background settles the session itself
		}
		if now := l.advance(ctx, session, seen); now != nil {
			observed = append(observed, *now)
		}
	}
	changed, err := l.stores.Sessions.Observe(ctx, observed...)
	if err != nil {
		l.Logger.WarnContext(ctx, "activity cannot be written down; trying again", "engine", l.engine.Name, "error", err)
	}
	if changed {
		l.changes.Notify()
	}
	l.limitHistories(ctx, seen.sessions)
	return errors.Join(l.recordSaved(ctx, seen.reports), l.reconcileRetired(ctx, seen), l.keepOthers(ctx, seen))
}

// moveQueue admits the next sessions in the queue, and returns all that may need an action.
func (l *engineLoop) moveQueue(ctx context.Context) ([]sessions.Session, error) {
	store := l.stores.Sessions
	all, err := store.Unfinished(ctx)
	if err != nil {
		return nil, err
	}
	names, capacity := l.Engines.Sharing(l.engine)
	moves, err := store.WouldAdmit(ctx, names, capacity, all, l.Now())
	if err != nil || !moves {
		return all, err
	}
	if err := store.Admit(ctx, names, capacity); err != nil {
		return nil, err
	}
	l.changes.Announce() // the queue of the others that share the capacity may have moved
	return store.Unfinished(ctx)
}

func owners(all []sessions.Session) []string {
	ids := make([]string, len(all))
	for i, session := range all {
		ids[i] = session.AccountID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// advance does what is next for a session, and returns what was observed of one that goes on running.
func (l *engineLoop) advance(ctx context.Context, session sessions.Session, seen look) *sessions.Observation {
	report, err := l.reportOf(ctx, session, seen.byID[session.ID])
	if err != nil {
		l.Logger.WarnContext(ctx, "it cannot be said whether a session is lost; trying again", "session", session.ID, "error", err)
		return nil
	}
	if err := l.assignOwner(ctx, session, report); err != nil {
		l.Logger.WarnContext(ctx, "an engine cannot be told whose session it runs; trying again", "session", session.ID, "error", err)
	}
	what, observed := l.decide(session, report)
	if what.do == rest && session.Status == sessions.Created && report != nil {
		l.recordStep(ctx, session, report.ActiveStep())
	}
	if !seen.enabled[session.AccountID] {
		what = stopDisabled(session, what)
	}
	if err := l.act(ctx, session, what, report); err != nil {
		l.Logger.WarnContext(ctx, "session is not as it should be; trying again", "session", session.ID, "error", err)
	}
	return observed
}

// decide returns what is next for a session by its engine's report, and what was observed of it if it goes on running.
func (l *engineLoop) decide(session sessions.Session, report *engine.Status) (action, *sessions.Observation) {
	what := next(session, report, l.engine.Patience(), l.Now())
	if what.do != rest || session.Status != sessions.Running || report == nil || report.Phase != engine.Running {
		return what, nil
	}
	idle := l.idleness(session, report.Activity)
	if what = l.Idle.expire(what, idle, l.Now()); what.do != rest {
		return what, nil
	}
	return what, observation(session, idle, report.Warning)
}

// recordStep records the step that a launch is at, if that is a new one.
func (l *engineLoop) recordStep(ctx context.Context, session sessions.Session, step engine.StepName) {
	if step == "" || step == session.LaunchStep {
		return
	}
	if err := l.stores.Sessions.Advance(ctx, session, step); err != nil {
		l.Logger.WarnContext(ctx, "the step of a launch cannot be written down; trying again", "session", session.ID, "error", err)
	}
}

// reportOf returns what an engine's list says about a session. If it's missing there, the engine is asked once more
// before it counts as lost: engines on other machines then look for it there.
func (l *engineLoop) reportOf(ctx context.Context, session sessions.Session, listed *engine.Status) (*engine.Status, error) {
	if listed != nil || !session.Status.Live() || session.LaunchedAt.IsZero() || session.RequestedStatus != "" {
		return listed, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sizes.CallTime)
	defer cancel()
	found, err := l.engine.Status(ctx, session.ID)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil
	}
	return &found, err
}

// keepOthers keeps warm sessions, and stops whatever else runs without being meant to.
func (l *engineLoop) keepOthers(ctx context.Context, seen look) error {
	batch, unread := l.stores.Batch.On(ctx)
	if unread != nil {
		return unread
	}
	kept, err := l.Warm.keep(ctx, l.engine, l.background, seen, len(batch))
	meant := make(map[string]bool, len(seen.sessions))
	for _, session := range seen.sessions {
		meant[session.ID] = true
	}
	for _, session := range kept {
		meant[session.ID] = true
	}
	for _, slot := range batch {
		meant[slot.ID] = true
	}
	l.stopStrays(ctx, seen.reports, meant)
	return err
}

// stopStrays stops sessions that run on an engine although they shouldn't: launches past their deadline, and sessions
// that the database doesn't know or considers ended, for example after a restored backup. Their work is kept. Another
// process may have launched one after the sessions were read, so each is read again.
func (l *engineLoop) stopStrays(ctx context.Context, reports []engine.Status, meant map[string]bool) {
	for _, report := range reports {
		if meant[report.ID] || (report.Phase != engine.Starting && report.Phase != engine.Running) {
			continue
		}
		l.background.start(ctx, report.ID, func(ctx context.Context) error {
			if known, err := l.isMeant(ctx, report.ID); known || err != nil {
				return err
			}
			l.Logger.WarnContext(ctx, "stopping what runs without being meant to", "session", report.ID)
			l.Counter.Corrected("stray")
			return stopReported(ctx, l.engine, report.ID, &report, engine.VersionStop)
		})
	}
}

// isMeant reports whether something that runs on an engine is meant to, as the database has it now.
func (l *engineLoop) isMeant(ctx context.Context, id string) (bool, error) {
	if unclaimed, err := l.Warm.store.Known(ctx, id); unclaimed || err != nil { // before the others: it may be claimed meanwhile
		return unclaimed, err
	}
	batch, err := l.stores.Batch.On(ctx)
	if err != nil || slices.ContainsFunc(batch, func(slot sessions.BatchSlot) bool { return slot.ID == id }) {
		return true, err
	}
	found, err := l.stores.Sessions.ByID(ctx, id)
	return len(found) > 0 && (found[0].Status.Live() || found[0].RequestedStatus != ""), err
}

// look moves the queue, and reads the sessions and what the engine reports of them.
func (l *engineLoop) look(ctx context.Context) (seen look, err error) {
	if seen.sessions, err = l.moveQueue(ctx); err != nil {
		return seen, err
	}
	bounded, cancel := context.WithTimeout(ctx, sizes.CallTime)
	defer cancel()
	if seen.reports, err = l.engine.List(bounded); err != nil {
		return seen, err
	}
	seen.byID = make(map[string]*engine.Status, len(seen.reports))
	for i := range seen.reports {
		seen.byID[seen.reports[i].ID] = &seen.reports[i]
	}
	seen.enabled, err = l.accounts.EnabledAccounts(ctx, owners(seen.sessions))
	return seen, err
}
