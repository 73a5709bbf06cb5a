package origin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// launchState is the content of the launch page. All of its words are made here, for pages with and without script.
type launchState struct {
	Name     string          `json:"name"`
	Project  string          `json:"project"`
	Status   sessions.Status `json:"status"`
	Headline string          `json:"headline"`
	Usual    string          `json:"usual"` // of the whole launch, while it is in progress
	Since    *time.Time      `json:"since"` // when the current launch was requested
	Steps    []launchStep    `json:"steps"`
	Cause    *launchCause    `json:"cause,omitempty"`

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

// launchState describes the current state of a session. Next is where the browser wanted to go.
func (g *Gateway) launchState(ctx context.Context, id, next string, forecast sessions.Forecast) (launchState, error) {
	session, report, err := g.Sessions.Look(ctx, id)
	if err != nil {
		return launchState{}, err
	}
	return g.stateOf(session, report, next, forecast), nil
}

func (g *Gateway) stateOf(session sessions.Session, report engine.Status, next string, forecast sessions.Forecast) launchState {
	state := launchState{
		Name: session.SessionName, Project: session.Project.Name, Status: session.Status, Headline: headline(session),
		Log: sessions.LogParts(session, report), ServerTime: g.Now().UTC(),
	}
	state.Cause = causeOf(session, state.Log, g.Engines.Contact)
	if _, removed := g.Engines.Of(session.Engine); removed != nil {
		state.Headline, state.Steps, state.Cancel = fault.MessageOf(removed), []launchStep{}, session.Status == sessions.Created
		return state
	}
	state.LeftOut = session.LeftOut
	if session.Status == sessions.Created {
		state.LeftOut = report.LeftOut
	}
	if count := len(state.LeftOut); count > 0 {
		state.LeftOutHead = fmt.Sprintf("Left out of the environment: %d", count)
	}
	stopping := session.RequestedStatus != ""
	switch {
	case stopping:
	case session.Status == sessions.Running:
		state.Next = insidePath(session, next)
	case session.Status == sessions.Created:
		state.Cancel, state.Since = true, sessions.OptionalTime(session.QueuedAt)
		if forecast.Launches > 0 && !session.Queued() {
			state.Usual = "Usually ready in " + usualText(forecast.Total) + "."
		}
	default:
		state.Start = "Start it again"
		if session.Status == sessions.Failed {
			state.Start = "Try again"
		}
		if missing := session.Project.MissingParts(session.Missing); len(missing) > 0 {
			state.Without = "Start without " + namesOf(missing)
		}
	}
	state.Steps = []launchStep{} // the steps of a session that has ended interest nobody
	if session.Status.Live() || session.Status == sessions.Failed {
		state.Steps = launchSteps(session, report)
	}
	for i, step := range state.Steps {
		state.Steps[i].Said = stateWords[step.State]
	}
	if session.Status == sessions.Created {
		for i, step := range state.Steps {
			for _, known := range forecast.Steps {
				if known.Step == step.Name && known.P90 >= worthTelling && (step.Name != sessions.StepQueued || session.Queued()) {
					state.Steps[i].Usual = "usually " + usualText(known.Usual)
				}
			}
		}
	}
	return state
}

// worthTelling is the usual duration, in seconds, from which a step's is shown.
const worthTelling = 0.1

func launchSteps(session sessions.Session, report engine.Status) []launchStep {
	steps := []launchStep{queuedStep(session)}
	for _, step := range report.Steps {
		steps = append(steps, launchStep{
			Name: string(step.Name), Label: sessions.StepLabels[step.Name], State: step.State, Detail: step.Detail,
			StartedAt: sessions.OptionalTime(step.StartedAt), EndedAt: sessions.OptionalTime(step.EndedAt),
		})
	}
	ready := launchStep{Name: "ready", Label: "Ready", State: engine.Waiting}
	if session.Status == sessions.Running {
		ready.State = engine.Done
	}
	return append(steps, ready)
}

// queuedStep is the step before the engine's own: waiting for room, and for the engine to be asked.
func queuedStep(session sessions.Session) launchStep {
	step := launchStep{
		Name: sessions.StepQueued, Label: "Queued", State: engine.Done, StartedAt: sessions.OptionalTime(session.QueuedAt), EndedAt: sessions.OptionalTime(session.LaunchedAt),
	}
	if session.QueuePosition > 0 {
		step.Detail = fmt.Sprintf("Number %d in the queue", session.QueuePosition)
	}
	if session.LaunchedAt.IsZero() {
		switch session.Status {
		case sessions.Created:
			step.State = engine.Active
		case sessions.Failed:
			step.State = engine.Broken
		case sessions.Finished, sessions.Terminated: // not shown
		case sessions.Running: // the launch was requested, but a crash prevented recording it
		}
	}
	return step
}

func (g *Gateway) launchPage(w http.ResponseWriter, r *http.Request, id string) {
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
	other, err := g.otherInterface(r.Context(), id, next)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set(contentSecurityPolicy, PageSecurity)
	_ = pageTemplates.ExecuteTemplate(w, "launch.html", map[string]any{
		"State": state, "Assets": ownPrefix + "assets/", "Dashboard": g.pages.dashboard(), "Events": ownPath(id, "events") + query, "Other": other,
		"StartPath": ownPath(id, "start") + query, "CancelPath": ownPath(id, "cancel") + query,
	})
}

// otherInterface leads to the launch page that opens the session in VS Code, or from there in Jupyter; nil if there is no other.
func (g *Gateway) otherInterface(ctx context.Context, id, next string) (*pageLink, error) {
	caller, _ := identity.From(ctx)
	session, err := g.Sessions.OfAccount(ctx, id, caller.AccountID)
	if err != nil {
		return nil, err
	}
	chosen, err := g.Engines.Of(session.Engine)
	switch {
	case err != nil || !slices.Contains(chosen.Interfaces(), sessions.VSCode):
		return nil, nil //nolint:nilerr,nilnil // of an engine that was removed, the page says so
	case strings.HasPrefix(next, editorPath(id)):
		return &pageLink{Name: "Open in Jupyter", URL: ownPath(id, "launch")}, nil
	default:
		return &pageLink{Name: "Open in VS Code", URL: ownPath(id, "launch") + nextQuery(editorPath(id))}, nil
	}
}

// launchStateNow is launchState with the current usual durations.
func (g *Gateway) launchStateNow(ctx context.Context, id, next string) (launchState, error) {
	forecast, err := g.forecastOf(ctx, id)
	if err != nil {
		return launchState{}, err
	}
	return g.launchState(ctx, id, next, forecast)
}

func (g *Gateway) forecastOf(ctx context.Context, id string) (sessions.Forecast, error) {
	caller, _ := identity.From(ctx)
	session, err := g.Sessions.OfAccount(ctx, id, caller.AccountID)
	if err != nil {
		return sessions.Forecast{}, err
	}
	return g.Sessions.ForecastOf(ctx, session.Engine)
}

// startAgain starts an ended session on its kept work; with the field "without", it skips the datasets that the last
// launch lacked.
func (g *Gateway) startAgain(w http.ResponseWriter, r *http.Request, id string) {
	var without []string
	r.Body = http.MaxBytesReader(w, r.Body, 1<<10)
	if r.PostFormValue("without") != "" {
		session, err := g.Sessions.Own(r.Context(), id)
		if err != nil {
			g.fail(w, r, id, err)
			return
		}
		without = session.Missing
	}
	_, err := g.Sessions.Restart(r.Context(), id, without...)
	g.backToLaunch(w, r, id, err)
}

func (g *Gateway) cancel(w http.ResponseWriter, r *http.Request, id string) {
	_, err := g.Sessions.Terminate(r.Context(), id)
	g.backToLaunch(w, r, id, err)
}

func (g *Gateway) backToLaunch(w http.ResponseWriter, r *http.Request, id string, err error) {
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
func (g *Gateway) launchEvents(w http.ResponseWriter, r *http.Request, id string) {
	ctx := r.Context()
	cookie, err := r.Cookie(g.cookieName(id))
	if err != nil {
		g.fail(w, r, id, errNoAccess)
		return
	}
	closed, err := g.streams.open(cookie.Value, id)
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
	shared, leave := g.streams.share(ctx, id)
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
	defer context.AfterFunc(g.streams.leaving, end)()
	defer func() {
		if g.streams.leaving.Err() != nil {
			send(comeBack())
		}
	}()
	sent, sentAt := r.Header.Get("Last-Event-ID"), g.Now()
	for alive := send(": connected\n\n"); alive && ctx.Err() == nil; {
		latest, renewed := g.streams.latest(ctx, shared)
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
