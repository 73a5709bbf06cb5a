package reconcile

import (
	"context"
	"maps"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// recordSaved records what lists show of the versions of all sessions on the engine, where that has changed: the calls that
// pages make again and again ask no engine.
func (l *engineLoop) recordSaved(ctx context.Context, reports []engine.Status) (err error) {
	if _, ok := l.engine.Versioner(); !ok {
		return nil
	}
	if l.saved == nil {
		if l.saved, err = l.stores.Sessions.SavedStates(ctx, l.engine.Name); err != nil {
			return err
		}
	}
	news := map[string]sessions.SavedState{}
	for _, report := range reports {
		now := sessions.SavedState{At: report.Saving.At.Truncate(time.Microsecond).UTC(), Versions: report.Saving.Versions, Stopped: report.Saving.Stopped}
		if before := l.saved[report.ID]; !before.At.Equal(now.At) || before.Versions != now.Versions || before.Stopped != now.Stopped {
			news[report.ID] = now
		}
	}
	if len(news) == 0 {
		return nil
	}
	if err := l.stores.Sessions.RecordSaved(ctx, news); err != nil {
		return err
	}
	maps.Copy(l.saved, news)
	l.changes.Notify()
	return nil
}

// assignOwner tells the engine whose a session is that began without an owner: a warm one that was claimed.
func (l *engineLoop) assignOwner(ctx context.Context, session sessions.Session, report *engine.Status) error {
	versioner, ok := l.engine.Versioner()
	if !ok || report == nil || !report.Unowned || session.Gone() {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, sizes.CallTime)
	defer cancel()
	return versioner.AssignOwner(bounded, session.ID, session.UserID)
}

// reconcileRetired compares the deleted sessions in the database with those that the engine has retired. An undeleted one gets
// its work back, and one whose versions the engine has deleted to make room is forgotten.
func (l *engineLoop) reconcileRetired(ctx context.Context, seen look) error {
	versioner, ok := l.engine.Versioner()
	if !ok {
		return nil
	}
	deleted, err := l.stores.Sessions.Retirees(ctx, l.engine.Name)
	if err != nil {
		return err
	}
	meant := make(map[string]bool, len(deleted)+len(seen.sessions))
	for id, versions := range deleted {
		meant[id] = true
		if seen.byID[id] == nil && versions > 0 && !l.background.isRunning(id) {
			if err := l.forgetRetired(ctx, versioner, id); err != nil {
				return err
			}
		}
	}
	for _, session := range seen.sessions { // which Start brings back, or whose deletion is under way
		meant[session.ID] = true
	}
	for id, report := range seen.byID {
		if !report.Saving.Retired || meant[id] {
			continue
		}
		l.background.start(ctx, id, func(ctx context.Context) error {
			found, err := l.stores.Sessions.ByID(ctx, id)
			if err != nil || len(found) == 0 || found[0].Gone() {
				return err
			}
			return versioner.Unretire(ctx, id)
		})
	}
	return nil
}

// forgetRetired requests the erasure of a deleted session that its engine surely doesn't know any longer.
func (l *engineLoop) forgetRetired(ctx context.Context, versioner engine.Versioner, id string) error {
	if _, err := versioner.Status(ctx, id); fault.KindOf(err) != fault.NotFound {
		return err
	}
	found, err := l.stores.Sessions.ByID(ctx, id)
	if err != nil || len(found) == 0 || found[0].Status != sessions.Deleted {
		return err
	}
	_, err = l.stores.Sessions.Erase(ctx, found[0])
	return err
}
