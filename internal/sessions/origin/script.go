package origin

import (
	"context"
	_ "embed" // of the script and its style sheet
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sizes"
)

var (
	//go:embed pages/session.js
	sessionScript string
	//go:embed pages/session.css
	sessionStyle string
)

// The script in the pages of a session, and its requests.
var (
	scriptRoute = "GET " + ownPath("{id}", "session.js")
	stateRoute  = "GET " + ownPath("{id}", "state")
	keepRoute   = "POST " + ownPath("{id}", "keep")
)

// serveScript serves the file that addScript names. It is the same for every session, so strangers may have it.
func serveScript(w http.ResponseWriter, r *http.Request, _ string) {
	http.ServeContent(w, r, "session.js", time.Time{}, strings.NewReader(sessionScript))
}

var rem = regexp.MustCompile(`([\d.]+)rem\b`)

// scriptStyle is the style sheet of the script. It only applies in a shadow tree, and Jupyter sets the rem to 10px.
func scriptStyle(tokens string) string {
	tokens = strings.ReplaceAll(tokens, ":root", ":host")
	return rem.ReplaceAllString(tokens, "calc($1 * 16px)") + sessionStyle
}

// pageState is what the script in a session's page learns about the session: nothing that the session's code may not
// know, because that code can read and send everything that the script does.
type pageState struct {
	// Code is "running", "starting", "stopping", "ended", "sign_in" (the cookie has ended), "refused" or "unavailable".
	Code string `json:"code"`
	Text string `json:"text,omitempty"` // why it has ended or is refused, for people
	Run  string `json:"run,omitempty"`  // a different one for each start of the session
	// SignIn is how many seconds the cookie still lasts without a sign-in. It is absent until signInNotice before the end:
	// otherwise the session's code would learn when its owner was last in the catalog.
	SignIn int    `json:"signIn,omitempty"`
	Open   string `json:"open"` // the address in the catalog that signs in and leads back with ?next=PATH

	Session *runState `json:"session,omitempty"` // while it runs
}

// runState is what a page says about a running session.
type runState struct {
	Home    pageLink       `json:"home"`              // what the session was started from
	StopsIn int            `json:"stopsIn,omitempty"` // seconds until it is stopped if nothing happens in it; absent: it isn't
	MayKeep bool           `json:"mayKeep"`           // whether keepRoute puts that off
	Warning string         `json:"warning,omitempty"` // Session.Warning, as it is now
	Usage   sessions.Usage `json:"usage"`
	Limits  sizes.Limits   `json:"limits"`
	Contact string         `json:"contact,omitempty"` // of the operators

	Restored []restoredFile `json:"restored,omitempty"` // in place, since it was started
}

// pageLink is a page of the catalog with its name.
type pageLink struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// runState describes a running session.
func (g *Gateway) runState(ctx context.Context, session sessions.Session) *runState {
	state := &runState{Home: g.home(session), MayKeep: session.MayKeep(), Limits: session.Limits, Contact: g.Engines.Contact}
	if session.StopsAt != nil {
		state.StopsIn = max(1, int(session.StopsAt.Sub(g.Now()).Seconds()))
	}
	if chosen, err := g.Engines.Of(session.Engine); err == nil {
		if _, keeps := chosen.Versioner(); keeps {
			state.Restored = restoredFiles(chosen.Report(ctx, g.Logger, session.ID).Saving.Restored)
		}
	}
	used, warning := g.Sessions.Usage(ctx, session)
	if state.Warning = warning; used != nil {
		state.Usage = *used
	}
	return state
}

// home is the page of the entry that a session was started from; that of its repository, for a project.
func (g *Gateway) home(session sessions.Session) pageLink {
	entry := sessions.SessionResource{ID: session.Project.Repository.ID, Type: catalog.Repository}
	if session.Resource != nil {
		entry = *session.Resource
	}
	return pageLink{Name: session.Project.Name, URL: g.Public + "/resources/" + entry.Type.Plural() + "/" + entry.ID}
}

// keep puts off the stop of an idle session, and answers like state.
func (g *Gateway) keep(w http.ResponseWriter, r *http.Request, id string) {
	found := grantOf(r.Context())
	session, err := g.Sessions.Own(r.Context(), id)
	if err == nil {
		err = g.Idle.KeepGoing(r.Context(), session)
	}
	if err == nil {
		session, err = g.Sessions.Own(r.Context(), id)
	}
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	found.session = session
	g.state(w, r.WithContext(context.WithValue(r.Context(), grantKey{}, found)), id)
}

