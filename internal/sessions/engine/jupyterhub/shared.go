package jupyterhub

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// watchRecords continues the work that another of our servers left unfinished, until the engine is closed. It doesn't
// wait for the hub, so it takes over from a server killed in the middle of a launch within a lease and one look.
func (e *Engine) watchRecords() {
	ticks := time.NewTicker(e.options.TakeOverEvery)
	defer ticks.Stop()
	for {
		if err := e.refresh(e.background); err != nil && e.background.Err() == nil {
			e.options.Logger.Warn("the records of sessions cannot be read; trying again", "error", err)
		}
		e.takeOver()
		select {
		case <-ticks.C:
		case <-e.background.Done():
			return
		}
	}
}

// refresh reads the records that our other servers wrote.
func (e *Engine) refresh(ctx context.Context) error {
	known := map[string]int64{}
	for _, one := range e.all() {
		one.mu.Lock()
		known[one.id] = one.version
		one.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, e.options.CallTime)
	defer cancel()
	versions, contents, err := e.options.Records.Load(ctx, known)
	if err != nil {
		return unreadable(err)
	}
	for id, content := range contents {
		e.publishRecord(id, versions[id], content)
	}
	for id, version := range known {
		if versions[id] == 0 && version != 0 {
			e.dropRecord(id, version)
		}
	}
	return nil
}

// reread reads the record of one session, if one of our servers has changed it.
func (e *Engine) reread(ctx context.Context, id string) error {
	e.mu.Lock()
	one := e.sessions[id]
	e.mu.Unlock()
	known := int64(0)
	if one != nil {
		one.mu.Lock()
		known = one.version
		one.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, e.options.CallTime)
	defer cancel()
	version, content, err := e.options.Records.Read(ctx, id, known)
	switch {
	case err != nil:
		return unreadable(err)
	case version == known:
	case version == 0:
		e.dropRecord(id, known)
	default:
		e.publishRecord(id, version, content)
	}
	return nil
}

func unreadable(err error) error {
	return fault.Wrap(err, fault.Unavailable, "The records of the hub's sessions can't be read.")
}

// publishRecord publishes a record that was read, unless a newer one is known.
func (e *Engine) publishRecord(id string, version int64, content []byte) {
	var read record
	if err := json.Unmarshal(content, &read); err != nil || read.Spec.ID != id {
		e.options.Logger.Error("a session's record cannot be read; it is left alone", "session", id, "error", err)
		return
	}
	one := e.add(id)
	one.mu.Lock()
	newer := version > one.version
	one.mu.Unlock()
	if newer {
		one.publish(read, version)
	}
}

// dropRecord drops a session whose record is gone.
func (e *Engine) dropRecord(id string, version int64) {
	e.mu.Lock()
	one := e.sessions[id]
	e.mu.Unlock()
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
func (e *Engine) takeOver() {
	now := e.options.Now()
	for _, one := range e.all() {
		one.mu.Lock()
		r, idle := one.record.clone(), !one.driving
		gone := idle && one.version == 0 && one.record.Phase == ""
		one.mu.Unlock()
		if idle && r.Task != noTask && !one.leasedByOther(&r, now) {
			e.drive(one)
		}
		if gone {
			e.mu.Lock()
			if one.writing.TryLock() { // nobody is about to start it
				delete(e.sessions, one.id)
				one.dropped = true
				one.writing.Unlock()
			}
			e.mu.Unlock()
		}
	}
}

// recover looks on the hub for the server of a session without a record, as after the database lost it, and follows it
// as a launch; nil if the hub has none that we signed.
func (e *Engine) recover(ctx context.Context, id string) (*session, error) {
	servers, err := e.hub.active(ctx)
	if err != nil {
		return nil, err
	}
	name := engine.ServerName(id)
	if _, found := servers[name]; !found {
		name = "" // the session's id
	}
	model := servers[cmp.Or(name, id)]
	spec, launch, ours := e.signer.signed(model.UserOptions)
	if !ours || spec.ID != id {
		return nil, nil
	}
	found := e.add(id)
	err = found.update(ctx, func(r *record) bool {
		lost := r.Phase == ""
		if lost {
			r.begin(spec, e.options.Now())
			r.Name, r.Launch, r.Asked, r.Dirty = name, launch, true, false
		}
		return lost
	})
	if err == nil {
		e.options.Logger.Warn("a session without a record is found on the hub again", "session", id)
		e.drive(found)
	}
	return found, ignoreDropped(err)
}
