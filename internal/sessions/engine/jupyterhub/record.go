package jupyterhub

import (
	"slices"
	"strings"
	"time"

	"cairn/internal/sessions/engine"
)

// task is what is under way for a session.
type task string

const (
	noTask     task = ""
	taskLaunch task = "launch"
	taskStop   task = "stop"
	taskRemove task = "remove"
)

// record is the durable truth of one session, written before what it announces happens.
type record struct {
	Spec         engine.Spec
	Name         string // of the server on the hub; "" for one that bears the session's id, as they did before
	Task         task
	Phase        engine.Phase
	Reason       string
	Missing      []string // ids of the datasets for want of which the launch failed
	Log          string
	Steps        []engine.Step
	ProgressedAt time.Time
	Launch       int64     // counts launches, so that what the hub says about an earlier one is not taken for this one's
	Asked        bool      // the hub was asked for this launch, so it may have a server of the session
	Dirty        bool      // that server is to be stopped before anything else is done
	Lost         int       // how often the hub forgot this launch
	Server       string    // the escaped path of the running server, as the hub says it
	Token        string    // opens that server alone
	TokenID      string    // by which it is taken back
	RunningAt    time.Time // when it became Running
	Holder       string    // the one of our servers that works on the task
	HeldUntil    time.Time // until when nobody else does
}

func waitingSteps() []engine.Step {
	return []engine.Step{
		{Name: engine.StepRepository, State: engine.Waiting},
		{Name: engine.StepDatasets, State: engine.Waiting},
		{Name: engine.StepServer, State: engine.Waiting},
	}
}

// server returns the name of the session's server on the hub.
func (r *record) server() string {
	if r.Name == "" {
		return r.Spec.ID
	}
	return r.Name
}

// begin makes it a new launch. A server keeps its name, by which the hub may keep more for it.
func (r *record) begin(spec engine.Spec, now time.Time) {
	if r.Launch == 0 {
		r.Name = engine.ServerName(spec.ID)
	}
	r.Spec, r.Task, r.Phase, r.Steps = spec, taskLaunch, engine.Starting, waitingSteps()
	r.Launch++
	r.Reason, r.Missing, r.Log, r.Lost, r.ProgressedAt = "", nil, "", 0, now
	r.Dirty = r.Dirty || r.Asked
	r.Asked = false
}

// end takes it out of Starting or Running; steps that were under way have to be done again.
func (r *record) end(phase engine.Phase, reason string) {
	r.Task, r.Phase, r.Reason, r.Missing, r.ProgressedAt = noTask, phase, reason, nil, time.Time{}
	r.Asked, r.Dirty, r.Server, r.RunningAt, r.HeldUntil = false, false, "", time.Time{}, time.Time{}
	for i, step := range r.Steps {
		if step.State == engine.Active {
			r.Steps[i] = engine.Step{Name: step.Name, State: engine.Waiting}
		}
	}
}

// run makes it Running.
func (r *record) run(path, token, tokenID string, now time.Time) {
	for _, step := range r.Steps {
		r.set(step.Name, engine.Done, step.Detail, now)
	}
	r.Task, r.Phase, r.ProgressedAt, r.RunningAt = noTask, engine.Running, time.Time{}, now
	r.Server, r.Token, r.TokenID, r.HeldUntil = path, token, tokenID, time.Time{}
}

// fail ends the launch at the step that was under way, or at the one that comes next.
func (r *record) fail(how outcome, now time.Time) {
	r.follow(how.told, now) // a launch that failed at once told no events of its steps
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
	r.Missing = how.missing
	r.addLog(how.log)
}

// refuse ends a launch for which the hub has no room.
func (r *record) refuse() {
	r.end(engine.Full, "")
	r.Steps = waitingSteps()
}

// addLog adds to the end of the log, which is never longer than a Status may carry, and never holds the token.
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

// set brings a step into a state; it reports whether that is news.
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

// follow takes over what the hub's hook says about the steps.
func (r *record) follow(news *told, now time.Time) (changed bool) {
	if news == nil || news.Launch != r.Launch {
		return false
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

// shortLine makes a text fit to be a step's detail.
func shortLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > 150 {
		text = strings.ToValidUTF8(text[:150], "")
	}
	return text
}

// heldFrom reports whether another of our servers works on it and is alive.
func (r *record) heldFrom(us string, now time.Time) bool {
	return r.Holder != us && now.Before(r.HeldUntil)
}

// clone is a copy that shares nothing that changes.
func (r *record) clone() record {
	copied := *r
	copied.Steps = slices.Clone(r.Steps)
	return copied
}
