package sessions

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cairn/internal/fault"
	"cairn/internal/httpapi"
	"cairn/internal/identity"
)

// gateway is the session origin: the only way to the sessions' servers. Jupyter behind it accepts a request with a
// token and then skips its own checks of origins, so every check is made here, before anything is forwarded.
type gateway struct {
	*Service

	buffers bufferPool
}

// Gateway serves the session origin.
func (s *Service) Gateway() http.Handler {
	g := &gateway{Service: s}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+ownPrefix+"assets/{file}", g.asset)
	mux.HandleFunc("GET "+ownPath("{id}", "enter"), g.onOwnHost(g.enter))
	mux.HandleFunc("GET "+ownPath("{id}", "launch"), g.onOwnHost(g.withAccess(g.launchPage)))
	mux.HandleFunc("GET "+ownPath("{id}", "events"), g.onOwnHost(g.withAccess(g.launchEvents)))
	mux.HandleFunc("POST "+ownPath("{id}", "start"), g.onOwnHost(g.withAccess(g.startAgain)))
	mux.HandleFunc("POST "+ownPath("{id}", "cancel"), g.onOwnHost(g.withAccess(g.cancel)))
	mux.HandleFunc("GET "+ownPath("{id}", "work.zip"), g.onOwnHost(g.work))
	mux.HandleFunc(scriptRoute, g.onOwnHost(g.script))
	mux.HandleFunc(readsRoute, g.onOwnHost(g.reads))
	mux.HandleFunc(stateRoute, g.onOwnHost(g.withAccess(g.state)))
	mux.HandleFunc(keepRoute, g.onOwnHost(g.withAccess(g.keep)))
	mux.HandleFunc("GET "+ownPath("{id}", signedInName)+"/{rest...}", g.onOwnHost(g.withAccess(g.signedIn)))
	mux.HandleFunc(upstreamPath("{id}")+"{rest...}", g.onOwnHost(g.withAccess(g.proxy)))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		if id, ok := s.Address.sessionOf(r.Host); ok {
			http.Redirect(w, r, upstreamPath(id), http.StatusFound)
			return
		}
		g.notFound(w)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { // a server whose pages are at another path, or nothing
		id, _ := withinSession(r.URL.Path)
		r.SetPathValue("id", id)
		g.onOwnHost(g.withAccess(g.proxy))(w, r)
	})
	routes := httpapi.NameRoutes(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guard(w.Header())
		routes.ServeHTTP(w, r)
	})
}

// sessionHandler serves a request about the session with this id.
type sessionHandler func(w http.ResponseWriter, r *http.Request, id string)

var idOnly = regexp.MustCompile(`^` + idPattern + `$`)

// foreignText refuses requests that another site made.
const foreignText = "This request came from another site, so it was refused."

