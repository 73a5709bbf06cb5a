package history

import (
	"context"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// Retire leaves the work of a session whose processes have ended to its last version, and deletes its folders. If that version
// can't be made, the folders stay, and retired is false.
func (w *Work) Retire() (retired bool, err error) {
	logger := w.manager.options.Logger
	if err := w.SaveStopped(engine.VersionStop); err != nil {
		logger.Warn("a deleted session's folder is kept, because its last version can't be made", "session", w.session.ID(), "error", err)
		return false, nil
	}
	w.files.Lock()
	defer w.files.Unlock()
	before := w.Record()
	if !w.hasVersions() || w.session.State().Wanted || before.SavedAt.IsZero() {
		return false, nil
	}
	store, done, err := w.store()
	if err != nil {
		return false, nil // without versions, the folder stays
	}
	defer done()
	last, err := w.latestVersion(store)
	if err != nil {
		return false, nil // likewise
	}
	err = w.change(func(r *Record) {
		r.PendingRestore, r.RetiredAt = &RestoreRequest{Session: w.session.ID(), Version: last.ID}, w.manager.options.Now()
		r.Restored = nil
	}, func(r *Record) {
		r.PendingRestore, r.RetiredAt, r.Restored = before.PendingRestore, before.RetiredAt, before.Restored
	})
	if err != nil {
		return false, fault.Wrap(err, fault.Unavailable, "The session can't be deleted: its record can't be saved. Its work is kept. Tell the operators.")
	}
	w.manager.options.Changed()
	if err := w.session.Discard(); err != nil {
		logger.Error("a deleted session's files take space and cannot be deleted", "session", w.session.ID(), "error", err)
	}
	return true, nil
}

// Unretire takes Retire back, so that the session's versions no longer go first when room is needed, and begins to make its
// folders from the last of them. It does nothing for a session that wasn't retired.
func (w *Work) Unretire() error {
	state, before := w.session.State(), w.Record()
	if state.Gone || state.Removing || before.PendingRestore == nil || before.RetiredAt.IsZero() {
		return nil
	}
	err := w.change(func(r *Record) { r.RetiredAt = time.Time{} }, func(r *Record) { r.RetiredAt = before.RetiredAt })
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The session can't be brought back: its record can't be saved. Its versions are kept. Tell the operators.")
	}
	w.manager.options.Changed()
	w.session.Enqueue(func(ctx context.Context) error {
		if err := w.recreateFromLatest(ctx); err != nil {
			w.manager.options.Logger.Warn("a session's work isn't back yet; its next launch tries again", "session", w.session.ID(), "error", err)
		}
		return nil
	})
	return nil
}

// recreateFromLatest makes the folders of a session that doesn't run from its last version, unless that is done.
func (w *Work) recreateFromLatest(ctx context.Context) error {
	w.files.Lock()
	defer w.files.Unlock()
	if !w.IsPending() || w.session.State().Gone {
		return nil
	}
	root, err := w.session.MakeFolders()
	if err != nil {
		return err
	}
	defer root.Close()
	err = w.RestoreHome(ctx, root)
	if err == nil {
		err = w.RestoreWork(ctx, root, func(string) {})
	}
	w.manager.options.Changed()
	return err
}
