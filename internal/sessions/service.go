package sessions

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cairn/internal/audit"
	"cairn/internal/codehost"
	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/memory"
	"cairn/internal/projects"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/warm"
)

// NamedEngine is an engine as operators configured it.
type NamedEngine struct {
	engine.Engine

	Name   string
	Label  string
	Limits Limits // of each of its sessions without a profile; zero: none, or unknown
	Local  bool   // its sessions use this machine's memory, so they count toward Capacity

	Profiles []Profile // the sizes that people choose from; the first is the default; none: all sessions have its limits

	LaunchTimeout time.Duration // how long a launch may go on without progress; zero: launchDeadline
}

func (e NamedEngine) launchTimeout() time.Duration { return cmp.Or(e.LaunchTimeout, launchDeadline) }

// Options configure the service.
type Options struct {
	Engines  []NamedEngine // the first is the default
	Limit    int           // the maximum number of sessions per account that are CREATED or RUNNING
	Capacity int           // the maximum number of sessions that all local engines run together; more launches are queued; zero: no limit
	Idle     IdleLimits
	Warm     []warm.Want   // the sessions that run before anybody asks for them, on the first local engine
	Keep     time.Duration // the minimum time that the work of ended sessions is kept; zero: forever
	Undo     time.Duration // how long deleted sessions can be undeleted; zero: forever
	// CookieLife is how long a browser may enter sessions after the last valid token of its account; zero: forever.
	CookieLife time.Duration

	Contact string // the contact for questions about accounts
	Address AddressTemplate
	Public  string // the page's own origin
	Tokens  string // the style sheet with the design tokens, and
	// Mark returns the product's mark and its media type; it is called for each request, because the site file may
	// change.
	Mark    func() (kind string, content []byte)
	Sources Sources
	Entries Entries
	Hosts   *codehost.Hosts // say which branches and tags repositories have; nil: nobody is asked
	// Notebooks reads those that lie in no repository.
	Notebooks Notebooks
	Now       func() time.Time
	Logger    *slog.Logger
	Counter   Counter // nil: nobody counts
}

// Service records what users request and reports the state. Reconcile carries out the requests.
type Service struct {
	Options

	store    *Store
	projects *projects.Service
	accounts *identity.Service

	wakes      map[string]chan struct{} // by engine: wakes Reconcile
	changed    broadcast                // a session changed
	withdrawn  broadcast                // access to sessions ended
	signTime   time.Duration            // between reads of an engine that signals all the time
	settleTime time.Duration            // how long a call waits for an engine before it answers that the stop is in progress
	archives   archives
	proxied    atomic.Int64 // requests to sessions that are being answered

	mirrors     map[string]*mirror // by engine
	comparisons chan struct{}      // one for each comparison of versions that is under way
	warm        warmth
	patience    time.Duration                 // archivePatience, except in tests
	passes      *memory.Cache[string, passed] // by session and cookie
	passTime    time.Duration                 // how long a checked cookie is trusted
	accessTime  time.Duration                 // how long a connection may outlive a right that another process revoked
	leaving     context.Context               // ends when event streams have to
	leave       context.CancelFunc

	mutex    sync.Mutex
	inFlight map[string]bool           // sessions that are being stopped or removed
	sockets  map[string]int            // open websockets into sessions through this process
	open     map[*socket]bool          // those of them that the session's server has accepted
	watched  map[string]*watchedAccess // by session and cookie: the rights of open connections
	streams  map[string]int            // likewise: streams of events
	looks    map[string]*sharedLook    // sessions that event streams report on
}

// NewService returns a service.
func NewService(store *Store, projects *projects.Service, accounts *identity.Service, options Options) *Service {
	s := &Service{
		Options: options, store: store, projects: projects, accounts: accounts, wakes: map[string]chan struct{}{},
		mirrors: map[string]*mirror{}, comparisons: make(chan struct{}, comparisonsAtOnce),
		signTime: signInterval, settleTime: settleTime, accessTime: accessTime, passTime: passTime, patience: archivePatience, inFlight: map[string]bool{}, sockets: map[string]int{}, open: map[*socket]bool{},
		warm: newWarmth(warm.NewStore(store.db)), watched: map[string]*watchedAccess{}, streams: map[string]int{}, looks: map[string]*sharedLook{}, passes: memory.New[string, passed](passesKept, options.Now),
	}
	if s.Counter == nil {
		s.Counter = uncounted{}
	}
	s.leaving, s.leave = context.WithCancel(context.Background())
	s.wakes[removedEngines] = make(chan struct{}, 1)
	for _, one := range options.Engines {
		s.wakes[one.Name] = make(chan struct{}, 1)
	}
	return s
}

func (s *Service) enabledCaller(ctx context.Context) (identity.Caller, error) {
	caller, err := identity.Require(ctx)
	if err == nil && !caller.Enabled {
		err = fault.New(fault.NotEnabled, "Your account (%s) is not enabled for sessions yet. Please ask the operators%s to enable it.",
			caller.Email, contactText(s.Contact))
	}
	return caller, err
}

