package origin

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

// fail answers with an error. Strangers learn nothing: no cookie, a foreign one and an unknown session look the same. Only the script in a
// guest's page is told that the session isn't shared any longer.
func (g *Gateway) fail(w http.ResponseWriter, r *http.Request, id string, err error) {
	status := httpapi.StatusOf(r.Context(), err)
	switch kind := fault.KindOf(err); {
	case kind == fault.Unauthenticated, kind == fault.NotFound, errors.Is(err, errNoGuest) && r.Pattern != stateRoute:
		g.refuse(w, r, http.StatusUnauthorized, id, "This page belongs to a session. Open it from the catalog, where you are signed in.")
		return
	case kind == fault.TooMany:
		if found, ok := errors.AsType[*fault.Fault](err); ok {
			httpapi.NameLimit(r.Context(), found.Limit)
		}
	case kind == fault.Internal && status != httpapi.StatusAbandoned:
		httpapi.LogFailure(r.Context(), g.Logger, slog.LevelError, err)
	}
	httpapi.SetRetryAfter(w.Header(), err)
	g.refuse(w, r, status, id, fault.MessageOf(err))
}

func (g *Gateway) refuse(w http.ResponseWriter, r *http.Request, status int, id, text string) {
	if slices.Contains([]string{stateRoute, keepRoute, finishRoute, cancelRoute}, r.Pattern) {
		g.pages.refuseState(w, status, id, text)
		return
	}
	next := r.URL.Query().Get("next")
	if !strings.HasPrefix(r.URL.Path, ownPrefix) && r.Method == http.MethodGet {
		next = lastingPath(r.URL.Path, id)
	}
	g.pages.showMessage(w, status, messagePage{Title: "Session not open", Text: text, Link: g.pages.openAddress(id, next), Label: "Open the session"})
}
