package jupyterhub

import (
	"context"
	"net/http"
	"sync"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterapi"
)

const looksAtOnce = 8 // into sessions

// activities are what happens in the running sessions.
type activities struct{ engine *Engine }

// watch asks the running servers for their activity, all of them once in ActivityEvery. The hub's own measure
// of activity is useless: it counts every request, including ours, and considers a kernel idle that has been busy for a
// long time.
func (a activities) watch() {
	e := a.engine
	ticks := time.NewTicker(e.options.ActivityEvery)
	defer ticks.Stop()
	for {
		a.readAll(e.background)
		select {
		case <-ticks.C:
		case <-e.background.Done():
			return
		}
	}
}

func (a activities) readAll(ctx context.Context) {
	e := a.engine
	var asking sync.WaitGroup
	defer asking.Wait()
	slots := make(chan struct{}, looksAtOnce)
	for _, known := range e.all() {
		r := known.read()
		if r.Task != noTask || r.Phase != engine.Running {
			continue
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		asking.Go(func() {
			defer func() { <-slots }()
			a.read(ctx, known, r)
		})
	}
}

func (a activities) read(ctx context.Context, known *session, r record) {
	e := a.engine
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	refused := false
	found, err := jupyterapi.Activity(ctx, func(ctx context.Context, path string, answer any) error {
		status, err := e.hub.askServer(ctx, r, path, answer)
		refused = refused || status == http.StatusForbidden
		return err
	}, false)
	switch {
	case refused:
		a.replaceToken(ctx, known, r)
	case err != nil:
		e.options.Logger.Debug("a session does not tell what happens in it", "session", r.Spec.ID, "error", err)
	default:
		known.observe(func(activity *engine.Activity, _ *string) {
			last := activity.LastAt
			for _, at := range []time.Time{found.LastAt, r.RunningAt} { // its start counts as its first activity
				if at.After(last) {
					last = at
				}
			}
			*activity = engine.Activity{LastAt: last, Busy: found.Busy, Connections: found.Connections}
		})
	}
}

// Idle asks the kernels of a running session through the hub's proxy.
func (e *Engine) Idle(ctx context.Context, id string) (bool, error) {
	if e.runs.are(id) {
		return e.runs.idle(ctx, id)
	}
	r, err := e.running(ctx, id)
	if err != nil {
		return false, err
	}
	return jupyterapi.Idle(ctx, e.hub.target(r), r.Server, func(ctx context.Context, path string, answer any) error {
		_, err := e.hub.askServer(ctx, r, path, answer)
		return err
	})
}

// replaceToken replaces a session's token if its server no longer accepts it: it expired, or the hub's operators revoked it.
// The hub also refuses on behalf of a server that is down, which needs no token.
func (a activities) replaceToken(ctx context.Context, known *session, r record) {
	e := a.engine
	known.tokens.Lock()
	defer known.tokens.Unlock()
	if now := known.read(); now.Task != noTask || now.Phase != engine.Running || now.TokenID != r.TokenID {
		return
	}
	if model, _, err := e.hub.server(ctx, r); err != nil || !model.Ready {
		return
	}
	token, id, err := e.hub.issue(ctx, r)
	used := false
	if err == nil {
		err = known.update(ctx, func(now *record) bool {
			used = now.Task == noTask && now.Phase == engine.Running && now.TokenID == r.TokenID
			now.Token, now.TokenID = token, id
			return used
		})
		old := r.TokenID
		if !used || err != nil {
			old = id
		}
		_ = e.hub.revoke(ctx, r.user(), old)
	}
	if err != nil {
		e.options.Logger.Warn("a session's token is refused and no new one can be had; trying again", "session", r.Spec.ID, "error", err)
	}
}