func contactText(contact string) string {
	if contact == "" {
		return ""
	}
	return " (" + contact + ")"
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
	for _, one := range s.Engines {
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
	if chosen, err := s.engineOf(session); err == nil {
		size, _ := chosen.sizeOf(session)
		session.Limits, session.Profile, session.Lacks = size.Limits, size.shown(), size.lacks(session.Needs)
	}
	switch {
	case session.gone():
		session.Status, session.RequestedStatus, session.StatusReason, session.Warning = Deleted, "", "", ""
		session.StopsAt, session.QueuePosition, session.Step = nil, 0, ""
		if s.Undo > 0 {
			session.KeptUntil = optionalTime(session.deletedAt.Add(s.Undo))
		}
	case s.Keep > 0 && !session.Status.Live():
		session.KeptUntil = optionalTime(session.UpdatedAt.Add(s.Keep))
	}
	session.Help = s.help(session)
	return session
}

// Own returns one of the caller's sessions; NotFound when it doesn't exist or is somebody else's.
func (s *Service) Own(ctx context.Context, id string) (Session, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Session{}, err
	}
	return s.ofAccount(ctx, id, caller.AccountID)
}

func (s *Service) ofAccount(ctx context.Context, id, accountID string) (Session, error) {
	found, err := s.store.ByID(ctx, id)
	if err != nil {
		return Session{}, err
	}
	if len(found) == 0 || !found[0].ownedBy(accountID) {
		return Session{}, errNoSession
	}
	return s.shown(found[0]), nil
}

// ownedBy reports whether an account may do anything with the session: only its owner may, until its deletion is
// requested.
func (s Session) ownedBy(accountID string) bool {
	return accountID != "" && s.accountID == accountID && !s.gone()
}

// settleTime is the default of Service.settleTime; tests shorten it.
const settleTime = 8 * time.Second

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
	s.announce()
	err = s.await(ctx, func() (bool, error) {
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
	session, err := s.ofAccount(ctx, id, caller.AccountID)
	if err != nil || (session.Status.Live() && session.RequestedStatus == "") {
		return session, err
	}
	if _, err := s.enabledCaller(ctx); err != nil {
		return Session{}, err
	}
	chosen, err := s.engineOf(session)
	if err != nil {
		return Session{}, err
	}
	if size, known := chosen.sizeOf(session); !known || !size.For.admits(caller) {
		return Session{}, errProfileGone
	}
	if err := chosen.Check(ctx); err != nil {
		return Session{}, err
	}
	if err := s.store.Relaunch(ctx, session, s.Limit, without...); err != nil {
		return Session{}, err
	}
	s.announce()
	session, err = s.Own(ctx, id)
	session.begun = true
	return session, err
}

// Redirect returns the address that leads the caller's browser into a session: a single-use ticket at the session
// origin.
func (s *Service) Redirect(ctx context.Context, session Session) (string, error) {
	if identity.ByToken(ctx) {
		return s.Public + "/sessions/" + session.ID + "/open", nil
	}
	if session.begun { // which is recorded
		return s.issueLink(ctx, session, ticketKind, "enter")
	}
	return s.issueLink(ctx, session, ticketKind, "enter", eventOf(audit.OpenSession, []string{session.ID}))
}

// issueLink returns the address of one of our own pages at a session's origin, with a secret that works there once.
func (s *Service) issueLink(ctx context.Context, session Session, kind, page string, events ...audit.Event) (string, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return "", err
	}
	ticket, err := s.store.Issue(ctx, kind, pass{sessionID: session.ID, accountID: caller.AccountID, login: caller.Login}, events...)
	return s.Address.Origin(sessionKind, session.ID) + ownPath(session.ID, page) + "?ticket=" + ticket, err
}

// EndAccess revokes the access to sessions that the caller's login opened, and its access tokens; the sessions keep
// running.
func (s *Service) EndAccess(ctx context.Context) error {
	caller, _ := identity.From(ctx)
	defer s.withdrawn.notify()
	defer s.passes.Forget()
	if err := s.accounts.EndSignIn(ctx); err != nil { // first, so that it can't open more
		return err
	}
	return s.store.Withdraw(ctx, caller)
}

// announce wakes the reconciler and everybody who waits for a change, and drops cached passes.
func (s *Service) announce() {
	s.passes.Forget()
	for _, wake := range s.wakes {
		select {
		case wake <- struct{}{}:
		default: // it is awake already
		}
	}
	s.changed.notify()
}

// await calls done at every change, and every second for changes by other processes, until it returns true; at most
// settleTime.
func (s *Service) await(ctx context.Context, done func() (bool, error)) error {
	deadline := time.NewTimer(s.settleTime)
	defer deadline.Stop()
	for {
		change := s.changed.next()
		if settled, err := done(); settled || err != nil {
			return err
		}
		select {
		case <-change:
		case <-time.After(time.Second):
		case <-deadline.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// broadcast wakes everybody who waits for an event. The zero value is ready to use.
type broadcast struct {
	mutex   sync.Mutex
	waiting chan struct{}
}

// notify closes all channels that next has returned.
func (b *broadcast) notify() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.waiting != nil {
		close(b.waiting)
		b.waiting = nil
	}
}

// next returns a channel that is closed at the next notify.
func (b *broadcast) next() <-chan struct{} {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.waiting == nil {
		b.waiting = make(chan struct{})
	}
	return b.waiting
}
