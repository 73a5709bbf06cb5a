package localjupyter

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter/datasets"
	"cairn/internal/sessions/engine/localjupyter/folders"
)

var errDeadline = errors.New("the launch makes no progress")

const nearlyFull = "This server's disk is nearly full. The session starts automatically as soon as there's room."

// launch brings a session from the state that a stop or a crash left to Running. Its context ends when a stop withdraws
// it or the engine is closed.
func (s *session) launch(ctx context.Context) error {
	if s.engine.disks.IsFull() && ctx.Err() == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.record.Steps = waitingSteps(s.record.Spec)
		s.settle(engine.Full, nearlyFull)
		return nil
	}
	timed, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	watchdog := time.AfterFunc(s.engine.options.LaunchDeadline, func() { giveUp(errDeadline) })
	defer watchdog.Stop()
	s.mu.Lock()
	s.watchdog, s.giveUp = watchdog, giveUp
	s.disk.Reset()
	s.health.reset()
	s.work.BeginLaunch()
	s.record.Steps = waitingSteps(s.record.Spec) // a withdrawn launch may have moved them since the start was requested
	s.mu.Unlock()
	server, client, err := s.bringUpWatched(timed)
	if err == nil && s.batch() == nil {
		s.startKernel(timed, client)
	}
	s.mu.Lock()
	s.giveUp = nil
	if err == nil && ctx.Err() == nil {
		s.record.Phase = engine.Running
		err = s.save()
		if err == nil {
			s.server, s.client = server, client
			s.health.noteActivity(nil, s.engine.options.Now())
			s.follow(server, client)
			s.mu.Unlock()
			s.engine.signal()
			return nil
		}
	}
	s.mu.Unlock()
	if s.engine.dead.Load() {
		return nil
	}
	s.abort(ctx, client, err)
	return nil
}

// kernelTime is how long a launch waits until Jupyter has begun to start a kernel: usually less than a tenth of a second.
const kernelTime = 5 * time.Second

// startKernel begins to start the kernel of the notebook that opens, so that it boots while the page loads, which asks
// for it only at the end. The session isn't Running before: Jupyter would start a second kernel for a page that asks
// meanwhile. What goes wrong is left to the page, which tries again and shows why.
func (s *session) startKernel(ctx context.Context, client *client) {
	s.mu.Lock()
	opens := s.record.Opens
	s.mu.Unlock()
	if path.Ext(opens) != ".ipynb" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, kernelTime)
	defer cancel()
	if err := client.startKernel(ctx, opens); err != nil {
		s.engine.options.Logger.Debug("the kernel was not started ahead", "session", s.id, "error", err)
	}
}

// abort stops everything that a launch has started. Only a launch that failed by itself is marked as failed: the stop
// handles one that it withdrew, and the next engine restarts one that the closing engine interrupts.
func (s *session) abort(ctx context.Context, client *client, cause error) {
	left := s.sweep()
	if client != nil {
		client.close()
	}
	if left != nil {
		s.engine.options.Logger.Error("a session does not end", "session", s.id, "error", left)
	} else {
		_ = s.work.SaveStopped(engine.VersionStop)
		s.dropClone()
		s.engine.evict() // to make room again if the disk is full
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	s.removeRuntime()
	s.engine.options.Logger.Info("a launch failed", "session", s.id, "error", cause)
	if lacking, ok := errors.AsType[*datasets.MissingError](cause); ok {
		s.record.Missing = lacking.IDs
	}
	s.fail(s.reason(cause), codeOf(cause))
}

// dropClone removes an incomplete clone, which nothing writes to anymore.
func (s *session) dropClone() {
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return
	}
	defer root.Close()
	if err := folders.Remove(root, folders.Clone); err != nil {
		s.engine.options.Logger.Warn("half a clone remains", "session", s.id, "error", err)
	}
}

