package localjupyter

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter/cache"
	"cairn/internal/sessions/engine/localjupyter/disk"
	"cairn/internal/sessions/engine/localjupyter/folders"
	"cairn/internal/sessions/engine/localjupyter/history"
)

// session is one session in this process. Operations on its processes are tasks, one after the other; calls only record
// the request and queue a task.
type session struct {
	// The fields below don't change once the session is loaded.
	engine  *Engine
	id      string
	folder  string // below Options.Dir, or where another level of isolation had it
	runtime string // below Options.RuntimeDir

	// These have locks of their own.
	pins   cache.Pins // the entries of caches that it uses
	disk   disk.State // of its files
	health health     // of its server
	work   *history.Work
	queue  queue // of its tasks

	// mu guards the fields below. It is taken before engine.mu, and before the locks of the fields above.
	mu      sync.Mutex
	record  record
	wanted  bool  // the last request is a start, and nothing ended it
	pending *task // the last launch queued
	removal *task // not nil once Remove was called, unless it failed
	cutOff  bool  // found running without mounts in another place than the current one
	gone    bool  // removed; the struct isn't in the engine's map anymore
	server  *sandbox.Process
	client  *client // not nil while Running

	launching *launch // the launch that runs; nil if none does
}

var errStopped = errors.New("stopped by its user")

func (e *Engine) newSession(id string) *session {
	made := &session{
		engine: e, id: id, folder: filepath.Join(e.options.Dir, id),
		runtime: filepath.Join(e.options.RuntimeDir, engine.ShortID(id)), // paths of sockets have little room
	}
	made.work = e.versions.NewWork(made)
	return made
}

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
	if s.wanted {
		return nil
	}
	if err := errors.Join(s.engine.Check(ctx), s.checkPlace()); err != nil {
		return err
	}
	before := s.record
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
	return errors.Join(folders.Make(s.folder, s.engine.permissions(s.folder)), syncFolder(filepath.Dir(s.folder)))
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
	s.engine.remover.delete(filepath.Join(filepath.Dir(s.folder), removed))
	return nil
}

// serverEnded queues the work after a server ended by itself. If a stop did it, the session has released it.
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

// closeServer forgets the server, and closes its client. s.mu must be held.
func (s *session) closeServer() {
	s.server = nil
	if s.client != nil {
		s.client.close()
		s.client = nil
	}
	s.removeSockets()
}

// finish ends the current request. s.mu must be held.
func (s *session) finish(phase engine.Phase, reason string, code diagnosis.Code) {
	s.wanted = false
	s.record.Phase, s.record.Reason, s.record.Code = phase, reason, code
	for i, step := range s.record.Steps {
		if step.State == engine.Active {
			s.record.Steps[i] = engine.Step{Name: step.Name, State: engine.Waiting}
		}
	}
	if err := s.save(); err != nil {
		s.engine.options.Logger.Error("a session's record cannot be written", "session", s.id, "error", err)
	}
	s.engine.signal()
}

// live reports whether it is running or being started.
func (s *session) live() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.Phase == engine.Starting || s.record.Phase == engine.Running
}

// save writes the record. s.mu must be held.
func (s *session) save() error {
	if s.engine.dead.Load() {
		return nil
	}
	s.record.Pinned, s.record.Record = s.pins.Pinned(), s.work.Record()
	return s.record.save(s.folder)
}

// sweepTime is how long killed processes may take to end: those of a machine with other busy sessions wait for a
// processor, and for the disk while their deleted files are freed.
const sweepTime = time.Minute

// sweep ends every process of the session.
func (s *session) sweep() error {
	if s.engine.dead.Load() {
		return nil
	}
	s.mu.Lock()
	boxes := []sandbox.Record{s.record.box(s.id)}
	if s.record.BuildAccount != 0 {
		boxes = append(boxes, sandbox.Record{Name: s.id, Account: s.record.BuildAccount})
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), sweepTime)
	defer cancel()
	return s.engine.sandbox.Sweep(ctx, boxes...)
}

// status returns everything known about the session, except its log.
func (s *session) status() (status engine.Status, known bool) {
	s.mu.Lock()
	record, gone := s.record, s.gone
	record.Steps = slices.Clone(record.Steps)
	status.LeftOut, status.Saving = slices.Clone(record.LeftOut), s.work.Saving()
	switch record.Phase {
	case engine.Starting:
		if s.launching != nil {
			status.ProgressedAt = s.launching.progressedAt
		}
	case engine.Running:
		status.Activity, status.Warning = s.health.lastActivity(), s.warning(record.Spec)
	case engine.Failed:
		status.Missing, status.Code = slices.Clone(record.Missing), record.Code
	}
	s.mu.Unlock()
	if gone || record.Phase == "" {
		return engine.Status{}, false
	}
	status.ID, status.Phase, status.Steps, status.Reason = s.id, record.Phase, record.Steps, record.Reason
	status.Opens, status.OpenNote, status.Interface = record.Opens, record.OpenNote, record.Interface
	status.Batch, status.Commit = record.Spec.Batch != nil, record.Commit
	status.Unowned = record.Spec.Owner == "" && !status.Batch
	return status, true
}

// log reads the end of the log.
func (s *session) log() string {
	s.mu.Lock()
	token := s.record.Token
	s.mu.Unlock()
	return logTail(filepath.Join(s.folder, logName), token)
}

// release releases a server that keeps running.
func (s *session) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		s.server.Release()
	}
	if s.client != nil {
		s.client.close()
	}
}

func waitingSteps(spec engine.Spec) []engine.Step {
	steps := []engine.Step{
		{Name: engine.StepRepository, State: engine.Waiting},
		{Name: engine.StepDatasets, State: engine.Waiting},
		{Name: engine.StepEnvironment, State: engine.Waiting},
		{Name: engine.StepServer, State: engine.Waiting},
	}
	if spec.Repository.URL == "" {
		return steps[1:]
	}
	return steps
}

func (s *session) socket() string { return filepath.Join(s.runtime, socketName) }

// adoptedSocket is the socket of a session that an earlier server started. If each server has a separate mount
// namespace, like systemd services with PrivateTmp, this one doesn't see what that one mounted, but the session does.
func (s *session) adoptedSocket() string {
	if _, err := os.Lstat(s.socket()); err != nil && s.record.First.Alive() {
		return filepath.Join("/proc", strconv.Itoa(s.record.First.PID), "root/session/run", socketName)
	}
	return s.socket()
}

// removeSockets removes the sockets and the control groups of a session whose processes have ended. s.mu must be held.
func (s *session) removeSockets() {
	if s.engine.dead.Load() {
		return
	}
	s.engine.sandbox.RemoveGroups(s.record.Groups)
	s.record.Groups = nil
	s.engine.sockets.remove(filepath.Base(s.runtime))
}
