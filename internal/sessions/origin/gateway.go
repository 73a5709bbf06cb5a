package origin

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"cairn/internal/httpapi"
	"cairn/internal/identity"
	"cairn/internal/memory"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"

	"github.com/danielgtaylor/huma/v2"
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

// IdleStops puts off the stops of idle sessions.
type IdleStops interface {
	// KeepGoing gives a running session another idle period.
	KeepGoing(ctx context.Context, session sessions.Session) error
}

// Options configure the gateway.
type Options struct {
	Sessions Sessions
	Idle     IdleStops
	Work     Work
	Engines  sizes.Engines
	Accounts *identity.Service
	Sockets  *Sockets

	Public string // the page's own origin
	Tokens string // the style sheet with the design tokens, and
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

// NewGateway returns the gateway to which links lead.
func NewGateway(links *Links, changes *sessions.Changes, options Options) *Gateway {
	options.Patience = cmp.Or(options.Patience, httpapi.Patience)
	g := &Gateway{Options: options, links: links, streams: newStreams(options.Sessions, changes)}
	g.pages = pages{tokens: options.Tokens, mark: options.Mark, public: options.Public}
	g.access = &access{
		store: links.store, accounts: options.Accounts, sessions: options.Sessions, contact: options.Engines.Contact, cookieLife: options.CookieLife,
		grantTime: cmp.Or(options.GrantTime, grantTime), recheckTime: cmp.Or(options.RecheckTime, recheckTime), now: options.Now,
		grants: memory.New[string, cachedGrant](grantsKept, options.Now), watched: map[string]*watchedGrant{},
	}
	changes.OnAnnounce(g.access.grants.Forget)
	g.routes = g.mux()
	return g
}

// ServeHTTP implements http.Handler.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard(w.Header())
	g.routes.ServeHTTP(w, r)
}

func (g *Gateway) mux() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+ownPrefix+"assets/{file}", g.pages.asset)
	mux.HandleFunc("GET "+ownPath("{id}", "enter"), g.onOwnHost(g.enter))
	mux.HandleFunc("GET "+ownPath("{id}", "launch"), g.onOwnHost(g.withAccess(g.launchPage)))
	mux.HandleFunc("GET "+ownPath("{id}", "events"), g.onOwnHost(g.withAccess(g.launchEvents)))
	mux.HandleFunc("POST "+ownPath("{id}", "start"), g.onOwnHost(g.withAccess(g.startAgain)))
	mux.HandleFunc("POST "+ownPath("{id}", "cancel"), g.onOwnHost(g.withAccess(g.cancel)))
	mux.HandleFunc("GET "+ownPath("{id}", "work.zip"), g.onOwnHost(g.work))
	mux.HandleFunc(scriptRoute, g.onOwnHost(serveScript))
	mux.HandleFunc(readsRoute, g.onOwnHost(serveReads))
	mux.HandleFunc(stateRoute, g.onOwnHost(g.withAccess(g.state)))
	mux.HandleFunc(keepRoute, g.onOwnHost(g.withAccess(g.keep)))
	mux.HandleFunc("GET "+ownPath("{id}", signedInName)+"/{rest...}", g.onOwnHost(g.withAccess(g.signedIn)))
	mux.HandleFunc(sessions.ServerPath("{id}")+"{rest...}", g.onOwnHost(g.withAccess(g.proxy)))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		if id, ok := g.links.address.sessionOf(r.Host); ok {
			http.Redirect(w, r, sessions.ServerPath(id), http.StatusFound)
			return
		}
		g.pages.notFound(w)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { // a server whose pages are at another path, or nothing
		id, _ := withinSession(r.URL.Path)
		r.SetPathValue("id", id)
		g.onOwnHost(g.withAccess(g.proxy))(w, r)
	})
	return httpapi.NameRoutes(mux)
}

type endedOutput struct{ Body bool }

// Routes registers the operation that ends access.
func (g *Gateway) Routes(api *httpapi.API) {
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "end-session-access", Method: http.MethodDelete, Path: "/sessions/access", Tags: []string{"Sessions"},
		Summary: "Sign out: revoke this sign-in's session access and access tokens",
		Description: "Before signing out at the provider. The sessions go on. All servers refuse the token of this request, and " +
			"tokens that were issued before with the same sid, within seconds.",
		DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, _ *struct{}) (*endedOutput, error) {
		return &endedOutput{Body: true}, g.access.revoke(ctx)
	})
}

// EndSockets closes all websockets, as Sockets.End does.
func (g *Gateway) EndSockets(ctx context.Context) { g.Sockets.End(ctx) }

// EndStreams ends all streams of events, as Streams.End does.
func (g *Gateway) EndStreams() { g.streams.End() }

// Connections returns how many requests to sessions and launch pages are open in this process, by kind.
func (g *Gateway) Connections() map[string]int {
	requests, sockets := g.Sockets.count()
	return map[string]int{"http": max(0, requests-sockets), "ws": sockets, "events": g.streams.count()}
}
