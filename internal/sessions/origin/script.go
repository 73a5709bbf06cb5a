package origin

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// serveScript serves the file that addScript names, or one of those that it imports. They are the same for every session, so strangers may
// have them.
func serveScript(name, script string) func(w http.ResponseWriter, r *http.Request, id string) {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		http.ServeContent(w, r, name, time.Time{}, strings.NewReader(script))
	}
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
	session, err := g.Sessions.Own(r.Context(), id)
	if err == nil {
		err = g.Idle.KeepGoing(r.Context(), session)
	}
	if err == nil {
		session, err = g.Sessions.Own(r.Context(), id)
	}
	g.changed(w, r, id, session, err)
}

// stop stops a session, and answers like state.
func (g *Gateway) stop(w http.ResponseWriter, r *http.Request, id string) {
	session, err := g.Sessions.Terminate(r.Context(), id)
	g.changed(w, r, id, session, err)
}

// changed answers like state for a session that a page has changed, unless that failed.
func (g *Gateway) changed(w http.ResponseWriter, r *http.Request, id string, session sessions.Session, err error) {
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	found := grantOf(r.Context())
	found.right.Session = session
	g.state(w, r.WithContext(context.WithValue(r.Context(), grantKey{}, found)), id)
}

// state answers the script. It requests nothing from the session's server, so it doesn't count as activity there.
func (g *Gateway) state(w http.ResponseWriter, r *http.Request, id string) {
	found := grantOf(r.Context())
	state := pageState{Code: "ended", Open: g.pages.openAddress(id, "")}
	state.Run = runOf(found.session())
	if left := g.access.end(found).Sub(g.Now()); left <= signInNotice {
		state.SignIn = max(1, int(left.Seconds()))
	}
	switch {
	case found.session().RequestedStatus != "":
		state.Code = "stopping"
	case found.session().Status == sessions.Running:
		state.Code, state.Session = "running", g.runState(r.Context(), found)
	case found.session().Status == sessions.Created:
		state.Code = "starting"
	default:
		state.Text = headline(found.session())
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

// signedIn is the end of a sign-in that a page of the session opened in a new tab: that page continues automatically, with
// everything that isn't saved in it.
func (g *Gateway) signedIn(w http.ResponseWriter, r *http.Request, id string) {
	found := grantOf(r.Context())
	g.pages.showMessage(w, http.StatusOK, messagePage{
		Title: "You're signed in", Text: "Close this tab and continue in the one you came from. It's just as you left it.",
		Link: insidePath(found.session(), sessions.ServerPath(id)+r.PathValue("rest")), Label: "Open the page here instead",
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
		`<script type="module" src="` + (&url.URL{Path: ownPath(id, "session.js")}).String() + `"></script>` +
		`<script type="module" src="` + ownPrefix + `assets/outputs.js"></script>` + "\n"
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

// runState describes a running session, as its owner or a guest may know it.
func (g *Gateway) runState(ctx context.Context, found cachedGrant) *runState {
	session := found.session()
	state := &runState{
		Catalog: pageLink{Name: g.Product(), URL: g.Public + "/"}, Home: g.home(session), Limits: session.Limits, Contact: g.Engines.Contact,
	}
	state.Jupyter = sessions.ServerPath(session.ID)
	if chosen, err := g.Engines.Of(session.Engine); err == nil {
		if target, err := chosen.Target(ctx, session.ID); err == nil && target.Base != "" {
			state.Jupyter = target.Base
		}
		if slices.Contains(chosen.Interfaces(), sizes.VSCode) {
			state.Editor = editorPath(session.ID)
		}
		if _, keeps := chosen.Versioner(); keeps {
			report := chosen.Report(ctx, g.Logger, session.ID)
			state.Restored = restoredFiles(report.Saving.Restored)
			state.Saving = g.savingState(session.ID, report.Saving)
			if now := g.Idle.StopsAt(session, report.Activity); now != nil { // a tab may have been opened since it was stored
				session.StopsAt = now
			}
		}
	}
	if session.StopsAt != nil {
		state.StopsIn = max(1, int(session.StopsAt.Sub(g.Now()).Seconds()))
	}
	state.MayKeep, state.Job = session.MayKeep(), g.jobOf(ctx, session.ID)
	state.Present, _ = g.Guests.Present(ctx, session, found.caller.AccountID) // which is of no use to a page when the database is away
	if state.Share = g.Public + "/sessions/" + session.ID + "/share"; found.isGuest() {
		state.Guest, state.Share, state.MayKeep, state.Saving = found.right.Owner.Label(), "", false, nil
	}
	state.Workshop = g.seatState(ctx, found)
	used, warning := g.Sessions.Usage(ctx, session)
	if state.Warning = warning; used != nil {
		state.Usage = *used
	}
	return state
}

func (g *Gateway) savingState(id string, saving engine.Saving) *savingState {
	page := g.Public + "/sessions/" + id
	state := &savingState{Ago: -1, Stopped: saving.Stopped, URL: page + "/versions", Publish: page + "/publish"}
	if !saving.At.IsZero() {
		state.Ago = max(0, int(g.Now().Sub(saving.At).Seconds()))
	}
	return state
}