// onOwnHost refuses requests to another host than the session's own, or from pages that may not include its files.
func (g *gateway) onOwnHost(next sessionHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		if !idOnly.MatchString(id) || !g.Address.matches(r.Host, sessionKind, id) {
			g.notFound(w)
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
func (g *gateway) enter(w http.ResponseWriter, r *http.Request, id string) {
	if isPrefetch(r) || r.Method != http.MethodGet {
		g.refuse(w, r, http.StatusForbidden, id, "This link works only once. Open it directly.")
		return
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	holder, err := g.store.Redeem(r.Context(), ticketKind, r.URL.Query().Get("ticket"), id)
	if err == nil {
		_, _, err = g.checkHolder(r.Context(), holder)
	}
	var secret string
	if err == nil {
		secret, err = g.store.Issue(r.Context(), cookieKind, holder)
	}
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	g.setCookie(w, id, secret)
	session, err := g.ofAccount(r.Context(), id, holder.accountID)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	next := r.URL.Query().Get("next")
	target := ownPath(id, "launch") + nextQuery(next)
	if session.Status == Running {
		target = insidePath(session, next)
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
}

// isPrefetch reports whether a browser only prefetches.
func isPrefetch(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Sec-Purpose")+r.Header.Get("Purpose"), "prefetch")
}

const contentSecurityPolicy = "Content-Security-Policy"

// readyPath is the path that a browser opens once the session runs: the page of Jupyter that shows the session's file.
func readyPath(session Session) string {
	return (&url.URL{Path: upstreamPath(session.ID) + session.shows.Address(session.Opens)}).EscapedPath()
}

// checkHolder returns the account behind a cookie or ticket, and its session, if it may still enter: it must be enabled
// and own the session.
func (g *gateway) checkHolder(ctx context.Context, holder pass) (identity.Caller, Session, error) {
	account, err := g.accounts.Account(ctx, holder.accountID)
	if err != nil {
		return account, Session{}, err
	}
	if !account.Enabled {
		return account, Session{}, fault.New(fault.NotEnabled, "Your account is not enabled for sessions. Please ask the operators%s to enable it.",
			contactText(g.Contact))
	}
	if g.CookieLife > 0 && g.Now().Sub(account.SeenAt) >= g.CookieLife {
		return account, Session{}, errNoPass // the provider may have ended the account
	}
	account.Login = holder.login
	session, err := g.ofAccount(ctx, holder.sessionID, holder.accountID)
	return account, session, err
}

// admitted returns the pass of a cookie, from the cache within passTime.
func (g *gateway) admitted(ctx context.Context, secret, id string) (passed, error) {
	key := id + secret
	known, generation, ok := g.passes.Get(key)
	if ok {
		return known, nil
	}
	until := g.Now().Add(g.passTime)
	holder, err := g.store.Cookie(ctx, secret, id, g.Now())
	if err != nil {
		return passed{}, err
	}
	found := passed{holder: holder}
	if found.caller, found.session, err = g.checkHolder(ctx, holder); err == nil {
		g.passes.Put(key, found, until, generation)
	}
	return found, err
}

type passedKey struct{}

// withAccess only admits the session's owner, and requests that may change something only from the session's own pages.
func (g *gateway) withAccess(next sessionHandler) sessionHandler {
	return func(w http.ResponseWriter, r *http.Request, id string) {
		cookie, err := r.Cookie(g.cookieName(id))
		if err != nil {
			g.fail(w, r, id, errNoPass)
			return
		}
		found, err := g.admitted(r.Context(), cookie.Value, id)
		if err != nil {
			g.fail(w, r, id, err)
			return
		}
		if !g.sameOrigin(r, id) {
			g.refuse(w, r, http.StatusForbidden, id, foreignText)
			return
		}
		if found.holder.expiresAt.Sub(g.Now()) < cookieLifetime-cookieRenewal {
			if err := g.store.Renew(r.Context(), cookie.Value); err == nil {
				g.passes.Forget()
				g.setCookie(w, id, cookie.Value)
				found.holder.expiresAt = g.Now().Add(cookieLifetime)
			}
		}
		httpapi.NameAccount(r.Context(), found.caller.AccountID)
		ctx := context.WithValue(identity.With(r.Context(), found.caller), passedKey{}, found)
		if livesOn(r) {
			var leave func()
			ctx, leave = g.watch(ctx, cookie.Value, id)
			defer leave()
			if _, err := g.admitted(ctx, cookie.Value, id); err != nil { // the right may have ended before it was watched
				g.fail(w, r, id, err)
				return
			}
		}
		next(w, r.WithContext(ctx), id)
	}
}

// sameOrigin reports whether a request that may change something, or opens a websocket, came from the session's own
// page.
func (g *gateway) sameOrigin(r *http.Request, id string) bool {
	upgrade := r.Header.Get("Upgrade") != ""
	if (r.Method == http.MethodGet || r.Method == http.MethodHead) && !upgrade {
		return true
	}
	return r.Header.Get("Origin") == g.Address.Origin(sessionKind, id)
}

func (g *gateway) cookieName(id string) string {
	name := "cairn-" + sessionKind + "-" + id
	if g.Address.Secure() {
		return "__Host-" + name
	}
	return name
}

func (g *gateway) setCookie(w http.ResponseWriter, id, secret string) {
	http.SetCookie(w, &http.Cookie{
		Name: g.cookieName(id), Value: secret, Path: "/", MaxAge: int(cookieLifetime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: g.Address.Secure(),
	})
}

// proxy forwards a request to the session's server: never with the client's cookies or tokens, and never an answer that
// sets cookies or lets other sites frame the page.
func (g *gateway) proxy(w http.ResponseWriter, r *http.Request, id string) {
	if lastingPath(r.URL.Path, id) == upstreamPath(id)+"logout" { // Jupyter's would say that somebody has logged out
		g.showMessage(w, http.StatusOK, messagePage{
			Title: "Sign out in the catalog", Text: "Jupyter has no separate sign-in here. Once you sign out in the catalog, this browser can no longer open the session; the session keeps running.",
		})
		return
	}
	found, _ := r.Context().Value(passedKey{}).(passed)
	session := found.session
	if session.Status != Running {
		if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
			http.Redirect(w, r, ownPath(id, "launch")+nextQuery(lastingPath(r.URL.Path, id)), http.StatusFound)
			return
		}
		g.refuse(w, r, http.StatusConflict, id, "This session isn't running.")
		return
	}
	chosen, err := g.engineOf(session)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	target, err := chosen.Target(r.Context(), id)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	if base := target.Base; base != "" && !strings.HasPrefix(r.URL.EscapedPath(), base) {
		g.leadInto(w, r, id, base)
		return
	}
	if target.Base == "" && !strings.HasPrefix(r.URL.Path, upstreamPath(id)) || climbs(r.URL.Path) {
		g.notFound(w)
		return
	}
	if g.refusesSave(w, r, chosen, id) {
		return
	}
	defer proxying(&g.proxied)()
	read := g.Now().UnixMicro() // before the server reads it: a restore meanwhile counts as later
	if upgrade := r.Header.Get("Upgrade"); upgrade != "" {
		defer g.countSocket(id)()
		if strings.EqualFold(upgrade, "websocket") {
			followed := g.followSocket(w)
			defer followed.leave()
			w = followed
		}
	}
	appPage := asksForAppPage(r, id)
	(&httputil.ReverseProxy{
		Transport: finalAnswers{target.Transport},
		Rewrite: func(request *httputil.ProxyRequest) {
			request.Out.URL.Scheme, request.Out.URL.Host = target.URL.Scheme, target.URL.Host
			request.Out.Host = request.In.Host
			request.Out.URL.RawQuery = withoutToken(request.In.URL.RawQuery)
			request.Out.Header.Del("Cookie")
			request.Out.Header.Set("Authorization", target.Authorization)
			if appPage {
				request.Out.Header.Set("Accept-Encoding", "identity") // so that our script can be added
			}
		},
		ModifyResponse: func(response *http.Response) error {
			if err := keepKnownHeaders(response, r); err != nil {
				return err
			}
			w.Header().Del("Cache-Control") // Jupyter knows which of its own files may be cached
			setFrameAncestors(response.Header, g.Public)
			if appPage {
				addScript(response, id, read)
			}
			if _, ok := contentsPath(r, id); ok {
				response.Header.Set(readHeader, strconv.FormatInt(read, 10))
			}
			return nil
		},
		BufferPool: &g.buffers,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if cause := context.Cause(r.Context()); cause != nil { // the client left, or lost its right
				g.fail(w, r, id, cause)
				return
			}
			g.Logger.WarnContext(r.Context(), "session isn't responding", "session", id, "error", err)
			g.refuse(w, r, http.StatusBadGateway, id, "The session's server isn't responding. Wait a moment and reload the page.")
		},
	}).ServeHTTP(w, r)
}

// leadInto redirects a browser from the session's lasting address to the same page on its server.
func (g *gateway) leadInto(w http.ResponseWriter, r *http.Request, id, base string) {
	rest, lasting := strings.CutPrefix(r.URL.EscapedPath(), upstreamPath(id))
	if !lasting || (r.Method != http.MethodGet && r.Method != http.MethodHead) || r.Header.Get("Upgrade") != "" {
		g.notFound(w)
		return
	}
	address := base + rest
	if query := withoutToken(r.URL.RawQuery); query != "" {
		address += "?" + query
	}
	w.Header().Set("Location", address) // http.Redirect would clean the path, but its form is up to the server
	w.WriteHeader(http.StatusFound)
}

// climbs reports whether a path would leave its prefix.
func climbs(path string) bool { return slices.Contains(strings.Split(path, "/"), "..") }

// bufferPool reuses the buffers for copying answers, which would otherwise be most of a request's garbage.
type bufferPool struct{ sync.Pool }

func (p *bufferPool) Get() []byte {
	if lent, ok := p.Pool.Get().(*[copySize]byte); ok {
		return lent[:]
	}
	return make([]byte, copySize)
}

func (p *bufferPool) Put(buffer []byte) { p.Pool.Put((*[copySize]byte)(buffer)) }

const copySize = 32 << 10 // bytes, as in httputil

// withoutToken removes ?token= from a query and keeps the rest unchanged.
func withoutToken(query string) string {
	kept := strings.Split(query, "&")
	n := 0
	for _, part := range kept {
		name, _, _ := strings.Cut(part, "=")
		if decoded, err := url.QueryUnescape(name); err == nil && decoded == "token" {
			continue
		}
		kept[n] = part
		n++
	}
	return strings.Join(kept[:n], "&")
}

// fail answers with an error. Strangers learn nothing: no cookie, a foreign one and an unknown session look the same.
func (g *gateway) fail(w http.ResponseWriter, r *http.Request, id string, err error) {
	status := httpapi.StatusOf(r.Context(), err)
	switch kind := fault.KindOf(err); {
	case kind == fault.Unauthenticated || kind == fault.NotFound:
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

func (g *gateway) notFound(w http.ResponseWriter) {
	g.showMessage(w, http.StatusNotFound, messagePage{Title: "Nothing here", Text: "There is no page at this address."})
}

func (g *gateway) refuse(w http.ResponseWriter, r *http.Request, status int, id, text string) {
	if r.Pattern == stateRoute || r.Pattern == keepRoute {
		g.refuseState(w, status, id, text)
		return
	}
	next := r.URL.Query().Get("next")
	if !strings.HasPrefix(r.URL.Path, ownPrefix) && r.Method == http.MethodGet {
		next = lastingPath(r.URL.Path, id)
	}
	g.showMessage(w, status, messagePage{Title: "Session not open", Text: text, Link: g.openAddress(id, next), Label: "Open the session"})
}
