package sessions

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sessions/engine"
)

var (
	//go:embed pages/*.html
	pageTemplates embed.FS
	//go:embed pages/*.css pages/*.js pages/*.svg
	pageAssets embed.FS
)

// pageSecurity is the policy of our own pages on the session origin.
const pageSecurity = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

type messagePage struct{ Title, Text, Link, Label string }

func pageTemplate(name string) *template.Template {
	return template.Must(template.ParseFS(pageTemplates, "pages/"+name))
}

func (g *gateway) showMessage(w http.ResponseWriter, status int, page messagePage) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set(contentSecurityPolicy, pageSecurity)
	w.WriteHeader(status)
	_ = pageTemplate("message.html").Execute(w, page)
}

// launchState is what the launch page shows.
type launchState struct {
	Name       string       `json:"name"`
	Project    string       `json:"project"`
	Status     Status       `json:"status"`
	Reason     string       `json:"reason"`
	Steps      []launchStep `json:"steps"`
	Log        string       `json:"log"`
	Next       string       `json:"next"` // where to go once the session runs; else ""
	Reopen     string       `json:"reopen"`
	Dashboard  string       `json:"dashboard"`
	Stopping   bool         `json:"stopping"`
	ServerTime time.Time    `json:"serverTime"`
}

type launchStep struct {
	Name      string           `json:"name"`
	Label     string           `json:"label"`
	State     engine.StepState `json:"state"`
	Detail    string           `json:"detail"`
	StartedAt *time.Time       `json:"startedAt"`
	EndedAt   *time.Time       `json:"endedAt"`
}

var stepLabels = map[engine.StepName]string{
	engine.StepRepository:  "Copy the repository",
	engine.StepDatasets:    "Connect the datasets",
	engine.StepEnvironment: "Prepare the environment",
	engine.StepServer:      "Start Jupyter",
}

// launchState gathers what is true of a session now.
func (g *gateway) launchState(ctx context.Context, id string) (launchState, error) {
	caller, _ := identity.From(ctx)
	session, err := g.ofAccount(ctx, id, caller.AccountID)
	if err != nil {
		return launchState{}, err
	}
	state := launchState{
		Name: session.SessionName, Project: session.Project.Name, Status: session.Status, Reason: session.StatusReason,
		Steps: []launchStep{}, Reopen: g.Public + "/sessions/" + id + "/open", Dashboard: g.Public + "/sessions",
		Stopping: session.RequestedStatus != "", ServerTime: g.Now().UTC(),
	}
	if session.Status == Running {
		state.Next = readyPath(id)
	}
	chosen, err := g.engine(session.Engine)
	if err != nil {
		return state, err
	}
	state.Steps = append(state.Steps, queuedStep(session))
	if session.launchedAt.IsZero() && session.Status == Created {
		return state, nil // what the engine tells is of an earlier launch, if of any
	}
	report, err := chosen.Status(ctx, id)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return state, nil
	case err != nil:
		return state, err
	}
	state.Log = report.Log
	for _, step := range report.Steps {
		state.Steps = append(state.Steps, launchStep{
			Name: string(step.Name), Label: stepLabels[step.Name], State: step.State, Detail: step.Detail,
			StartedAt: optionalTime(step.StartedAt), EndedAt: optionalTime(step.EndedAt),
		})
	}
	ready := launchStep{Name: "ready", Label: "Ready", State: engine.Waiting}
	if session.Status == Running {
		ready.State = engine.Done
	}
	state.Steps = append(state.Steps, ready)
	return state, nil
}

// queuedStep is the step before the engine's own: waiting for the engine to be asked.
func queuedStep(session Session) launchStep {
	step := launchStep{Name: "queued", Label: "Queued", State: engine.Done, EndedAt: optionalTime(session.launchedAt)}
	if session.launchedAt.IsZero() {
		switch session.Status {
		case Created:
			step.State = engine.Active
		case Failed:
			step.State = engine.Broken
		case Finished, Terminated:
			step.State = engine.Waiting
		case Running: // the launch was asked for, but a crash kept that from being written down
		}
	}
	return step
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func (g *gateway) launchPage(w http.ResponseWriter, r *http.Request, id string) {
	state, err := g.launchState(r.Context(), id)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	if state.Next != "" && !state.Stopping {
		http.Redirect(w, r, state.Next, http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set(contentSecurityPolicy, pageSecurity)
	_ = pageTemplate("launch.html").Execute(w, map[string]any{
		"State": state, "Assets": ownPrefix + "assets/", "Events": ownPath(id, "events"),
	})
}

// keepAlive is how often a quiet stream of events says that it lives; proxies cut silent ones.
const keepAlive = 15 * time.Second

// launchEvents streams the launch state as server-sent events, one at each change.
func (g *gateway) launchEvents(w http.ResponseWriter, r *http.Request, id string) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	controller := http.NewResponseController(w)
	ctx := r.Context()
	sent, sentAt := "", g.Now()
	for ctx.Err() == nil {
		change := g.changed.next()
		state, err := g.launchState(ctx, id)
		if err != nil {
			return // the page connects again and is told why
		}
		if text := state.comparable(); text != sent || g.Now().Sub(sentAt) > keepAlive {
			data, err := json.Marshal(state)
			if err != nil {
				return
			}
			if _, err := fmt.Fprintf(w, "data: %s\n\n", data); err != nil || controller.Flush() != nil {
				return
			}
			sent, sentAt = text, g.Now()
		}
		select {
		case <-change:
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// comparable is the state without the clock.
func (state launchState) comparable() string {
	state.ServerTime = time.Time{}
	data, _ := json.Marshal(state)
	return string(data)
}
