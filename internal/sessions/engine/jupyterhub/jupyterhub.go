package jupyterhub

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"math"
	"net/http"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// New opens the engine. It doesn't wait for the hub, whose state is known after the first look.
func New(options Options) (*Engine, error) {
	options, address, err := options.complete()
	if err != nil {
		return nil, err
	}
	opened := &Engine{
		options: options, processID: rand.Text(), changed: make(chan struct{}, 1), sessions: map[string]*session{}, signer: newSigner(options),
		looked: make(chan struct{}),
		hub: &client{
			address: address, token: options.Token, transport: newTransport(), callTime: options.CallTime,
			breaker: &breaker{now: time.Now, recovered: make(chan struct{}, 1)}, slots: make(chan struct{}, callsAtOnce),
		},
	}
	opened.agent = &agent{engine: opened, asked: make(chan struct{}), telling: map[string]bool{}}
	opened.kernels = &kernels{}
	opened.driver, opened.sharing = &driver{opened}, &sharing{opened}
	opened.runs = &runs{hub: opened.hub, agent: opened.agent, signer: opened.signer, catalog: options.Catalog}
	opened.hub.told = func(text string) {
		if opened.agent.takeOne(text) {
			opened.signal()
		}
	}
	opened.users = &users{hub: opened.hub, known: map[string]bool{}}
	opened.background, opened.cancel = context.WithCancel(context.Background())
	opened.work.Go(opened.watch)
	opened.work.Go(opened.agent.watch)
	return opened, nil
}

// firstLook waits until the engine has looked at the hub once, and has asked its agent about all sessions.
func (e *Engine) firstLook(ctx context.Context) error {
	select {
	case <-e.looked:
		return nil // even if the caller's context has ended
	default:
	}
	select {
	case <-e.looked:
		return nil
	case <-ctx.Done():
		return fault.Wrap(ctx.Err(), fault.EngineUnavailable, "The hub that runs sessions hasn't been contacted yet.")
	}
}

// checkTime is how long Check waits for the first look: pages ask it.
const checkTime = 2 * time.Second

// Check reports what the last look at the hub found out.
func (e *Engine) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if err := e.firstLook(ctx); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return cmp.Or(e.health, e.agent.check())
}

// Start records the request and begins the launch.
func (e *Engine) Start(ctx context.Context, spec engine.Spec) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	if spec.Batch != nil && !e.runs.areServers() {
		return e.runs.start(ctx, spec)
	}
	cloner := spec.Clone
	spec.Clone = nil
	if cloner != nil && !spec.Repository.Private { // everybody may be able to read it, but that isn't known here
		reason, err := e.agent.checkPrivate(ctx)
		spec.Repository.Private = reason == "" && err == nil
	}
	for {
		known, err := e.find(ctx, spec.ID)
		if err != nil {
			return err
		}
		if known == nil {
			known = e.add(spec.ID)
		}
		known.keepCloner(cloner)
		var refused error
		err = known.update(ctx, func(r *record) bool {
			switch {
			case r.Task == taskRemove || r.Task == taskRetire:
				refused = fault.New(fault.Unavailable, "The session is still being deleted. Try again in a moment.")
				return false
			case r.Task == taskLaunch || (r.Task == noTask && r.Phase == engine.Running) || spec.IsLateAfter(r.Spec):
				return false
			}
			r.begin(spec, e.options.Now())
			known.holdFor(r, cloner)
			return true
		})
		if errors.Is(err, errDropped) {
			continue
		}
		if err = errors.Join(err, refused); err == nil {
			e.driver.drive(known)
		}
		return err
	}
}

// Stop requests the end and waits for it.
func (e *Engine) Stop(ctx context.Context, id string) error {
	return e.StopLaunch(ctx, id, math.MaxInt64, engine.VersionStop)
}

// StopLaunch requests the end of a launch, or of an earlier one, and waits for it and for the version that it makes.
func (e *Engine) StopLaunch(ctx context.Context, id string, launch int64, cause engine.VersionCause) error {
	known, err := e.find(ctx, id)
	if known == nil && err == nil && e.runs.are(id) {
		return e.runs.end(ctx, http.MethodPost, id)
	}
	if known == nil || err != nil {
		return err
	}
	if err := known.update(ctx, func(r *record) bool {
		switch {
		case r.Launch > launch || r.Task.ends() || r.Phase == "" || (r.Task == noTask && r.Phase == engine.Ended):
			return false
		case r.Task == noTask && (r.Phase == engine.Failed || r.Phase == engine.Full):
			r.end(engine.Ended, "")
			return true
		}
		r.Task, r.Because, r.Dirty = taskStop, cause, r.Dirty || r.Asked
		return true
	}); err != nil {
		return ignoreDropped(err)
	}
	e.driver.drive(known)
	return known.await(ctx, "The session is still being stopped.", func(r *record) bool {
		return r.Launch > launch || !r.Task.ends()
	})
}

