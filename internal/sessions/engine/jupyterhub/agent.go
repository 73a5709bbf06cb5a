package jupyterhub

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
)

// agentKind is what is known of the program that does on the hub what has to do with files.
type agentKind int

const (
	agentUnknown agentKind = iota // it hasn't answered yet
	agentPresent
	agentOlder // the hub has the service of an earlier release, which keeps no versions
	agentForeign
)

// agent is what is known of the hub's agent, and what it told of the sessions.
type agent struct {
	engine *Engine       // whose hub it's of
	asked  chan struct{} // closed when it has told of all sessions, or didn't answer

	// mu guards the fields below.
	mu      sync.Mutex
	kind    agentKind
	about   agentapi.About
	epoch   string
	last    int64
	states  map[string]agentapi.State
	telling map[string]bool // sessions that it is being told about
}

func (a *agent) read() (kind agentKind, about agentapi.About) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.kind, a.about
}

// hasBatches reports whether the agent told of a batch session.
func (a *agent) hasBatches() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range a.states {
		if one.Batch {
			return true
		}
	}
	return false
}

func (a *agent) state(id string) (agentapi.State, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found, known := a.states[id]
	return found, known
}

// take takes what the agent told.
func (a *agent) take(news agentapi.States) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if news.Epoch != a.epoch || a.states == nil {
		a.states = map[string]agentapi.State{}
	}
	a.epoch, a.last = news.Epoch, news.Last
	for id, state := range news.Sessions {
		if a.states[id].Number < state.Number {
			a.states[id] = state
		}
	}
	for _, id := range news.Gone {
		delete(a.states, id)
	}
}

// takeOne takes what an answer of the agent told; "" is nothing.
func (a *agent) takeOne(text string) (news bool) {
	var told agentapi.Told
	if text == "" || json.Unmarshal([]byte(text), &told) != nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.states == nil || told.Epoch != a.epoch || a.states[told.Session].Number >= told.State.Number {
		return false // all states follow
	}
	a.states[told.Session] = told.State
	return true
}

// KeepsVersions reports whether the hub keeps versions of work: not if its service is that of an earlier release.
func (e *Engine) KeepsVersions() bool {
	kind, _ := e.agent.read()
	return kind != agentOlder
}

// check returns why the agent can't be used; nil also if that isn't known.
func (a *agent) check() error {
	kind, about := a.read()
	if kind != agentForeign {
		return nil
	}
	return fault.New(fault.EngineUnavailable,
		"The hub's agent is that of Cairn %s, which this server can't work with. Its operators have to install the program cairn of this server's release on the hub.", about.Release)
}

// callAgent calls the agent and decodes its answer; its errors are faults. There is no breaker: an agent that doesn't answer says nothing
// about the hub.
func (c *client) callAgent(ctx context.Context, method, path string, send, receive any) error {
	response, err := c.openAgent(ctx, method, path, send, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if c.told != nil {
		c.told(response.Header.Get(agentapi.StateHeader))
	}
	if receive == nil {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, answerLimit)).Decode(receive); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The answer of the hub's agent couldn't be read.")
	}
	return nil
}

// openAgent is callAgent for an answer whose body the caller closes.
func (c *client) openAgent(ctx context.Context, method, path string, send any, header http.Header) (*http.Response, error) {
	response, err := c.sendWith(ctx, method, workService+path, send, header)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		defer response.Body.Close()
		return nil, agentapi.ReadProblem(response)
	}
	return response, nil
}

// agentPath returns the path of a call about a session.
func agentPath(id string, more ...string) string {
	parts := []string{url.PathEscape(id)}
	for _, part := range more {
		parts = append(parts, url.PathEscape(part))
	}
	return strings.Join(parts, "/")
}

// watch follows what the agent tells, until the engine is closed.
func (a *agent) watch() {
	pause := shortestPause
	first := sync.OnceFunc(func() { close(a.asked) })
	for {
		told, err := a.follow(a.engine.background, first)
		first()
		if a.engine.background.Err() != nil {
			return
		}
		a.engine.options.Logger.Debug("the hub's agent doesn't answer; trying again", "error", err)
		if pause = min(2*pause, longestPause); told {
			pause = shortestPause
		}
		select {
		case <-time.After(pause):
		case <-a.engine.background.Done():
			return
		}
	}
}

// find returns what keeps files on the hub, and asks if that isn't known yet.
func (a *agent) find(ctx context.Context) agentKind {
	if kind, _ := a.read(); kind != agentUnknown {
		return kind
	}
	kind, about, err := a.engine.hub.aboutAgent(ctx)
	if err == nil {
		a.note(kind, about)
	}
	return kind
}

