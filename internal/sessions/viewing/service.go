package viewing

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/shares"
	"cairn/internal/sessions/sizes"
)

// Sessions finds sessions.
type Sessions interface {
	// ByID returns the sessions among the ids, including those that were deleted.
	ByID(ctx context.Context, ids ...string) ([]sessions.Session, error)
}

// Accounts knows whether sign-ins go on.
type Accounts interface {
	// CheckSignIn returns Unauthenticated if the sign-in of a caller has ended since.
	CheckSignIn(ctx context.Context, caller identity.Caller) error
}

// Options configure the service.
type Options struct {
	Sessions Sessions
	Shares   *shares.Service
	Presence *shares.Presence
	Accounts Accounts
	Engines  sizes.Engines
	Recheck  time.Duration // how often it's checked whether those who look still may; 0: two seconds
	Logger   *slog.Logger
}

// Service shows sessions to those who may see them.
type Service struct {
	Options

	revoked sessions.Broadcast // somebody's right may have ended
	leaving context.Context    //nolint:containedctx // of all streams, which outlive no server
	leave   context.CancelFunc

	// mu guards the fields below.
	mu      sync.Mutex
	rooms   map[subject]*room
	viewers map[*viewer]bool
}

// recheckEvery is how often it's checked whether everybody who looks still may.
const recheckEvery = 2 * time.Second

// NewService returns a service in which nobody looks.
func NewService(options Options) *Service {
	if options.Recheck == 0 {
		options.Recheck = recheckEvery
	}
	s := &Service{Options: options, rooms: map[subject]*room{}, viewers: map[*viewer]bool{}}
	s.leaving, s.leave = context.WithCancel(context.Background())
	return s
}

// EndStreams ends all streams of events, also those that begin later; their pages come back.
func (s *Service) EndStreams() { s.leave() }

// Revoked says that somebody's right may have ended.
func (s *Service) Revoked() { s.revoked.Notify() }

// How many notebooks of a session people may choose to look at, because each is asked for every second: all of them, those without an
// account, and each of the others. Following whoever works there is always possible.
const (
	roomsOfSession   = 30
	roomsOfStrangers = 10
	roomsOfAccount   = 3
)

// enter returns the room of a subject, and a function to call when somebody leaves it; TooMany over roomsOfSession.
func (s *Service) enter(at subject) (*room, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, others := s.rooms[at], 0
	if found == nil {
		for one := range s.rooms {
			if one.session == at.session && one.notebook != "" {
				others++
			}
		}
		if others >= roomsOfSession && at.notebook != "" {
			return nil, nil, tooManyNotebooks()
		}
		found = &room{subject: at, service: s}
		var ctx context.Context
		ctx, found.end = context.WithCancel(context.Background())
		s.rooms[at] = found
		go found.keepLooking(ctx)
	}
	found.people++
	return found, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if found.people--; found.people == 0 {
			found.end()
			delete(s.rooms, at)
		}
	}, nil
}

func tooManyNotebooks() error {
	tooMany := fault.New(fault.TooMany, "Too many notebooks of this session are being looked at. Follow whoever works there instead, or try again later.")
	tooMany.RetryAfter, tooMany.Limit = 10*time.Second, "views"
	return tooMany
}

// The most streams of one session, and of one visitor with an account.
const (
	streamsOfSession = 5000
	streamsOfAccount = 20
)

// viewer is somebody who looks.
type viewer struct {
	session string
	chosen  string // the notebook; "": the one in which somebody works
	visitor shares.Visitor
	caller  identity.Caller // with the sign-in
	end     context.CancelCauseFunc
	changed chan struct{} // has an element when the right is another one

	// mu guards the field below.
	mu    sync.Mutex
	right shares.Right
}

func (v *viewer) now() shares.Right {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.right
}

// take notes what the viewer may do now.
func (v *viewer) take(right shares.Right) {
	v.mu.Lock()
	defer v.mu.Unlock()
	differs := right.Level != v.right.Level || right.Share.ID != v.right.Share.ID || right.Session.Status != v.right.Session.Status
	if v.right = right; differs {
		select {
		case v.changed <- struct{}{}:
		default:
		}
	}
}

// add counts a viewer until the returned function is called; TooMany over the limits.
func (s *Service) add(one *viewer) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ofSession, ofAccount, chosen := 0, 0, map[string]bool{one.chosen: true}
	for other := range s.viewers {
		if other.session != one.session {
			continue
		}
		ofSession++
		if other.visitor.AccountID == one.visitor.AccountID {
			ofAccount++
			chosen[other.chosen] = true
		}
	}
	delete(chosen, "")
	known := one.visitor.AccountID != ""
	if one.chosen != "" && len(chosen) > map[bool]int{true: roomsOfAccount, false: roomsOfStrangers}[known] {
		return nil, tooManyNotebooks()
	}
	if ofSession >= streamsOfSession || known && ofAccount >= streamsOfAccount {
		tooMany := fault.New(fault.TooMany, "This session is open in too many tabs. Close some of them.")
		tooMany.RetryAfter, tooMany.Limit = 5*time.Second, "views"
		return nil, tooMany
	}
	s.viewers[one] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.viewers, one)
	}, nil
}

// Count returns how many streams are open.
func (s *Service) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.viewers)
}

// Run ends the streams of those who may no longer look, until ctx ends. A database that doesn't answer ends nothing.
func (s *Service) Run(ctx context.Context) {
	for {
		revoked := s.revoked.Next()
		if err := s.check(ctx); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "it can't be checked who may still look at sessions; trying again", "error", err)
		}
		pause := time.NewTimer(s.Recheck)
		select {
		case <-revoked:
		case <-pause.C:
		case <-ctx.Done():
		}
		pause.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

var errOver = fault.New(fault.NotFound, "This session isn't shared with you any longer, or it was deleted.")

// check checks everybody who looks.
func (s *Service) check(ctx context.Context) error {
	sessionIDs, accountIDs := map[string]bool{}, map[string]bool{}
	s.mu.Lock()
	viewers := make([]*viewer, 0, len(s.viewers))
	for one := range s.viewers {
		viewers = append(viewers, one)
		sessionIDs[one.session] = true
		if one.visitor.AccountID != "" {
			accountIDs[one.visitor.AccountID] = true
		}
	}
	s.mu.Unlock()
	if len(viewers) == 0 {
		return nil
	}
	rights, err := s.Shares.Rights(ctx, keys(sessionIDs), keys(accountIDs))
	if err != nil {
		return err
	}
	for _, one := range viewers {
		right, err := rights.Of(one.session, one.visitor)
		if err == nil && one.visitor.AccountID != "" {
			err = s.Accounts.CheckSignIn(ctx, one.caller)
		}
		switch fault.KindOf(err) {
		case fault.NotFound:
			one.end(errOver)
			continue
		case fault.Forbidden, fault.Unauthenticated:
			one.end(err)
			continue
		}
		if err == nil {
			one.take(right)
		}
	}
	return nil
}

func keys(set map[string]bool) []string {
	found := make([]string, 0, len(set))
	for key := range set {
		found = append(found, key)
	}
	return found
}
