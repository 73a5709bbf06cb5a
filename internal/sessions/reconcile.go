package sessions

import (
	"context"
	"slices"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

// reconcileInterval is how long a session may be shown wrong when an engine does not tell of a change.
const reconcileInterval = 2 * time.Second

// stopTime bounds one try to stop or remove a session; the next look tries again.
const stopTime = 60 * time.Second

// Reconcile makes true what users asked for and writes down what engines report, until ctx ends. It looks at start, at
// every wish and every sign of an engine, and every reconcileInterval.
func (s *Service) Reconcile(ctx context.Context) {
	for _, one := range s.Engines {
		go func() {
			for {
				select {
				case <-one.Changed():
					s.announce()
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	ticker := time.NewTicker(reconcileInterval)
	defer ticker.Stop()
	for {
		for _, one := range s.Engines {
			if err := s.reconcile(ctx, one); err != nil && ctx.Err() == nil {
				s.Logger.WarnContext(ctx, "sessions cannot be reconciled; trying again", "engine", one.Name, "error", err)
			}
		}
		select {
		case <-s.wake:
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Service) reconcile(ctx context.Context, one NamedEngine) error {
	// The sessions are read first: one that starts in between is then known to the engine without being taken for lost.
	sessions, err := s.store.Unsettled(ctx)
	if err != nil {
		return err
	}
	reports, err := one.List(ctx)
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
	for _, session := range sessions {
		meant[session.ID] = true
		if session.Engine != one.Name || s.isInFlight(session.ID) {
			continue // what is in flight settles it itself
		}
		what := next(session, reported[session.ID], s.Now())
		if !enabled[session.accountID] {
			what = withdraw(session, what)
		}
		if what.do == rest {
			continue
		}
		if err := s.act(ctx, one, session, what); err != nil {
			s.Logger.WarnContext(ctx, "session is not as it should be; trying again", "session", session.ID, "error", err)
		}
	}
	s.stopStrays(ctx, one, reports, meant)
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

func (s *Service) act(ctx context.Context, one NamedEngine, session Session, what action) error {
	switch what.do {
	case launch:
		return s.launch(ctx, one, session)
	case settle:
		return s.settle(ctx, session, what)
	case stop:
		s.inBackground(ctx, session.ID, func(ctx context.Context) error {
			if err := one.Stop(ctx, session.ID); err != nil {
				return err
			}
			return s.settle(ctx, session, what)
		})
	case remove:
		s.inBackground(ctx, session.ID, func(ctx context.Context) error {
			if err := one.Remove(ctx, session.ID); err != nil {
				return err
			}
			return s.store.Forget(ctx, session.ID)
		})
	case rest:
	}
	return nil
}

// launch asks the engine to start a session. What the engine refuses for good, or for too long, is written down as an
// error.
func (s *Service) launch(ctx context.Context, one NamedEngine, session Session) error {
	err := one.Start(ctx, session.spec(s.Sources))
	if err == nil {
		return s.store.Launched(ctx, session, s.Now())
	}
	kind := fault.KindOf(err)
	if (kind == fault.Internal || kind == fault.Unavailable) && s.Now().Sub(session.UpdatedAt) < launchDeadline {
		return err // the next look tries again
	}
	return s.settle(ctx, session, action{status: Failed, reason: fault.MessageOf(err)})
}

func (s *Service) settle(ctx context.Context, session Session, what action) error {
	changed, err := s.store.Settle(ctx, session, what.status, what.reason)
	if changed {
		s.announce()
	}
	return err
}

// inBackground runs what may take seconds, once at a time for each session.
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
			s.Logger.WarnContext(ctx, "session cannot be stopped; trying again", "session", id, "error", err)
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

// stopStrays stops what runs on an engine though no session is meant to: a launch past its deadline, and what the
// database does not know or believes to have ended, as after a restored backup. The work is kept.
func (s *Service) stopStrays(ctx context.Context, one NamedEngine, reports []engine.Status, meant map[string]bool) {
	for _, report := range reports {
		if meant[report.ID] || (report.Phase != engine.Starting && report.Phase != engine.Running) {
			continue
		}
		s.Logger.WarnContext(ctx, "stopping what runs without being meant to", "session", report.ID)
		s.inBackground(ctx, report.ID, func(ctx context.Context) error { return one.Stop(ctx, report.ID) })
	}
}
