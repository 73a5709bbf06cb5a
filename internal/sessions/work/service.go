package work

import (
	"cmp"
	"context"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cairn/internal/audit"
	"cairn/internal/httpapi"
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

	archives    archives
	comparisons chan struct{} // one for each comparison that is under way
}

// NewService returns a service.
func NewService(store *sessions.Store, changes *sessions.Changes, options Options) *Service {
	return &Service{
		sessions: options.Sessions, links: options.Links, engines: options.Engines, patience: cmp.Or(options.Patience, httpapi.Patience),
		store: store, changes: changes, comparisons: make(chan struct{}, comparisonsAtOnce),
	}
}

// OfAccount returns a session of an account, which may be a recently deleted one.
func (s *Service) OfAccount(ctx context.Context, id, accountID string) (sessions.Session, error) {
	return s.sessions.OfAccountOrDeleted(ctx, id, accountID)
}

// SendFile answers with a file of a version. Its errors are those before the first byte.
func (s *Service) SendFile(w http.ResponseWriter, r *http.Request, session sessions.Session, version, path string) error {
	versioner, err := s.engines.VersionerOf(session.Engine)
	if err != nil {
		return err
	}
	opened, name, err := s.openVersion(r.Context(), versioner, session, version, path)
	if err != nil {
		return err
	}
	s.sendVersionFile(w, r, opened, name)
	return nil
}

// Disposition is the Content-Disposition of a session's archive.
func (s *Service) Disposition(session sessions.Session) string { return disposition(session) }

func disposition(session sessions.Session) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": archiveName(session)})
}

// archiveName names the file after the session, within the limits of file systems.
func archiveName(session sessions.Session) string {
	name := strings.NewReplacer("/", "-", "\\", "-").Replace(session.SessionName)
	if runes := []rune(name); len(runes) > 80 {
		name = string(runes[:80])
	}
	return cmp.Or(strings.Trim(name, " ."), "work") + ".zip"
}
