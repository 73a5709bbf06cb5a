package sessions

import (
	"context"
	"slices"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Seats starts and ends the sessions of workshops.
type Seats struct{ sessions *Service }

// NewSeats returns the seats among the sessions of a service.
func NewSeats(sessions *Service) *Seats { return &Seats{sessions} }

// PlanSeats returns what the sessions of a workshop's seats hold, without an owner, as its host may start them: with the engine and the
// size that they get. The errors are those of StartFrom.
func (s *Seats) PlanSeats(ctx context.Context, host identity.Caller, asked StartRequest) (Session, error) {
	ctx = identity.With(ctx, host)
	_, made, where, err := s.sessions.plan(ctx, asked)
	if err != nil {
		return Session{}, err
	}
	chosen, size, err := s.sessions.choose(ctx, host, made, where)
	if err != nil {
		return Session{}, err
	}
	made.Engine, made.Source.Profile, made.Source.Host = chosen.Name, size.Name, host.Email
	made.UserID, made.AccountID = "", ""
	return made, nil
}

// StartSeat creates a session as PlanSeats has planned it for somebody in a seat, and requests its launch unless a warm one can be
// claimed. The same key returns the same session.
func (s *Seats) StartSeat(ctx context.Context, owner identity.Caller, planned Session, key string) (Session, error) {
	planned.ID, planned.UserID, planned.AccountID = newID(), owner.Email, owner.AccountID
	chosen, err := s.sessions.Engines.Of(planned.Engine)
	if err != nil {
		return Session{}, err
	}
	var ready []string
	if s.sessions.Warm != nil {
		ready = s.sessions.Warm.Ready(ctx, chosen, planned)
	}
	ctx = identity.With(ctx, owner)
	id, err := s.sessions.store.Create(ctx, planned, key, 0, 0, ready...)
	if err != nil {
		return Session{}, err
	}
	s.sessions.changes.Announce()
	session, err := s.sessions.OfAccount(ctx, id, owner.AccountID)
	session.StartedNow = slices.Contains(ready, id) || id == planned.ID
	return session, err
}

// OfWorkshop returns the sessions of a workshop's seats that weren't deleted.
func (s *Seats) OfWorkshop(ctx context.Context, workshop string) ([]Session, error) {
	return s.sessions.store.OfWorkshop(ctx, workshop)
}

// EndSeats requests the end of sessions of a workshop, whose work is kept, and doesn't wait for it.
func (s *Seats) EndSeats(ctx context.Context, workshop string, ids ...string) error {
	return s.announced(s.sessions.store.endSeats(ctx, workshop, ids))
}

// EraseGuests requests that the sessions of a workshop's guests be deleted forever, and doesn't wait for it.
func (s *Seats) EraseGuests(ctx context.Context, workshop string) error {
	found, err := s.sessions.store.ofGuests(ctx, workshop)
	if err != nil {
		return err
	}
	ids := make([]string, len(found))
	for i, session := range found {
		ids[i] = session.ID
	}
	return s.announced(s.sessions.store.eraseSeats(ctx, workshop, ids))
}

// LeaveWorkshop makes the sessions of an account in a workshop, or of all that aren't guests (""), ordinary ones of their owners.
func (s *Seats) LeaveWorkshop(ctx context.Context, workshop, account string) error {
	return s.announced(s.sessions.store.leaveWorkshop(ctx, workshop, account))
}

func (s *Seats) announced(err error) error {
	if err == nil {
		s.sessions.changes.Announce()
	}
	return err
}

// errOver is the answer to guests who start their session again after the end.
var errOver = fault.New(fault.WorkshopEnded, "The workshop has ended, so its sessions can't be started again. Your work can still be downloaded.")
