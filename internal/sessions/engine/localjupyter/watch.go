package localjupyter

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/disk"
	"cairn/internal/sessions/machine/sandbox"
)

// every calls do now and at each interval until the context ends. The interval doesn't depend on the session.
func every(ctx context.Context, interval time.Duration, do func()) {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for ctx.Err() == nil {
		do()
		select {
		case <-ctx.Done():
		case <-ticks.C:
		}
	}
}

// checkServer measures the files, asks Jupyter for its activity, and reports both.
func (s *session) checkServer(ctx context.Context, server *sandbox.Process, client *client) {
	found := s.checkDisk(ctx, server, s.work.SaveChanged(ctx))
	s.mu.Lock()
	warned, terminals := s.warning(s.record.Spec), s.record.Terminals
	s.mu.Unlock()
	s.health.noteKernels(s.log.path(), s.logTail, s.engine.options.Now())
	activity, err := client.activity(ctx, terminals)
	told := &activity
	if err != nil {
		s.engine.options.Logger.Debug("a session does not tell what happens in it", "session", s.id, "error", err)
		told = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || s.server != server || s.record.Phase != engine.Running {
		return
	}
	s.weighAgain()
	changed := s.health.noteActivity(told, found.Changed)
	s.health.noteMemory(s.record.Groups, s.engine.options.Now())
	s.health.noteProcessors(s.record.Groups, s.engine.options.Now())
	if changed || s.warning(s.record.Spec) != warned {
		s.engine.signal()
	}
}

// warning returns what the user of a running session has to know.
func (s *session) warning(spec engine.Spec) string {
	limit := s.engine.options.Limits.of(spec.Profile).Memory
	return strings.TrimSpace(s.disk.Warning() + " " + s.health.warning(limit, s.engine.options.Now()))
}

// measure adds up what the session takes on the disk. What a version that was just made knows about folders isn't measured again.
func (s *session) measure(ctx context.Context, walked map[string]versions.Usage) (disk.Usage, error) {
	s.mu.Lock()
	files := disk.Files{Folder: s.folder, Runtime: s.runtime, Box: s.record.box(s.id), Groups: s.record.Groups, Most: s.engine.options.Limits.Files}
	s.mu.Unlock()
	return disk.Measure(ctx, s.engine.sandbox, files, walked)
}

// checkDisk measures the files of a running session, and stops it if it takes too much.
func (s *session) checkDisk(ctx context.Context, server *sandbox.Process, walked map[string]versions.Usage) disk.Usage {
	found, err := s.measure(ctx, walked)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || s.server != server || s.record.Phase != engine.Running {
		return found
	}
	warned := s.disk.Warning()
	if over := s.disk.Note(found, err, s.engine.options.Limits.of(s.record.Spec.Profile).disk(), s.engine.options.Now()); over != nil {
		kept := "They're kept: download them, or start the session again and delete some right away."
		if over.Hard {
			kept = "They're kept: download what you need."
		}
		s.endBecause(server, !over.Hard, "The session was stopped because "+over.What+". "+kept, diagnosis.TooLarge)
	}
	if s.disk.Warning() != warned {
		s.engine.signal()
	}
	return found
}

// checkLaunchDisk measures the files of a session that is being launched, and gives the launch up if they take too much.
func (s *session) checkLaunchDisk(ctx context.Context) {
	found, err := s.measure(ctx, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || s.launching == nil {
		return
	}
	if over := s.disk.Note(found, err, s.engine.options.Limits.of(s.record.Spec.Profile).disk(), s.engine.options.Now()); over != nil && over.Hard {
		s.launching.giveUp(diagnosis.With(fault.New(fault.Unavailable,
			"The session could not be started because %s. Its work is kept: download what you need.", over.What), diagnosis.TooLarge))
	}
}

// The methods below implement disk.Session.

// ID returns the session's id.
func (s *session) ID() string { return s.id }

// MeasureFiles measures the files of a live session now.
func (s *session) MeasureFiles(ctx context.Context) {
	s.mu.Lock()
	phase, server := s.record.Phase, s.server
	s.mu.Unlock()
	switch phase {
	case engine.Running:
		s.checkDisk(ctx, server, nil)
	case engine.Starting:
		s.checkLaunchDisk(ctx)
	case engine.Ended, engine.Failed, engine.Full:
	}
}

// Growth returns by how much the files of a live session grew in the last minutes; zero for others.
func (s *session) Growth() disk.Growth {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.wanted || s.server == nil && s.launching == nil {
		return disk.Growth{}
	}
	return s.disk.Grown(s.engine.options.Now())
}

// MakeRoom stops a session, or its launch, because of its growth.
func (s *session) MakeRoom(ctx context.Context, grown string) {
	if stopping := s.stopForRoom(grown); stopping != nil {
		select {
		case <-stopping.done:
		case <-ctx.Done():
		}
	}
}

func (s *session) stopForRoom(grown string) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	const because = " because this server's disk is nearly full and %s in the last ten minutes. "
	switch {
	case s.launching != nil:
		full := fault.New(fault.Unavailable, "The session could not be started"+because+"Start it again later.", grown)
		s.launching.giveUp(diagnosis.With(full, diagnosis.DiskFull))
		return s.pending
	case s.server != nil:
		return s.endBecause(s.server, false, fmt.Sprintf("The session was stopped"+because+"They are kept.", grown), diagnosis.DiskFull)
	}
	return nil
}

// endBecause stops a session that uses too much, letting Jupyter exit on its own. s.mu must be held.
func (s *session) endBecause(server *sandbox.Process, gently bool, reason string, code diagnosis.Code) *task {
	s.cancelLaunch()
	return s.queue.add(s.engine, func(context.Context) error {
		s.mu.Lock()
		current := s.server == server
		s.mu.Unlock()
		if !current || s.engine.dead.Load() {
			return nil
		}
		return s.end(gently, engine.VersionLimit, engine.Failed, reason, code)
	})
}

// Usage returns what a running session uses.
func (e *Engine) Usage(_ context.Context, id string) (engine.Usage, error) {
	if known := e.find(id); known != nil {
		known.mu.Lock()
		defer known.mu.Unlock()
		if known.record.Phase == engine.Running {
			now := e.options.Now()
			memory := known.health.noteMemory(known.record.Groups, now)
			return engine.Usage{
				MemoryBytes: memory.used, PeakMemoryBytes: memory.peak, DiskBytes: known.disk.Bytes(),
				CPUs: known.health.noteProcessors(known.record.Groups, now), Warning: known.warning(known.record.Spec),
			}, nil
		}
	}
	return engine.Usage{}, engine.ErrNotRunning
}
