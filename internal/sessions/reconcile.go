package sessions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

const (
	reconcileInterval = 2 * time.Second        // how long a session may be shown wrong if an engine doesn't signal a change
	signInterval      = 100 * time.Millisecond // between reads of an engine that changes all the time
	longestBackOff    = 8 * time.Second        // between reads of an engine that doesn't answer
	engineTime        = 10 * time.Second       // limits a call to an engine that should be answered at once
	answerTime        = 5 * time.Second        // for the kernels of a session that seems idle: one that takes longer is busy
	stopTime          = 60 * time.Second       // limits one attempt to stop or remove a session; the next pass tries again
)

// Reconcile carries out requests and records what engines report, until ctx ends. It runs at start, after every request
// and every signal of an engine, and every reconcileInterval. Each engine has a separate loop, so that one that hangs
// doesn't delay the others.
func (s *Service) Reconcile(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { s.reconcileRemoved(ctx) })
	loops.Go(func() { s.followWarm(ctx) })
	loops.Go(func() { s.eraseOverdue(ctx) })
	for _, one := range s.Engines {
		loops.Go(func() { s.reconcileEngine(ctx, one) })
	}
	loops.Wait()
}

// reconcileEngine reconciles the sessions of one engine in a loop.
func (s *Service) reconcileEngine(ctx context.Context, one NamedEngine) {
	wait := reconcileInterval
	var failingSince time.Time
	for {
		wake, sign := s.wakes[one.Name], one.Changed()
		began := time.Now()
		err := s.reconcile(ctx, one)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			s.Counter.Reconciled(one.Name, time.Since(began))
			wait, failingSince = reconcileInterval, time.Time{}
		default:
			s.Logger.WarnContext(ctx, "sessions cannot be reconciled; trying again", "engine", one.Name, "error", err)
			if failingSince.IsZero() {
				failingSince = s.Now()
			}
			s.giveUp(ctx, one, failingSince, err)
			wait, wake, sign = min(2*wait, longestBackOff), nil, nil
		}
		looked := time.Now()
		timer := time.NewTimer(wait)
		select {
		case <-sign:
			s.changed.notify() // steps and logs of launches are read from the engine
			select {
			case <-time.After(s.signTime - time.Since(looked)):
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
func (s *Service) giveUp(ctx context.Context, one NamedEngine, since time.Time, cause error) {
	sessions, err := s.store.Unsettled(ctx)
	if err != nil {
		return // it's the database that doesn't answer
	}
	for _, session := range sessions {
		begun := session.admittedAt
		if since.After(begun) {
			begun = since
		}
		if session.Engine != one.Name || session.Status != Created || session.RequestedStatus != "" || session.queued() ||
			s.Now().Sub(begun) <= one.launchTimeout() {
			continue
		}
		if _, err := s.settle(ctx, session, action{status: Failed, reason: "Its engine isn't responding. " + fault.MessageOf(cause)}); err != nil {
			s.Logger.WarnContext(ctx, "session cannot be given up; trying again", "session", session.ID, "error", err)
		}
	}
}

func (s *Service) reconcile(ctx context.Context, one NamedEngine) error {
	sessions, err := s.store.Unsettled(ctx)
	if err != nil {
		return err
	}
	moves, err := s.wouldAdmit(ctx, one, sessions)
	if err != nil {
		return err
	}
	if moves {
		if err := s.admit(ctx, one); err != nil {
			return err
		}
		if sessions, err = s.store.Unsettled(ctx); err != nil {
			return err
		}
	}
	bounded, cancel := context.WithTimeout(ctx, engineTime)
	defer cancel()
	reports, err := one.List(bounded)
	if err != nil {
		return err
	}
	reported := make(map[string]*engine.Status, len(reports))
	for i := range reports {
		reported[reports[i].ID] = &reports[i]
	}
	enabled, err := s.accounts.EnabledAccounts(ctx, owners(sessions))
	if err != nil {
		return err
	}
	meant := make(map[string]bool, len(sessions))
	var seen []sighting
	for _, session := range sessions {
		meant[session.ID] = true
		if session.Engine != one.Name || s.isInFlight(session.ID) {
			continue // the operation in flight settles it itself
		}
		report, err := s.reportOf(ctx, one, session, reported[session.ID])
		if err != nil {
			s.Logger.WarnContext(ctx, "it cannot be said whether a session is lost; trying again", "session", session.ID, "error", err)
			continue
		}
		what := next(session, report, one.launchTimeout(), s.Now())
		if err := s.own(ctx, one, session, report); err != nil {
			s.Logger.WarnContext(ctx, "an engine cannot be told whose session it runs; trying again", "session", session.ID, "error", err)
		}
		if what.do == rest && session.Status == Running && report != nil && report.Phase == engine.Running {
			now := sighting{session, s.observed(session, report.Activity), report.Warning}
			if what = s.Idle.expire(what, now.observation, s.Now()); what.do == rest {
				seen = append(seen, now)
			}
		}
		if what.do == rest && session.Status == Created && report != nil {
			if step := report.ActiveStep(); step != "" && step != session.step {
				if err := s.store.Advance(ctx, session, step); err != nil {
					s.Logger.WarnContext(ctx, "the step of a launch cannot be written down; trying again", "session", session.ID, "error", err)
				}
			}
		}
		if !enabled[session.accountID] {
			what = withdraw(session, what)
		}
		if what.do == rest {
			continue
		}
		if err := s.act(ctx, one, session, what, report); err != nil {
			s.Logger.WarnContext(ctx, "session is not as it should be; trying again", "session", session.ID, "error", err)
		}
	}
	changed, err := s.store.Observe(ctx, seen...)
	if err != nil {
		s.Logger.WarnContext(ctx, "activity cannot be written down; trying again", "engine", one.Name, "error", err)
	}
	if changed {
		s.changed.notify()
	}
	retired := errors.Join(s.mirrorSavings(ctx, one, reports), s.reconcileRetired(ctx, one, sessions, reported))
	unclaimed, err := s.keepWarm(ctx, one, sessions, reported)
	for _, session := range unclaimed {
		meant[session.ID] = true
	}
	batch, _, unread := s.Batches(ctx)
	for _, id := range batch {
		meant[id] = true
	}
	if unread == nil {
		s.stopStrays(ctx, one, reports, meant)
	}
	return errors.Join(err, unread, retired)
}

// reportOf returns what an engine's list says about a session. If it's missing there, the engine is asked once more
// before it counts as lost: engines on other machines then look for it there.
func (s *Service) reportOf(ctx context.Context, one NamedEngine, session Session, listed *engine.Status) (*engine.Status, error) {
	if listed != nil || !session.Status.Live() || session.launchedAt.IsZero() || session.RequestedStatus != "" {
		return listed, nil
	}
	ctx, cancel := context.WithTimeout(ctx, engineTime)
	defer cancel()
	found, err := one.Status(ctx, session.ID)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil
	}
	return &found, err
}

// sharing returns the engines that share their capacity with this one, and that capacity; zero: no limit.
func (s *Service) sharing(one NamedEngine) (names []string, capacity int) {
	if !one.Local {
		return []string{one.Name}, 0
	}
	for _, other := range s.Engines {
		if other.Local {
			names = append(names, other.Name)
		}
	}
	return names, s.Capacity
}

// wouldAdmit reports from the data just read whether the queue has to move: most passes need no transaction for it.
func (s *Service) wouldAdmit(ctx context.Context, one NamedEngine, sessions []Session) (bool, error) {
	names, capacity := s.sharing(one)
	live := slices.DeleteFunc(slices.Clone(sessions), func(session Session) bool { return !slices.Contains(names, session.Engine) })
	freed, err := s.store.freedAt(ctx, s.store.db, names, live)
	if err != nil {
		return false, err
	}
	batch, err := places(ctx, s.store.db, names)
	return len(admit(live, batch, capacity, freed, s.Now())) > 0, err
}

// requeue puts a session back into its place in the queue, because its engine has no room for it.
func (s *Service) requeue(ctx context.Context, session Session, why string) error {
	changed, err := s.store.Requeue(ctx, session, why)
	if changed {
		s.Counter.Corrected("requeued")
		s.announce()
	}
	return err
}

func (s *Service) admit(ctx context.Context, one NamedEngine) error {
	names, capacity := s.sharing(one)
	if err := s.store.Admit(ctx, names, capacity); err != nil {
		return err
	}
	s.announce() // the queue of the others that share the capacity may have moved
	return nil
}

func owners(sessions []Session) []string {
	ids := make([]string, len(sessions))
	for i, session := range sessions {
		ids[i] = session.accountID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (s *Service) act(ctx context.Context, one NamedEngine, session Session, what action, report *engine.Status) error {
	switch what.do {
	case launch:
		return s.launch(ctx, one, session)
	case settle:
		switch what.status {
		case Running:
			session.Opens, session.OpenNote, session.shows = report.Opens, report.OpenNote, report.Interface
		case Failed:
			session.Cause = s.explain(ctx, one, session, what)
		case Created, Finished, Terminated, Deleted:
		}
		if report != nil {
			session.LeftOut = report.LeftOut
		}
		changed, err := s.settle(ctx, session, what)
		if changed && what.status == Running && !session.launchedAt.IsZero() {
			taken := launchDurations(session, report.Steps, s.Now())
			s.countLaunch(one.Name, taken)
			err = s.store.Remember(ctx, one.Name, taken)
		}
		return err
	case requeue:
		return s.requeue(ctx, session, what.reason)
	case stop, expire:
		s.inBackground(ctx, session.ID, func(ctx context.Context) error {
			if what.do == expire {
				if idle, err := s.confirmIdle(ctx, one, session, *report); !idle || err != nil {
					return err
				}
			}
			if still, err := s.store.Still(ctx, session); !still || err != nil {
				return err
			}
			halt := one.stopReported
			if keeper, ok := one.Engine.(engine.Historian); ok && what.do == expire {
				halt = func(ctx context.Context, id string, _ *engine.Status) error {
					return keeper.StopBecause(ctx, id, engine.VersionIdle)
				}
			}
			if err := halt(ctx, session.ID, report); err != nil {
				return err
			}
			_, err := s.settle(ctx, session, what)
			return err
		})
	case retire:
		s.inBackground(ctx, session.ID, func(ctx context.Context) error { return s.retire(ctx, one, session) })
	case remove:
		s.inBackground(ctx, session.ID, func(ctx context.Context) error { return s.remove(ctx, one, session) })
	case rest:
	}
	return nil
}

// retire carries out a deletion that can be undone: the engine keeps the session's versions alone. Engines that keep none
// forget it.
func (s *Service) retire(ctx context.Context, one NamedEngine, session Session) error {
	keeper, ok := one.Engine.(engine.Historian)
	if !ok {
		return s.remove(ctx, one, session)
	}
	if still, err := s.store.Still(ctx, session); !still || err != nil { // its user may have undone it
		return err
	}
	if err := keeper.Retire(ctx, session.ID); err != nil {
		return err
	}
	_, err := s.store.Retired(ctx, session)
	if err == nil && session.Status == Running {
		s.Counter.Stopped(byDeletion)
	}
	return err
}

func (s *Service) remove(ctx context.Context, one NamedEngine, session Session) error {
	if err := one.Remove(ctx, session.ID); err != nil {
		return err
	}
	err := s.store.Forget(ctx, session.ID)
	if err == nil && session.Status == Running {
		s.Counter.Stopped(byDeletion)
	}
	return err
}

// stopReported stops what an engine reported before the session was last read; nil: that it knows no such session. Since
// then another process may have stopped it and launched it again, which goes on.
func (e NamedEngine) stopReported(ctx context.Context, id string, report *engine.Status) error {
	shared, ok := e.Engine.(engine.LaunchStopper)
	switch {
	case !ok:
		return e.Stop(ctx, id)
	case report == nil:
		return shared.StopLaunch(ctx, id, 0)
	}
	return shared.StopLaunch(ctx, id, report.Launch)
}

// confirmIdle asks the kernels of a session that seems idle. One that is busy, or can't be asked, counts as active now
// and is asked again when it would be stopped next. The activity that the question itself causes makes no difference.
func (s *Service) confirmIdle(ctx context.Context, one NamedEngine, session Session, report engine.Status) (bool, error) {
	bounded, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	idle, err := one.Idle(bounded, session.ID)
	if idle {
		return true, nil
	}
	report.Activity.LastAt = s.Now()
	_, observed := s.store.Observe(ctx, sighting{session, s.observed(session, report.Activity), report.Warning})
	return false, errors.Join(err, observed)
}

// launch asks the engine to start a session with what its owner may read now. If the engine refuses permanently, or for
// too long, the error is recorded.
func (s *Service) launch(ctx context.Context, one NamedEngine, session Session) error {
	readable, err := s.projects.Readable(ctx, session.UserID, session.ids())
	if err != nil {
		return err
	}
	if needed := session.needed(); !readable[needed.ID] {
		what := "repository"
		if session.Resource != nil {
			what = strings.ToLower(string(session.Resource.Type))
		}
		_, err = s.settle(ctx, session, action{status: Failed, reason: fmt.Sprintf("The %s %q isn't available: %s. "+
			"The session's work is kept and can be downloaded.", what, needed.Name, errNotShown)})
		return err
	}
	if claimed, err := s.store.Claim(ctx, session); !claimed || err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, engineTime)
	defer cancel()
	size, known := one.sizeOf(session)
	if !known {
		_, err = s.settle(ctx, session, action{status: Failed, reason: fault.MessageOf(errProfileGone)})
		return err
	}
	spec := session.spec(s.Sources, readable)
	spec.Profile = size.spec()
	if err = s.addNotebook(bounded, session, &spec); err == nil {
		err = one.Start(bounded, spec)
	}
	if err == nil {
		return s.store.Launched(ctx, session, s.Now())
	}
	kind := fault.KindOf(err)
	if (kind == fault.Internal || kind == fault.Unavailable) && s.Now().Sub(session.admittedAt) < one.launchTimeout() {
		return err // the next pass tries again
	}
	_, err = s.settle(ctx, session, action{status: Failed, reason: fault.MessageOf(err)})
	return err
}

// settle records a status; it reports whether the session was still as it was read.
func (s *Service) settle(ctx context.Context, session Session, what action) (bool, error) {
	changed, err := s.store.Settle(ctx, session, what.status, what.reason, what.missing...)
	if changed {
		s.countSettled(session, what)
		s.announce()
	}
	return changed, err
}

// inBackground runs operations that may take seconds, at most one at a time for each session.
func (s *Service) inBackground(ctx context.Context, id string, work func(ctx context.Context) error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.inFlight[id] {
		return
	}
	s.inFlight[id] = true
	go func() {
		bounded, cancel := context.WithTimeout(ctx, stopTime)
		defer cancel()
		err := work(bounded)
		if err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "what was begun for a session cannot be finished; trying again", "session", id, "error", err)
		}
		s.mutex.Lock()
		delete(s.inFlight, id)
		s.mutex.Unlock()
		if err == nil {
			s.announce()
		}
	}()
}

func (s *Service) isInFlight(id string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.inFlight[id]
}

// stopStrays stops sessions that run on an engine although they shouldn't: launches past their deadline, and sessions
// that the database doesn't know or considers ended, for example after a restored backup. Their work is kept. Another
// process may have launched one after the sessions were read, so each is read again.
func (s *Service) stopStrays(ctx context.Context, one NamedEngine, reports []engine.Status, meant map[string]bool) {
	for _, report := range reports {
		if meant[report.ID] || (report.Phase != engine.Starting && report.Phase != engine.Running) {
			continue
		}
		s.inBackground(ctx, report.ID, func(ctx context.Context) error {
			if unclaimed, err := s.warm.store.Known(ctx, report.ID); unclaimed || err != nil { // before the others: it may be claimed meanwhile
				return err
			}
			if batch, _, err := s.Batches(ctx); slices.Contains(batch, report.ID) || err != nil {
				return err
			}
			found, err := s.store.ByID(ctx, report.ID)
			if err != nil || (len(found) > 0 && (found[0].Status.Live() || found[0].RequestedStatus != "")) {
				return err
			}
			s.Logger.WarnContext(ctx, "stopping what runs without being meant to", "session", report.ID)
			s.Counter.Corrected("stray")
			return one.stopReported(ctx, report.ID, &report)
		})
	}
}
