package localjupyter

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path"
	"path/filepath"

	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// prepare creates the folders and the account, generates a token, and records all of it before anything starts.
func (l *launch) prepare() (*os.Root, error) {
	root, err := os.OpenRoot(l.session.folder)
	if err != nil {
		return nil, err
	}
	if l.batch() != nil {
		if err := folders.Remove(root, folders.Home); err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	if l.session.work.IsPending() {
		if err := l.session.Discard(); err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	moved, err := l.session.chooseAccount()
	if err == nil {
		var token [32]byte
		_, _ = rand.Read(token[:])
		l.session.record.Token = hex.EncodeToString(token[:])
		l.session.record.Server, l.session.record.First = sandbox.Identity{}, sandbox.Identity{}
		l.SetPinned(nil)
		owner := l.session.record.Spec.Owner
		if l.session.record.Spec.Batch != nil {
			owner = ""
		}
		l.session.work.BeginRun(owner)
		err = l.session.save()
	}
	userID := l.session.record.UserID
	for _, folder := range []string{folders.Work, folders.Home} {
		if err == nil {
			err = folders.Own(root, folder, userID)
		}
		if err == nil && moved {
			err = folders.OwnTree(l.engine.workers.Closing(), root, folder, userID)
		}
	}
	if err == nil && l.engine.environments.HasR() { // whose users may have a file in its place
		_ = folders.Own(root, path.Join(folders.Home, userLibrary), userID)
	}
	if err == nil && !l.engine.sandbox.Level().Mounts() {
		err = errors.Join(folders.Remove(root, folders.Temporary), folders.Own(root, folders.Temporary, userID))
	}
	if err == nil {
		err = folders.MakeData(root, l.engine.options.Now())
	}
	if err == nil {
		err = folders.Remove(root, folders.Clone)
	}
	if err == nil {
		err = l.engine.sockets.make(filepath.Base(l.session.runtime), userID)
	}
	if err == nil {
		l.session.record.Groups, err = l.session.makeGroups()
	}
	if err == nil {
		err = l.session.save()
	}
	if err == nil {
		err = l.session.log.clear()
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return root, nil
}

// chooseAccount returns an account for the session if sessions have separate ones; moved if it isn't the previous one.
func (s *session) chooseAccount() (moved bool, err error) {
	own := s.engine.sandbox.Level().OwnAccount()
	if own == (s.record.UserID != 0) {
		return false, nil
	}
	if !own {
		s.record.UserID = 0
		return true, nil
	}
	s.record.UserID, err = pickAccount(s.engine.sandbox)
	return true, err
}