// reason requires the lock.
func (s *session) reason(cause error) string {
	if errors.Is(cause, errDeadline) {
		return fmt.Sprintf("The launch was stopped because it made no progress for %s%s.",
			humanDuration(s.engine.options.LaunchDeadline), s.whileAt())
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
	_, lacking := errors.AsType[*datasets.MissingError](cause)
	_, told := errors.AsType[*fault.Fault](cause)
	switch known := diagnosis.CodeOf(cause); {
	case folders.IsFull(cause):
		return diagnosis.DiskFull
	case lacking:
		return diagnosis.DatasetMissing
	case errors.Is(cause, errDeadline):
		return diagnosis.Time
	case fault.CodeOf(cause) == fault.RefNotFound:
		return diagnosis.RefUnknown
	case known != "":
		return known
	case !told:
		return diagnosis.ServerFault
	}
	return ""
}

// whileAt requires the lock. It says what a launch was doing when it was ended.
func (s *session) whileAt() string {
	for _, step := range s.record.Steps {
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
func (s *session) bringUpWatched(ctx context.Context) (*sandbox.Process, *client, error) {
	watched, over := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { s.every(watched, func() { s.weighLaunch(watched) }) })
	server, client, err := s.bringUp(ctx)
	over()
	watching.Wait()
	if _, given := errors.AsType[*fault.Fault](context.Cause(ctx)); given && err != nil {
		err = context.Cause(ctx)
	}
	return server, client, err
}

// bringUp copies the repository while the server starts, which doesn't need it yet: that of a batch session alone has to
// know the time of its commit.
func (s *session) bringUp(ctx context.Context) (*sandbox.Process, *client, error) {
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if err := s.sweep(); err != nil {
		return nil, nil, fault.Wrap(err, fault.Unavailable, "Some processes from the session's last run couldn't be stopped.")
	}
	root, err := s.prepare()
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	if err := s.work.RestoreHome(ctx, root); err != nil {
		return nil, nil, err
	}
	var (
		running *sandbox.Process
		way     *client
		copied  = make(chan struct{})
	)
	steps, both := errgroup.WithContext(ctx)
	steps.Go(func() error {
		err := s.step(both, engine.StepRepository, func(tell func(string)) error {
			if err := s.work.RestoreWork(both, root, tell); err != nil {
				return err
			}
			return s.checkOut(both, root, tell)
		})
		if err == nil {
			err = s.chooseFile(root)
		}
		if err != nil {
			return err
		}
		close(copied)
		return s.step(both, engine.StepEnvironment, func(tell func(string)) error { return s.makeEnvironment(both, root, tell) })
	})
	steps.Go(func() error {
		var mounts []sandbox.Mount
		err := s.step(both, engine.StepDatasets, func(tell func(string)) error {
			var err error
			mounts, err = s.engine.datasets.Place(both, s, root, s.datasets(), tell)
			return err
		})
		if err != nil {
			return err
		}
		if s.batch() != nil {
			select {
			case <-copied:
			case <-both.Done():
				return context.Cause(both)
			}
		}
		return s.step(both, engine.StepServer, func(func(string)) error {
			running, way, err = s.startServer(both, mounts)
			return err
		})
	})
	err = steps.Wait()
	if err == nil {
		s.mu.Lock()
		s.record.First = running.Record().First
		s.mu.Unlock()
	}
	return running, way, err
}

// checkOut copies the repository into the work folder.
func (s *session) checkOut(ctx context.Context, root *os.Root, tell func(string)) error {
	s.mu.Lock()
	repository, account := s.record.Spec.Repository, s.record.UserID
	s.mu.Unlock()
	return s.engine.repositories.CheckOut(ctx, s, root, repository, account, tell)
}

func (s *session) datasets() []engine.Dataset {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.Spec.Datasets
}

// prepare creates the folders and the account, generates a token, and records all of it before anything starts.
func (s *session) prepare() (*os.Root, error) {
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return nil, err
	}
	if s.batch() != nil {
		if err := folders.Remove(root, folders.Home); err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work.IsPending() {
		if err := s.Discard(); err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	moved, err := s.chooseAccount()
	if err == nil {
		var token [32]byte
		_, _ = rand.Read(token[:])
		s.record.Token = hex.EncodeToString(token[:])
		s.record.Server, s.record.First = sandbox.Identity{}, sandbox.Identity{}
		s.SetPinned(nil)
		owner := s.record.Spec.Owner
		if s.record.Spec.Batch != nil {
			owner = ""
		}
		s.work.BeginRun(owner)
		err = s.save()
	}
	userID := s.record.UserID
	for _, folder := range []string{folders.Work, folders.Home} {
		if err == nil {
			err = folders.Own(root, folder, userID)
		}
		if err == nil && moved {
			err = folders.OwnTree(s.engine.background, root, folder, userID)
		}
	}
	if err == nil && !s.engine.sandbox.Level().Mounts() {
		err = errors.Join(folders.Remove(root, folders.Temporary), folders.Own(root, folders.Temporary, userID))
	}
	if err == nil {
		err = dataFolder(root, s.engine.options.Now().Unix())
	}
	if err == nil {
		err = folders.Remove(root, folders.Clone)
	}
	if err == nil {
		err = s.makeRuntime(userID)
	}
	if err == nil {
		s.record.Groups, err = s.engine.sandbox.MakeGroups(filepath.Base(s.runtime), s.boxLimits())
	}
	if err == nil {
		err = s.save()
	}
	if err == nil {
		var log *os.File
		if log, err = openLog(filepath.Join(s.folder, logName), true); err == nil {
			err = log.Close()
		}
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return root, nil
}

// chooseAccount returns an account for the session if sessions have separate ones; moved if it isn't the previous one.
func (s *session) chooseAccount() (moved bool, err error) {
	own := s.engine.sandbox.Level().OwnAccount()
	if own == (s.record.UserID != 0) {
		return false, nil
	}
	if !own {
		s.record.UserID = 0
		return true, nil
	}
	s.record.UserID, err = s.engine.pickAccount()
	return true, err
}

// step runs one step of the launch and shows its progress. Progress reported after the step, such as the last lines of
// a command that a deadline ended, isn't shown.
func (s *session) step(ctx context.Context, name engine.StepName, work func(tell func(string)) error) error {
	s.setStep(name, engine.Active)
	over := false
	err := work(func(detail string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !over {
			s.noteStep(name, engine.Active, detail)
		}
	})
	s.mu.Lock()
	over = true
	s.mu.Unlock()
	switch cause := context.Cause(ctx); {
	case err == nil:
		s.setStep(name, engine.Done)
	case cause == nil:
		s.setStep(name, engine.Broken)
	case errors.Is(cause, errDeadline):
		s.setStep(name, engine.Broken)
		if errors.Is(err, errDeadline) {
			return err // it says more about the cause
		}
		return cause
	default:
		s.setStep(name, engine.Waiting) // another step failed, or the launch was withdrawn
	}
	return err
}

func (s *session) setStep(name engine.StepName, state engine.StepState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteStep(name, state, "")
}

// noteStep requires the lock. It keeps the detail of a completed step.
func (s *session) noteStep(name engine.StepName, state engine.StepState, detail string) {
	now := s.engine.options.Now()
	for i := range s.record.Steps {
		step := &s.record.Steps[i]
		if step.Name != name {
			continue
		}
		if step.State != state || (state == engine.Active && step.Detail != detail) {
			s.progressedAt = now
			s.watchdog.Reset(s.engine.options.LaunchDeadline)
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
	s.engine.signal()
}

// dataFolder makes sure that work/data is a real folder. Anything else that a user put there is kept beside it.
func dataFolder(root *os.Root, stamp int64) error {
	name := path.Join(folders.Work, engine.DataFolder)
	about, err := root.Lstat(name)
	if err == nil && about.IsDir() {
		return nil
	}
	if err == nil {
		err = root.Rename(name, fmt.Sprintf("%s.replaced-%d", name, stamp))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return folders.Share(root, name)
}
