package agent

import (
	"context"
	"errors"
	"io"
	"time"

	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/machine/sandbox"
)

// preparation is what checkout, datasets and environments need of a launch that is prepared.
type preparation struct {
	*cache.Pins // the entries of caches that the session uses

	session *session
	asked   agentapi.Prepare
	groups  []string  // control groups of what runs for it
	date    time.Time // of the commit that was checked out
	tell    func(agentapi.Event)
}

// newPreparation returns one; done must be called when nothing of it runs any more.
func (s *session) newPreparation(asked agentapi.Prepare, tell func(agentapi.Event)) (made *preparation, done func(), err error) {
	made = &preparation{Pins: &s.pins, session: s, asked: asked, tell: tell}
	made.SetPinned(nil)
	made.groups, err = s.agent.sandbox.MakeGroups("prepare-"+s.id, made.limits())
	return made, func() { s.agent.sandbox.RemoveGroups(made.groups) }, err
}

// limits are those of a session's server.
func (p *preparation) limits() sandbox.Limits {
	asked := p.asked.Limits
	return sandbox.Limits{Memory: asked.Memory, CPU: asked.CPU, Processes: asked.Processes, FileSize: asked.Disk}
}

// Run runs a command in a box of the session to its end and passes its output to read. If the context ends first, all of it is killed.
func (p *preparation) Run(ctx context.Context, box sandbox.Box, read func(io.Reader) error) error {
	box.Name, box.Groups, box.Limits = p.session.id, p.groups, p.limits()
	err := p.session.agent.sandbox.Run(ctx, box, read)
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), p.sweep())
	}
	return err
}

// sweep ends what runs for the launch.
func (p *preparation) sweep() error {
	s := p.session
	s.mu.Lock()
	boxes := []sandbox.Record{{Name: s.id, Account: s.record.Account}}
	if s.record.BuildAccount != 0 {
		boxes = append(boxes, sandbox.Record{Name: s.id, Account: s.record.BuildAccount})
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), sweepTime)
	defer cancel()
	return s.agent.sandbox.Sweep(ctx, boxes...)
}

// Log adds a line to the launch's log.
func (p *preparation) Log(line string) { p.tell(agentapi.Event{Log: line}) }

// DiskLimit returns how many bytes the session's files may take.
func (p *preparation) DiskLimit() int64 { return p.asked.Limits.Disk }

// RecordCommit records which commit was checked out.
func (p *preparation) RecordCommit(commit string, date time.Time) error {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	p.date = date
	p.session.record.Commit = commit
	return p.session.save()
}

// AllocateBuildAccount records an account for the code that packages run when they are installed; 0 where there are none.
func (p *preparation) AllocateBuildAccount() (int, error) {
	if !p.session.agent.sandbox.Level().OwnAccount() {
		return 0, nil
	}
	account, err := p.session.agent.pickAccount()
	if err != nil {
		return 0, err
	}
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	p.session.record.BuildAccount = account
	return account, p.session.save()
}

// ReleaseBuildAccount frees the account that the build ran as.
func (p *preparation) ReleaseBuildAccount() {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	p.session.record.BuildAccount = 0
}
