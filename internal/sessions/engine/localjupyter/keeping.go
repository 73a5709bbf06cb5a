package localjupyter

import (
	"context"
	"errors"
	"slices"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/versions"
)

const (
	keepingPause = 10 * time.Minute // between looks at the owners whose versions changed
	keepingEvery = time.Hour        // between looks at all owners
)

// tighter are the policies that apply one after the other while an owner's versions take more than they may. The last
// version of each session and those with a name stay in any case.
var tighter = []versions.Policy{
	versions.DefaultPolicy,
	{All: 6 * time.Hour, Hourly: 24 * time.Hour, Daily: 14 * 24 * time.Hour},
	{All: time.Hour, Hourly: 6 * time.Hour, Daily: 3 * 24 * time.Hour},
	{},
}

// keepVersions deletes the versions that no policy keeps, frees what they took, saves what couldn't be saved when it should
// have been, and closes the stores that nobody uses, until the engine is closed.
func (e *Engine) keepVersions() {
	e.saveLost()
	ticks := time.NewTicker(keepingPause)
	defer ticks.Stop()
	var lookedAt time.Time
	for {
		if now := e.options.Now(); lookedAt.IsZero() || now.Sub(lookedAt) >= keepingEvery || now.Before(lookedAt) {
			lookedAt = now
			e.retainAll()
		}
		select {
		case <-e.background.Done():
			return
		case name := <-e.purges:
			e.sweepVersions(name)
		case <-ticks.C:
			e.saveLost()
			if err := e.histories.closeUnused(false); err != nil {
				e.options.Logger.Warn("versions cannot be closed", "error", err)
			}
		}
	}
}

// retainAll applies the policy to the versions of all owners.
func (e *Engine) retainAll() {
	names, err := e.histories.names()
	if err != nil {
		e.options.Logger.Warn("versions cannot be listed", "error", err)
	}
	for _, name := range names {
		if e.background.Err() != nil {
			return
		}
		store, done, err := e.histories.use(name, false)
		if err != nil {
			e.options.Logger.Warn("versions cannot be opened", "folder", name, "error", err)
			continue
		}
		if _, err := store.Retain(tighter[0]); err != nil {
			e.options.Logger.Warn("old versions cannot be deleted", "folder", name, "error", err)
		}
		if _, err := store.Sweep(e.background); err != nil && e.background.Err() == nil {
			e.options.Logger.Warn("what deleted versions took cannot be freed", "folder", name, "error", err)
		}
		e.countVersions(store)
		done()
	}
}

// countVersions notes how many versions each session of an owner has.
func (e *Engine) countVersions(store *versions.Store) {
	for _, line := range store.Lines() {
		if known := e.find(line.Name); known != nil {
			known.mu.Lock()
			known.record.Saved, known.record.SavedAt = line.Versions, line.Last.At
			known.mu.Unlock()
		}
	}
	e.signal()
}

// sweepVersions frees what was deleted from an owner's versions.
func (e *Engine) sweepVersions(name string) {
	store, done, err := e.histories.use(name, false)
	if err == nil {
		_, err = store.Sweep(e.background)
		done()
	}
	if err != nil && e.background.Err() == nil {
		e.options.Logger.Warn("what deleted versions took cannot be freed yet; trying again", "folder", name, "error", err)
	}
}

// purge asks for a sweep soon; without room for the request, the next look at all owners does it.
func (e *Engine) purge(name string) {
	select {
	case e.purges <- name:
	default:
	}
}

// saveLost makes the last versions of sessions that ended without one: the server was killed, or couldn't save.
func (e *Engine) saveLost() {
	for _, known := range e.all() {
		known.mu.Lock()
		ended := known.record.Phase == engine.Ended || known.record.Phase == engine.Failed || known.record.Phase == engine.Full
		lost := ended && !known.wanted && known.record.Unsaved && known.hasVersions()
		if lost {
			known.enqueue(func(context.Context) error {
				known.mu.Lock()
				still := known.record.Unsaved && known.record.Phase != engine.Running && known.record.Phase != engine.Starting
				known.mu.Unlock()
				if still && known.saveStopped(engine.VersionLost) == nil {
					known.mu.Lock()
					defer known.mu.Unlock()
					return known.save()
				}
				return nil
			})
		}
		known.mu.Unlock()
	}
}

// dropVersions deletes the versions of a session for good.
func (s *session) dropVersions() error {
	s.mu.Lock()
	name := s.record.History
	s.mu.Unlock()
	if name == "" {
		return nil
	}
	store, done, err := s.history()
	if errors.Is(err, errNoVersion) {
		return nil
	}
	if err != nil {
		return err
	}
	defer done()
	if err := store.DeleteLine(s.id); err != nil {
		return readingFault(err)
	}
	s.engine.purge(name)
	return nil
}

// makeRoomForVersions frees what versions take, because the owner's quota or the disk's reserve is reached: the versions of
// deleted sessions go first, the oldest of them before the others, and then retention tightens. It reports whether saving is
// worth another try.
func (e *Engine) makeRoomForVersions(ctx context.Context, needs *session, cause error) bool {
	quota := errors.Is(cause, versions.ErrQuota)
	enough := func() bool { return e.disks.Shortage() == "" }
	needs.mu.Lock()
	owned := needs.historyName()
	needs.mu.Unlock()
	if quota {
		enough = func() bool {
			store, done, err := e.histories.use(owned, false)
			if err != nil {
				return false
			}
			defer done()
			return store.StoredBytes() < e.options.Versions.Quota-e.options.Versions.Quota/20
		}
	}
	for _, retired := range e.retired(owned, !quota) {
		if err := ctx.Err(); err != nil {
			return false
		}
		e.options.Logger.Info("the versions of a deleted session are deleted to make room", "session", retired.id, "cause", cause)
		if removal := retired.remove(); removal != nil {
			select {
			case <-removal.done:
			case <-ctx.Done():
				return false
			}
		}
		retired.mu.Lock()
		name := retired.record.History
		retired.mu.Unlock()
		e.sweepVersions(name)
		if enough() {
			return true
		}
	}
	store, done, err := e.histories.use(owned, false)
	if err != nil {
		return false
	}
	defer done()
	for _, policy := range tighter {
		deleted, err := store.Retain(policy)
		if err == nil && deleted > 0 {
			_, err = store.Sweep(ctx)
		}
		if err != nil {
			e.options.Logger.Warn("no room can be made for versions", "error", err)
			return false
		}
		if enough() {
			e.countVersions(store)
			return true
		}
	}
	e.countVersions(store)
	return false
}

// retired returns the deleted sessions of an owner, or of all, the first deleted first.
func (e *Engine) retired(history string, all bool) []*session {
	type candidate struct {
		session *session
		at      time.Time
	}
	var found []candidate
	for _, known := range e.all() {
		known.mu.Lock()
		if known.record.Bring != nil && known.record.Bring.Session == known.id && !known.record.RetiredAt.IsZero() && !known.wanted && !known.gone && known.removal == nil &&
			(all || known.record.History == history) {
			found = append(found, candidate{known, known.record.RetiredAt})
		}
		known.mu.Unlock()
	}
	slices.SortFunc(found, func(one, other candidate) int { return one.at.Compare(other.at) })
	sessions := make([]*session, len(found))
	for i, one := range found {
		sessions[i] = one.session
	}
	return sessions
}
