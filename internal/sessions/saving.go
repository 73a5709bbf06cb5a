package sessions

import (
	"context"
	"maps"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

// mirror is what the database has of the versions on an engine; only the loop of that engine uses it.
type mirror struct{ known map[string]saving } // by session; nil until it was read

// mirrorSavings records what lists show of the versions of all sessions on an engine, where that has changed: the calls that
// pages make again and again ask no engine.
func (s *Service) mirrorSavings(ctx context.Context, one NamedEngine, reports []engine.Status) (err error) {
	if _, ok := one.Engine.(engine.Historian); !ok {
		return nil
	}
	s.mutex.Lock()
	here := s.mirrors[one.Name]
	if here == nil {
		here = &mirror{}
		s.mirrors[one.Name] = here
	}
	s.mutex.Unlock()
	if here.known == nil {
		if here.known, err = s.store.Savings(ctx, one.Name); err != nil {
			return err
		}
	}
	news := map[string]saving{}
	for _, report := range reports {
		now := saving{at: report.Saving.At.Truncate(time.Microsecond).UTC(), versions: report.Saving.Versions, stopped: report.Saving.Stopped}
		if before := here.known[report.ID]; !before.at.Equal(now.at) || before.versions != now.versions || before.stopped != now.stopped {
			news[report.ID] = now
		}
	}
	if len(news) == 0 {
		return nil
	}
	if err := s.store.Saved(ctx, news); err != nil {
		return err
	}
	maps.Copy(here.known, news)
	s.changed.notify()
	return nil
}

// own tells an engine whose a session is that began without an owner: a warm one that was claimed.
func (s *Service) own(ctx context.Context, one NamedEngine, session Session, report *engine.Status) error {
	keeper, ok := one.Engine.(engine.Historian)
	if !ok || report == nil || !report.Unowned || session.gone() {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, engineTime)
	defer cancel()
	return keeper.Own(bounded, session.ID, session.UserID)
}

// reconcileRetired compares the deleted sessions in the database with those that an engine has retired. An undeleted one gets
// its work back, and one whose versions the engine has deleted to make room is forgotten.
func (s *Service) reconcileRetired(ctx context.Context, one NamedEngine, unsettled []Session, reported map[string]*engine.Status) error {
	keeper, ok := one.Engine.(engine.Historian)
	if !ok {
		return nil
	}
	deleted, err := s.store.Retirees(ctx, one.Name)
	if err != nil {
		return err
	}
	meant := make(map[string]bool, len(deleted)+len(unsettled))
	for id, versions := range deleted {
		meant[id] = true
		if reported[id] == nil && versions > 0 && !s.isInFlight(id) {
			if err := s.forgetRetired(ctx, keeper, id); err != nil {
				return err
			}
		}
	}
	for _, session := range unsettled { // which Start brings back, or whose deletion is under way
		meant[session.ID] = true
	}
	for id, report := range reported {
		if !report.Saving.Retired || meant[id] {
			continue
		}
		s.inBackground(ctx, id, func(ctx context.Context) error {
			found, err := s.store.ByID(ctx, id)
			if err != nil || len(found) == 0 || found[0].gone() {
				return err
			}
			return keeper.Unretire(ctx, id)
		})
	}
	return nil
}

// forgetRetired requests the erasure of a deleted session that its engine surely doesn't know any longer.
func (s *Service) forgetRetired(ctx context.Context, keeper engine.Historian, id string) error {
	if _, err := keeper.Status(ctx, id); fault.KindOf(err) != fault.NotFound {
		return err
	}
	found, err := s.store.ByID(ctx, id)
	if err != nil || len(found) == 0 || found[0].Status != Deleted {
		return err
	}
	_, err = s.store.Erase(ctx, found[0])
	return err
}

// overdueInterval is how often deleted sessions are looked at whose time has come.
const overdueInterval = 10 * time.Minute

// eraseOverdue deletes for ever what was deleted longer ago than it can be undone, until ctx ends.
func (s *Service) eraseOverdue(ctx context.Context) {
	if s.Undo == 0 {
		return
	}
	ticker := time.NewTicker(overdueInterval)
	defer ticker.Stop()
	for {
		count, err := s.store.Overdue(ctx, s.Now().Add(-s.Undo))
		if err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "sessions that were deleted long ago cannot be erased; trying again", "error", err)
		}
		if count > 0 {
			s.announce()
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
