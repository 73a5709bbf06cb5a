package origin

import (
	"log/slog"
	"net/http"
	"time"

	"cairn/internal/people/identity"
	"cairn/internal/sessions/sizes"
)

// Options configure the gateway.
type Options struct {
	Sessions Sessions
	Idle     IdleStops
	Work     Work
	Jobs     Jobs
	Guests   Guests
	Seats    Seats // optional; without them, no session is in a workshop
	Engines  sizes.Engines
	Accounts *identity.Service
	Sockets  *Sockets

	Public string // the page's own origin
	// Product returns the product's name; it is called for each request, because the site file may change.
	Product func() string
	Tokens  string // the style sheet with the design tokens, and
	// Mark returns the product's mark and its media type; it is called for each request, because the site file may
	// change.
	Mark func() (kind string, content []byte)

	// CookieLife is how long a browser may enter sessions after the last valid token of its account; zero: forever.
	CookieLife time.Duration
	// GrantTime is how long a checked cookie is trusted; zero: a second; negative: it is checked each time.
	GrantTime time.Duration
	// RecheckTime is how long a connection may outlive a right that another process revoked; zero: five seconds.
	RecheckTime time.Duration
	// Patience is how long a client that downloads work may read nothing; zero: httpapi.Patience.
	Patience time.Duration

	Now    func() time.Time
	Logger *slog.Logger
}

// Gateway serves the session origin.
type Gateway struct {
	Options

	links   *Links
	access  *access
	streams *Streams
	pages   pages
	buffers bufferPool
	routes  http.Handler
}
