package localjupyter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/causes"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

const nearlyFull = "This server's disk is nearly full. The session starts automatically as soon as there's room."

// launch launches the session. The context ends when a stop cancels the launch or the engine is closed.
func (s *session) launch(ctx context.Context) error {
	if s.engine.disks.IsFull() && ctx.Err() == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.record.Steps = waitingSteps(s.record.Spec)
		s.finish(engine.Full, nearlyFull, "")
		return nil
	}
	timed, l := s.newLaunch(ctx)
	defer l.giveUp(nil)
	defer l.watchdog.Stop()
	s.disk.Reset()
	s.health.reset()
	s.work.BeginLaunch()
	s.mu.Lock()
	s.launching = l
	s.record.Steps = waitingSteps(s.record.Spec) // a canceled launch may have moved them since the start was requested
	s.mu.Unlock()
	server, client, err := l.bringUpWatched(timed)
	if err == nil && l.batch() == nil {
		l.prepareNotebook(timed, client)
	}
	if started, failed := l.finish(ctx, server, client, err); !started && !s.engine.dead.Load() {
		l.abort(ctx, client, failed)
	}
	return nil
}

// finish records that the session is running, if its launch succeeded and wasn't canceled.
func (l *launch) finish(ctx context.Context, server *sandbox.Process, client *client, err error) (started bool, failed error) {
	s := l.session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.launching = nil
	if err != nil || ctx.Err() != nil {
		return false, err
	}
	s.record.Phase = engine.Running
	if err := s.save(); err != nil {
		return false, err
	}
	s.server, s.client = server, client
	s.hurriesUntil = s.engine.options.Now().Add(hurryTime)
	s.health.noteActivity(nil, s.engine.options.Now())
	s.follow(server, client)
	s.engine.signal()
	return true, nil
}

// kernelTime is how long a launch waits until Jupyter has begun to start a kernel: usually less than a tenth of a second.
const kernelTime = 5 * time.Second

// prepareNotebook begins to start the kernel of the notebook that opens, so that it boots while the page loads, which asks
// for it only at the end. The session isn't Running before: Jupyter would start a second kernel for a page that asks
// meanwhile. A notebook that ships with the catalog is trusted before. What goes wrong is left to the page, which tries
// again and shows why.
func (l *launch) prepareNotebook(ctx context.Context, client *client) {
	l.session.mu.Lock()
	opens, trusted := l.session.record.Opens, l.session.record.Spec.Trusted && l.chose
	l.session.mu.Unlock()
	if path.Ext(opens) != ".ipynb" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, kernelTime)
	defer cancel()
	if trusted {
		if err := client.trust(ctx, opens); err != nil {
			l.engine.options.Logger.Debug("Jupyter doesn't trust the notebook", "session", l.session.id, "error", err)
		}
	}
	if err := client.startKernel(ctx, opens, l.engine.Kernels(ctx)); err != nil {
		l.engine.options.Logger.Debug("the kernel was not started ahead", "session", l.session.id, "error", err)
	}
}

// abort stops everything that a launch has started. Only a launch that failed on its own is marked as failed: the stop
// handles one that it withdrew, and the next engine restarts one that the closing engine interrupts.
func (l *launch) abort(ctx context.Context, client *client, cause error) {
	left := l.session.sweep()
	if client != nil {
		client.close()
	}
	if left != nil {
		l.engine.options.Logger.Error("a session does not end", "session", l.session.id, "error", left)
	} else {
		_ = l.session.work.SaveStopped(engine.VersionStop)
		l.dropClone()
		l.engine.evict() // to make room again if the disk is full
	}
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	l.session.removeSockets()
	l.engine.options.Logger.Info("a launch failed", "session", l.session.id, "error", cause)
	if lacking := causes.Missing(cause); lacking != nil {
		l.session.record.Missing = lacking
	}
	l.session.finish(engine.Failed, reasonOf(cause, l.session.record.Steps, l.engine.options.LaunchDeadline), codeOf(cause))
}

// dropClone removes an incomplete clone, which nothing writes to anymore.
func (l *launch) dropClone() {
	root, err := os.OpenRoot(l.session.folder)
	if err != nil {
		return
	}
	defer root.Close()
	if err := folders.Remove(root, folders.Clone); err != nil {
		l.engine.options.Logger.Warn("half a clone remains", "session", l.session.id, "error", err)
	}
}

// reasonOf says why a launch failed, of which these steps were taken.
func reasonOf(cause error, steps []engine.Step, deadline time.Duration) string {
	if errors.Is(cause, errDeadline) {
		return fmt.Sprintf("The launch was stopped because it made no progress for %s%s.", humanDuration(deadline), duringStep(steps))
	}
	if folders.IsFull(cause) {
		return folders.DiskFull
	}
	if _, told := errors.AsType[*fault.Fault](cause); told {
		return fault.MessageOf(cause)
	}
	return "The session couldn't be started because of a fault on this server. The operators can find it in their log."
}

// codeOf returns why a launch failed; "" if only its log may tell.
func codeOf(cause error) diagnosis.Code {
	if errors.Is(cause, errDeadline) && !folders.IsFull(cause) && len(causes.Missing(cause)) == 0 {
		return diagnosis.Time
	}
	return causes.CodeOf(cause)
}

