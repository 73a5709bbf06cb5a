package fake

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// Push moves a branch or tag of a repository to a commit; "" is the default branch. A launch that copies the repository
// checks that out.
func (s *Store) Push(address, ref, commit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heads[[2]string{address, ref}] = commit
}

// Install sets what the notebooks of a running session are run with.
func (s *Store) Install(id string, what engine.Installed) {
	s.change(id, engine.Running, func(known *session) { known.installed = what })
}

// head returns the latest commit; a repository that nobody pushed to has some commit at every branch and tag. s.mu must be held.
func (s *Store) head(repository engine.Repository) string {
	if commit := s.heads[[2]string{repository.URL, repository.Ref}]; commit != "" {
		return commit
	}
	sum := sha1.Sum([]byte(repository.URL + "\n" + repository.Ref))
	return hex.EncodeToString(sum[:])
}

// Head implements engine.Runner.
func (e *Engine) Head(_ context.Context, repository engine.Repository) (string, error) {
	if err := repository.Validate(); err != nil {
		return "", err
	}
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	return e.store.head(repository), nil
}

// Environment implements engine.Runner.
func (e *Engine) Environment(_ context.Context, id, language string) (engine.Installed, error) {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	known := e.store.sessions[id]
	if known == nil || known.server == nil {
		return engine.Installed{}, fault.New(fault.SessionNotRunning, "The session isn't running.")
	}
	switch {
	case engine.SameLanguage(language, engine.Python.Language):
		return known.installed, nil
	case engine.SameLanguage(language, "R"):
		sum := sha256.Sum256([]byte("R"))
		return engine.Installed{Digest: hex.EncodeToString(sum[:]), Version: "4.2.2", Packages: []string{"glue==1.6.2"}}, nil
	default:
		return engine.Installed{}, nil
	}
}

// ReadFile implements engine.Runner.
func (e *Engine) ReadFile(_ context.Context, id, path string, most int64) ([]byte, error) {
	files, _ := e.store.files(id)
	found, there := files[path]
	switch {
	case !there || found.link:
		return nil, fault.New(fault.NotFound, "The session's work has no such file.")
	case int64(len(found.content)) > most:
		return nil, fault.New(fault.TooLarge, "The file is too large.")
	}
	return []byte(found.content), nil
}
