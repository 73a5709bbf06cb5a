package workshops

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/shares"
	"cairn/internal/sessions/sizes"
	"cairn/internal/workshops/handouts"

	"golang.org/x/sync/singleflight"
)

// Sessions are what workshops need of sessions of any kind.
type Sessions interface {
	Restart(ctx context.Context, id string, without ...string) (sessions.Session, error)
	Redirect(ctx context.Context, session sessions.Session, in sessions.Interface) (string, error)
	OfAccount(ctx context.Context, id, accountID string) (sessions.Session, error)
}

// SeatSessions are what workshops need of their own sessions; package sessions says what each does.
type SeatSessions interface {
	PlanSeats(ctx context.Context, host identity.Caller, asked sessions.StartRequest) (sessions.Session, error)
	StartSeat(ctx context.Context, owner identity.Caller, planned sessions.Session, key string) (sessions.Session, error)
	OfWorkshop(ctx context.Context, workshop string) ([]sessions.Session, error)
	EndSeats(ctx context.Context, workshop string, ids ...string) error
	EraseGuests(ctx context.Context, workshop string) error
	LeaveWorkshop(ctx context.Context, workshop, account string) error
}

// Requests are what workshops need of sharing: a host asks to be let into a seat, and its owner answers.
type Requests interface {
	Ask(ctx context.Context, sessionID string, asked shares.Asked) (shares.Request, error)
	Requests(ctx context.Context, sessionID string) ([]shares.Request, error)
	Answer(ctx context.Context, sessionID, id string, answer shares.Answer) (shares.Request, error)
}

// Options configure the service.
type Options struct {
	Sessions Sessions
	Seats    SeatSessions
	Requests Requests
	Accounts *identity.Service
	Engines  sizes.Engines
	Files    handouts.Repositories // reads newer commits
	Work     Work
	Entries  Entries
	Target   func(ctx context.Context, session sessions.Session) (engine.Target, error)
	Events   func() []string // the slugs of the site's events

	PlaceBytes int64 // of memory that a place of the capacity stands for; 0: unknown, so each session takes one
	// Repository returns the repository of a session; the zero value without one.
	Repository func(session sessions.Session) engine.Repository

	Public  string // the page's own origin
	Changed func() // wakes those who carry requests out
	Now     func() time.Time
	Logger  *slog.Logger
}

// Work makes addresses that download the work of one of the caller's sessions once.
type Work interface {
	WorkLink(ctx context.Context, sessionID string) (string, error)
}

// Entries knows what everybody may see.
type Entries interface {
	IsPublic(ctx context.Context, id string) bool
}

// Service knows workshops, and what hosts and those in their seats may do.
type Service struct {
	Options

	store    *Store
	wrong    wrongCodes
	back     *httpapi.RateLimit // of seats whose guests come back, or raise and lower their hand
	handing  handing
	progress observed
	leaving  context.Context // ends when streams are to end
	end      context.CancelFunc

	lastPlans lastPlans

	plans   cache[sessions.Session] // by workshop, and what it is to run
	boards  cache[boardAt]          // by workshop
	running cache[[]Workshop]       // those that aren't over
	said    cache[told]             // by workshop
}

// NewService returns a service.
func NewService(store *Store, options Options) *Service {
	s := &Service{Options: options, store: store}
	s.handing.going, s.handing.calls = map[string]bool{}, make(chan struct{}, 1)
	s.wrong.limit = func() *httpapi.RateLimit { return httpapi.NewRateLimit(wrongPerMinute/60.0, wrongPerMinute) }
	s.back = httpapi.NewRateLimit(backPerMinute/60.0, backPerMinute)
	s.leaving, s.end = context.WithCancel(context.Background())
	return s
}

// EndStreams ends all boards that are being followed; their pages come back.
func (s *Service) EndStreams() { s.end() }

// changed has this process see at once what it has changed.
func (s *Service) changed() {
	s.running.clear()
	s.boards.clear()
	s.said.clear()
	s.Changed()
}

