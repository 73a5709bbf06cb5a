package sessions

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
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
	Shares   Shares   // optional; without them, every session is its owner's alone
	Warm     WarmPool // optional; without one, every session is launched
	Now      func() time.Time
	Logger   *slog.Logger
}

// Links makes addresses at the session origin that work once, for the caller's browser.
type Links interface {
	// Enter returns the address that leads into a session, and records the events with it.
	Enter(ctx context.Context, sessionID string, events ...audit.Event) (string, error)
}

// Shares know what others than its owner may do with a session.
type Shares interface {
	// Guests returns how an account's sessions are shared, and who is and was there, by session.
	Guests(ctx context.Context, accountID string, of []Session) (map[string]Guests, error)
	// Enterable returns somebody else's session that the caller may enter; NotFound or Forbidden.
	Enterable(ctx context.Context, id string) (Session, error)
	// Copyable returns the session that a share is of, if the caller may take a copy of it; NotFound or Forbidden.
	Copyable(ctx context.Context, shareID string) (Session, error)
}

// WarmPool has sessions that run before anybody asks for them.
type WarmPool interface {
	// Ready returns the warm sessions on an engine that a start may claim: those that hold exactly what it holds, and run.
	Ready(ctx context.Context, on sizes.Engine, made Session) []string
	// Claimed is called after a start has claimed one.
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
	if err == nil && caller.Guest && !caller.Enabled {
		return caller, errOver
	}
	if err == nil && !caller.Enabled {
		err = fault.New(fault.NotEnabled, "Your account (%s) is not enabled for sessions yet. Please ask the operators%s to enable it.",
			caller.Email, sizes.ContactText(s.Engines.Contact))
	}
	return caller, err
}
