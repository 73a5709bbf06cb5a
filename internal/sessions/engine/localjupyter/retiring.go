package localjupyter

import (
	"context"
	"errors"
	"os"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter/folders"
)

// Retire implements engine.Historian.
func (e *Engine) Retire(ctx context.Context, id string) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	return known.await(ctx, known.retire(), "The session is still being deleted. Its work is kept until then.")
}

func (s *session) retire() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone || s.removal != nil {
		return s.removal
	}
	s.takeBack()
	queued := s.enqueue(func(context.Context) error {
		if err := s.end(true, engine.VersionStop, engine.Ended, "", ""); err != nil {
			return err
		}
		return s.leaveToVersions()
	})
	if queued == nil {
		return refused()
	}
	return queued
}

// leaveToVersions deletes the folders of a session whose last version is complete.
func (s *session) leaveToVersions() error {
	if err := s.saveStopped(engine.VersionStop); err != nil {
		s.engine.options.Logger.Warn("a deleted session's folder is kept, because its last version can't be made", "session", s.id, "error", err)
		return nil
	}
	s.files.Lock()
	defer s.files.Unlock()
	s.mu.Lock()
	wanted := s.hasVersions() && !s.wanted && s.record.SavedAt != time.Time{}
	s.mu.Unlock()
	if !wanted || s.engine.dead.Load() {
		return nil
	}
	store, done, err := s.history()
	if err != nil {
		return nil // without versions, the folder stays
	}
	defer done()
	last, err := s.lastVersion(store)
	if err != nil {
		return nil // likewise
	}
	s.mu.Lock()
	before := s.record
	s.record.Bring, s.record.RetiredAt = &bring{Session: s.id, Version: last.ID}, s.engine.options.Now()
	s.record.UserID, s.record.Restored = 0, nil
	if err = s.save(); err != nil {
		s.record = before
	}
	s.mu.Unlock()
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The session can't be deleted: its record can't be saved. Its work is kept. Tell the operators.")
	}
	s.engine.signal()
	if err := s.discard(); err != nil {
		s.engine.options.Logger.Error("a deleted session's files take space and cannot be deleted", "session", s.id, "error", err)
	}
	return nil
}

// Unretire implements engine.Historian.
func (e *Engine) Unretire(_ context.Context, id string) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	return known.unretire()
}

func (s *session) unretire() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone || s.removal != nil || s.record.Bring == nil || s.record.RetiredAt.IsZero() {
		return nil
	}
	before := s.record.RetiredAt
	s.record.RetiredAt = time.Time{}
	if err := s.save(); err != nil {
		s.record.RetiredAt = before
		return fault.Wrap(err, fault.Unavailable, "The session can't be brought back: its record can't be saved. Its versions are kept. Tell the operators.")
	}
	s.engine.signal()
	s.enqueue(func(ctx context.Context) error {
		if err := s.makeAnew(ctx); err != nil {
			s.engine.options.Logger.Warn("a session's work isn't back yet; its next launch tries again", "session", s.id, "error", err)
		}
		return nil
	})
	return nil
}

// makeAnew makes the folders of a session that doesn't run from its last version, unless that is done.
func (s *session) makeAnew(ctx context.Context) error {
	s.files.Lock()
	defer s.files.Unlock()
	root, err := s.makeFolders()
	if root == nil || err != nil {
		return err
	}
	defer root.Close()
	err = s.bringHome(ctx, root)
	if err == nil {
		err = s.bringWork(ctx, root, func(string) {})
	}
	s.engine.signal()
	return err
}

// makeFolders makes empty folders of the session's account; nil if they aren't made from a version.
func (s *session) makeFolders() (*os.Root, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Bring == nil || s.gone || s.engine.dead.Load() {
		return nil, nil
	}
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return nil, err
	}
	if err = s.discard(); err == nil {
		_, err = s.chooseAccount()
	}
	if err == nil {
		err = s.save()
	}
	for _, name := range []string{folders.Work, folders.Home} {
		if err == nil {
			err = folders.Own(root, name, s.record.UserID)
		}
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}