// cache keeps values for a moment, so that many who ask at once cost one query.
type cache[V any] struct {
	finding singleflight.Group // by key

	mu     sync.Mutex
	values map[string]cached[V] // protected by mu
	number int                  // of the last clear; protected by mu
}

type cached[V any] struct {
	value V
	until time.Time
}

// get returns the value of a key, which make finds out when there is none or it is too old.
func (c *cache[V]) get(key string, now time.Time, life time.Duration, find func() (V, error)) (value V, err error) {
	c.mu.Lock()
	known, ok := c.values[key]
	number := c.number
	c.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.value, nil
	}
	found, err, _ := c.finding.Do(key, func() (any, error) { return find() })
	value, _ = found.(V)
	if err != nil {
		return value, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.number != number { // it may be older than what has changed
		return value, nil
	}
	if c.values == nil || len(c.values) > 1000 {
		c.values = map[string]cached[V]{}
	}
	c.values[key] = cached[V]{value, now.Add(life)}
	return value, nil
}

func (c *cache[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	clear(c.values)
}

// mayHost returns the caller, if they may prepare workshops.
func (s *Service) mayHost(ctx context.Context) (identity.Caller, error) {
	caller, err := identity.Require(ctx)
	if err == nil && !s.Accounts.MayHost(caller) {
		err = fault.New(fault.Forbidden, "Your account can't prepare workshops here. The operators%s say who can.", sizes.ContactText(s.Engines.Contact))
	}
	return caller, err
}

// hosted returns a workshop that the caller hosts; NotFound for anybody else's.
func (s *Service) hosted(ctx context.Context, id string) (identity.Caller, Workshop, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return caller, Workshop{}, err
	}
	found, err := s.store.get(ctx, id)
	if err != nil {
		return caller, Workshop{}, err
	}
	return caller, found, hosts(caller, found)
}

// hosts returns why somebody doesn't host a workshop.
func hosts(caller identity.Caller, about Workshop) error {
	switch {
	case caller.Guest || caller.AccountID != about.accountID && !slices.Contains(about.Hosts, caller.Email) && !caller.Operator:
		return errNoWorkshop
	case !caller.Enabled:
		return fault.New(fault.NotEnabled, "Your account is not enabled for sessions, so you can't host workshops.")
	}
	return nil
}

// Get returns a workshop that the caller hosts.
func (s *Service) Get(ctx context.Context, id string) (Workshop, error) {
	_, found, err := s.hosted(ctx, id)
	if err != nil {
		return Workshop{}, err
	}
	return s.shown(ctx, found)
}

// List returns the workshops that the caller hosts: the next ones first, then those that are over.
func (s *Service) List(ctx context.Context) ([]Workshop, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.store.of(ctx, caller)
	for i := range found {
		if err == nil {
			found[i], err = s.shown(ctx, found[i])
		}
	}
	return found, err
}

// shown adds to a workshop what isn't stored with it.
func (s *Service) shown(ctx context.Context, about Workshop) (Workshop, error) {
	now := s.Now()
	about.State = about.stateAt(now)
	about.OpensAt = about.StartsAt
	if !about.openedAt.IsZero() {
		about.OpensAt = about.openedAt
	}
	about.WorkUntil, about.NamesEnd = about.workUntil(), about.end().Add(namesKept)
	about.JoinAddress = s.Public + "/join/" + about.key
	about.JoinURL = about.JoinAddress + "#" + strings.ReplaceAll(about.Code, " ", "-")
	if chosen, err := s.Engines.Of(about.Engine); err == nil {
		size, _ := chosen.Profile(about.Profile)
		_, capacity := s.Engines.Sharing(chosen)
		about.Room = Takes{Places: place(s.PlaceBytes).of(size, about.Seats.Total), Capacity: capacity}
	}
	if about.State == Ended && about.EndedAt != nil {
		seats, err := s.store.everTaken(ctx, about.ID)
		about.Seats.Taken = len(seats)
		return about, err
	}
	seats, err := s.store.taken(ctx, about.ID)
	if err != nil {
		return about, err
	}
	live, err := s.Seats.OfWorkshop(ctx, about.ID)
	if err != nil {
		return about, err
	}
	about.Seats.Taken = len(seats)
	for _, session := range live {
		switch session.Status {
		case sessions.Running:
			about.Seats.Running++
		case sessions.Created:
			about.Seats.Waiting++
		}
	}
	if about.State == Warming || about.State == Open {
		if about.Warm, err = s.store.warm(ctx, about.ID); err != nil {
			return about, err
		}
		about.WarmWanted = max(0, about.Seats.Total-about.Seats.Taken)
	}
	return about, nil
}