// duringStep says what a launch was doing when it was ended.
func duringStep(steps []engine.Step) string {
	for _, step := range steps {
		if step.State != engine.Broken {
			continue
		}
		switch step.Name {
		case engine.StepRepository:
			return " while the repository was copied"
		case engine.StepDatasets:
			if step.Detail != "" {
				return " while the datasets were put in place (" + step.Detail + ")"
			}
			return " while the datasets were put in place"
		case engine.StepEnvironment:
			return " while the packages were installed"
		case engine.StepServer:
			return " while Jupyter was starting"
		}
	}
	return ""
}

func humanDuration(duration time.Duration) string {
	if duration%time.Minute == 0 && duration != time.Minute {
		return fmt.Sprintf("%d minutes", duration/time.Minute)
	}
	return duration.String()
}

// bringUpWatched is bringUp while the session's files are watched.
func (l *launch) bringUpWatched(ctx context.Context) (*sandbox.Process, *client, error) {
	watched, over := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { every(watched, l.engine.options.WatchEvery, func() { l.session.checkLaunchDisk(watched) }) })
	server, client, err := l.bringUp(ctx)
	over()
	watching.Wait()
	if _, given := errors.AsType[*fault.Fault](context.Cause(ctx)); given && err != nil {
		err = context.Cause(ctx)
	}
	return server, client, err
}

// bringUp copies the repository while the server starts, which doesn't need it yet: that of a batch session alone has to
// know the time of its commit.
func (l *launch) bringUp(ctx context.Context) (*sandbox.Process, *client, error) {
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if err := l.session.sweep(); err != nil {
		return nil, nil, fault.Wrap(err, fault.Unavailable, "Some processes from the session's last run couldn't be stopped.")
	}
	root, err := l.prepare()
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	if err := l.session.work.RestoreHome(ctx, root); err != nil {
		return nil, nil, err
	}
	var (
		running *sandbox.Process
		way     *client
		copied  = make(chan struct{})
	)
	steps, both := errgroup.WithContext(ctx)
	steps.Go(func() error {
		err := l.step(both, engine.StepRepository, func(tell func(string)) error {
			if err := l.session.work.RestoreWork(both, root, tell); err != nil {
				return err
			}
			return l.checkOut(both, root, tell)
		})
		if err == nil {
			err = l.chooseFile(root)
		}
		if err != nil {
			return err
		}
		close(copied)
		return l.step(both, engine.StepEnvironment, func(tell func(string)) error { return l.makeEnvironment(both, root, tell) })
	})
	steps.Go(func() error {
		var mounts []sandbox.Mount
		err := l.step(both, engine.StepDatasets, func(tell func(string)) error {
			var err error
			mounts, err = l.engine.datasets.Place(both, l, root, l.datasets(), tell)
			return err
		})
		if err != nil {
			return err
		}
		if l.batch() != nil {
			select {
			case <-copied:
			case <-both.Done():
				return context.Cause(both)
			}
		}
		return l.step(both, engine.StepServer, func(func(string)) error {
			running, way, err = l.startServer(both, mounts)
			return err
		})
	})
	err = steps.Wait()
	if err == nil {
		l.session.mu.Lock()
		l.session.record.First = running.Record().First
		l.session.mu.Unlock()
	}
	return running, way, err
}

// checkOut copies the repository into the work folder.
func (l *launch) checkOut(ctx context.Context, root *os.Root, tell func(string)) error {
	l.session.mu.Lock()
	repository, private, account := l.session.record.Spec.Repository, l.session.record.Spec.Clone, l.session.record.UserID
	l.session.mu.Unlock()
	return l.engine.repositories.CheckOut(ctx, l, root, repository, private, account, tell)
}

func (l *launch) datasets() []engine.Dataset {
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	return l.session.record.Spec.Datasets
}

// step runs one step of the launch and shows its progress. Progress reported after the step, such as the last lines of
// a command that a deadline ended, isn't shown.
func (l *launch) step(ctx context.Context, name engine.StepName, work func(tell func(string)) error) error {
	l.setStep(name, engine.Active)
	over := false
	err := work(func(detail string) {
		l.session.mu.Lock()
		defer l.session.mu.Unlock()
		if !over {
			l.noteStep(name, engine.Active, detail)
		}
	})
	l.session.mu.Lock()
	over = true
	l.session.mu.Unlock()
	switch cause := context.Cause(ctx); {
	case err == nil:
		l.setStep(name, engine.Done)
	case cause == nil:
		l.setStep(name, engine.Broken)
	case errors.Is(cause, errDeadline):
		l.setStep(name, engine.Broken)
		if errors.Is(err, errDeadline) {
			return err // it says more about the cause
		}
		return cause
	default:
		l.setStep(name, engine.Waiting) // another step failed, or the launch was canceled
	}
	return err
}

func (l *launch) setStep(name engine.StepName, state engine.StepState) {
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	l.noteStep(name, state, "")
}

// noteStep notes what a step is at. It keeps the detail of a completed one. session.mu must be held.
func (l *launch) noteStep(name engine.StepName, state engine.StepState, detail string) {
	now := l.engine.options.Now()
	for i := range l.session.record.Steps {
		step := &l.session.record.Steps[i]
		if step.Name != name {
			continue
		}
		if step.State != state || (state == engine.Active && step.Detail != detail) {
			l.session.progressedAt = now
			l.watchdog.Reset(l.engine.options.LaunchDeadline)
		}
		switch step.State = state; state {
		case engine.Waiting:
			*step = engine.Step{Name: name, State: state}
		case engine.Active:
			step.Detail = detail
			if step.StartedAt.IsZero() {
				step.StartedAt = now
			}
		case engine.Done, engine.Broken:
			step.EndedAt = now
		}
	}
	l.engine.signal()
}
