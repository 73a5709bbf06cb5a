package sessions

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

var (
	//go:embed pages/*.html
	pageFiles     embed.FS
	pageTemplates = template.Must(template.ParseFS(pageFiles, "pages/*.html"))
	//go:embed pages/launch.js
	launchScript string
	//go:embed pages/pages.css
	pageStyle string
)

// pageSecurity is the policy of our own pages on the session origin.
const pageSecurity = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// asset serves a file of our own pages.
func (g *gateway) asset(w http.ResponseWriter, r *http.Request) {
	file := r.PathValue("file")
	var text string
	switch file {
	case "pages.css":
		text = g.Tokens + pageStyle
	case "session.css":
		text = g.scriptStyle()
	case "launch.js":
		text = launchScript
	case "mark":
		kind, content := g.Mark()
		w.Header().Set("Content-Type", kind)
		w.Header().Set(contentSecurityPolicy, pageSecurity) // for people who open it directly: an SVG is then a document
		text = string(content)
	default:
		g.notFound(w)
		return
	}
	http.ServeContent(w, r, file, time.Time{}, strings.NewReader(text))
}

type messagePage struct{ Title, Text, Link, Label, Sessions string }

// dashboard is the address of the list of sessions, which every front end has.
func (g *gateway) dashboard() string { return g.Public + "/sessions" }

func (g *gateway) showMessage(w http.ResponseWriter, status int, page messagePage) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set(contentSecurityPolicy, pageSecurity)
	w.WriteHeader(status)
	page.Sessions = g.dashboard()
	_ = pageTemplates.ExecuteTemplate(w, "message.html", page)
}

// launchState is the content of the launch page. All of its words are made here, for pages with and without script.
type launchState struct {
	Name     string       `json:"name"`
	Project  string       `json:"project"`
	Status   Status       `json:"status"`
	Headline string       `json:"headline"`
	Usual    string       `json:"usual"` // of the whole launch, while it is in progress
	Since    *time.Time   `json:"since"` // when the current launch was requested
	Steps    []launchStep `json:"steps"`
	Cause    *LaunchCause `json:"cause,omitempty"`

	Log        []diagnosis.LogPart `json:"log"`
	Next       string              `json:"next"`    // where to go once the session runs; else ""
	Start      string              `json:"start"`   // label of the button that starts it again; "" while there is none
	Without    string              `json:"without"` // likewise, of the one that starts it without the missing datasets
	Cancel     bool                `json:"cancel"`
	ServerTime time.Time           `json:"serverTime"`

	LeftOut     []engine.LeftOut `json:"leftOut"`
	LeftOutHead string           `json:"leftOutHead"` // "" if nothing was left out
}

type launchStep struct {
	Name      string           `json:"name"`
	Label     string           `json:"label"`
	State     engine.StepState `json:"state"`
	Detail    string           `json:"detail"`
	StartedAt *time.Time       `json:"startedAt"`
	EndedAt   *time.Time       `json:"endedAt"`
	Usual     string           `json:"usual"`
	Said      string           `json:"said"` // the state in a word, for people who can't see the icon
}

var stateWords = map[engine.StepState]string{
	engine.Waiting: "waiting", engine.Active: "under way", engine.Done: "done", engine.Broken: "failed",
}

var stepLabels = map[engine.StepName]string{
	engine.StepRepository:  "Copy the repository",
	engine.StepDatasets:    "Connect the datasets",
	engine.StepEnvironment: "Prepare the environment",
	engine.StepServer:      "Start Jupyter",
}

// launchState describes the current state of a session. Next is where the browser wanted to go.
func (g *gateway) launchState(ctx context.Context, id, next string, forecast Forecast) (launchState, error) {
	session, report, err := g.look(ctx, id)
	if err != nil {
		return launchState{}, err
	}
	return g.stateOf(session, report, next, forecast), nil
}