// Delete deletes a workshop that isn't open.
func (s *Service) Delete(ctx context.Context, id string) error {
	_, found, err := s.hosted(ctx, id)
	if err != nil {
		return err
	}
	if found.stateAt(s.Now()) == Ended && found.EndedAt == nil {
		if err := s.finish(ctx, found); err != nil {
			return err
		}
	}
	if state := found.stateAt(s.Now()); state == Open {
		return errOpen
	}
	if err := s.Seats.EraseGuests(ctx, id); err != nil {
		return err
	}
	if err := s.store.remove(ctx, found, s.Now()); err != nil {
		return err
	}
	s.changed()
	return nil
}

// Open lets people join before the time.
func (s *Service) Open(ctx context.Context, id string) (Workshop, error) {
	return s.act(ctx, id, func(found Workshop) error {
		if found.stateAt(s.Now()) == Open {
			return nil
		}
		return s.openNow(ctx, found)
	})
}

// Renew gives a workshop another address and code: those from before lead nowhere, and seats stay.
func (s *Service) Renew(ctx context.Context, id string) (Workshop, error) {
	return s.act(ctx, id, func(found Workshop) error { return s.store.renew(ctx, found, newKey(), newCode()) })
}

const (
	extendMost = 12 * 60 // minutes
	noticeMost = time.Hour
)

// Extend moves the end of a workshop, also of one that a host is ending. NoRoom if others have reserved that time.
func (s *Service) Extend(ctx context.Context, id string, minutes int) (Workshop, error) {
	return s.act(ctx, id, func(found Workshop) error {
		if minutes < 1 || minutes > extendMost {
			return fault.InvalidField("body.minutes", "Give it 1 to %d minutes more.", extendMost)
		}
		found.EndsAt = found.end().Add(time.Duration(minutes) * time.Minute)
		found.EndingAt = nil
		return s.extend(ctx, found)
	})
}

// End ends a workshop after a notice, which every seat sees.
func (s *Service) End(ctx context.Context, id string, notice time.Duration) (Workshop, error) {
	found, err := s.act(ctx, id, func(found Workshop) error {
		if notice < 0 || notice > noticeMost {
			return fault.InvalidField("body.notice", "Give people at most an hour's notice, such as 2m.")
		}
		if found.stateAt(s.Now()) != Open {
			return fault.New(fault.Conflict, "The workshop isn't open. Delete it if it isn't to be.")
		}
		at := s.Now().Add(notice)
		if at.After(found.end()) {
			at = found.end()
		}
		return s.store.moveEnd(ctx, found, at, true, roomCheck{})
	})
	if err == nil && notice == 0 {
		if about, failed := s.store.get(ctx, id); failed == nil {
			err = s.finish(context.WithoutCancel(ctx), about)
		}
		if err == nil {
			return s.Get(ctx, id)
		}
	}
	return found, err
}

// act does something with a workshop that the caller hosts and that hasn't ended.
func (s *Service) act(ctx context.Context, id string, do func(found Workshop) error) (Workshop, error) {
	_, found, err := s.hosted(ctx, id)
	if err != nil {
		return Workshop{}, err
	}
	if found.stateAt(s.Now()) == Ended {
		return Workshop{}, errEnded
	}
	if err := do(found); err != nil {
		return Workshop{}, err
	}
	s.changed()
	return s.Get(ctx, id)
}
