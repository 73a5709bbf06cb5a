package origin

import (
	"context"
	"net/http"
	"regexp"
	"strings"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
)

// sessionHandler serves a request about the session with this id.
type sessionHandler func(w http.ResponseWriter, r *http.Request, id string)

var idOnly = regexp.MustCompile(`^` + idPattern + `$`)

// foreignText refuses requests that another site made.
const foreignText = "This request came from another site, so it was refused."

// onOwnHost refuses requests to another host than the session's own, or from pages that may not include its files.
func (g *Gateway) onOwnHost(next sessionHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		if !idOnly.MatchString(id) || !g.links.address.matches(r.Host, sessionKind, id) {
			g.pages.notFound(w)
			return
		}
		if includedElsewhere(r) {
			g.refuse(w, r, http.StatusForbidden, id, foreignText)
			return
		}
		next(w, r, id)
	}
}

// enter exchanges a ticket for a cookie, so that the secret leaves the address at once.
func (g *Gateway) enter(w http.ResponseWriter, r *http.Request, id string) {
	if isPrefetch(r) || r.Method != http.MethodGet {
		g.refuse(w, r, http.StatusForbidden, id, "This link works only once. Open it directly.")
		return
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	secret, right, err := g.access.exchange(r.Context(), ticketKind, r.URL.Query().Get("ticket"), id)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	g.setCookie(w, id, secret)
	next := r.URL.Query().Get("next")
	if r.URL.Query().Get("interface") == string(sessions.VSCode) {
		next = editorPath(id)
	}
	target := ownPath(id, "launch") + nextQuery(next)
	if right.Session.Status == sessions.Running {
		target = insidePath(right.Session, next)
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
}

// isPrefetch reports whether a browser only prefetches.
func isPrefetch(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Sec-Purpose")+r.Header.Get("Purpose"), "prefetch")
}

// livesOn reports whether a request may last long after its right was checked: websockets and event streams.
func livesOn(r *http.Request) bool {
	return r.Header.Get("Upgrade") != "" || strings.Contains(r.Header.Get("Accept"), "text/event-stream") ||
		r.URL.Path == ownPath(r.PathValue("id"), "events") // whatever its Accept header says
}

type grantKey struct{}

// grantOf returns whom ownersAndGuests has admitted.
func grantOf(ctx context.Context) cachedGrant {
	found, _ := ctx.Value(grantKey{}).(cachedGrant)
	return found
}

// ownersOnly only admits the session's owner, and requests that may change something only from the session's own pages.
func (g *Gateway) ownersOnly(next sessionHandler) sessionHandler {
	return g.ownersAndGuests(func(w http.ResponseWriter, r *http.Request, id string) {
		if found := grantOf(r.Context()); found.isGuest() {
			g.refuse(w, r, http.StatusForbidden, id, "Only "+found.right.Owner.Label()+", whose session this is, can do that.")
			return
		}
		next(w, r, id)
	})
}

// ownersAndGuests is ownersOnly that also admits those whom the owner lets in, and notes who is there.
func (g *Gateway) ownersAndGuests(next sessionHandler) sessionHandler {
	return func(w http.ResponseWriter, r *http.Request, id string) {
		cookie, err := r.Cookie(g.cookieName(id))
		if err != nil {
			g.fail(w, r, id, errNoAccess)
			return
		}
		found, err := g.access.admit(r.Context(), cookie.Value, id)
		if err != nil {
			g.fail(w, r, id, err)
			return
		}
		if !g.sameOrigin(r, id) {
			g.refuse(w, r, http.StatusForbidden, id, foreignText)
			return
		}
		if g.access.renew(r.Context(), cookie.Value, &found) {
			g.setCookie(w, id, cookie.Value)
		}
		httpapi.NameAccount(r.Context(), found.caller.AccountID)
		ctx := context.WithValue(identity.With(r.Context(), found.caller), grantKey{}, found)
		if livesOn(r) {
			var leave func()
			ctx, leave = g.access.watch(ctx, cookie.Value, id)
			defer leave()
			if _, err := g.access.admit(ctx, cookie.Value, id); err != nil { // the right may have ended before it was watched
				g.fail(w, r, id, err)
				return
			}
		}
		gone, err := g.Guests.Enter(ctx, found.right, found.right.Level, livesOn(r))
		if err != nil {
			g.fail(w, r, id, err)
			return
		}
		defer gone()
		next(w, r.WithContext(ctx), id)
	}
}

// sameOrigin reports whether a request that may change something, or opens a websocket, came from the session's own
// page.
func (g *Gateway) sameOrigin(r *http.Request, id string) bool {
	upgrade := r.Header.Get("Upgrade") != ""
	if (r.Method == http.MethodGet || r.Method == http.MethodHead) && !upgrade {
		return true
	}
	return r.Header.Get("Origin") == g.links.address.Origin(sessionKind, id)
}

func (g *Gateway) cookieName(id string) string {
	name := "cairn-" + sessionKind + "-" + id
	if g.links.address.Secure() {
		return "__Host-" + name
	}
	return name
}

func (g *Gateway) setCookie(w http.ResponseWriter, id, secret string) {
	http.SetCookie(w, &http.Cookie{
		Name: g.cookieName(id), Value: secret, Path: "/", MaxAge: int(cookieLifetime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: g.links.address.Secure(),
	})
}
