package reconcile

import (
	"context"
	"io"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// transferTime limits how long a version may take from one engine to another. One that is cut off begins again.
const transferTime = time.Hour

// transferLook is how often a transfer looks whether it's still wanted.
const transferLook = 2 * time.Second

// launchFrom starts a session with a version of another engine, in the background: all its files are sent. Whoever deletes the session
// meanwhile ends that.
func (l *engineLoop) launchFrom(ctx context.Context, session sessions.Session, spec engine.Spec, from engine.FromVersion) {
	spec.From = nil // its engine can't read another one's versions
	l.background.startFor(ctx, session.ID, transferTime, func(ctx context.Context) error {
		wanted, cancel := context.WithCancel(ctx)
		defer cancel()
		go l.cancelUnwanted(wanted, session, cancel)
		err := l.fetchWork(wanted, spec, from)
		if wanted.Err() != nil && ctx.Err() == nil {
			return nil
		}
		if err == nil {
			bounded, done := context.WithTimeout(ctx, sizes.CallTime)
			defer done()
			err = l.engine.Start(bounded, spec)
		}
		return l.settleLaunch(ctx, session, err)
	})
}

// cancelUnwanted cancels a transfer as soon as the session isn't to be launched any more.
func (l *engineLoop) cancelUnwanted(ctx context.Context, session sessions.Session, cancel func()) {
	ticks := time.NewTicker(transferLook)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if still, err := l.stores.Sessions.Still(ctx, session); err == nil && !still {
			cancel()
			return
		}
	}
}

// fetchWork gives a session that was never started its work, which is a version on another engine.
func (l *engineLoop) fetchWork(ctx context.Context, spec engine.Spec, from engine.FromVersion) error {
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
	failed := <-exported
	switch {
	case fault.KindOf(err) == fault.Conflict:
		return nil // it was started before, maybe by another of our servers, and goes on with its own work
	case err != nil && failed != nil && fault.KindOf(failed) != fault.Internal:
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
	owners := map[string]bool{}
	for _, session := range running {
		if session.Engine == l.engine.Name && session.Status == sessions.Running {
			owners[session.UserID] = true
		}
	}
	if len(owners) == 0 || !l.limiting.CompareAndSwap(false, true) {
		return
	}
	l.limitedAt = l.Now()
	// Other engines are asked, which may not answer for a while; this one's sessions don't wait for that.
	go func() {
		defer l.limiting.Store(false)
		for owner := range owners {
			elsewhere, err := l.Engines.StoredVersions(ctx, owner, l.engine.Name)
			if err == nil {
				bounded, cancel := context.WithTimeout(ctx, sizes.CallTime)
				err = own.LimitHistory(bounded, owner, max(1, l.Engines.VersionQuota-elsewhere))
				cancel()
			}
			if err != nil && ctx.Err() == nil {
				l.Logger.DebugContext(ctx, "an engine isn't told how much versions may take; trying again", "engine", l.engine.Name, "error", err)
			}
		}
	}()
}
