package kept

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

const (
	tasksAtOnce = 3 // on a server: they read and write the disk that sessions use
	fetchedMost = 1 // of them fetch from archives, which may take hours
	holdTime    = time.Minute
	holdEvery   = 2 * time.Second
	tasksKeep   = 24 * time.Hour // after their end
	lookEvery   = 2 * time.Second
	sweepEvery  = time.Hour
)

// errCanceled is why a task ends that somebody canceled, or another server has.
var errCanceled = errors.New("the task was canceled, or another server has it")

// Run works on tasks and removes what isn't needed any more, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	slots := make(chan struct{}, tasksAtOnce)
	var fetching atomic.Int64
	looks := time.NewTicker(lookEvery)
	defer looks.Stop()
	sweeping := make(chan struct{})
	go func() {
		defer close(sweeping)
		s.keepSwept(ctx)
	}()
	defer func() {
		<-sweeping
		for range tasksAtOnce { // those under way give back what they have
			slots <- struct{}{}
		}
	}()
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		one, ok, err := s.store.claim(ctx, s.worker, s.options.Now().Add(holdTime), fetching.Load() < fetchedMost)
		if err != nil && ctx.Err() == nil {
			s.options.Logger.WarnContext(ctx, "tasks of uploads can't be read; trying again", "error", err)
		}
		if ok && err == nil {
			fetches := int64(0)
			if one.request.Record != "" {
				fetches = 1
			}
			fetching.Add(fetches)
			go func() {
				defer func() { fetching.Add(-fetches); <-slots }()
				s.work(ctx, one)
			}()
			continue
		}
		<-slots
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-looks.C:
		}
	}
}

// keepSwept removes what isn't needed any more each hour, until ctx ends.
func (s *Service) keepSwept(ctx context.Context) {
	sweeps := time.NewTicker(sweepEvery)
	defer sweeps.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweeps.C:
			if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.options.Logger.WarnContext(ctx, "kept files that nobody needs can't be removed; trying again in an hour", "error", err)
			}
		}
	}
}

// work carries out a task that was claimed, and notes how it ended.
func (s *Service) work(ctx context.Context, one UploadTask) {
	working, cancel := context.WithCancelCause(ctx)
	var files, bytes atomic.Int64
	files.Store(int64(one.Files))
	held := make(chan struct{})
	go func() {
		defer close(held)
		ticks := time.NewTicker(holdEvery)
		defer ticks.Stop()
		for {
			select {
			case <-working.Done():
				return
			case <-ticks.C:
				progress := UploadProgress{Files: int(files.Load()), Bytes: bytes.Load(), TotalBytes: one.TotalBytes}
				if mine, err := s.store.hold(working, one.ID, s.worker, progress, s.options.Now().Add(holdTime)); err == nil && !mine {
					cancel(errCanceled)
				}
			}
		}
	}()
	made, err := s.carryOut(working, one, func(count int, done int64) { files.Store(int64(count)); bytes.Store(done) })
	cancel(nil)
	<-held
	switch {
	case err != nil && ctx.Err() != nil: // this server ends: another one, or the next, goes on
		_ = s.store.release(context.WithoutCancel(ctx), one.ID, s.worker)
	case errors.Is(err, errCanceled):
	case err != nil:
		s.note(ctx, one.ID, 0, s.problemOf(ctx, one, err))
	default:
		s.note(ctx, one.ID, made, nil)
	}
}

// note stores how a task ended.
func (s *Service) note(ctx context.Context, id string, version int, problem *TaskProblem) {
	if err := s.store.end(context.WithoutCancel(ctx), id, s.worker, version, problem); err != nil {
		s.options.Logger.ErrorContext(ctx, "the end of a task can't be stored; it is carried out again", "task", id, "error", err)
	}
}

// problemOf is what is said about a task that failed.
func (s *Service) problemOf(ctx context.Context, one UploadTask, err error) *TaskProblem {
	known, ok := errors.AsType[*fault.Fault](err)
	if !ok || known.Kind == fault.Internal {
		s.options.Logger.ErrorContext(ctx, "uploads can't be made the content of an entry", "task", one.ID, "error", err)
	}
	if !ok {
		return &TaskProblem{Code: "internal", Detail: "Something on this server is broken. The operators can find it in their log."}
	}
	return &TaskProblem{Code: fault.CodeOf(err), Detail: known.Message, Errors: known.Fields}
}

// carryOut makes the uploads of a task the content of its entry, as the account that asked for it.
func (s *Service) carryOut(ctx context.Context, one UploadTask, tell func(files int, bytes int64)) (version int, err error) {
	caller, err := s.options.Callers(ctx, one.account)
	if err != nil {
		return 0, fmt.Errorf("the account of a task: %w", err)
	}
	ctx = identity.With(ctx, caller)
	number, _, err := s.store.ofTask(ctx, one.ResourceID, one.ID)
	if number > 0 { // the server that did it ended before it could say so
		return number, s.options.Uploads.Delete(context.WithoutCancel(ctx), one.request.Uploads)
	}
	if err != nil {
		return 0, err
	}
	made, err := s.make(ctx, one, tell)
	if err == nil {
		return made.Number, nil
	}
	// Another server, which took longer than it may, may have done it, and deleted the uploads.
	if number, _, unknown := s.store.ofTask(context.WithoutCancel(ctx), one.ResourceID, one.ID); unknown == nil && number > 0 {
		return number, nil
	}
	return 0, err
}

// Task returns a task of the caller's.
func (s *Service) Task(ctx context.Context, id string) (UploadTask, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return UploadTask{}, err
	}
	return s.store.task(ctx, caller.AccountID, id)
}

// Cancel cancels a task of the caller's; Conflict if it has ended. The uploads stay.
func (s *Service) Cancel(ctx context.Context, id string) error {
	caller, err := identity.Require(ctx)
	if err != nil {
		return err
	}
	canceled, err := s.store.cancel(ctx, caller.AccountID, id)
	if err == nil && !canceled {
		if _, err = s.store.task(ctx, caller.AccountID, id); err == nil {
			err = fault.New(fault.Conflict, "It has ended already.")
		}
	}
	return err
}
