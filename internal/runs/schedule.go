package runs

import (
	"context"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

const (
	scheduleInterval = 10 * time.Minute
	busyInterval     = time.Minute    // as long as a look finds something
	scheduledAtOnce  = 50             // entries whose runs are queued together
	checkInterval    = 24 * time.Hour // between two questions to a repository for its latest commit
	checkedAtOnce    = 10             // repositories that are asked in one look
	sweepInterval    = 24 * time.Hour // between two looks for files of runs that are gone
)

// Schedule queues runs of the entries that the catalog runs of its own accord, notices when their repositories have newer
// commits, and deletes what old runs left, until ctx ends.
func (s *Service) Schedule(ctx context.Context) {
	for {
		more, failed := false, false
		for what, do := range map[string]func(context.Context) (bool, error){"schedule": s.schedule, "newer commits": s.checkCommits, "old files": s.expire, "left files": s.removeOrphans} {
			found, err := do(ctx)
			if err != nil && ctx.Err() == nil {
				s.Logger.WarnContext(ctx, "the runs can't be looked after; trying again", "what", what, "error", err)
			}
			more, failed = more || found, failed || err != nil
		}
		if !failed && s.LookedAfter != nil {
			s.LookedAfter()
		}
		pause := scheduleInterval
		if more {
			pause = busyInterval
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// schedule queues a run of each entry that is due; it reports whether there may be more.
func (s *Service) schedule(ctx context.Context) (more bool, err error) {
	one, _, err := s.sessions.Engine()
	if err != nil || s.Every == 0 {
		return false, nil //nolint:nilerr // nothing runs here
	}
	due, err := s.store.Due(ctx, s.Every, scheduledAtOnce)
	if err != nil {
		return false, err
	}
	for _, id := range due {
		entry, err := s.entries.Get(ctx, id)
		if fault.KindOf(err) == fault.NotFound || (err == nil && entry.RunNote != "") {
			continue
		}
		if err != nil {
			return false, err
		}
		_, isNew, err := s.store.Add(ctx, Run{ResourceID: id, StartedBy: BySchedule, Engine: one.Name}, entry.Name, 0, 0)
		if err != nil {
			return false, err
		}
		if isNew {
			more = true
			s.signal()
		}
	}
	return more, nil
}

// checkCommits asks repositories for their latest commits; it reports whether it asked one.
func (s *Service) checkCommits(ctx context.Context) (more bool, err error) {
	_, runner, err := s.sessions.Engine()
	if err != nil {
		return false, nil //nolint:nilerr // nothing runs here
	}
	runs, err := s.store.Unchecked(ctx, checkInterval, checkedAtOnce)
	if err != nil {
		return false, err
	}
	for _, run := range runs {
		moved, err := s.moved(ctx, runner, run)
		if err != nil {
			s.Logger.DebugContext(ctx, "a repository can't be asked for its latest commit", "entry", run.ResourceID, "error", err)
		}
		changes, err := s.store.Check(ctx, run.ResourceID, moved)
		if err != nil {
			return false, err
		}
		s.entries.Changed(ctx, changes)
	}
	return len(runs) > 0, nil
}

// moved reports whether the repository of a run has a newer commit.
func (s *Service) moved(ctx context.Context, runner engine.Runner, run Run) (bool, error) {
	spec, err := s.sessions.Spec(ctx, run.ID, run.ResourceID, "", "", false)
	if err != nil || spec.Repository.URL == "" {
		return false, err
	}
	head, err := runner.Head(ctx, spec.Repository)
	return err == nil && head != run.Commit, err
}

// removeOrphans deletes, once a day, what runs left that the database doesn't know any longer: those of entries that were deleted
// permanently. There is never more.
func (s *Service) removeOrphans(ctx context.Context) (more bool, err error) {
	now := s.store.db.Now()
	if now.Sub(s.swept) < sweepInterval {
		return false, nil
	}
	s.swept = now
	ids, err := s.idsWithFiles()
	if err != nil {
		return false, err
	}
	known, err := s.store.Known(ctx, ids)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if !known[id] {
			if err := s.discard(Run{ID: id}); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// expire deletes the files that old runs left; of failed ones the log stays. It reports whether there may be more.
func (s *Service) expire(ctx context.Context) (more bool, err error) {
	if s.Keep == 0 {
		return false, nil
	}
	runs, err := s.store.Expired(ctx, s.Keep, scheduledAtOnce)
	for _, run := range runs {
		if err := s.discard(run); err != nil {
			return false, err
		}
		if err := s.store.Forget(ctx, run.ID); err != nil {
			return false, err
		}
	}
	return len(runs) > 0, err
}
