package localjupyter

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// start records the request and queues the launch. The session may be gone: it was removed meanwhile, or was never started and
// can't be.
func (s *session) start(ctx context.Context, spec engine.Spec) (gone bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return true, nil
	}
	err = s.tryStart(ctx, spec)
	if err != nil && s.record.Phase == "" {
		s.gone = true
		s.engine.forget(s.id)
	}
	return s.gone, err
}

// tryStart changes nothing if it fails. s.mu must be held.
func (s *session) tryStart(ctx context.Context, spec engine.Spec) error {
	if s.removal != nil {
		return fault.New(fault.Conflict, "The session is being deleted.")
	}
	if s.wanted || spec.IsLateAfter(s.record.Spec) {
		return nil
	}
	if err := errors.Join(s.engine.Check(ctx), s.checkReachable()); err != nil {
		return err
	}
	before := s.record
	s.progressedAt = time.Time{}
	if from := spec.From; from != nil && s.record.Phase == "" {
		s.work.Request(*from)
	}
	s.record.Spec, s.record.Phase, s.record.Reason, s.record.Missing, s.record.Steps = spec, engine.Starting, "", nil, waitingSteps(spec)
	s.record.LeftOut, s.record.Code = nil, ""
	if err := errors.Join(s.makeFolder(), s.keepNotebook(spec.Notebook), s.save()); err != nil {
		s.record = before
		if folders.IsFull(err) {
			return fault.Wrap(err, fault.Unavailable, folders.DiskFull)
		}
		return fault.Wrap(err, fault.Unavailable, "The session can't be started: its record can't be saved. Tell the operators.")
	}
	queued := s.queue.add(s.engine, s.launch)
	if queued == nil {
		s.record = before
		return engine.ErrClosing
	}
	s.wanted, s.pending = true, queued
	s.engine.signal()
	return nil
}

// makeFolder creates the session's folder.
func (s *session) makeFolder() error {
	return errors.Join(folders.Make(s.folder, s.engine.permissions(s.folder)), folders.Sync(filepath.Dir(s.folder)))
}

// relaunch queues a launch that an earlier engine had begun.
func (s *session) relaunch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Steps = waitingSteps(s.record.Spec)
	s.wanted, s.pending = true, s.queue.add(s.engine, s.launch)
}

// stop queues a stop and returns nil if there is nothing to stop. A stop that is still last in the queue is shared.
func (s *session) stop(cause engine.VersionCause) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.queue.current()
	if s.gone || s.removal != nil {
		return s.removal
	}
	if last != nil && last.stop {
		return last
	}
	if last == nil && s.record.Phase == engine.Ended {
		return nil
	}
	s.cancelLaunch()
	queued := s.queue.add(s.engine, func(context.Context) error { return s.end(true, cause, engine.Ended, "", "") })
	if queued == nil {
		return refused()
	}
	queued.stop = true
	return queued
}

// cancelLaunch cancels a launch that runs or waits. s.mu must be held.
func (s *session) cancelLaunch() {
	s.wanted = false
	if s.pending != nil {
		s.pending.cancel(errStopped)
	}
}

// end stops the processes, asking Jupyter first if there is time, makes the last version for this cause (none if it is empty),
// and records the phase unless a start has been requested by then.
func (s *session) end(gently bool, cause engine.VersionCause, phase engine.Phase, reason string, code diagnosis.Code) error {
	s.mu.Lock()
	server, client := s.server, s.client
	s.mu.Unlock()
	if gently && server != nil && client != nil {
		shutDown(server, client)
	}
	err := s.sweep()
	if err == nil && cause != "" {
		_ = s.work.SaveStopped(cause) // it tells the log, and Status; the work stays in its folder
	}
	if s.engine.dead.Load() {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeServer()
	switch {
	case err != nil:
		s.engine.options.Logger.Error("a session does not end", "session", s.id, "error", err)
		s.finish(engine.Failed, "Some of the session's processes couldn't be stopped. Stop it again.", diagnosis.ServerFault)
		return fault.Wrap(err, fault.Unavailable, "Some of the session's processes couldn't be stopped.")
	case !s.wanted:
		s.finish(phase, reason, code)
	}
	return nil
}

// remove queues the removal; a second call joins the first.
func (s *session) remove() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.removal != nil || s.gone {
		return s.removal
	}
	s.cancelLaunch()
	s.removal = s.queue.add(s.engine, func(context.Context) error {
		err := s.end(false, "", engine.Ended, "", "")
		if err == nil {
			err = s.work.Delete()
		}
		if err == nil {
			err = s.erase()
		}
		if err != nil {
			s.mu.Lock()
			s.removal = nil
			s.mu.Unlock()
		}
		return err
	})
	if s.removal == nil {
		return refused()
	}
	return s.removal
}

// erase removes the session with one rename, which a crash can't interrupt halfway, and then deletes its files.
func (s *session) erase() error {
	removed := folders.RemovedPrefix + s.id + "-" + rand.Text()
	s.mu.Lock()
	s.removeSockets()
	err := os.Rename(s.folder, filepath.Join(filepath.Dir(s.folder), removed))
	if err == nil || errors.Is(err, os.ErrNotExist) {
		err = nil
		s.gone = true
		s.engine.forget(s.id)
	}
	s.mu.Unlock()
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The session's files couldn't be deleted. Tell the operators.")
	}
	s.engine.signal()
	s.engine.remover.Delete(filepath.Join(filepath.Dir(s.folder), removed))
	return nil
}

// serverEnded queues the work after a server ended on its own. If a stop did it, the session has released it.
func (s *session) serverEnded(ended *sandbox.Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.add(s.engine, func(context.Context) error {
		s.mu.Lock()
		current := s.server == ended
		s.mu.Unlock()
		if !current || s.engine.dead.Load() {
			return nil
		}
		left := s.sweep()
		if left == nil {
			_ = s.work.SaveStopped(engine.VersionStop) // it tells the log, and Status; the work stays in its folder
		}
		s.recordEnd(left)
		return nil
	})
}

// recordEnd records why the server of a session has ended.
func (s *session) recordEnd(left error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.health.noteMemory(s.record.Groups, s.engine.options.Now())
	s.closeServer()
	if s.record.Phase != engine.Running {
		return
	}
	if left != nil {
		s.engine.options.Logger.Error("a session does not end", "session", s.id, "error", left)
		s.finish(engine.Failed, "Jupyter stopped, but some of the session's processes couldn't be stopped. Stop it again.", diagnosis.ServerFault)
		return
	}
	switch code, err := exitCode(s.folder); {
	case err != nil:
		s.finish(engine.Failed, "Jupyter stopped unexpectedly. The work is kept.", "")
	case code != 0:
		reason, cause := exitReason(code, s.health.lastMemory(), s.engine.options.Limits.of(s.record.Spec.Profile).Memory, s.engine.options.Now())
		s.finish(engine.Failed, reason, cause)
	default:
		s.finish(engine.Ended, "Jupyter was shut down from within the session.", "")
	}
}
