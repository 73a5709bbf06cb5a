package work

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sizes"
)

// Sessions is what the service asks about sessions.
type Sessions interface {
	// Own returns one of the caller's sessions; NotFound when it doesn't exist or is somebody else's.
	Own(ctx context.Context, id string) (sessions.Session, error)
	// OwnOrDeleted is Own, and also returns recently deleted sessions.
	OwnOrDeleted(ctx context.Context, id string) (sessions.Session, error)
	// OfAccountOrDeleted is OwnOrDeleted for an account.
	OfAccountOrDeleted(ctx context.Context, id, accountID string) (sessions.Session, error)
}

// Links makes addresses at the session origin that work once, for the caller's browser.
type Links interface {
	// Work returns the address that downloads a session's work, and records the events with it. The query may name a version,
	// and a path in it.
	Work(ctx context.Context, sessionID string, query url.Values, events ...audit.Event) (string, error)
}

// Options configure the service.
type Options struct {
	Sessions Sessions
	Links    Links
	Engines  sizes.Engines
	Patience time.Duration // how long a client that downloads work may read nothing; zero: httpapi.Patience
}

// Service sends work and versions of it to their owners.
type Service struct {
	sessions Sessions
	links    Links
	engines  sizes.Engines
	patience time.Duration
	store    *sessions.Store
	changes  *sessions.Changes

	archives    *archives
	comparing   httpapi.Turns // by account
	comparisons chan struct{} // one for each comparison that is under way
}

// NewService returns a service.
func NewService(store *sessions.Store, changes *sessions.Changes, options Options) *Service {
	return &Service{
		sessions: options.Sessions, links: options.Links, engines: options.Engines, patience: cmp.Or(options.Patience, httpapi.Patience),
		store: store, changes: changes, archives: newArchives(archiveWait), comparisons: make(chan struct{}, comparisonsAtOnce),
	}
}

// comparisonsAtOnce is how many comparisons a server makes at once: each may take some hundred MB.
const comparisonsAtOnce = 2

type sessionInput struct {
	ID string `path:"id"`
}
