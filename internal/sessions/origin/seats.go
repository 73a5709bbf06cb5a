package origin

import (
	"context"
	"net/http"
	"regexp"

	"cairn/internal/sessions"
)

// Seats are what the gateway needs of workshops.
type Seats interface {
	// SeatState returns what the pages of a session say about its workshop, as JSON; nil if there is nothing to say. Owner says whether it's
	// the page of whoever has the seat.
	SeatState(ctx context.Context, session sessions.Session, owner bool) (any, error)
	SetHandOf(ctx context.Context, session sessions.Session, up bool) error
	// AnswerAsk lets a host in who asks for it, or doesn't, in the name of the caller, who has the seat.
	AnswerAsk(ctx context.Context, session sessions.Session, ask string, granted bool) error
	// Observe follows a new connection between a page and a kernel of a session, until done is called.
	Observe(session sessions.Session, subprotocol string) (tap Tap, done func())
}

// Tap gets the bytes of a websocket in both directions. It must not block.
type Tap interface {
	FromPage(p []byte)
	FromKernel(p []byte)
}

// The requests of the script in the pages of a workshop's sessions.
var (
	raiseRoute  = "POST " + ownPath("{id}", "hand")
	lowerRoute  = "DELETE " + ownPath("{id}", "hand")
	answerRoute = "POST " + ownPath("{id}", "asks") + "/{ask}"
)

// kernelChannels matches the path of a websocket between a page and a kernel.
// https://jupyter-server.readthedocs.io/en/latest/developers/rest-api.html
var kernelChannels = regexp.MustCompile(`/api/kernels/[^/]+/channels$`)

// seatState returns what a page says about its workshop; nil outside workshops.
func (g *Gateway) seatState(ctx context.Context, found cachedGrant) any {
	session := found.session()
	if session.Workshop == "" || g.Seats == nil {
		return nil
	}
	state, err := g.Seats.SeatState(ctx, session, !found.isGuest())
	if err != nil {
		g.Logger.WarnContext(ctx, "what a workshop says can't be read", "session", session.ID, "error", err)
		return nil
	}
	return state
}

// setHand raises the hand of a seat, or lowers it, and answers like state.
func (g *Gateway) setHand(up bool) sessionHandler {
	return func(w http.ResponseWriter, r *http.Request, id string) {
		session := grantOf(r.Context()).session()
		if session.Workshop == "" || g.Seats == nil {
			g.pages.notFound(w)
			return
		}
		g.changed(w, r, id, session, g.Seats.SetHandOf(r.Context(), session, up))
	}
}

// answerAsk lets a host in, or with ?granted=false doesn't, and answers like state.
func (g *Gateway) answerAsk(w http.ResponseWriter, r *http.Request, id string) {
	session := grantOf(r.Context()).session()
	if session.Workshop == "" || g.Seats == nil {
		g.pages.notFound(w)
		return
	}
	g.changed(w, r, id, session, g.Seats.AnswerAsk(r.Context(), session, r.PathValue("ask"), r.URL.Query().Get("granted") != "false"))
}

// observes reports whether what passes on a connection is observed: between pages and kernels of a workshop's sessions alone.
func (g *Gateway) observes(r *http.Request) bool {
	return g.Seats != nil && grantOf(r.Context()).session().Workshop != "" && kernelChannels.MatchString(r.URL.Path)
}
