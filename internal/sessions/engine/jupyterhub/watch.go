package jupyterhub

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

const (
	blindTime   = 10 * time.Second // how long what was seen of the hub is taken for what is true
	slowness    = 10               // a look may take a tenth of the hub's time, no more
	longestWait = 30 * time.Second // between two looks at a hub that takes long to answer
	idleLook    = 15 * time.Second // between two looks while no session is live
	rightsEvery = 5 * time.Minute  // between two looks at our rights
)

// watch looks at the hub and at the records until the engine is closed.
func (e *Engine) watch() {
	var rights time.Time
	failures := 0
	pause := time.NewTimer(0)
	defer pause.Stop()
	e.work.Go(e.watchActivity)
	for {
		select {
		case <-e.background.Done():
			return
		case <-pause.C:
		}
		began := time.Now()
		err := e.refresh(e.background)
		live := e.live()
		if err == nil && time.Since(rights) > rightsEvery {
			if err = e.checkRights(e.background); err == nil {
				rights = time.Now()
			}
		}
		if err == nil && live > 0 {
			err = e.look(e.background)
		} else if err == nil {
			_, err = e.hub.call(e.background, http.MethodGet, "/hub/api/user", nil, nil)
		}
		if e.background.Err() != nil {
			return
		}
		e.note(err)
		e.adopt()
		wait := min(max(e.options.WatchEvery, slowness*time.Since(began)), longestWait)
		switch {
		case err != nil:
			failures++
			wait = min(e.options.WatchEvery<<min(failures, 10), longestBreak)
		case live == 0:
			wait = max(wait, min(idleLook, 5*e.options.WatchEvery))
			fallthrough
		default:
			failures = 0
		}
		pause.Reset(wait)
	}
}

// note keeps what the last look found out.
func (e *Engine) note(err error) {
	e.mu.Lock()
	news := (err == nil) != (e.health == nil)
	if e.health = err; err == nil {
		e.sight = e.options.Now()
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

// live counts the sessions about which the hub has something to tell.
func (e *Engine) live() int {
	count := 0
	for _, known := range e.all() {
		if r := known.read(); r.Phase == engine.Running || r.Task != noTask {
			count++
		}
	}
	return count
}

// refresh reads the records that our other servers wrote.
func (e *Engine) refresh(ctx context.Context) error {
	known := map[string]int64{}
	for _, one := range e.all() {
		one.mu.Lock()
		known[one.id] = one.version
		one.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, e.options.CallTime)
	defer cancel()
	versions, contents, err := e.options.Records.Load(ctx, known)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "What is known of the hub's sessions cannot be read.")
	}
	for id, content := range contents {
		var read record
		if err := json.Unmarshal(content, &read); err != nil || read.Spec.ID != id {
			e.options.Logger.Error("a session's record cannot be read; it is left alone", "session", id, "error", err)
			continue
		}
		one := e.add(id)
		one.mu.Lock()
		newer := versions[id] > one.version
		one.mu.Unlock()
		if newer {
			one.put(read, versions[id])
		}
	}
	for id, version := range known {
		if versions[id] == 0 && version != 0 {
			e.forget(id, version)
		}
	}
	return nil
}

// forget drops a session whose record is gone.
func (e *Engine) forget(id string, version int64) {
	e.mu.Lock()
	one := e.sessions[id]
	e.mu.Unlock()
	one.mu.Lock()
	same := one.version == version
	one.mu.Unlock()
	if same {
		one.put(record{}, 0)
	}
}

// adopt goes on with what one of our servers began that is silent now, and drops what has no record any more.
func (e *Engine) adopt() {
	now := e.options.Now()
	for _, one := range e.all() {
		one.mu.Lock()
		r, idle := one.record.clone(), !one.driving
		gone := idle && one.version == 0 && one.record.Phase == ""
		one.mu.Unlock()
		if idle && r.Task != noTask && !r.heldFrom(e.us, now) {
			e.drive(one)
		}
		if gone {
			e.mu.Lock()
			if one.writing.TryLock() { // nobody is about to start it
				delete(e.sessions, one.id)
				one.dropped = true
				one.writing.Unlock()
			}
			e.mu.Unlock()
		}
	}
}

// look asks the hub for all servers at once and finds out which sessions ended without being asked to.
func (e *Engine) look(ctx context.Context) error {
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
		model, active := servers[known.id]
		switch {
		case active && model.Ready:
			if said := model.State.Cairn; said != nil && said.Launch == r.Launch {
				known.observe(func(_ *engine.Activity, warning *string) { *warning = said.Warning })
			}
		case active && model.pending() != "":
			// The hub itself is finding out, or is stopping it: the next look tells.
		default:
			if err := e.ended(ctx, known, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// ended writes down how a session ended by itself.
func (e *Engine) ended(ctx context.Context, s *session, r record) error {
	model, known, err := e.hub.server(ctx, r.Spec.Owner, r.Spec.ID)
	if err != nil {
		return err
	}
	if known && (model.Ready || model.pending() != "") {
		return nil // it was started by somebody else a moment ago
	}
	if err := e.revokeTokens(ctx, r); err != nil {
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
			now.end(engine.Ended, "")
		default:
			reason := said.Reason
			if reason == "" {
				reason = exitReason(*said.Exit)
			}
			now.end(engine.Failed, reason)
			now.addLog(said.Log + "\n" + reason + "\n")
		}
		now.Token, now.TokenID = "", ""
		return true
	})
	return err
}
