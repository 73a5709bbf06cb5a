package runs

import (
	"context"
	"errors"
	"slices"
	"sync"
	"syscall"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

const (
	lookInterval  = 5 * time.Second // between looks at the queue
	endTime       = time.Minute     // for the end of a run whose context has ended
	attemptsLimit = 3               // after so many interruptions a run isn't begun again
)

// Why the work on a run ends before it has come to a verdict.
var (
	errYield   = errors.New("somebody waits for its place")
	errNoPlace = errors.New("there is no place for it")
	errEvicted = errors.New("its session was taken away")
	errStopped = errors.New("it was stopped")
)

// Run carries out the runs in the queue until ctx ends. Runs that are under way then, or when the process is killed, are
// begun again by the next process.
func (s *Service) Run(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for {
		var changed <-chan struct{}
		if s.count() > 0 {
			changed = s.sessions.Changed() // somebody may wait for a place
		}
		if err := s.updateWork(ctx, &work); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "the runs can't be looked at; trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-changed:
		case <-ticker.C:
		}
	}
}

func (s *Service) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.underWay)
}

// updateWork ends the work on runs that have to give up their places, tidies up after processes that were killed, and begins the
// next runs.
func (s *Service) updateWork(ctx context.Context, work *sync.WaitGroup) error {
	one, runner, err := s.sessions.Engine()
	if err != nil {
		return nil //nolint:nilerr // nothing runs here
	}
	held, yielding, err := s.sessions.All(ctx)
	if err != nil {
		return err
	}
	for _, id := range yielding {
		s.end(id, errYield)
	}
	for _, id := range held {
		if s.take(id, func(error) {}) { // nobody works on it: it is of a process that was killed
			work.Go(func() {
				defer s.signal()
				defer s.release(id)
				s.clear(ctx, id)
			})
		}
	}
	live, err := s.store.Live(ctx)
	if err != nil {
		return err
	}
	for _, run := range live {
		if run.Engine != one.Name || s.count() >= s.Share || slices.Contains(held, run.ID) {
			continue
		}
		working, cancel := context.WithCancelCause(ctx)
		if !s.take(run.ID, cancel) {
			cancel(nil)
			continue
		}
		work.Go(func() {
			defer cancel(nil)
			defer s.release(run.ID)
			if err := s.executeRun(working, one, runner, run); err != nil && ctx.Err() == nil {
				s.Logger.WarnContext(ctx, "a run can't be carried out; trying again", "run", run.ID, "error", err)
			}
		})
	}
	return nil
}

// take reports whether nobody in this process works on a run; then the caller does.
func (s *Service) take(id string, cancel context.CancelCauseFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.underWay[id] != nil {
		return false
	}
	s.underWay[id] = cancel
	return true
}

func (s *Service) release(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.underWay, id)
}

// clear ends the session of a run, even if ctx has ended.
func (s *Service) clear(ctx context.Context, id string) {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if err := s.sessions.End(ending, id); err != nil {
		s.Logger.WarnContext(ctx, "the session of a run can't be ended; trying again", "run", id, "error", err)
	}
}

// executeRun executes the file of a run and records what came out, or puts it back into the queue.
func (s *Service) executeRun(ctx context.Context, one sizes.Engine, runner engine.Runner, run Run) error {
	if run.State == Running { // begun by a process that was killed
		if run.attempts < attemptsLimit {
			_, err := s.store.Requeue(ctx, run.ID, true)
			s.signal()
			return err
		}
		run.State, run.Reason = Stopped, "It was interrupted several times: this server ended, or couldn't write what came out."
		return s.recordEnd(ctx, run, nil)
	}
	w := &worker{Service: s, one: one, runner: runner, run: run}
	result, err := w.perform(ctx)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if errors.Is(err, errNoPlace) && !w.begun {
		return nil // a later look tries again
	}
	defer s.signal() // the next one
	switch {
	case !w.begun:
		s.clear(ending, run.ID)
		if errors.Is(err, errStopped) || ctx.Err() != nil { // a person stopped it, or somebody needs its place
			return nil
		}
		return err
	case ctx.Err() != nil, errors.Is(err, errNoPlace), errors.Is(err, errYield): // a run that a person stopped has ended already
		_, requeued := s.store.Requeue(ending, run.ID, ctx.Err() != nil && !errors.Is(context.Cause(ctx), errYield))
		s.clear(ending, run.ID)
		return requeued
	case errors.Is(err, errEvicted) && run.attempts+1 < attemptsLimit: // of which this was one
		_, requeued := s.store.Requeue(ending, run.ID, true)
		s.clear(ending, run.ID)
		return requeued
	case err != nil:
		result = outcome{reason: fault.MessageOf(err)}
		if fault.KindOf(err) == fault.Internal {
			s.Logger.ErrorContext(ctx, "a run failed", "run", run.ID, "error", err)
		}
	}
	err = s.recordOutcome(ending, w, result)
	s.clear(ending, run.ID)
	return err
}

// recordOutcome records what came out of a run. Without a verdict it is stopped.
func (s *Service) recordOutcome(ctx context.Context, w *worker, result outcome) error {
	run := w.run
	run.State, run.Verdict, run.Needs, run.Reason, run.Code = Done, result.verdict, result.needs, result.reason, string(result.code)
	if run.Verdict == "" {
		run.State = Stopped
	}
	if err := s.keep(run.ID, w.artifacts); err != nil {
		s.Logger.ErrorContext(ctx, "what a run left can't be kept", "run", run.ID, "folder", s.Folder, "error", err)
		// A verdict without the files that show it would be a claim. And another attempt would come to the same.
		run.State, run.Verdict, run.Needs, run.Code, run.Reason = Stopped, "", "", "", notKept(err)
	}
	return s.recordEnd(ctx, run, w.files)
}

// notKept says why the files of a run can't be kept.
func notKept(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "It was executed, but what came out couldn't be kept: the disk of this server is full. The operators have to make room."
	}
	return "It was executed, but what came out couldn't be kept. The operators find the cause in the log of this server."
}