func (g *gateway) stateOf(session Session, report engine.Status, next string, forecast Forecast) launchState {
	state := launchState{
		Name: session.SessionName, Project: session.Project.Name, Status: session.Status, Headline: headline(session),
		Log: logParts(session, report), ServerTime: g.Now().UTC(),
	}
	state.Cause = g.launchCause(session, state.Log)
	if _, removed := g.engineOf(session); removed != nil {
		state.Headline, state.Steps, state.Cancel = fault.MessageOf(removed), []launchStep{}, session.Status == Created
		return state
	}
	state.LeftOut = session.LeftOut
	if session.Status == Created {
		state.LeftOut = report.LeftOut
	}
	if count := len(state.LeftOut); count > 0 {
		state.LeftOutHead = fmt.Sprintf("Left out of the environment: %d", count)
	}
	stopping := session.RequestedStatus != ""
	switch {
	case stopping:
	case session.Status == Running:
		state.Next = insidePath(session, next)
	case session.Status == Created:
		state.Cancel, state.Since = true, optionalTime(session.queuedAt)
		if forecast.Launches > 0 && !session.queued() {
			state.Usual = "Usually ready after " + forecast.Total.String() + "."
		}
	default:
		state.Start = "Start it again"
		if session.Status == Failed {
			state.Start = "Try again"
		}
		if missing := session.Project.missing(session.Missing); len(missing) > 0 {
			state.Without = "Start without " + namesOf(missing)
		}
	}
	state.Steps = []launchStep{} // the steps of a session that has ended interest nobody
	if session.Status.Live() || session.Status == Failed {
		state.Steps = launchSteps(session, report)
	}
	for i, step := range state.Steps {
		state.Steps[i].Said = stateWords[step.State]
	}
	if session.Status == Created {
		for i, step := range state.Steps {
			for _, known := range forecast.Steps {
				if known.Step == step.Name && known.P90 >= worthTelling && (step.Name != stepQueued || session.queued()) {
					state.Steps[i].Usual = "usually " + known.String()
				}
			}
		}
	}
	return state
}

// worthTelling is the usual duration, in seconds, from which a step's is shown.
const worthTelling = 0.1

func headline(session Session) string {
	with := func(text string) string {
		if session.StatusReason != "" {
			return session.StatusReason
		}
		return text
	}
	switch {
	case session.RequestedStatus != "":
		return "The session is being stopped. Its work is kept."
	case session.QueuePosition > 0 && session.Warning != "":
		return session.Warning
	case session.QueuePosition == 1:
		return "All places are taken. This session starts next and opens here automatically."
	case session.QueuePosition > 1:
		return fmt.Sprintf("All places are taken. This session is number %d in the queue and opens here automatically.", session.QueuePosition)
	case session.Status == Created:
		return "The session is starting and opens here automatically."
	case session.Status == Running:
		return "Ready. Opening it now."
	case session.Status == Finished:
		return with("The session has ended. Its work is kept.")
	case session.Status == Terminated:
		return with("The session was terminated. Its work is kept.")
	}
	if session.Cause != nil {
		return session.Cause.Sentence
	}
	return with("The session failed. Its work is kept.")
}

// logParts cuts a log into the parts that the page shows differently; the cause is marked once the launch has failed.
func logParts(session Session, report engine.Status) []diagnosis.LogPart {
	var cause diagnosis.Cause
	if session.Status == Failed && session.Cause != nil {
		cause = diagnosis.Explain(diagnosis.Failure{Code: session.Cause.Code, Step: failedStep(report), Log: report.Log})
	}
	return diagnosis.Parts(report.Log, cause)
}

func launchSteps(session Session, report engine.Status) []launchStep {
	steps := []launchStep{queuedStep(session)}
	for _, step := range report.Steps {
		steps = append(steps, launchStep{
			Name: string(step.Name), Label: stepLabels[step.Name], State: step.State, Detail: step.Detail,
			StartedAt: optionalTime(step.StartedAt), EndedAt: optionalTime(step.EndedAt),
		})
	}
	ready := launchStep{Name: "ready", Label: "Ready", State: engine.Waiting}
	if session.Status == Running {
		ready.State = engine.Done
	}
	return append(steps, ready)
}