// Remove stops the session and removes its server, its work and its record.
func (e *Engine) Remove(ctx context.Context, id string) error {
	known, err := e.find(ctx, id)
	if known == nil && err == nil {
		return e.removeUnknown(ctx, id)
	}
	if known == nil || err != nil {
		return err
	}
	if err := known.update(ctx, func(r *record) bool {
		if r.Phase == "" || r.Task == taskRemove {
			return false
		}
		r.Task, r.Dirty = taskRemove, r.Dirty || r.Asked
		return true
	}); err != nil {
		return ignoreDropped(err)
	}
	e.driver.drive(known)
	return known.await(ctx, "The session is still being deleted. Try again in a moment.", func(r *record) bool { return r.Phase == "" })
}

// removeUnknown removes what has no record: a batch session, or work that was sent for a session that was never started.
func (e *Engine) removeUnknown(ctx context.Context, id string) error {
	if err := e.runs.end(ctx, http.MethodDelete, id); err != nil || e.runs.are(id) || e.agent.find(ctx) != agentPresent {
		return err
	}
	return e.hub.removeWork(ctx, id)
}

// List returns every session from the records that our servers share. It returns Unavailable if the hub hasn't answered
// for a while, because then nobody knows its state.
func (e *Engine) List(ctx context.Context) ([]engine.Status, error) {
	if err := e.firstLook(ctx); err != nil {
		return nil, err
	}
	e.mu.Lock()
	health, seen := e.health, e.seenAt
	e.mu.Unlock()
	if health != nil && e.options.Now().Sub(seen) > blindTime {
		return nil, health
	}
	if err := e.sharing.refresh(ctx); err != nil {
		return nil, err
	}
	list := []engine.Status{}
	batches, err := e.runs.list(ctx)
	if err != nil {
		return nil, err
	}
	list = append(list, batches...)
	for _, known := range e.all() {
		if status, there := known.status(); there {
			status.Log = ""
			list = append(list, status)
		}
	}
	return list, nil
}

// Status returns one session. If it has no record, the engine looks for it on the hub.
func (e *Engine) Status(ctx context.Context, id string) (engine.Status, error) {
	known, err := e.find(ctx, id)
	if err != nil {
		return engine.Status{}, err
	}
	if known == nil {
		if found, err := e.runs.status(ctx, id); fault.KindOf(err) != fault.NotFound {
			return found, err
		}
	}
	if known == nil || known.read().Phase == "" {
		if known, err = e.sharing.recover(ctx, id); err != nil {
			return engine.Status{}, err
		}
	}
	if known != nil {
		if status, there := known.status(); there {
			return status, nil
		}
	}
	return engine.Status{}, engine.ErrUnknownSession
}

// Changed signals that some session changed.
func (e *Engine) Changed() <-chan struct{} { return e.changed }

// Target leads through the hub's proxy to the server of a running session.
func (e *Engine) Target(ctx context.Context, id string) (engine.Target, error) {
	if e.runs.are(id) {
		return e.runs.target(ctx, id)
	}
	r, err := e.running(ctx, id)
	if err != nil {
		return engine.Target{}, err
	}
	return e.hub.target(r), nil
}

// Usage returns what the hub's hook measured last; nothing where it can't measure, as on Kubernetes.
func (e *Engine) Usage(ctx context.Context, id string) (engine.Usage, error) {
	if e.runs.are(id) {
		var used engine.Usage
		err := e.runs.call(ctx, http.MethodGet, id, "/usage", nil, &used)
		return used, err
	}
	if _, err := e.running(ctx, id); err != nil {
		return engine.Usage{}, err
	}
	e.mu.Lock()
	known := e.sessions[id]
	e.mu.Unlock()
	if known == nil {
		return engine.Usage{}, engine.ErrUnknownSession
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	used := known.uses
	used.Warning = known.warning
	return used, nil
}

// running returns the record of a running session.
func (e *Engine) running(ctx context.Context, id string) (record, error) {
	known, err := e.find(ctx, id)
	if err != nil {
		return record{}, err
	}
	if known != nil {
		r := known.read()
		if r.Task == noTask && r.Phase == engine.Running {
			return r, nil
		}
	}
	return record{}, engine.ErrNotRunning
}

// Close releases the sessions, which keep running; the next engine continues unfinished tasks.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.cancel()
	e.work.Wait()
	for _, known := range e.all() {
		known.releaseLease()
	}
	e.hub.transport.CloseIdleConnections()
	return nil
}

// find returns a session with its current record, whichever of our servers wrote it; nil if it never had a record.
func (e *Engine) find(ctx context.Context, id string) (*session, error) {
	if err := e.firstLook(ctx); err != nil {
		return nil, err
	}
	if err := e.sharing.reread(ctx, id); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sessions[id], nil
}
