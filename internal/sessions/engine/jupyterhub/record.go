package jupyterhub

import (
	"slices"
	"strings"
	"time"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// task is a session's operation in progress.
type task string

const (
	noTask     task = ""
	taskLaunch task = "launch"
	taskStop   task = "stop"
	taskRemove task = "remove"
	taskRetire task = "retire" // stop it and leave its work to its versions
)

// ends reports whether a task ends a session.
func (t task) ends() bool { return t == taskStop || t == taskRemove || t == taskRetire }

// record is the durable truth about one session, written before the actions it announces.
type record struct {
	Spec         engine.Spec
	User         string // of the hub, whose server it is; "": the owner
	Name         string // of the server on the hub; "" for one named by the session's id, as in earlier versions
	Task         task
	Phase        engine.Phase
	Reason       string
	Code         diagnosis.Code // of the cause of a failure
	Missing      []string       // ids of the missing datasets that made the launch fail
	Log          string
	LeftOut      []engine.LeftOut // what the repository asks for and the hub doesn't have
	Commit       string           // that was checked out
	Notebook     []byte           // the content of the spec's, until it is in the work folder
	Given        bool             // it was put there, by this launch or an earlier one
	Opens        string
	OpenNote     string
	Interface    engine.Interface
	Steps        []engine.Step
	ProgressedAt time.Time
	Launch       int64               // counts launches, so that the hub's reports on an earlier one aren't mistaken for this one's
	Asked        bool                // the launch was requested from the hub, so it may have a server of the session
	Dirty        bool                // that server must be stopped before anything else
	Lost         int                 // how often the hub forgot this launch
	Server       string              // the escaped path of the running server, from the hub
	Token        string              // opens only that server
	TokenID      string              // for revoking it
	RunningAt    time.Time           // when it became Running
	Because      engine.VersionCause // why it is stopped; "": nobody stopped it
	Holder       string              // which of our servers works on the task
	HeldUntil    time.Time           // until when nobody else does
}

func waitingSteps(spec engine.Spec) []engine.Step {
	steps := []engine.Step{
		{Name: engine.StepRepository, State: engine.Waiting},
		{Name: engine.StepDatasets, State: engine.Waiting},
		{Name: engine.StepServer, State: engine.Waiting},
	}
	if spec.Repository.URL == "" {
		return steps[1:]
	}
	return steps
}

// server returns the name of the session's server on the hub.
func (r *record) server() string {
	if r.Name == "" {
		return r.Spec.ID
	}
	return r.Name
}

// commonUser is the hub's user whose servers the sessions are that begin without an owner. It can't be that of a person, who has an address.
const commonUser = "cairn-sessions"

// user returns the hub's user whose server the session is.
func (r *record) user() string {
	switch {
	case r.User != "":
		return r.User
	case r.Spec.Owner == "":
		return commonUser
	}
	return r.Spec.Owner
}

// begin starts a new launch. A server keeps its name, under which the hub may store more.
func (r *record) begin(spec engine.Spec, now time.Time) {
	if r.Launch == 0 {
		r.Name = engine.ServerName(spec.ID)
	}
	r.Spec, r.Task, r.Phase, r.Steps = spec, taskLaunch, engine.Starting, waitingSteps(spec)
	r.Launch++
	r.Because = ""
	r.Reason, r.Code, r.Missing, r.LeftOut, r.Log, r.Lost, r.ProgressedAt = "", "", nil, nil, "", 0, now
	if content := spec.Notebook.Content; len(content) > 0 && !r.Given {
		r.Notebook = content
	}
	r.Dirty = r.Dirty || r.Asked
	r.Asked = false
}

// end ends Starting or Running; steps in progress are waiting again.
func (r *record) end(phase engine.Phase, reason string) {
	r.Task, r.Phase, r.Reason, r.Code, r.Missing, r.ProgressedAt = noTask, phase, reason, "", nil, time.Time{}
	r.Asked, r.Dirty, r.Server, r.RunningAt, r.HeldUntil = false, false, "", time.Time{}, time.Time{}
	for i, step := range r.Steps {
		if step.State == engine.Active {
			r.Steps[i] = engine.Step{Name: step.Name, State: engine.Waiting}
		}
	}
}

// run sets it Running.
func (r *record) run(path, token, tokenID string, now time.Time) {
	for _, step := range r.Steps {
		r.set(step.Name, engine.Done, step.Detail, now)
	}
	r.Task, r.Phase, r.ProgressedAt, r.RunningAt = noTask, engine.Running, time.Time{}, now
	r.Server, r.Token, r.TokenID, r.HeldUntil = path, token, tokenID, time.Time{}
}

// fail ends the launch at its active step, or at the next one.
func (r *record) fail(how outcome, now time.Time) {
	r.follow(how.told, now) // a launch that failed at once reported no steps
	at := engine.StepServer
	for _, step := range slices.Backward(r.Steps) {
		if step.State == engine.Waiting {
			at = step.Name
		}
	}
	for _, step := range r.Steps {
		if step.State == engine.Active || step.State == engine.Broken {
			at = step.Name
		}
	}
	r.set(at, engine.Broken, "", now)
	r.end(engine.Failed, how.failed)
	r.Code, r.Missing = how.code, how.missing
	r.addLog(how.log)
}

// refuse ends a launch for which the hub has no room.
func (r *record) refuse() {
	r.end(engine.Full, "")
	r.Steps = waitingSteps(r.Spec)
}

// addLog appends to the log, which is limited like a Status's and never contains the token.
func (r *record) addLog(text string) {
	log := strings.ToValidUTF8(strings.ReplaceAll(r.Log+text, "\x00", ""), "?")
	if r.Token != "" {
		log = strings.ReplaceAll(log, r.Token, "[secret]")
	}
	if len(log) > engine.LogLimit {
		log = log[len(log)-engine.LogLimit:]
		if _, whole, found := strings.Cut(log, "\n"); found {
			log = whole
		}
		log = strings.ToValidUTF8(log, "")
	}
	r.Log = log
}

// set sets the state of a step; it reports whether it changed.
func (r *record) set(name engine.StepName, state engine.StepState, detail string, now time.Time) bool {
	for i := range r.Steps {
		step := &r.Steps[i]
		if step.Name != name || (step.State == state && step.Detail == detail) {
			continue
		}
		step.State, step.Detail = state, detail
		over := state == engine.Done || state == engine.Broken
		switch {
		case state == engine.Waiting:
			*step = engine.Step{Name: name, State: state}
		case step.StartedAt.IsZero():
			step.StartedAt = now
		}
		if over && step.EndedAt.IsZero() {
			step.EndedAt = now
		} else if !over {
			step.EndedAt = time.Time{}
		}
		r.ProgressedAt = now
		return true
	}
	return false
}

// follow applies the hook's report on the steps.
func (r *record) follow(news *hookReport, now time.Time) (changed bool) {
	if news == nil || news.Launch != r.Launch {
		return false
	}
	if r.Phase == engine.Starting && news.installs() { // a hub that installs nothing has no such step
		changed = r.addEnvironment()
	}
	for _, step := range news.Steps {
		state := engine.StepState(step.State)
		if !slices.Contains([]engine.StepState{engine.Waiting, engine.Active, engine.Done, engine.Broken}, state) {
			continue
		}
		changed = r.set(engine.StepName(step.Name), state, shortLine(step.Detail), now) || changed
	}
	return changed
}

// addEnvironment adds the step that installs packages, before the server's; it reports whether it was missing.
func (r *record) addEnvironment() bool {
	if slices.ContainsFunc(r.Steps, func(step engine.Step) bool { return step.Name == engine.StepEnvironment }) || len(r.Steps) == 0 {
		return false
	}
	r.Steps = slices.Insert(r.Steps, len(r.Steps)-1, engine.Step{Name: engine.StepEnvironment, State: engine.Waiting})
	return true
}

// shortLine shortens a text for a step's detail.
func shortLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > 150 {
		text = strings.ToValidUTF8(text[:150], "")
	}
	return text
}

// clone returns a copy that shares nothing mutable.
func (r *record) clone() record {
	copied := *r
	copied.Steps, copied.LeftOut = slices.Clone(r.Steps), slices.Clone(r.LeftOut)
	return copied
}
