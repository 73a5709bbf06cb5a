package localjupyter

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/history"
)

var _ engine.Versioner = (*Engine)(nil)

// StopBecause implements engine.Versioner.
func (e *Engine) StopBecause(ctx context.Context, id string, cause engine.VersionCause) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	return known.stop(cause).await(ctx, "The session is still being stopped.")
}

// ImportWork implements engine.Versioner.
func (e *Engine) ImportWork(ctx context.Context, id, _ string, r io.Reader) error {
	if !engine.IsSessionID(id) {
		return engine.ErrUnknownSession
	}
	known := e.findOrMake(id)
	if err := known.work.MayImport(); err != nil {
		return err
	}
	known.mu.Lock()
	known.record.Spec.ID = id // by which the next start of this server knows the record
	known.mu.Unlock()
	if err := known.makeFolder(); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The session's folder can't be made. Tell the operators.")
	}
	return known.work.Import(ctx, r)
}

// AssignOwner implements engine.Versioner.
func (e *Engine) AssignOwner(_ context.Context, id, owner string) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.gone || known.record.Phase == "" || known.record.Spec.Owner != "" || known.record.Spec.Batch != nil {
		return nil
	}
	spec := known.record.Spec
	spec.Owner = owner
	if err := spec.Validate(); err != nil {
		return err
	}
	known.record.Spec = spec
	undo := known.work.SetOwner(owner)
	if err := known.save(); err != nil {
		known.record.Spec.Owner = ""
		undo()
		return fault.Wrap(err, fault.Unavailable, "The session's record can't be saved. Tell the operators.")
	}
	known.weighAgain()
	e.signal()
	return nil
}

// Retire implements engine.Versioner.
func (e *Engine) Retire(ctx context.Context, id string) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	return known.retire().await(ctx, "The session is still being deleted. Its work is kept until then.")
}

func (s *session) retire() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone || s.removal != nil {
		return s.removal
	}
	s.cancelLaunch()
	queued := s.queue.add(s.engine, func(context.Context) error {
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

// leaveToVersions retires the work, and gives up the session's account once its files are gone. The record is written for each:
// before the files go, so that an engine that starts after a kill brings them back instead of serving an empty folder, and
// again afterwards, because until then nobody else may have the account that owns them.
func (s *session) leaveToVersions() error {
	retired, err := s.work.Retire()
	if !retired {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.UserID = 0
	if err := s.save(); err != nil {
		s.engine.options.Logger.Error("a session's record cannot be written", "session", s.id, "error", err)
	}
	return nil
}

// Unretire implements engine.Versioner.
func (e *Engine) Unretire(_ context.Context, id string) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	return known.work.Unretire()
}

// The methods below implement history.Session, with those in watch.go.

// Folder returns the path of the session's folder.
func (s *session) Folder() string { return s.folder }

// State returns what the session is doing. Where nothing may be changed any more, it is gone.
func (s *session) State() history.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	spec := s.record.Spec
	return history.State{
		Owner: spec.Owner, Batch: spec.Batch != nil, Phase: s.record.Phase, Wanted: s.wanted,
		Removing: s.removal != nil, Gone: s.gone || s.engine.dead.Load(),
	}
}

// Save writes the record.
func (s *session) Save() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.save()
}

// Enqueue runs do after all that the session was asked for before, unless the engine is closed.
func (s *session) Enqueue(do func(context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.add(s.engine, do)
}

// Remove deletes the session with its versions, and returns when that is done or the context ends.
func (s *session) Remove(ctx context.Context) error {
	return s.remove().await(ctx, "The session is still being deleted. Try again in a moment.")
}

// MakeFolders makes empty folders of the session's account in place of what is left of others.
func (s *session) MakeFolders() (*os.Root, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return nil, err
	}
	if err = s.Discard(); err == nil {
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

// Discard moves what is left of folders that a version replaces into one that is deleted, by the next New if this engine is closed.
func (s *session) Discard() error {
	return folders.Discard(s.folder, folders.RemovedPrefix+s.id+"-"+rand.Text(), func(removed string) {
		s.engine.workers.Start(func() { s.engine.remover.Delete(removed) })
	})
}
