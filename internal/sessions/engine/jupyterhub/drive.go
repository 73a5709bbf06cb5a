package jupyterhub

import (
	"context"
	"errors"
	"net/http"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

const (
	shortestPause = 200 * time.Millisecond // between two attempts if the hub didn't act
	longestPause  = 5 * time.Second
)

// driver does what is to be done with sessions.
type driver struct{ engine *Engine }

// drive works on a session's tasks until there are none, unless this process already does.
func (d *driver) drive(s *session) {
	s.mu.Lock()
	idle := s.record.Task == noTask || s.driving
	if !idle {
		s.driving = true
	}
	s.mu.Unlock()
	if idle {
		return
	}
	if !d.engine.begin() {
		return
	}
	go func() {
		defer d.engine.work.Done()
		release, err := d.keepLease(s)
		if err == nil {
			err = d.runTasks(s)
			release()
		}
		s.mu.Lock()
		s.driving = false
		more := err == nil && s.record.Task != noTask // a request that came at the very end
		s.mu.Unlock()
		if more && d.engine.background.Err() == nil {
			d.drive(s)
		}
	}()
}

// runTasks works until there is no task. It returns an error if another server took over.
func (d *driver) runTasks(s *session) error {
	pause := shortestPause
	for {
		s.mu.Lock()
		updated, task := s.updated, s.record.Task
		s.mu.Unlock()
		if task == noTask || d.engine.isClosed() {
			return nil
		}
		err := d.runTask(d.engine.background, s)
		if err == nil {
			pause = shortestPause
			continue
		}
		if errors.Is(err, errTaken) {
			return err
		}
		if d.engine.background.Err() == nil {
			d.engine.options.Logger.Debug("a session's task is tried again", "session", s.id, "task", task, "error", err)
		}
		timer := time.NewTimer(pause)
		pause = min(2*pause, longestPause)
		select {
		case <-timer.C:
		case <-updated: // there may be a different task now
		case <-d.engine.background.Done():
		}
		timer.Stop()
	}
}

// keepLease holds the session for this process until the returned function is called; errTaken if another has it.
func (d *driver) keepLease(s *session) (release func(), err error) {
	ctx, cancel := context.WithCancel(d.engine.background)
	leased, err := s.renewLease(ctx)
	if err == nil && !leased {
		err = errTaken
	}
	if err != nil {
		cancel()
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(d.engine.options.Lease / 3)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				if _, err := s.renewLease(ctx); err != nil && ctx.Err() == nil {
					d.engine.options.Logger.Warn("a session's record cannot be written; trying again", "session", s.id, "error", err)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }, nil
}

// runTask does the next step of a session's task.
func (d *driver) runTask(ctx context.Context, s *session) error {
	r := s.read()
	switch {
	case r.Dirty:
		if err := d.stopServer(ctx, r); err != nil {
			return err
		}
		err := s.updateRecord(ctx, func(now *record) bool {
			now.Dirty, now.Asked, now.Token, now.TokenID = false, false, "", ""
			return true
		})
		return err
	case r.Task == taskRetire:
		return d.retire(ctx, s, r)
	case r.Task == taskStop:
		d.tellEnd(ctx, r)
		err := s.updateRecord(ctx, func(now *record) bool {
			stopped := now.Task == taskStop && !now.Dirty
			if stopped {
				now.end(engine.Ended, "")
			}
			return stopped
		})
		return err
	case r.Task == taskRemove:
		if err := d.engine.hub.removeServer(ctx, r); err != nil {
			return err
		}
		err := s.updateRecord(ctx, func(now *record) bool { *now = record{}; return true })
		return err
	case r.Task == taskLaunch:
		return launch{d.engine, s, r}.run(ctx)
	}
	return nil
}

// tellEnd lets the last version be made of a session whose server has ended. Where that fails, the session ends all the same: its work stays in
// its folder, and the agent is told again.
func (d *driver) tellEnd(ctx context.Context, r record) {
	if err := d.engine.agent.tellPhase(ctx, r); err != nil {
		d.engine.options.Logger.Warn("the hub's agent doesn't save the work of a session that has ended; trying again", "session", r.Spec.ID, "error", err)
	}
}

// retire leaves the work of a session to its versions, and forgets its server.
func (d *driver) retire(ctx context.Context, s *session, r record) error {
	if err := d.engine.agent.tellPhase(ctx, r); err != nil {
		return err
	}
	if err := d.engine.hub.deleteServer(ctx, r, map[string]bool{"remove": true}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, endingTime)
	defer cancel()
	if err := d.engine.hub.callAgent(ctx, http.MethodPost, agentPath(s.id, "retire"), nil, nil); err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	return s.updateRecord(ctx, func(now *record) bool {
		retired := now.Task == taskRetire
		if retired {
			now.end(engine.Ended, "")
		}
		return retired
	})
}

// stopServer stops the hub's server of a session in any state, and revokes its token. After an error, call it again.
func (d *driver) stopServer(ctx context.Context, r record) error {
	if err := d.revokeTokens(ctx, r); err != nil {
		return err
	}
	return d.engine.hub.deleteServer(ctx, r, nil)
}

// revokeTokens revokes all tokens of a session.
func (d *driver) revokeTokens(ctx context.Context, r record) error {
	d.engine.mu.Lock()
	known := d.engine.sessions[r.Spec.ID]
	d.engine.mu.Unlock()
	if known != nil {
		known.tokens.Lock()
		defer known.tokens.Unlock()
	}
	tokens, err := d.engine.hub.tokensOf(ctx, r)
	if err != nil {
		return err
	}
	return d.engine.hub.revokeAll(ctx, r.user(), tokens)
}
