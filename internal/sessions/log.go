package sessions

import (
	"context"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

// Log returns the end of the log of the last launch of one of the caller's sessions; "" if its engine has none.
func (s *Service) Log(ctx context.Context, id string) (string, error) {
	session, report, err := s.look(ctx, id)
	if err == nil {
		_, err = s.engineOf(session)
	}
	return report.Log, err
}

// look returns one of the caller's sessions and its engine's report on its launch.
func (s *Service) look(ctx context.Context, id string) (Session, engine.Status, error) {
	session, err := s.Own(ctx, id)
	if err != nil {
		return session, engine.Status{}, err
	}
	chosen, removed := s.engineOf(session)
	if removed != nil || (session.launchedAt.IsZero() && session.Status != Running) {
		return session, engine.Status{}, nil // if there was an earlier launch, the engine may know it
	}
	bounded, cancel := context.WithTimeout(ctx, engineTime)
	defer cancel()
	report, err := chosen.Status(bounded, id)
	if err != nil && fault.KindOf(err) != fault.NotFound && ctx.Err() == nil { // everything else is still shown
		s.Logger.WarnContext(ctx, "an engine tells nothing of a launch", "session", id, "error", err)
	}
	return session, report, nil
}