// queuedStep is the step before the engine's own: waiting for room, and for the engine to be asked.
func queuedStep(session Session) launchStep {
	step := launchStep{
		Name: stepQueued, Label: "Queued", State: engine.Done, StartedAt: optionalTime(session.queuedAt), EndedAt: optionalTime(session.launchedAt),
	}
	if session.QueuePosition > 0 {
		step.Detail = fmt.Sprintf("Number %d in the queue", session.QueuePosition)
	}
	if session.launchedAt.IsZero() {
		switch session.Status {
		case Created:
			step.State = engine.Active
		case Failed:
			step.State = engine.Broken
		case Finished, Terminated: // not shown
		case Running: // the launch was requested, but a crash prevented recording it
		}
	}
	return step
}

func namesOf(parts []Part) string {
	names := make([]string, len(parts))
	for i, part := range parts {
		names[i] = "“" + part.Name + "”"
	}
	return strings.Join(names, ", ")
}

// String formats usual durations as people do: "3 s", "3 to 5 s", "1.5 to 2 min".
func (u Usual) String() string {
	unit, name := 1.0, " s"
	if u.P90 >= 90 {
		unit, name = 60, " min"
	}
	text := func(seconds float64) string {
		if seconds/unit < 2 {
			return strings.TrimSuffix(strconv.FormatFloat(seconds/unit, 'f', 1, 64), ".0")
		}
		return strconv.FormatFloat(seconds/unit, 'f', 0, 64)
	}
	if text(u.P50) == text(u.P90) {
		return text(u.P90) + name
	}
	return text(u.P50) + " to " + text(u.P90) + name
}

// insidePath is where a browser goes once the session runs: to its destination, if that is in the session, else to the
// session's file. A destination is a path as it is before escaping, so a "?" or "#" in it belongs to a name. A page that
// the session's server doesn't have, because the session was started again with another Jupyter, becomes the one that it has.
func insidePath(session Session, next string) string {
	page, inside := strings.CutPrefix(next, upstreamPath(session.ID))
	if inside {
		next = upstreamPath(session.ID) + session.shows.Readdress(page)
	}
	inside = inside || strings.HasPrefix(next, ownPath(session.ID, signedInName)+"/")
	if inside && path.Clean(next) == strings.TrimSuffix(next, "/") && !strings.ContainsAny(next, "\\\r\n\t") {
		return (&url.URL{Path: next}).EscapedPath()
	}
	return readyPath(session)
}

// nextQuery carries a browser's destination in the addresses of our own pages.
func nextQuery(next string) string {
	if next == "" {
		return ""
	}
	return "?next=" + url.QueryEscape(next)
}

func (g *gateway) launchPage(w http.ResponseWriter, r *http.Request, id string) {
	next := r.URL.Query().Get("next")
	state, err := g.launchStateNow(r.Context(), id, next)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	if state.Next != "" {
		http.Redirect(w, r, state.Next, http.StatusFound)
		return
	}
	query := nextQuery(next)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set(contentSecurityPolicy, pageSecurity)
	_ = pageTemplates.ExecuteTemplate(w, "launch.html", map[string]any{
		"State": state, "Assets": ownPrefix + "assets/", "Dashboard": g.dashboard(), "Events": ownPath(id, "events") + query,
		"StartPath": ownPath(id, "start") + query, "CancelPath": ownPath(id, "cancel") + query,
	})
}

// launchStateNow is launchState with the current usual durations.
func (g *gateway) launchStateNow(ctx context.Context, id, next string) (launchState, error) {
	forecast, err := g.forecastOf(ctx, id)
	if err != nil {
		return launchState{}, err
	}
	return g.launchState(ctx, id, next, forecast)
}

