package jupyterhub

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// session is one session as this process knows it.
type session struct {
	engine *Engine
	id     string

	// writing lets one change of the record be made at a time. It guards the field below.
	writing sync.Mutex
	dropped bool // it has no record and is no longer in the engine

	// tokens is held while a token is created or all are revoked, so that none is left over.
	tokens sync.Mutex

	// mu guards the fields below. No other lock is taken while it's held.
	mu       sync.Mutex
	record   record // as last read or written; it has no Phase if there is none
	version  int64
	changed  time.Time     // when this process last saw another version
	updated  chan struct{} // closed at every change
	driving  bool
	abort    context.CancelFunc // ends the launch that this process is working on
	activity engine.Activity
	warning  string
	uses     engine.Usage
	edits    int64         // the launch whose VS Code has answered
	cloner   engine.Cloner // of its private repository, from the last call of Start here; nil: none was given
}

func newSession(e *Engine, id string) *session {
	return &session{engine: e, id: id, updated: make(chan struct{})}
}

func (s *session) read() record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.clone()
}

var errDropped = errors.New("the session was forgotten")

// update changes the record unless alter says that there is nothing to change. If another of our servers was faster,
// alter is called again with its record.
func (s *session) update(ctx context.Context, alter func(r *record) bool) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.dropped {
		return errDropped
	}
	for {
		s.mu.Lock()
		next, version := s.record.clone(), s.version
		s.mu.Unlock()
		if !alter(&next) {
			return nil
		}
		if s.engine.dead.Load() {
			return engine.ErrClosing
		}
		saved, err := s.save(ctx, next, version)
		if err != nil {
			return err
		}
		if saved {
			return nil
		}
		if err := s.engine.sharing.refresh(ctx); err != nil {
			return err
		}
	}
}

var errTaken = errors.New("another of our servers works on the session")

// updateRecord is update for the server that works on the session: once another one does, it changes nothing.
func (s *session) updateRecord(ctx context.Context, alter func(r *record) bool) error {
	taken := false
	err := s.update(ctx, func(r *record) bool {
		taken = r.Holder != s.engine.processID
		return !taken && alter(r)
	})
	if err == nil && taken {
		err = errTaken
	}
	return err
}

// renewLease tells our other servers that this one works on the session; false if another one does.
func (s *session) renewLease(ctx context.Context) (leased bool, err error) {
	err = s.update(ctx, func(r *record) bool {
		now := s.engine.options.Now()
		if leased = r.Task != noTask && !s.leasedByOther(r, now); leased {
			r.Holder, r.HeldUntil = s.engine.processID, now.Add(s.engine.options.Lease)
		}
		return leased
	})
	return leased, err
}

// silentLeases is how long a hold counts that isn't renewed, whatever its end says: that is by the clock of another server.
const silentLeases = 2

// leasedByOther reports whether another of our servers works on the session with this record and is alive.
func (s *session) leasedByOther(r *record, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return r.Holder != s.engine.processID && now.Before(r.HeldUntil) && now.Sub(s.changed) < silentLeases*s.engine.options.Lease
}

// save writes a record if it is the successor of that version.
func (s *session) save(ctx context.Context, next record, version int64) (bool, error) {
	var content []byte
	if next.Phase != "" {
		var err error
		if content, err = json.Marshal(next); err != nil {
			return false, err
		}
	}
	// A written request must also be known here, so it doesn't end with the caller's context.
	number, err := s.engine.options.Records.Save(context.WithoutCancel(ctx), s.id, version, content)
	if err != nil {
		return false, fault.Wrap(err, fault.Unavailable, "The request couldn't be recorded.")
	}
	if number == 0 {
		return false, nil
	}
	if content == nil {
		number = 0
	}
	s.publish(next, number)
	return true, nil
}

// publish publishes a record that was read or written.
func (s *session) publish(next record, version int64) {
	s.mu.Lock()
	taken := s.record
	s.record, s.version, s.changed = next, version, s.engine.options.Now()
	if next.Phase != engine.Running {
		s.activity, s.warning, s.uses = engine.Activity{}, "", engine.Usage{}
	}
	if s.abort != nil && (next.Task != taskLaunch || next.Launch != taken.Launch) {
		s.abort()
	}
	close(s.updated)
	s.updated = make(chan struct{})
	s.mu.Unlock()
	s.engine.signal()
}

// await waits until the record meets a condition.
func (s *session) await(ctx context.Context, late string, done func(r *record) bool) error {
	for {
		s.mu.Lock()
		reached, updated := done(&s.record), s.updated
		s.mu.Unlock()
		if reached {
			return nil
		}
		select {
		case <-updated:
		case <-ctx.Done():
			return fault.Wrap(ctx.Err(), fault.Unavailable, "%s", late)
		case <-s.engine.background.Done():
			return fault.New(fault.Unavailable, "%s", late)
		}
	}
}

func (s *session) status() (engine.Status, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.record.clone()
	if r.Phase == "" {
		return engine.Status{}, false
	}
	status := engine.Status{
		ID: s.id, Phase: r.Phase, Steps: r.Steps, Reason: r.Reason, Missing: slices.Clone(r.Missing), LeftOut: r.LeftOut, Log: r.Log, ProgressedAt: r.ProgressedAt, Launch: r.Launch,
		Code: r.Code, Opens: r.Opens, OpenNote: r.OpenNote, Interface: r.Interface, Commit: r.Commit,
	}
	if r.Phase == engine.Running {
		status.Activity, status.Warning = s.activity, s.warning
	}
	status.Batch, status.Unowned = r.Spec.Batch != nil, r.Spec.Owner == "" && r.Spec.Batch == nil
	if told, known := s.engine.agent.state(s.id); known {
		status.Saving = told.Saving.Engine()
	}
	return status, true
}

// observe records the session's activity while it is Running.
func (s *session) observe(change func(activity *engine.Activity, warning *string)) {
	s.mu.Lock()
	before, warned := s.activity, s.warning
	if s.record.Phase == engine.Running {
		change(&s.activity, &s.warning)
	}
	news := s.activity != before || s.warning != warned
	s.mu.Unlock()
	if news {
		s.engine.signal()
	}
}

// releaseLease lets another of our servers take over at once.
func (s *session) releaseLease() {
	if r := s.read(); r.Task == noTask || r.Holder != s.engine.processID {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.engine.options.CallTime)
	defer cancel()
	_ = s.updateRecord(ctx, func(r *record) bool {
		r.HeldUntil = time.Time{}
		return true
	})
}

// setUsage takes what the session uses while it is Running.
func (s *session) setUsage(used *usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if used != nil && s.record.Phase == engine.Running {
		s.uses = engine.Usage{MemoryBytes: max(used.Memory, 0), PeakMemoryBytes: max(used.Peak, 0), DiskBytes: max(used.Disk, 0)}
	}
}
