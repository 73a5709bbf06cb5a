package origin

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

// proxy forwards a request to the session's server: never with the client's cookies or tokens, and never an answer that
// sets cookies or lets other sites frame the page.
func (g *Gateway) proxy(w http.ResponseWriter, r *http.Request, id string) {
	if lastingPath(r.URL.Path, id) == sessions.ServerPath(id)+"logout" { // Jupyter's would say that somebody has logged out
		g.pages.showMessage(w, http.StatusOK, messagePage{
			Title: "Sign out in the catalog", Text: "Jupyter has no separate sign-in here. Once you sign out in the catalog, this browser can no longer open the session; the session keeps running.",
		})
		return
	}
	session := grantOf(r.Context()).session()
	if session.Status != sessions.Running {
		if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
			http.Redirect(w, r, ownPath(id, "launch")+nextQuery(lastingPath(r.URL.Path, id)), http.StatusFound)
			return
		}
		g.refuse(w, r, http.StatusConflict, id, "This session isn't running.")
		return
	}
	target, ok := g.target(w, r, session)
	if ok {
		g.forward(w, r, id, target, true)
	}
}

// target returns the session's server for a request that may be forwarded there; otherwise it answers the request.
func (g *Gateway) target(w http.ResponseWriter, r *http.Request, session sessions.Session) (target engine.Target, ok bool) {
	id := session.ID
	chosen, err := g.Engines.Of(session.Engine)
	if err != nil {
		g.fail(w, r, id, err)
		return target, false
	}
	target, err = chosen.Target(r.Context(), id)
	if err != nil {
		g.fail(w, r, id, err)
		return target, false
	}
	if base := target.Base; base != "" && !strings.HasPrefix(r.URL.EscapedPath(), base) {
		g.leadInto(w, r, id, base)
		return target, false
	}
	if target.Base == "" && !strings.HasPrefix(r.URL.Path, sessions.ServerPath(id)) || climbs(r.URL.Path) || isFronts(r.URL.Path) {
		g.pages.notFound(w)
		return target, false
	}
	if g.refusesSave(w, r, chosen, id) {
		return target, false
	}
	return target, true
}

// forward sends a request to a server of the session and its answer to the browser. Its websockets count as open tabs, or don't.
func (g *Gateway) forward(w http.ResponseWriter, r *http.Request, id string, target engine.Target, isTab bool) {
	defer g.Sockets.countRequest()()
	read := g.Now().UnixMicro() // before the server reads it: a restore meanwhile counts as later
	if upgrade := r.Header.Get("Upgrade"); upgrade != "" {
		if isTab {
			defer g.Sockets.countSocket(id)()
		}
		if strings.EqualFold(upgrade, "websocket") {
			followed := g.Sockets.follow(w)
			defer followed.leave()
			w = followed
		}
	}
	appPage := asksForAppPage(r, id)
	observed := isTab && g.observes(r)
	(&httputil.ReverseProxy{
		Transport: finalAnswers{target.Transport},
		Rewrite: func(request *httputil.ProxyRequest) {
			request.Out.URL.Scheme, request.Out.URL.Host = target.URL.Scheme, target.URL.Host
			request.Out.Host = request.In.Host
			request.Out.URL.RawQuery = withoutToken(request.In.URL.RawQuery)
			request.Out.Header.Del("Cookie")
			request.Out.Header.Set("Authorization", target.Authorization)
			request.Out.Header.Set(engine.WhoHeader, whoOf(r.Context()))
			if appPage {
				request.Out.Header.Set("Accept-Encoding", "identity") // so that our script can be added
			}
			if observed {
				request.Out.Header.Del("Sec-Websocket-Extensions") // which would compress the messages
			}
		},
		ModifyResponse: func(response *http.Response) error {
			if err := keepKnownHeaders(response, r); err != nil {
				return err
			}
			if followed, ok := w.(*socketAnswer); ok && observed && response.StatusCode == http.StatusSwitchingProtocols {
				followed.observe(g.Seats.Observe(grantOf(r.Context()).session(), response.Header.Get("Sec-Websocket-Protocol")))
			}
			w.Header().Del("Cache-Control") // Jupyter knows which of its own files may be cached
			setFrameAncestors(response.Header, g.Public)
			if appPage {
				addScript(response, id, read)
			}
			if _, ok := contentsPath(r, id); ok {
				response.Header.Set(ReadHeader, strconv.FormatInt(read, 10))
			}
			return nil
		},
		BufferPool: &g.buffers,
		// What the proxy itself says, clients and sessions can make it say as often as they like.
		ErrorLog: slog.NewLogLogger(g.Logger.Handler(), slog.LevelDebug),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if cause := context.Cause(r.Context()); cause != nil { // the client left, or lost its right
				g.fail(w, r, id, cause)
				return
			}
			httpapi.LogForeignFailure(r.Context(), g.Logger, fmt.Errorf("session isn't responding: %w", err))
			g.refuse(w, r, http.StatusBadGateway, id, "The session's server isn't responding. Wait a moment and reload the page.")
		},
	}).ServeHTTP(w, r)
}

// whoOf returns a text for whoever makes a request: another one for each person, which tells the session nothing about them.
func whoOf(ctx context.Context) string {
	found := grantOf(ctx)
	return digest(found.right.Session.ID + " " + found.caller.AccountID)[:16]
}

// leadInto redirects a browser from the session's lasting address to the same page on its server.
func (g *Gateway) leadInto(w http.ResponseWriter, r *http.Request, id, base string) {
	rest, lasting := strings.CutPrefix(r.URL.EscapedPath(), sessions.ServerPath(id))
	if !lasting || (r.Method != http.MethodGet && r.Method != http.MethodHead) || r.Header.Get("Upgrade") != "" {
		g.pages.notFound(w)
		return
	}
	address := base + rest
	if query := withoutToken(r.URL.RawQuery); query != "" {
		address += "?" + query
	}
	w.Header().Set("Location", address) // http.Redirect would clean the path, but its form is up to the server
	w.WriteHeader(http.StatusFound)
}

// isFronts reports whether a path belongs to what the catalog itself asks of the server of a session, with its token.
func isFronts(path string) bool {
	_, rest := withinSession(path)
	return strings.HasPrefix(strings.TrimLeft(rest, "/"), "cairn/")
}

// climbs reports whether a path would leave its prefix.
func climbs(path string) bool { return slices.Contains(strings.Split(path, "/"), "..") }

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