func (g *gateway) forecastOf(ctx context.Context, id string) (Forecast, error) {
	caller, _ := identity.From(ctx)
	session, err := g.ofAccount(ctx, id, caller.AccountID)
	if err != nil {
		return Forecast{}, err
	}
	return g.forecast(ctx, session.Engine)
}

// startAgain starts an ended session on its kept work; with the field "without", it skips the datasets that the last
// launch lacked.
func (g *gateway) startAgain(w http.ResponseWriter, r *http.Request, id string) {
	var without []string
	r.Body = http.MaxBytesReader(w, r.Body, 1<<10)
	if r.PostFormValue("without") != "" {
		session, err := g.Own(r.Context(), id)
		if err != nil {
			g.fail(w, r, id, err)
			return
		}
		without = session.Missing
	}
	_, err := g.Restart(r.Context(), id, without...)
	g.backToLaunch(w, r, id, err)
}

func (g *gateway) cancel(w http.ResponseWriter, r *http.Request, id string) {
	_, err := g.Terminate(r.Context(), id)
	g.backToLaunch(w, r, id, err)
}

func (g *gateway) backToLaunch(w http.ResponseWriter, r *http.Request, id string, err error) {
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	http.Redirect(w, r, ownPath(id, "launch")+nextQuery(r.URL.Query().Get("next")), http.StatusSeeOther)
}

// keepAlive is the interval of comments in a quiet event stream; proxies cut silent ones.
const keepAlive = 15 * time.Second

// launchEvents streams the launch state as server-sent events, one for each change. The id of an event identifies its
// content, so a browser that reconnects only receives what it hasn't seen.
func (g *gateway) launchEvents(w http.ResponseWriter, r *http.Request, id string) {
	ctx := r.Context()
	cookie, err := r.Cookie(g.cookieName(id))
	if err != nil {
		g.fail(w, r, id, errNoPass)
		return
	}
	closed, err := g.openStream(cookie.Value, id)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	defer closed()
	forecast, err := g.forecastOf(ctx, id)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	shared, leave := g.shareLook(ctx, id)
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	controller := http.NewResponseController(w)
	send := func(text string) bool {
		_, err := io.WriteString(w, text)
		return err == nil && controller.Flush() == nil
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(g.leaving, end)()
	defer func() {
		if g.leaving.Err() != nil {
			send(comeBack())
		}
	}()
	sent, sentAt := r.Header.Get("Last-Event-ID"), g.Now()
	for alive := send(": connected\n\n"); alive && ctx.Err() == nil; {
		latest, renewed := g.latestLook(ctx, shared)
		if latest == nil || latest.err != nil {
			return // the page reconnects and is told why
		}
		state := g.stateOf(latest.session, latest.report, r.URL.Query().Get("next"), forecast)
		if eventID := state.eventID(); eventID != sent {
			data, err := json.Marshal(state)
			if err != nil {
				return
			}
			alive = send(fmt.Sprintf("id: %s\ndata: %s\n\n", eventID, data))
			sent, sentAt = eventID, g.Now()
		} else if g.Now().Sub(sentAt) >= keepAlive {
			alive, sentAt = send(": still here\n\n"), g.Now()
		}
		select {
		case <-renewed:
		case <-ctx.Done():
		}
	}
}

// eventID is a digest of the state without the clock.
func (state launchState) eventID() string {
	state.ServerTime = time.Time{}
	data, _ := json.Marshal(state)
	return digest(string(data))[:16]
}

// openOnce asks a warm session for the page that it will open: what Jupyter loads for its first page takes longer than the
// page itself.
func (s *Service) openOnce(ctx context.Context, one NamedEngine, session Session) error {
	target, err := one.Target(ctx, session.ID)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.URL.Scheme+"://"+target.URL.Host+readyPath(session), http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", target.Authorization)
	answer, err := target.Transport.RoundTrip(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return errors.Join(err, answer.Body.Close())
}
