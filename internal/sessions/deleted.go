package sessions

import (
	"context"
	"slices"

	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sessions/engine"
)

// Delete stops sessions and deletes their work: all of them, or none if one isn't the caller's. Lists don't have them
// anymore. Where their engine keeps versions, that can be undone for a while, unless it is to happen now, which goes for
// recently deleted sessions too. Delete waits for the engine, at most settleTime.
func (s *Service) Delete(ctx context.Context, ids []string, now bool) error {
	caller, err := identity.Require(ctx)
	if err != nil {
		return err
	}
	found, err := s.store.ByID(ctx, ids...)
	if err != nil {
		return err
	}
	owned := map[string]bool{}
	kept, forever := []string{}, []string{}
	for _, session := range found {
		owned[session.ID] = session.ownedBy(caller.AccountID) || now && session.accountID == caller.AccountID && session.undeletable()
		if _, err := s.historian(session); err != nil || now {
			forever = append(forever, session.ID)
		} else {
			kept = append(kept, session.ID)
		}
	}
	if slices.ContainsFunc(ids, func(id string) bool { return !owned[id] }) {
		return errNoSession
	}
	if err := s.store.RequestDeletion(ctx, kept, forever); err != nil {
		return err
	}
	s.announce()
	return s.await(ctx, func() (bool, error) {
		left, err := s.store.ByID(ctx, ids...)
		left = slices.DeleteFunc(left, func(session Session) bool {
			_, removed := s.engineOf(session)
			return removed != nil || session.RequestedStatus == ""
		})
		return len(left) == 0, err
	})
}

// deletedOf returns the sessions of an account that can be undeleted, the last deleted first.
func (s *Service) deletedOf(ctx context.Context, accountID string) ([]Session, error) {
	found, err := s.store.DeletedOf(ctx, accountID)
	return slices.DeleteFunc(found, func(session Session) bool { return !s.mayUndelete(session, accountID) }), err
}

// OwnOrDeleted is Own, and also returns recently deleted sessions, with the status Deleted.
func (s *Service) OwnOrDeleted(ctx context.Context, id string) (Session, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Session{}, err
	}
	found, err := s.store.ByID(ctx, id)
	if err != nil {
		return Session{}, err
	}
	if len(found) == 0 || !found[0].ownedBy(caller.AccountID) && !s.mayUndelete(found[0], caller.AccountID) {
		return Session{}, errNoSession
	}
	return s.shown(found[0]), nil
}

// mayUndelete reports whether an account owns a deleted session that can be undeleted.
func (s *Service) mayUndelete(session Session, accountID string) bool {
	_, err := s.historian(session)
	return err == nil && accountID != "" && session.accountID == accountID && session.undeletable()
}

// Undelete brings a recently deleted session of the caller's back; it is terminated then. Conflict if the account's versions
// take more than they may. It waits for the engine while the session is still being stopped, as Terminate does.
func (s *Service) Undelete(ctx context.Context, id string) (Session, error) {
	session, err := s.OwnOrDeleted(ctx, id)
	if err != nil || session.Status != Deleted {
		return session, err // it is there: somebody else was faster, or the call was repeated
	}
	keeper, err := s.historian(session)
	if err != nil {
		return Session{}, err
	}
	if err := checkQuota(ctx, keeper, session.UserID); err != nil {
		return Session{}, err
	}
	for done := false; !done; { // it may be retired just now
		found, err := s.store.ByID(ctx, id)
		if err != nil {
			return Session{}, err
		}
		if len(found) == 0 || found[0].RequestedStatus == erased {
			return Session{}, errNoSession
		}
		if !found[0].gone() {
			break
		}
		if done, err = s.store.Undelete(ctx, found[0]); err != nil {
			return Session{}, err
		}
	}
	s.announce()
	if !s.isInFlight(id) { // else the reconciler does it, when the session is retired
		if err := keeper.Unretire(ctx, id); err != nil {
			s.Logger.WarnContext(ctx, "the work of an undeleted session isn't back yet; trying again", "session", id, "error", err)
		}
	}
	err = s.await(ctx, func() (bool, error) {
		session, err = s.Own(ctx, id)
		return session.RequestedStatus == "", err
	})
	return session, err
}

// checkQuota refuses to bring work back while an account's versions take more than they may.
func checkQuota(ctx context.Context, keeper engine.Historian, owner string) error {
	used, err := keeper.History(ctx, owner)
	if err == nil && used.QuotaBytes > 0 && used.StoredBytes >= used.QuotaBytes {
		err = fault.New(fault.QuotaReached, "The versions of your work take %s of the %s that they may, so this session can't be undeleted. "+
			"Its work is kept until then. Delete other sessions for ever first.", engine.Size(used.StoredBytes), engine.Size(used.QuotaBytes))
	}
	return err
}
