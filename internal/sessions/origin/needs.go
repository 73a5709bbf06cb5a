package origin

import (
	"context"
	"io"
	"net/http"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/shares"
)

// Sessions is what the gateway asks of the service.
type Sessions interface {
	// OfAccount returns one of an account's sessions; NotFound when it doesn't exist or is somebody else's.
	OfAccount(ctx context.Context, id, accountID string) (sessions.Session, error)
	// Own is OfAccount for the caller.
	Own(ctx context.Context, id string) (sessions.Session, error)
	// Look returns one of the caller's sessions and its engine's report on its launch.
	Look(ctx context.Context, id string) (sessions.Session, engine.Status, error)
	// Usage returns what a session uses, and its warning as it is now.
	Usage(ctx context.Context, session sessions.Session) (*sessions.Usage, string)
	// ForecastOf says how long launches on an engine usually take.
	ForecastOf(ctx context.Context, engineName string) (sessions.Forecast, error)
	// Restart starts one of the caller's ended sessions again, without some of its datasets.
	Restart(ctx context.Context, id string, without ...string) (sessions.Session, error)
	// Terminate stops one of the caller's sessions.
	Terminate(ctx context.Context, id string) (sessions.Session, error)
}

// Guests are those whom owners let into their sessions.
type Guests interface {
	// RightToEnter returns the right of an account to enter somebody else's session; NotFound or Forbidden without one.
	RightToEnter(ctx context.Context, sessionID, accountID string) (shares.Right, error)
	// Enter notes that somebody is in a session, as something; with a connection, until leave is called.
	Enter(ctx context.Context, right shares.Right, as shares.Level, connected bool) (leave func(), err error)
	// Present returns who is in a session besides an account.
	Present(ctx context.Context, session sessions.Session, accountID string) ([]sessions.Visit, error)
}

// IdleStops puts off the stops of idle sessions.
type IdleStops interface {
	// KeepGoing gives a running session another idle period.
	KeepGoing(ctx context.Context, session sessions.Session) error
	// StopsAt returns when a running session is stopped if nothing happens in it from now on; nil: it isn't, or that isn't
	// known.
	StopsAt(session sessions.Session, activity engine.Activity) *time.Time
}

// Work is what the gateway asks of the downloads of work.
type Work interface {
	// OfAccount returns a session of an account, which may be a recently deleted one.
	OfAccount(ctx context.Context, id, accountID string) (sessions.Session, error)
	// Archive writes a session's work, or a version of it, as a zip file.
	Archive(ctx context.Context, session sessions.Session, version string, w io.Writer) error
	// SendFile answers with a file of a version. Its errors are those before the first byte.
	SendFile(w http.ResponseWriter, r *http.Request, session sessions.Session, version, path string) error
	// Disposition is the Content-Disposition of a session's archive.
	Disposition(session sessions.Session) string
}
