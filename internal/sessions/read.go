package sessions

import (
	"context"
	"fmt"
	"slices"

	"cairn/internal/entries/catalog"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/diagnosis"
)

// Filter chooses sessions by their status; the zero value chooses all. Existing clients ask for CREATED and mean the
// sessions that are there, so it includes RUNNING unless Exact is set.
type Filter struct {
	Status Status
	Exact  bool
}

func (f Filter) matches(status Status) bool {
	return f.Status == "" || status == f.Status || (f.Status == Created && status == Running && !f.Exact)
}

// List returns the caller's sessions, newest first; with a status, only those in it.
func (s *Service) List(ctx context.Context, wanted Filter) ([]Session, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, err
	}
	of := s.store.Of
	if wanted.Status == Deleted {
		of = s.deletedOf
	}
	sessions, err := of(ctx, caller.AccountID)
	if err != nil {
		return nil, err
	}
	filtered := []Session{}
	for _, session := range sessions {
		if session = s.shown(session); wanted.matches(session.Status) {
			filtered = append(filtered, session)
		}
	}
	return filtered, s.addGuests(ctx, caller.AccountID, filtered)
}

// addGuests adds to sessions of an account who else is and was there.
func (s *Service) addGuests(ctx context.Context, accountID string, sessions []Session) error {
	if s.Shares == nil || len(sessions) == 0 {
		return nil
	}
	found, err := s.Shares.Guests(ctx, accountID, sessions)
	for i, session := range sessions {
		guests := found[session.ID]
		sessions[i].Shares, sessions[i].Present, sessions[i].Visits = guests.Shares, guests.Present, guests.Visits
	}
	return err
}

// ListTag returns a text that changes whenever the answer of List does, whichever process changed it; "" when it
// isn't known.
func (s *Service) ListTag(ctx context.Context, wanted Filter) string {
	caller, _ := identity.From(ctx)
	seq, ok := s.store.ListNumber(ctx, caller.AccountID)
	if !ok || caller.Email == "" {
		return ""
	}
	version := fmt.Appendf(nil, "%d-%d-%d-%s-%t", seq, int64(s.Keep.Seconds()), int64(s.Undo.Seconds()), wanted.Status, wanted.Exact)
	for _, one := range s.Engines.All {
		version = fmt.Appendf(version, "-%d.%g.%d", one.Limits.MemoryBytes, one.Limits.CPUs, one.Limits.DiskBytes)
		for _, size := range one.Profiles {
			version = fmt.Appendf(version, ".%x.%d.%g.%d.%d", size.Name+" "+size.Label, size.Limits.MemoryBytes, size.Limits.CPUs, size.Limits.DiskBytes, size.GPUs)
		}
	}
	return string(version)
}

// shown adds to a session what the configuration says: its limits, until when its work is kept after its end, and where
// help is.
func (s *Service) shown(session Session) Session {
	if chosen, err := s.Engines.Of(session.Engine); err == nil {
		size, _ := chosen.Profile(session.Source.Profile)
		session.Limits, session.Profile, session.Lacks = size.Limits, size.Shown(), size.Shortfalls(session.Needs)
	}
	switch {
	case session.Gone():
		session.Status, session.RequestedStatus, session.StatusReason, session.Warning = Deleted, "", "", ""
		session.StopsAt, session.QueuePosition, session.Step = nil, 0, ""
		if s.Undo > 0 {
			session.KeptUntil = OptionalTime(session.DeletedAt.Add(s.Undo))
		}
	case s.Keep > 0 && !session.Status.Live():
		session.KeptUntil = OptionalTime(session.UpdatedAt.Add(s.Keep))
	}
	session.Help = s.HelpFor(session)
	return session
}

// Own returns one of the caller's sessions; NotFound when it doesn't exist or is somebody else's.
func (s *Service) Own(ctx context.Context, id string) (Session, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Session{}, err
	}
	return s.OfAccount(ctx, id, caller.AccountID)
}

// OfAccount returns one of an account's sessions; NotFound when it doesn't exist or is somebody else's.
func (s *Service) OfAccount(ctx context.Context, id, accountID string) (Session, error) {
	found, err := s.store.ByID(ctx, id)
	if err != nil {
		return Session{}, err
	}
	if len(found) == 0 || !found[0].OwnedBy(accountID) {
		return Session{}, errNoSession
	}
	return s.shown(found[0]), nil
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
	return s.OfAccountOrDeleted(ctx, id, caller.AccountID)
}

// OfAccountOrDeleted is OwnOrDeleted for an account.
func (s *Service) OfAccountOrDeleted(ctx context.Context, id, accountID string) (Session, error) {
	found, err := s.store.ByID(ctx, id)
	if err != nil {
		return Session{}, err
	}
	if len(found) == 0 || !found[0].OwnedBy(accountID) && !s.mayUndelete(found[0], accountID) {
		return Session{}, errNoSession
	}
	return s.shown(found[0]), nil
}

// mayUndelete reports whether an account owns a deleted session that can be undeleted.
func (s *Service) mayUndelete(session Session, accountID string) bool {
	_, err := s.Engines.VersionerOf(session.Engine)
	return err == nil && accountID != "" && session.AccountID == accountID && session.Undeletable()
}

// HelpFor returns what pages offer about the cause of a session that failed; nil if nothing is known.
func (s *Service) HelpFor(session Session) *Help {
	cause := session.Cause
	if cause == nil || session.Status != Failed {
		return nil
	}
	source := session.Project.Repository.Address
	var help Help
	switch cause.Action {
	case diagnosis.Again, diagnosis.Without:
		return &help
	case diagnosis.Contact:
		return &Help{
			Label:   "Copy a message to the operators",
			Message: fmt.Sprintf("Session %s (%s): %s [%s]\n", session.ID, session.SessionName, cause.Sentence, cause.Code),
		}
	case diagnosis.Requirements:
		help = Help{Label: "Open requirements.txt", Address: catalog.FileAtHost(source, "requirements.txt")}
	case diagnosis.Repository:
		help = Help{Label: "Open the repository", Address: catalog.FileAtHost(source, "")}
	case diagnosis.Entry:
	}
	if help.Address == "" {
		help = Help{Label: "Go to the entry", Address: s.entryAddress(session)}
	}
	return &help
}

// entryAddress is the page of the entry whose authors can fix a session.
func (s *Service) entryAddress(session Session) string {
	id, kind := session.Project.Repository.ID, catalog.Repository
	if session.Resource != nil {
		id, kind = session.Resource.ID, session.Resource.Type
	}
	return s.Public + "/resources/" + kind.Plural() + "/" + id
}
