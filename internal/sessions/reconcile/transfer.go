package reconcile

import (
	"context"
	"io"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

// fetchWork gives a session that was never started its work, which is a version on another engine.
func (l *engineLoop) fetchWork(ctx context.Context, spec engine.Spec, from engine.FromVersion) error {
	switch _, err := l.engine.Status(ctx, spec.ID); {
	case err == nil:
		return nil // it was started before, and goes on with its own work
	case fault.KindOf(err) != fault.NotFound:
		return err
	}
	source, err := l.Engines.VersionerOf(from.Engine)
	if err != nil {
		return err
	}
	target, err := l.Engines.VersionerOf(l.engine.Name)
	if err != nil {
		return err
	}
	read, write := io.Pipe()
	exported := make(chan error, 1)
	go func() {
		err := source.ExportWork(ctx, from.Session, from.Version, write)
		exported <- err
		_ = write.CloseWithError(err)
	}()
	err = target.ImportWork(ctx, spec.ID, spec.Owner, read)
	_ = read.CloseWithError(io.ErrClosedPipe) // lets an export end that nobody reads any more
	if failed := <-exported; failed != nil && fault.KindOf(failed) != fault.Internal {
		return failed // the cause
	}
	return err
}

// quotaInterval is how often the engine is told how much of the quota of each owner is left for it.
const quotaInterval = time.Minute

// limitHistories tells the engine how much of the quota for versions is left for each owner of its running sessions, because their
// versions on other engines count too.
func (l *engineLoop) limitHistories(ctx context.Context, running []sessions.Session) {
	own, ok := l.engine.Versioner()
	if !ok || l.Engines.VersionQuota == 0 || l.engine.Local && len(l.Engines.All) == 1 || l.Now().Sub(l.limitedAt) < quotaInterval {
		return
	}
	l.limitedAt = l.Now()
	told := map[string]bool{}
	for _, session := range running {
		owner := session.UserID
		if session.Engine != l.engine.Name || session.Status != sessions.Running || told[owner] {
			continue
		}
		told[owner] = true
		elsewhere, err := l.Engines.StoredVersions(ctx, owner, l.engine.Name)
		if err == nil {
			err = own.LimitHistory(ctx, owner, max(1, l.Engines.VersionQuota-elsewhere))
		}
		if err != nil {
			l.Logger.DebugContext(ctx, "an engine isn't told how much versions may take; trying again", "engine", l.engine.Name, "error", err)
		}
	}
}
