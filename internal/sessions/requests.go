package sessions

import (
	"context"
	"slices"
	"strings"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/sizes"
)

// Terminate stops a session and keeps its work. It waits for the engine, at most settleTime; while the stop is still in
// progress, the returned session has a RequestedStatus.
func (s *Service) Terminate(ctx context.Context, id string) (Session, error) {
	session, err := s.Own(ctx, id)
	if err != nil || session.Status == Terminated {
		return session, err
	}
	if session.Status.Live() {
		if err := s.store.Request(ctx, []string{id}, Terminated); err != nil {
			return Session{}, err
		}
	} else if _, err := s.store.SettleTerminated(ctx, session); err != nil {
		return Session{}, err
	}
	s.changes.Announce()
	err = s.changes.Await(ctx, s.Settle, func() (bool, error) {
		session, err = s.Own(ctx, id)
		return session.Status == Terminated, err
	})
	return session, err
}

// Restart starts an ended session again on its kept work, from now on without the datasets with these ids; a live
// session isn't changed.
func (s *Service) Restart(ctx context.Context, id string, without ...string) (Session, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Session{}, err
	}
	session, err := s.OfAccount(ctx, id, caller.AccountID)
	if err != nil || (session.Status.Live() && session.RequestedStatus == "") {
		return session, err
	}
	if session.Job != "" {
		return Session{}, fault.New(fault.Conflict, "This session belongs to a job that has ended. Start a session from its result to go on from there.")
	}
	if _, err := s.enabledCaller(ctx); err != nil {
		return Session{}, err
	}
	chosen, err := s.Engines.Of(session.Engine)
	if err != nil {
		return Session{}, err
	}
	if size, known := chosen.Profile(session.Source.Profile); !known || session.Workshop == "" && !size.For.Admits(caller) {
		return Session{}, sizes.ErrGone
	}
	if err := chosen.Check(ctx); err != nil {
		return Session{}, err
	}
	if err := s.store.Relaunch(ctx, session, s.Limit, without...); err != nil {
		return Session{}, err
	}
	s.changes.Announce()
	session, err = s.Own(ctx, id)
	session.StartedNow = true
	return session, err
}

// OfJobs returns the sessions of jobs that run or start, whoever owns them.
func (s *Service) OfJobs(ctx context.Context) ([]Session, error) { return s.store.OfJobs(ctx) }

// OfJob returns the session of a job; nil if it hasn't been started.
func (s *Service) OfJob(ctx context.Context, job string) (*Session, error) {
	found, err := s.store.OfJob(ctx, job)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// EraseOfJob requests that the session of a job be deleted forever, and doesn't wait for it.
func (s *Service) EraseOfJob(ctx context.Context, job string) error {
	found, err := s.store.OfJob(ctx, job)
	if err != nil || len(found) == 0 {
		return err
	}
	if err := s.store.RequestDeletion(ctx, nil, []string{found[0].ID}); err != nil {
		return err
	}
	s.changes.Announce()
	return nil
}

// EndOfJobs requests the end of sessions of jobs, whose work is kept, and doesn't wait for it.
func (s *Service) EndOfJobs(ctx context.Context, ids []string) error {
	if err := s.store.EndOfJobs(ctx, ids); err != nil {
		return err
	}
	s.changes.Announce()
	return nil
}

// Redirect returns the address that leads the caller's browser into a session, in one of the interfaces that its engine has: a
// single-use ticket at the session origin.
func (s *Service) Redirect(ctx context.Context, session Session, in Interface) (string, error) {
	query := ""
	if in == VSCode {
		query = "interface=" + string(in)
	}
	if err := s.Engines.CheckInterface(session.Engine, in); err != nil {
		return "", err
	}
	if identity.ByToken(ctx) {
		return strings.TrimSuffix(s.Public+"/sessions/"+session.ID+"/open?"+query, "?"), nil
	}
	var events []audit.Event
	if !session.StartedNow { // which is recorded
		events = append(events, about(session, audit.OpenSession))
	}
	address, err := s.Links.Enter(ctx, session.ID, events...)
	if query != "" {
		address += "&" + query
	}
	return address, err
}

// Delete stops sessions and deletes their work: all of them, or none if one isn't the caller's. Lists don't have them
// anymore. Where their engine keeps versions, that can be undone for a while, unless it is to happen now, which goes for
// recently deleted sessions too. Delete waits for the engine, at most Settle.
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
		owned[session.ID] = session.OwnedBy(caller.AccountID) || now && session.AccountID == caller.AccountID && session.Undeletable()
		if _, err := s.Engines.VersionerOf(session.Engine); err != nil || now {
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
	s.changes.Announce()
	return s.changes.Await(ctx, s.Settle, func() (bool, error) {
		left, err := s.store.ByID(ctx, ids...)
		left = slices.DeleteFunc(left, func(session Session) bool {
			_, removed := s.Engines.Of(session.Engine)
			return removed != nil || session.RequestedStatus == ""
		})
		return len(left) == 0, err
	})
}

// Undelete brings a recently deleted session of the caller's back; it is terminated then. Conflict if the account's versions
// take more than they may. It waits for the engine while the session is still being stopped, as Terminate does.
func (s *Service) Undelete(ctx context.Context, id string) (Session, error) {
	session, err := s.OwnOrDeleted(ctx, id)
	if err != nil || session.Status != Deleted {
		return session, err // it is there: somebody else was faster, or the call was repeated
	}
	versioner, err := s.Engines.VersionerOf(session.Engine)
	if err != nil {
		return Session{}, err
	}
	if err := s.checkQuota(ctx, session.UserID); err != nil {
		return Session{}, err
	}
	for done := false; !done; { // it may be retired just now
		found, err := s.store.ByID(ctx, id)
		if err != nil {
			return Session{}, err
		}
		if len(found) == 0 || found[0].RequestedStatus == Erased {
			return Session{}, errNoSession
		}
		if !found[0].Gone() {
			break
		}
		if done, err = s.store.Undelete(ctx, found[0]); err != nil {
			return Session{}, err
		}
	}
	s.changes.Announce()
	bounded, cancel := context.WithTimeout(ctx, s.Settle)
	defer cancel()
	if err := versioner.Unretire(bounded, id); err != nil { // the reconciler does it too, which may still be retiring the session
		s.Logger.WarnContext(ctx, "the work of an undeleted session isn't back yet; trying again", "session", id, "error", err)
	}
	err = s.changes.Await(ctx, s.Settle, func() (bool, error) {
		session, err = s.Own(ctx, id)
		return session.RequestedStatus == "", err
	})
	return session, err
}

// checkQuota refuses to bring work back while an account's versions take more than they may.
func (s *Service) checkQuota(ctx context.Context, owner string) error {
	quota := s.Engines.VersionQuota
	if quota == 0 {
		return nil
	}
	used, err := s.Engines.StoredVersions(ctx, owner, "")
	if err != nil { // an engine that is away must not keep work from coming back
		s.Logger.WarnContext(ctx, "it isn't known what versions take on all engines", "error", err)
	}
	if used >= quota {
		return fault.New(fault.QuotaReached, "The versions of your work take %s of the %s that they may, so this session can't be undeleted. "+
			"Its work is kept until then. Delete other sessions forever first.", humanize.Bytes(used), humanize.Bytes(quota))
	}
	return nil
}
