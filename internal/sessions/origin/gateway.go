package origin

import (
	"cmp"
	"context"
	"net/http"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/memory"
	"cairn/internal/sessions"

	"github.com/danielgtaylor/huma/v2"
)

// NewGateway returns the gateway to which links lead.
func NewGateway(links *Links, changes *sessions.Changes, options Options) *Gateway {
	options.Patience = cmp.Or(options.Patience, httpapi.Patience)
	g := &Gateway{Options: options, links: links, streams: newStreams(options.Sessions, changes)}
	g.pages = pages{tokens: options.Tokens, mark: options.Mark, public: options.Public}
	g.access = &access{
		store: links.store, accounts: options.Accounts, sessions: options.Sessions, guests: options.Guests, contact: options.Engines.Contact, cookieLife: options.CookieLife,
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
	mux.HandleFunc("GET "+ownPath("{id}", "launch"), g.onOwnHost(g.ownersOnly(g.launchPage)))
	mux.HandleFunc("GET "+ownPath("{id}", "events"), g.onOwnHost(g.ownersOnly(g.launchEvents)))
	mux.HandleFunc("POST "+ownPath("{id}", "start"), g.onOwnHost(g.ownersOnly(g.startAgain)))
	mux.HandleFunc("POST "+ownPath("{id}", "cancel"), g.onOwnHost(g.ownersOnly(g.cancel)))
	mux.HandleFunc("GET "+ownPath("{id}", "ssh"), g.onOwnHost(g.shell))
	mux.HandleFunc("GET "+ownPath("{id}", "work.zip"), g.onOwnHost(g.work))
	for name, script := range sessionScripts {
		mux.HandleFunc("GET "+ownPath("{id}", name), g.onOwnHost(serveScript(name, script)))
	}
	mux.HandleFunc(readsRoute, g.onOwnHost(serveReads))
	mux.HandleFunc(stateRoute, g.onOwnHost(g.ownersAndGuests(g.state)))
	mux.HandleFunc(keepRoute, g.onOwnHost(g.ownersOnly(g.keep)))
	mux.HandleFunc(finishRoute, g.onOwnHost(g.ownersOnly(g.finish)))
	mux.HandleFunc(cancelRoute, g.onOwnHost(g.ownersOnly(g.cancelFinish)))
	mux.HandleFunc(stopRoute, g.onOwnHost(g.ownersOnly(g.stop)))
	mux.HandleFunc(raiseRoute, g.onOwnHost(g.ownersOnly(g.setHand(true))))
	mux.HandleFunc(lowerRoute, g.onOwnHost(g.ownersOnly(g.setHand(false))))
	mux.HandleFunc(answerRoute, g.onOwnHost(g.ownersOnly(g.answerAsk)))
	mux.HandleFunc("GET "+ownPath("{id}", signedInName)+"/{rest...}", g.onOwnHost(g.ownersAndGuests(g.signedIn)))
	mux.HandleFunc(sessions.ServerPath("{id}")+"{rest...}", g.onOwnHost(g.ownersAndGuests(g.proxy)))
	mux.HandleFunc("/vscode/{id}/{rest...}", g.onOwnHost(g.ownersAndGuests(g.editor)))
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
		g.onOwnHost(g.ownersAndGuests(g.proxy))(w, r)
	})
	return httpapi.NameRoutes(mux)
}

type endedOutput struct{ Body bool }

// Routes registers the operations that end access, and give a way to SSH.
func (g *Gateway) Routes(api *httpapi.API) {
	g.shellRoutes(api)
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

// Recheck has all open connections checked for their right at once.
func (g *Gateway) Recheck() {
	g.access.grants.Forget()
	g.access.revoked.Notify()
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
