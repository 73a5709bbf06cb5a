package localjupyter

import (
	"context"
	"errors"
	"io"
	"time"

	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/machine/sandbox"
)

var errDeadline = errors.New("the launch makes no progress")

// launch is one launch of a session, from the state that a stop or a crash left to Running.
type launch struct {
	*cache.Pins // the entries of caches that the session uses

	session  *session
	engine   *Engine
	watchdog *time.Timer             // ends a launch that makes no progress
	giveUp   context.CancelCauseFunc // ends it for a fault
	chose    bool                    // it is the first one to choose the file that opens
}

// newLaunch returns a launch whose context ends, for a fault, when it makes no progress.
func (s *session) newLaunch(ctx context.Context) (context.Context, *launch) {
	ctx, giveUp := context.WithCancelCause(ctx)
	return ctx, &launch{
		Pins: &s.pins, session: s, engine: s.engine, giveUp: giveUp,
		watchdog: time.AfterFunc(s.engine.options.LaunchDeadline, func() { giveUp(errDeadline) }),
	}
}

// The methods below are what checkout, datasets and environments need of a launch.

// Run runs a command in a box of the session to its end and passes its output to read. If the context ends first, the
// launch is over: all of the session is killed, so that nothing keeps working on what others wait for.
func (l *launch) Run(ctx context.Context, box sandbox.Box, read func(io.Reader) error) error {
	err := l.engine.sandbox.Run(ctx, l.boxed(box), read)
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), l.session.sweep())
	}
	return err
}

// boxed adds to a box what all boxes of a session have.
func (l *launch) boxed(box sandbox.Box) sandbox.Box {
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	box.Name, box.Groups, box.Limits = l.session.id, l.session.record.Groups, l.session.boxLimits()
	return box
}

// Log adds a line to the log.
func (l *launch) Log(line string) {
	_, _ = l.session.log.Write([]byte(line + "\n"))
}

// DiskLimit returns how many bytes its files may take.
func (l *launch) DiskLimit() int64 {
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	return l.engine.options.Limits.of(l.session.record.Spec.Profile).Disk
}

// RecordCommit records which commit was checked out.
func (l *launch) RecordCommit(commit string, at time.Time) error {
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	l.session.record.Commit, l.session.record.CommittedAt = commit, at
	return l.session.save()
}

// AllocateBuildAccount records an account for the code that packages run when they are installed, so that it can be ended; 0
// where sessions have no accounts of their own.
func (l *launch) AllocateBuildAccount() (int, error) {
	if !l.engine.sandbox.Level().OwnAccount() {
		return 0, nil
	}
	account, err := pickAccount(l.engine.sandbox)
	if err != nil {
		return 0, err
	}
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	l.session.record.BuildAccount = account
	return account, l.session.save()
}

// ReleaseBuildAccount frees the account that the build ran as.
func (l *launch) ReleaseBuildAccount() {
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	l.session.record.BuildAccount = 0
}
