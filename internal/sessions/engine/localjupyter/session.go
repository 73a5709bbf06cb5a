package localjupyter

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/files/disk"
	"cairn/internal/sessions/files/history"
	"cairn/internal/sessions/machine/sandbox"
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
	log    sessionLog
	work   *history.Work
	queue  queue // of its tasks

	// mu guards the fields below. It is taken before engine.mu, and before the locks of the fields above.
	mu          sync.Mutex
	record      record
	wanted      bool  // the last request is a start, and nothing ended it
	pending     *task // the last launch queued
	removal     *task // not nil once Remove was called, unless it failed
	unreachable bool  // found running without mounts in another place than the current one
	gone        bool  // removed; the struct isn't in the engine's map anymore
	server      *sandbox.Process
	client      *client // not nil while Running

	launching    *launch   // the launch that runs; nil if none does
	progressedAt time.Time // when the last launch made progress; zero before it does
	weighs       int       // the weight that its groups have; 0 if it has none
	hurriesUntil time.Time // until when its processes come before others; zero before it runs
}

var errStopped = errors.New("stopped by its user")

func (e *Engine) newSession(id string) *session {
	made := &session{
		engine: e, id: id, folder: filepath.Join(e.options.Dir, id),
		runtime: filepath.Join(e.options.RuntimeDir, engine.ShortID(id)), // paths of sockets have little room
	}
	made.log.folder = made.folder
	made.work = e.versions.NewWork(made)
	return made
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
	err := s.engine.sandbox.Sweep(ctx, boxes...)
	s.log.drain()
	return err
}

// status returns everything known about the session, except its log.
func (s *session) status() (status engine.Status, known bool) {
	s.mu.Lock()
	record, gone := s.record, s.gone
	record.Steps = slices.Clone(record.Steps)
	status.LeftOut, status.Saving = slices.Clone(record.LeftOut), s.work.Saving()
	switch record.Phase {
	case engine.Starting:
		status.ProgressedAt = s.progressedAt
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

// logTail reads the end of the log.
func (s *session) logTail() string {
	s.mu.Lock()
	token := s.record.Token
	s.mu.Unlock()
	return s.log.tail(token)
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
