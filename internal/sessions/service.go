package sessions

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"cairn/internal/audit"
	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sessions/sizes"
)

// Options configure the service.
type Options struct {
	Engines sizes.Engines
	Limit   int           // the maximum number of sessions per account that are CREATED or RUNNING
	Keep    time.Duration // the minimum time that the work of ended sessions is kept; zero: forever
	Undo    time.Duration // how long deleted sessions can be undeleted; zero: forever
	Settle  time.Duration // how long a call waits for an engine before it answers that the stop is in progress; zero: eight seconds
	Public  string        // the page's own origin

	Resolver *Resolver
	Links    Links
	Warm     WarmPool // optional; without one, every session is launched
	Now      func() time.Time
	Logger   *slog.Logger
}

// Links makes addresses at the session origin that work once, for the caller's browser.
type Links interface {
	// Enter returns the address that leads into a session, and records the events with it.
	Enter(ctx context.Context, sessionID string, events ...audit.Event) (string, error)
}

// WarmPool has sessions that run before anybody asks for them.
type WarmPool interface {
	// Ready returns the warm sessions on an engine that a start may claim: those that hold exactly what it holds, and run.
	Ready(ctx context.Context, on sizes.Engine, made Session) []string
	// Claimed is told that a start has just claimed one.
	Claimed()
}

// settleTime is how long a call waits for an engine by default.
const settleTime = 8 * time.Second

// Service records what users request and reports the state; reconcile.Reconciler carries out the requests.
type Service struct {
	Options

	store    *Store
	launches *LaunchTimes
	changes  *Changes
	accounts *identity.Service
}

// NewService returns a service. It announces every change that it makes.
func NewService(store *Store, changes *Changes, accounts *identity.Service, options Options) *Service {
	options.Settle = cmp.Or(options.Settle, settleTime)
	return &Service{Options: options, store: store, launches: NewLaunchTimes(store.db), changes: changes, accounts: accounts}
}

func (s *Service) enabledCaller(ctx context.Context) (identity.Caller, error) {
	caller, err := identity.Require(ctx)
	if err == nil && !caller.Enabled {
		err = fault.New(fault.NotEnabled, "Your account (%s) is not enabled for sessions yet. Please ask the operators%s to enable it.",
			caller.Email, sizes.ContactText(s.Engines.Contact))
	}
	return caller, err
}

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
	return filtered, nil
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
	if _, err := s.enabledCaller(ctx); err != nil {
		return Session{}, err
	}
	chosen, err := s.Engines.Of(session.Engine)
	if err != nil {
		return Session{}, err
	}
	if size, known := chosen.Profile(session.Source.Profile); !known || !size.For.Admits(caller) {
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

// Redirect returns the address that leads the caller's browser into a session: a single-use ticket at the session
// origin.
func (s *Service) Redirect(ctx context.Context, session Session) (string, error) {
	if identity.ByToken(ctx) {
		return s.Public + "/sessions/" + session.ID + "/open", nil
	}
	if session.StartedNow { // which is recorded
		return s.Links.Enter(ctx, session.ID)
	}
	return s.Links.Enter(ctx, session.ID, AuditEvent(audit.OpenSession, []string{session.ID}))
}
