package localjupyter

import (
	"context"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/versions"
)

// watched checks a running session until its context ends, at an interval that doesn't depend on the session.
func (s *session) watched(ctx context.Context, server *sandbox.Process, client *client) {
	s.every(ctx, func() { s.look(ctx, server, client) })
}

// every calls do now and every WatchEvery until its context ends.
func (s *session) every(ctx context.Context, do func()) {
	ticks := time.NewTicker(s.engine.options.WatchEvery)
	defer ticks.Stop()
	for ctx.Err() == nil {
		do()
		select {
		case <-ctx.Done():
		case <-ticks.C:
		}
	}
}

// look measures the files, asks Jupyter for its activity, and reports both.
func (s *session) look(ctx context.Context, server *sandbox.Process, client *client) {
	found := s.weigh(ctx, server, s.saveChanged(ctx))
	s.mu.Lock()
	before, warned, terminals := s.activity, s.warning(), s.record.Terminals
	s.mu.Unlock()
	s.noteKernels()
	activity, err := client.activity(ctx, terminals)
	if err != nil {
		s.engine.options.Logger.Debug("a session does not tell what happens in it", "session", s.id, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || s.server != server || s.record.Phase != engine.Running {
		return
	}
	if err == nil {
		s.activity.Busy, s.activity.Connections = activity.Busy, activity.Connections
		s.activity.LastAt = latest(s.activity.LastAt, activity.LastAt)
	}
	s.activity.LastAt = latest(s.activity.LastAt, found.changed)
	s.noteMemory()
	if s.activity != before || s.warning() != warned {
		s.engine.signal()
	}
}

// weigh measures the files of a running session, and stops it if it takes too much. What a version that was just made knows
// about folders isn't measured again.
func (s *session) weigh(ctx context.Context, server *sandbox.Process, walked map[string]versions.Usage) usage {
	found, err := s.measure(ctx, walked)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || s.server != server || s.record.Phase != engine.Running {
		return found
	}
	warned := s.disk.warning
	if over := s.disk.note(found, err, s.limits(), s.engine.options.Now()); over != nil {
		kept := "They're kept: download them, or start the session again and delete some right away."
		if over.hard {
			kept = "They're kept: download what you need."
		}
		s.endBecause(server, !over.hard, "The session was stopped because "+over.what+". "+kept, diagnosis.TooLarge)
	}
	if s.disk.warning != warned {
		s.engine.signal()
	}
	return found
}

// weighLaunch measures the files of a session that is being launched, and gives the launch up if they take too much.
func (s *session) weighLaunch(ctx context.Context) {
	found, err := s.measure(ctx, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || s.giveUp == nil {
		return
	}
	if over := s.disk.note(found, err, s.limits(), s.engine.options.Now()); over != nil && over.hard {
		s.giveUp(diagnosis.With(fault.New(fault.Unavailable,
			"The session could not be started because %s. Its work is kept: download what you need.", over.what), diagnosis.TooLarge))
	}
}

// endBecause requires the lock. It stops a session that uses too much, letting Jupyter exit by itself.
func (s *session) endBecause(server *sandbox.Process, gently bool, reason string, code diagnosis.Code) *task {
	s.takeBack()
	return s.enqueue(func(context.Context) error {
		s.mu.Lock()
		current := s.server == server
		s.mu.Unlock()
		if !current || s.engine.dead.Load() {
			return nil
		}
		return s.end(gently, engine.VersionLimit, engine.Failed, reason, code)
	})
}
