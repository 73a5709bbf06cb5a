package localjupyter

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterprogram"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// gentleStop is how long Jupyter has to exit on its own.
const gentleStop = 5 * time.Second

// shutDown asks Jupyter to end and waits a while for it.
func shutDown(server *sandbox.Process, client *client) {
	ctx, cancel := context.WithTimeout(context.Background(), gentleStop)
	defer cancel()
	if client.shutdown(ctx) != nil {
		return
	}
	select {
	case <-server.Exited():
	case <-ctx.Done():
	}
}

// startServer starts Jupyter and returns when it answers.
func (l *launch) startServer(ctx context.Context, mounts []sandbox.Mount) (*sandbox.Process, *client, error) {
	program, err := jupyterprogram.Find(l.engine.options.Jupyter)
	if err != nil {
		return nil, nil, err
	}
	l.session.mu.Lock()
	userID, token := l.session.record.UserID, l.session.record.Token
	program.Terminals = program.Terminals && l.engine.options.Terminals && l.session.record.Spec.Batch == nil
	l.session.record.Interface, l.session.record.Terminals, l.session.record.Jupyter = program.Interface, program.Terminals, program.Name // written with the server that follows
	l.session.mu.Unlock()
	server, err := l.spawnServer(ctx, l.serverBox(program, userID, token, mounts))
	if err != nil {
		return nil, nil, err
	}
	owner, _ := folders.Owners(userID)
	client := newClient(l.session.socket(), owner, l.session.id, token)
	if err := l.ready(ctx, server, client); err != nil {
		client.close()
		return nil, nil, err
	}
	return server, client, nil
}

// spawnServer starts the process with its output in the session's log, and records it.
func (l *launch) spawnServer(ctx context.Context, box sandbox.Box) (*sandbox.Process, error) {
	output, err := l.session.log.output()
	if err != nil {
		return nil, err
	}
	defer output.Close()
	if err := l.session.log.follow(l.engine.workers); err != nil {
		return nil, err
	}
	box.Output = output
	server, err := l.engine.sandbox.Start(ctx, l.boxed(box))
	if errors.Is(err, sandbox.ErrNetwork) {
		return nil, diagnosis.With(fault.Wrap(err, fault.Unavailable, "The session's network couldn't be set up."), diagnosis.ServerFault)
	}
	if err != nil {
		return nil, err
	}
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	l.session.record.Server = server.Record().Process
	return server, l.session.save()
}

// ready waits until Jupyter answers.
func (l *launch) ready(ctx context.Context, server *sandbox.Process, client *client) error {
	ticks := time.NewTicker(25 * time.Millisecond)
	defer ticks.Stop()
	for {
		asked, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := client.status(asked)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-server.Exited():
			return l.serverFailed()
		case <-ticks.C:
		}
	}
}

func (l *launch) serverFailed() error {
	if code, err := exitCode(l.session.folder); err == nil {
		return fault.New(fault.Unavailable, "Jupyter stopped before it was ready (exit code %d). See the log.", code)
	}
	return fault.New(fault.Unavailable, "Jupyter stopped before it was ready. See the log.")
}

// adopt finds a running session again, or records how it ended.
func (s *session) adopt() {
	s.mu.Lock()
	found := s.record.box(s.id)
	owner, _ := folders.Owners(s.record.UserID)
	client := newClient(s.adoptedSocket(), owner, s.id, s.record.Token)
	s.mu.Unlock()
	server, err := adoptServer(s.engine.workers.Closing(), s.engine.sandbox, found, client)
	if errors.Is(err, sandbox.ErrRestarted) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.finish(engine.Ended, "The machine was restarted. The work is kept.", "")
		return
	}
	if err != nil {
		s.engine.options.Logger.Info("a session was not found again", "session", s.id, "error", err)
		client.close()
		s.recordEnd(s.sweep())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted, s.server, s.client = true, server, client
	if err := s.log.follow(s.engine.workers); err != nil {
		s.engine.options.Logger.Warn("a session's log isn't written any more", "session", s.id, "error", err)
	}
	s.limitAgain() // systemd can't start this server in a group of version 2 that has controllers for those below it, and takes them away before
	s.follow(server, client)
}

// adoptServer checks that the process is the one that was started and that it is our Jupyter that answers.
func adoptServer(ctx context.Context, box *sandbox.Sandbox, found sandbox.Record, client *client) (*sandbox.Process, error) {
	server, err := box.Adopt(found)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		asked, done := context.WithTimeout(ctx, 5*time.Second)
		err = client.status(asked)
		done()
		if err == nil {
			return server, nil
		}
		select {
		case <-server.Exited():
			return nil, errors.New("its process ended")
		case <-ctx.Done():
			return nil, fmt.Errorf("it isn't responding: %w", err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// follow watches a running session and reports the end of its server.
func (s *session) follow(server *sandbox.Process, client *client) {
	ctx, cancel := context.WithCancel(s.engine.workers.Closing())
	if !s.engine.workers.Begin() {
		cancel()
		return
	}
	go func() {
		defer s.engine.workers.Done()
		defer cancel()
		select {
		case <-server.Exited():
			s.serverEnded(server)
		case <-ctx.Done():
		}
	}()
	if !s.engine.workers.Begin() {
		return
	}
	go func() {
		defer s.engine.workers.Done()
		every(ctx, s.engine.options.WatchEvery, func() { s.checkServer(ctx, server, client) })
	}()
}

func exitCode(folder string) (int, error) { return sandbox.ExitCode(filepath.Join(folder, exitName)) }

// exitReason explains the exit code of a server that ended on its own, whose memory had a limit in bytes.
func exitReason(code int, memory memoryState, limit int64, now time.Time) (reason string, cause diagnosis.Code) {
	const kept = " The work is kept."
	if code == 128+int(syscall.SIGKILL) {
		limit := humanize.Bytes(limit)
		switch {
		case memory.scarce(now):
			return "Jupyter ran out of memory: the limit is " + limit + "." + kept, diagnosis.Memory
		case memory.counted:
			return "Jupyter was killed." + kept, ""
		}
		return fmt.Sprintf("Jupyter stopped, probably because it ran out of memory (limit %s).", limit) + kept, diagnosis.Memory
	}
	return fmt.Sprintf("Jupyter stopped unexpectedly (exit code %d).", code) + kept, ""
}
