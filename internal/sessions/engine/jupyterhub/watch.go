package jupyterhub

import (
	"context"
	"net/http"
	"time"

	"cairn/internal/sessions/engine"
)

const (
	blindTime   = 10 * time.Second // how long the last look is considered current
	slowness    = 10               // a look may take at most a tenth of the hub's time
	longestWait = 30 * time.Second // between two looks at a slow hub
	idleLook    = 15 * time.Second // between two looks while no session is live
	rightsEvery = 5 * time.Minute  // between two checks of our scopes
)

// watch looks at the hub until the engine is closed.
func (e *Engine) watch() {
	var rights time.Time
	failures := 0
	pause := time.NewTimer(0)
	defer pause.Stop()
	e.work.Go(activities{e}.watch)
	e.work.Go(e.sharing.watch)
	for {
		if !e.await(pause.C) {
			return
		}
		began := time.Now()
		live := e.countLive()
		var err error
		if time.Since(rights) > rightsEvery {
			if err = e.hub.checkRights(e.background); err == nil {
				rights = time.Now()
				e.readFeatures(e.background)
			}
		}
		if err == nil && live > 0 {
			err = e.lookAtServers(e.background)
		} else if err == nil {
			_, err = e.hub.call(e.background, http.MethodGet, "/hub/api/user", nil, nil)
		}
		select {
		case <-e.agent.asked:
		case <-e.background.Done():
			return
		}
		e.noteHealth(err)
		select {
		case <-e.hub.breaker.recovered: // by this look
		default:
		}
		failures++
		if err == nil {
			failures = 0
		}
		pause.Reset(untilNextLook(e.options.WatchEvery, time.Since(began), failures, live == 0))
	}
}

// await waits until the next look is due; false: the engine was closed. A look that failed is repeated as soon as the hub answers
// any call: until then nobody could start a session on a hub that is back.
func (e *Engine) await(due <-chan time.Time) bool {
	select {
	case <-e.background.Done():
		return false
	case <-due:
	case <-e.hub.breaker.recovered:
	}
	return true
}

// untilNextLook returns the pause after a look, from its duration and the number of failures in a row.
func untilNextLook(every, took time.Duration, failures int, idle bool) time.Duration {
	if failures > 0 {
		return min(every<<min(failures, 10), longestBreak)
	}
	wait := min(max(every, slowness*took), longestWait)
	if idle {
		wait = max(wait, min(idleLook, 5*every))
	}
	return wait
}

// noteHealth stores the result of the last look.
func (e *Engine) noteHealth(err error) {
	e.mu.Lock()
	news := (err == nil) != (e.health == nil)
	if e.health = err; err == nil {
		e.seenAt = e.options.Now()
	}
	select {
	case <-e.looked:
	default:
		news = true
		close(e.looked)
	}
	e.mu.Unlock()
	if !news {
		return
	}
	e.signal()
	if err != nil {
		e.options.Logger.Warn("the hub on which sessions run is not as it should be", "error", err)
	}
}

// countLive counts the sessions that the hub has something to report about.
func (e *Engine) countLive() int {
	count := 0
	for _, known := range e.all() {
		if r := known.read(); r.Phase == engine.Running || r.Task != noTask {
			count++
		}
	}
	return count
}

// lookAtServers requests all servers of the hub at once and finds sessions that ended by themselves.
func (e *Engine) lookAtServers(ctx context.Context) error {
	began := e.options.Now()
	servers, err := e.hub.active(ctx)
	if err != nil {
		return err
	}
	for _, known := range e.all() {
		r := known.read()
		if r.Task != noTask || r.Phase != engine.Running || !r.RunningAt.Before(began) {
			continue
		}
		model, active := servers[r.server()]
		switch {
		case active && model.Ready:
			if said := model.State.Cairn; said != nil && said.Launch == r.Launch {
				known.observe(func(_ *engine.Activity, warning *string) { *warning = said.Warning })
				known.setUsage(said.Usage)
			}
		case active && model.pending() != "":
			// The hub is still finding out, or is stopping it: wait for the next look.
		default:
			if err := e.recordEnd(ctx, known, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordEnd records how a session ended on its own.
func (e *Engine) recordEnd(ctx context.Context, s *session, r record) error {
	model, known, err := e.hub.server(ctx, r)
	if err != nil {
		return err
	}
	if known && (model.Ready || model.pending() != "") {
		return nil // it has just been started by another caller
	}
	tokens, err := e.hub.tokensOf(ctx, r)
	if err != nil {
		return err
	}
	if err := e.sharing.reread(ctx, s.id); err != nil {
		return err
	}
	if now := s.read(); now.Launch != r.Launch || now.Task != noTask || now.Phase != engine.Running {
		return nil // another of our servers has noticed it, or has started it again: the tokens may belong to that start
	}
	if err := e.hub.revokeAll(ctx, r.user(), tokens); err != nil {
		return err
	}
	said := model.State.Cairn
	err = s.update(ctx, func(now *record) bool {
		same := now.Task == noTask && now.Phase == engine.Running && now.Launch == r.Launch
		if !same {
			return false
		}
		switch {
		case said == nil || said.Launch != r.Launch || said.Exit == nil:
			now.end(engine.Ended, "The hub stopped it.")
		case *said.Exit == 0:
			now.end(engine.Ended, "Its server was shut down, in the session or on the hub.")
		default:
			reason := said.Reason
			if reason == "" {
				reason = exitReason(*said.Exit)
			}
			now.end(engine.Failed, reason)
			now.Code = said.code()
			now.addLog(said.Log + "\n" + reason + "\n")
		}
		now.Token, now.TokenID = "", ""
		return true
	})
	if err == nil {
		e.agent.tell(s)
	}
	return err
}
