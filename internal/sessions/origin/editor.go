package origin

import (
	"net/http"
	"net/url"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

// editorPath is where VS Code is at a session's origin.
func editorPath(id string) string { return "/vscode/" + id + "/" }

// editorPolicy narrows what pages of VS Code may connect to, show, frame and send forms to: their own policy lets them reach every
// host. Webviews call the files of their page by names below vscode.invalid, which their service worker answers and which don't exist
// (scripts/code-server.sh).
func editorPolicy(origin string) string {
	sockets := "ws" + strings.TrimPrefix(origin, "http")
	return "connect-src 'self' " + sockets + " https://*.vscode.invalid; img-src 'self' data: blob: https://*.vscode.invalid; " +
		"frame-src 'self' data: blob: https://*.vscode.invalid; form-action 'self'"
}

// editor forwards a request to the VS Code of a session, without the prefix of its path: its pages have relative addresses.
func (g *Gateway) editor(w http.ResponseWriter, r *http.Request, id string) {
	session := grantOf(r.Context()).session()
	if session.Status != sessions.Running {
		if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
			http.Redirect(w, r, ownPath(id, "launch")+nextQuery(r.URL.Path), http.StatusFound)
			return
		}
		g.refuse(w, r, http.StatusConflict, id, "This session isn't running.")
		return
	}
	if climbs(r.URL.Path) {
		g.pages.notFound(w)
		return
	}
	chosen, err := g.Engines.Of(session.Engine)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	editors, ok := chosen.Engine.(engine.EditorEngine)
	if !ok {
		g.fail(w, r, id, fault.New(fault.NotFound, "Sessions of this kind have no VS Code."))
		return
	}
	target, err := editors.Editor(r.Context(), id)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	inner := r.Clone(r.Context())
	prefix := strings.TrimSuffix(editorPath(id), "/")
	base := strings.TrimSuffix(target.Base, "/")
	within, err := url.PathUnescape(base)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	inner.URL.RawPath = base + strings.TrimPrefix(r.URL.EscapedPath(), prefix)
	inner.URL.Path = within + strings.TrimPrefix(r.URL.Path, prefix)
	w.Header().Add(contentSecurityPolicy, editorPolicy(g.links.address.Origin(sessionKind, id)))
	g.forward(w, inner, id, target, false) // the extension says when somebody works there
}
