package localjupyter

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"cairn/internal/sandbox"
)

// The methods in this file are what checkout, datasets and environments need of a session.

// Run runs a command in a box of the session to its end and passes its output to read. If the context ends first, the
// launch is over: all of the session is killed, so that nothing keeps working on what others wait for.
func (s *session) Run(ctx context.Context, box sandbox.Box, read func(io.Reader) error) error {
	err := s.engine.sandbox.Run(ctx, s.boxed(box), read)
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), s.sweep())
	}
	return err
}

// boxed adds to a box what all boxes of a session have.
func (s *session) boxed(box sandbox.Box) sandbox.Box {
	s.mu.Lock()
	defer s.mu.Unlock()
	box.Name, box.Groups, box.Limits = s.id, s.record.Groups, s.boxLimits()
	return box
}

// Log adds a line to the log.
func (s *session) Log(line string) {
	log, err := openLog(filepath.Join(s.folder, logName), false)
	if err != nil {
		return
	}
	_, _ = log.WriteString(line + "\n")
	_ = log.Close()
}

// DiskLimit returns how many bytes its files may take.
func (s *session) DiskLimit() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limits().Disk
}

// RecordCommit records which commit was checked out.
func (s *session) RecordCommit(commit string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Commit, s.record.CommittedAt = commit, at
	return s.save()
}

// AllocateBuildAccount records an account for the code that packages run when they are installed, so that it can be ended; 0
// where sessions have no accounts of their own.
func (s *session) AllocateBuildAccount() (int, error) {
	if !s.engine.sandbox.Level().OwnAccount() {
		return 0, nil
	}
	account, err := s.engine.pickAccount()
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.BuildAccount = account
	return account, s.save()
}

// ReleaseBuildAccount frees the account that the build ran as.
func (s *session) ReleaseBuildAccount() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.BuildAccount = 0
}