// state answers the script. It requests nothing from the session's server, so it doesn't count as activity there.
func (g *Gateway) state(w http.ResponseWriter, r *http.Request, id string) {
	found := grantOf(r.Context())
	state := pageState{Code: "ended", Open: g.pages.openAddress(id, "")}
	state.Run = runOf(found.session)
	if left := g.access.end(found).Sub(g.Now()); left <= signInNotice {
		state.SignIn = max(1, int(left.Seconds()))
	}
	switch {
	case found.session.RequestedStatus != "":
		state.Code = "stopping"
	case found.session.Status == sessions.Running:
		state.Code, state.Session = "running", g.runState(r.Context(), found.session)
	case found.session.Status == sessions.Created:
		state.Code = "starting"
	default:
		state.Text = headline(found.session)
	}
	sendState(w, http.StatusOK, state)
}

// runOf returns a text that is a different one for each start of a session.
func runOf(session sessions.Session) string {
	if session.LaunchedAt.IsZero() {
		return "0"
	}
	return strconv.FormatInt(session.LaunchedAt.UnixMicro(), 36)
}

// signInNotice is how long before its cookie ends a page offers to sign in.
const signInNotice = 10 * time.Minute

// refuseState is refuse for the script.
func (p pages) refuseState(w http.ResponseWriter, status int, id, text string) {
	state := pageState{Code: "unavailable", Text: text, Open: p.openAddress(id, "")}
	switch status {
	case http.StatusUnauthorized:
		state.Code, state.Text = "sign_in", ""
	case http.StatusForbidden:
		state.Code = "refused"
	}
	sendState(w, status, state)
}

func sendState(w http.ResponseWriter, status int, state pageState) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(state)
}

// signedInName is the page at which a sign-in from a page of a session ends; the path of that page follows it.
const signedInName = "signed-in"

// signedIn is the end of a sign-in that a page of the session opened in a new tab: that page continues by itself, with
// everything that isn't saved in it.
func (g *Gateway) signedIn(w http.ResponseWriter, r *http.Request, id string) {
	found := grantOf(r.Context())
	g.pages.showMessage(w, http.StatusOK, messagePage{
		Title: "You're signed in", Text: "Close this tab and continue in the one you came from. It's just as you left it.",
		Link: insidePath(found.session, sessions.ServerPath(id)+r.PathValue("rest")), Label: "Open the page here instead",
	})
}

// appPages matches the pages of Jupyter's own applications (Notebook, nbclassic, JupyterLab), by their paths in a
// session. Users' files have other paths: files, view, nbconvert, and those of JupyterLab's extensions.
var appPages = regexp.MustCompile(`^(?:nbclassic/)?(?:tree|notebooks|edit|terminals|consoles)(?:/|$)|^(?:lab|doc)/?$|^(?:lab|doc)/(?:tree|workspaces)(?:/|$)`)

// asksForAppPage reports whether a request is for a page that gets our script.
func asksForAppPage(r *http.Request, id string) bool {
	return r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" &&
		appPages.MatchString(strings.TrimPrefix(lastingPath(r.URL.Path, id), sessions.ServerPath(id)))
}

// addScript appends our scripts to the end of a page, where browsers treat them as a part of the body, so the page doesn't
// have to be buffered. Anything but a whole page of an application isn't changed.
func addScript(response *http.Response, id string, read int64) {
	header := response.Header
	media, parameters, _ := mime.ParseMediaType(header.Get("Content-Type"))
	charset := parameters["charset"]
	switch {
	case response.StatusCode != http.StatusOK, media != "text/html", charset != "" && !strings.EqualFold(charset, "utf-8"),
		header.Get("Content-Encoding") != "", header.Get("Content-Disposition") != "",
		strings.Contains(strings.ToLower(strings.Join(header.Values(contentSecurityPolicy), ",")), "sandbox"):
		return
	}
	tag := `<script src="` + (&url.URL{Path: ownPath(id, "reads.js")}).String() + `" data-loaded="` + strconv.FormatInt(read, 10) + `"></script>` +
		`<script type="module" src="` + (&url.URL{Path: ownPath(id, "session.js")}).String() + `"></script>` + "\n"
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(response.Body, strings.NewReader(tag)), response.Body}
	if response.ContentLength >= 0 {
		response.ContentLength += int64(len(tag))
		header.Set("Content-Length", strconv.FormatInt(response.ContentLength, 10))
	}
	for _, name := range []string{"Etag", "Last-Modified", "Accept-Ranges"} { // they are about the page without our script
		header.Del(name)
	}
}
