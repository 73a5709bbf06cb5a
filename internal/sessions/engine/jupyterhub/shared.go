package jupyterhub

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// sharing is what our servers tell each other of the sessions on a hub, by their records.
type sharing struct{ engine *Engine }

// watch continues the work that another of our servers left unfinished, until the engine is closed. It doesn't
// wait for the hub, so it takes over from a server killed in the middle of a launch within a lease and one look.
func (s *sharing) watch() {
	ticks := time.NewTicker(s.engine.options.TakeOverEvery)
	defer ticks.Stop()
	for {
		if err := s.refresh(s.engine.background); err != nil && s.engine.background.Err() == nil {
			s.engine.options.Logger.Warn("the records of sessions cannot be read; trying again", "error", err)
		}
		s.takeOver()
		select {
		case <-ticks.C:
		case <-s.engine.background.Done():
			return
		}
	}
}

// refresh reads the records that our other servers wrote.
func (s *sharing) refresh(ctx context.Context) error {
	known := map[string]int64{}
	for _, one := range s.engine.all() {
		one.mu.Lock()
		known[one.id] = one.version
		one.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, s.engine.options.CallTime)
	defer cancel()
	versions, contents, err := s.engine.options.Records.Load(ctx, known)
	if err != nil {
		return unreadable(err)
	}
	for id, content := range contents {
		s.publish(id, versions[id], content)
	}
	for id, version := range known {
		if versions[id] == 0 && version != 0 {
			s.drop(id, version)
		}
	}
	return nil
}

// reread reads the record of one session, if one of our servers has changed it.
func (s *sharing) reread(ctx context.Context, id string) error {
	s.engine.mu.Lock()
	one := s.engine.sessions[id]
	s.engine.mu.Unlock()
	known := int64(0)
	if one != nil {
		one.mu.Lock()
		known = one.version
		one.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, s.engine.options.CallTime)
	defer cancel()
	version, content, err := s.engine.options.Records.Read(ctx, id, known)
	switch {
	case err != nil:
		return unreadable(err)
	case version == known:
	case version == 0:
		s.drop(id, known)
	default:
		s.publish(id, version, content)
	}
	return nil
}

func unreadable(err error) error {
	return fault.Wrap(err, fault.Unavailable, "The records of the hub's sessions can't be read.")
}

// publish publishes a record that was read, unless a newer one is known.
func (s *sharing) publish(id string, version int64, content []byte) {
	var read record
	if err := json.Unmarshal(content, &read); err != nil || read.Spec.ID != id {
		s.engine.options.Logger.Error("a session's record cannot be read; it is left alone", "session", id, "error", err)
		return
	}
	one := s.engine.add(id)
	one.mu.Lock()
	newer := version > one.version
	one.mu.Unlock()
	if newer {
		one.publish(read, version)
	}
}

// drop drops a session whose record is gone.
func (s *sharing) drop(id string, version int64) {
	s.engine.mu.Lock()
	one := s.engine.sessions[id]
	s.engine.mu.Unlock()
	if one == nil {
		return // dropped since its record was looked for
	}
	one.mu.Lock()
	same := one.version == version
	one.mu.Unlock()
	if same {
		one.publish(record{}, 0)
	}
}

// takeOver continues what a silent server of ours began, and drops sessions without a record.
func (s *sharing) takeOver() {
	now := s.engine.options.Now()
	for _, one := range s.engine.all() {
		one.mu.Lock()
		r, idle := one.record.clone(), !one.driving
		gone := idle && one.version == 0 && one.record.Phase == ""
		one.mu.Unlock()
		if idle && r.Task != noTask && !one.leasedByOther(&r, now) {
			s.engine.driver.drive(one)
		}
		if gone {
			s.engine.mu.Lock()
			if one.writing.TryLock() { // nobody is about to start it
				delete(s.engine.sessions, one.id)
				one.dropped = true
				one.writing.Unlock()
			}
			s.engine.mu.Unlock()
		}
	}
}

// recover looks on the hub for the server of a session without a record, as after the database lost it, and follows it
// as a launch; nil if the hub has none that we signed.
func (s *sharing) recover(ctx context.Context, id string) (*session, error) {
	servers, err := s.engine.hub.active(ctx)
	if err != nil {
		return nil, err
	}
	name := engine.ServerName(id)
	if _, found := servers[name]; !found {
		name = "" // the session's id
	}
	model := servers[cmp.Or(name, id)]
	spec, launch, ours := s.engine.signer.signed(model.UserOptions)
	if !ours || spec.ID != id {
		return nil, nil
	}
	found := s.engine.add(id)
	err = found.update(ctx, func(r *record) bool {
		lost := r.Phase == ""
		if lost {
			r.begin(spec, s.engine.options.Now())
			r.Name, r.Launch, r.Asked, r.Dirty = name, launch, true, false
		}
		return lost
	})
	if err == nil {
		s.engine.options.Logger.Warn("a session without a record is found on the hub again", "session", id)
		s.engine.driver.drive(found)
	}
	return found, ignoreDropped(err)
}