// note takes what keeps files on the hub, and reports whether that is news.
func (a *agent) note(kind agentKind, about agentapi.About) (news bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	news = a.kind != kind
	a.kind, a.about = kind, about
	return news
}

// follow finds out what the agent is and takes what it tells until that fails, and reports whether it told something. It calls taken each
// time that it has taken something.
func (a *agent) follow(ctx context.Context, taken func()) (answered bool, failed error) {
	kind, about, err := a.engine.hub.aboutAgent(ctx)
	if err != nil {
		return false, err
	}
	if a.note(kind, about) {
		a.engine.signal()
		if problem := a.check(); problem != nil {
			a.engine.options.Logger.Error("the hub's agent can't be used", "why", fault.MessageOf(problem))
		}
	}
	if kind != agentPresent {
		return false, fault.New(fault.Unavailable, "the hub has no agent of this release")
	}
	for ; ; answered = true {
		a.mu.Lock()
		query := url.Values{"epoch": {a.epoch}, "after": {strconv.FormatInt(a.last, 10)}}
		a.mu.Unlock()
		var told agentapi.States
		bounded, cancel := context.WithTimeout(ctx, agentapi.PollTime+a.engine.options.CallTime)
		err := a.engine.hub.callAgent(bounded, http.MethodGet, "states?"+query.Encode(), nil, &told)
		cancel()
		if err != nil {
			return answered, err
		}
		a.take(told)
		a.engine.kernels.tell(told.Kernels)
		taken()
		a.engine.signal()
		a.tellAll()
	}
}

// aboutAgent asks what the hub's service is.
func (c *client) aboutAgent(ctx context.Context) (kind agentKind, about agentapi.About, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.callTime)
	defer cancel()
	response, err := c.openAgent(ctx, http.MethodGet, "", nil, nil)
	if err != nil {
		return agentUnknown, about, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	switch {
	case err != nil:
		return agentUnknown, about, err
	case len(content) == 0:
		return agentOlder, about, nil
	}
	if err := json.Unmarshal(content, &about); err != nil {
		return agentUnknown, about, fmt.Errorf("the answer of the hub's agent can't be read: %w", err)
	}
	if about.Protocol != agentapi.Protocol {
		return agentForeign, about, nil
	}
	return agentPresent, about, nil
}

// tellAll tells the agent what it doesn't know about sessions yet, because it was away, or has just been installed.
func (a *agent) tellAll() {
	for _, known := range a.engine.all() {
		a.tell(known)
	}
}

// tell tells the agent in the background what became of a session, unless it knows.
func (a *agent) tell(known *session) {
	r := known.read()
	told, there := a.state(r.Spec.ID)
	switch {
	case r.Task != noTask || r.Phase == "":
		return
	case r.Phase == engine.Running && (!there || told.Phase != engine.Running || told.Launch < r.Launch):
	case r.Phase != engine.Running && there && told.Phase != engine.Ended:
	default:
		return
	}
	if !a.beginTelling(r.Spec.ID) {
		return
	}
	if !a.engine.begin() {
		return
	}
	go func() {
		defer a.engine.work.Done()
		defer a.endTelling(r.Spec.ID)
		if err := a.tellPhase(a.engine.background, r); err != nil && a.engine.background.Err() == nil {
			a.engine.options.Logger.Debug("the hub's agent isn't told what became of a session; trying again", "session", r.Spec.ID, "error", err)
		}
	}()
}

// beginTelling reports whether nobody is telling the agent about a session, and that somebody does from now on.
func (a *agent) beginTelling(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.telling[id] {
		return false
	}
	a.telling[id] = true
	return true
}

func (a *agent) endTelling(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.telling, id)
}

// endingTime is how long the agent may take for the last version of a session.
const endingTime = 35 * time.Minute

// tellPhase tells the agent that a session runs or has ended. It returns when the last version is made, or can't be, and does nothing on a
// hub without an agent.
func (a *agent) tellPhase(ctx context.Context, r record) error {
	ctx, cancel := context.WithTimeout(ctx, endingTime)
	defer cancel()
	if a.find(ctx) == agentOlder {
		return nil
	}
	told := agentapi.Phase{Owner: r.Spec.Owner, Phase: engine.Ended, Launch: r.Launch, Cause: r.cause()}
	if r.Phase == engine.Running && r.Task == noTask || r.Task == taskLaunch {
		told.Phase, told.Cause = engine.Running, ""
	}
	return a.engine.hub.callAgent(ctx, http.MethodPut, agentPath(r.Spec.ID, "phase"), told, nil)
}

// cause returns why the last version of a session is made that has ended.
func (r *record) cause() engine.VersionCause {
	switch {
	case r.Because != "":
		return r.Because
	case r.Code == diagnosis.TooLarge:
		return engine.VersionLimit
	}
	return engine.VersionStop
}
