package sessions

import (
	"context"
	"fmt"
	"time"

	"cairn/internal/fault"
)

const (
	removedEngines  = ""               // key of the wake channel for the sessions of engines that were removed from the configuration
	removedTime     = 10 * time.Minute // how long their sessions stay as they are: operators may have removed an engine by mistake
	removedInterval = time.Minute      // how often they are checked without a request
)

// engineOf returns the engine of a session; Conflict if it was removed from the configuration.
func (s *Service) engineOf(session Session) (NamedEngine, error) {
	for _, one := range s.Engines {
		if one.Name == session.Engine {
			return one, nil
		}
	}
	return NamedEngine{}, fault.New(fault.Conflict, "%s", s.removedReason(session))
}

func (s *Service) removedReason(session Session) string {
	return fmt.Sprintf("This session's engine, “%s”, is no longer part of this server. The work is kept there. Ask the operators%s for it.",
		session.Engine, contactText(s.Contact))
}

// reconcileRemoved settles the sessions of engines that were removed from the configuration, until ctx ends.
func (s *Service) reconcileRemoved(ctx context.Context) {
	begun := s.Now()
	s.warnOfRemoved(ctx)
	ticker := time.NewTicker(removedInterval)
	defer ticker.Stop()
	for {
		if err := s.settleRemoved(ctx, s.Now().Sub(begun) >= removedTime); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "sessions of removed engines cannot be settled; trying again", "error", err)
		}
		select {
		case <-s.wakes[removedEngines]:
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Service) warnOfRemoved(ctx context.Context) {
	sessions, err := s.ofRemoved(ctx)
	if err != nil {
		return // the loop reports it
	}
	counts := map[string]int{}
	for _, session := range sessions {
		counts[session.Engine]++
	}
	for name, count := range counts {
		s.Logger.WarnContext(ctx, "an engine is not in the configuration, and sessions are on it: they are given up unless it comes back",
			"engine", name, "sessions", count, "after", removedTime)
	}
}

// ofRemoved returns the sessions of removed engines that are live or to be stopped. Those to be deleted wait: if their
// engine ever comes back, it removes their work, and until then nobody sees them.
func (s *Service) ofRemoved(ctx context.Context) (found []Session, err error) {
	sessions, err := s.store.Unsettled(ctx)
	for _, session := range sessions {
		if _, removed := s.engineOf(session); removed != nil && !session.gone() {
			found = append(found, session)
		}
	}
	return found, err
}

// settleRemoved carries out requests, and gives up the others when it is time.
func (s *Service) settleRemoved(ctx context.Context, giveUp bool) error {
	sessions, err := s.ofRemoved(ctx)
	for _, session := range sessions {
		what := action{status: Failed, reason: s.removedReason(session)}
		if session.RequestedStatus == Terminated {
			what = action{status: Terminated}
		} else if !giveUp {
			continue
		}
		if _, err := s.settle(ctx, session, what); err != nil {
			return err
		}
	}
	return err
}
