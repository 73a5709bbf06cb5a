package localjupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

// gentleStop is how long Jupyter has to end by itself.
const gentleStop = 5 * time.Second

// server is a Jupyter process, or the monitor of its sandbox, that this process started or found again.
type server struct {
	process process
	watch   *watch
	exited  chan struct{} // closed when the process has ended; never when it was released before
}

// watchServer follows a process to its end; command is nil when it is not our child.
func (e *Engine) watchServer(running process, command *exec.Cmd) (*server, error) {
	opened, err := running.watch()
	if err != nil {
		return nil, err
	}
	followed := &server{process: running, watch: opened, exited: make(chan struct{})}
	go func() {
		defer opened.close()
		if opened.ended() != nil {
			return
		}
		if command != nil {
			_ = command.Wait() // takes the zombie away; the exit code is in the monitor's report
		}
		close(followed.exited)
	}()
	return followed, nil
}

// release gives up a server that goes on without this process. One that was ended is followed until its end is seen, or
// its zombie and whoever waits for it would stay.
func (s *server) release() { s.watch.close() }

// shutDown asks Jupyter to end and waits a while for it.
func (s *server) shutDown(client *client) {
	ctx, cancel := context.WithTimeout(context.Background(), gentleStop)
	defer cancel()
	if client.shutdown(ctx) != nil {
		return
	}
	select {
	case <-s.exited:
	case <-ctx.Done():
	}
}

// startServer starts Jupyter and returns when it answers.
func (s *session) startServer(ctx context.Context, mounts []mount) (*server, *client, error) {
	s.mu.Lock()
	userID, token := s.record.UserID, s.record.Token
	s.mu.Unlock()
	server, err := s.spawnServer(ctx, s.serverBox(userID, mounts), s.serverEnvironment(token))
	if err != nil {
		return nil, nil, err
	}
	client := newClient(s.socket(), s.owner(userID), s.id, token)
	if err := s.ready(ctx, server, client); err != nil {
		client.close()
		return nil, nil, err
	}
	return server, client, nil
}

// spawnServer starts the process, notes it, and gives it its network.
func (s *session) spawnServer(ctx context.Context, box box, environment []string) (*server, error) {
	report, err := os.OpenFile(filepath.Join(s.folder, exitName), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer report.Close()
	var alive, held *os.File // the sandbox holds the one end, what gives it its network watches the other
	if box.inside {
		if alive, held, err = os.Pipe(); err != nil {
			return nil, err
		}
		defer alive.Close()
		defer held.Close()
	}
	command, err := s.spawn(box, report, held, nil, environment)
	if err != nil {
		return nil, err
	}
	running, err := identify(command.Process.Pid)
	if err != nil {
		_ = command.Wait()
		return nil, s.serverFailed()
	}
	s.mu.Lock()
	s.record.Server = running
	err = s.save()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	server, err := s.engine.watchServer(running, command)
	if err != nil {
		_ = command.Wait()
		return nil, s.serverFailed()
	}
	if box.inside {
		_ = held.Close()
		err = s.connect(ctx, server, alive)
	}
	return server, err
}

// connect waits until the sandbox is made, and then attaches its network.
func (s *session) connect(ctx context.Context, server *server, alive *os.File) error {
	ticks := time.NewTicker(2 * time.Millisecond)
	defer ticks.Stop()
	for {
		first, _, err := s.report()
		if err != nil {
			return err
		}
		if s.engine.begun(first) {
			return s.attach(ctx, first, alive)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-server.exited:
			return s.serverFailed()
		case <-ticks.C:
		}
	}
}

func (s *session) attach(ctx context.Context, first int, alive *os.File) error {
	log, err := openLog(filepath.Join(s.folder, logName), false)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := s.engine.attach(ctx, first, log, alive, s.mark()); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The session's network could not be set up.")
	}
	return nil
}

func (s *session) mark() string { return sessionVariable + "=" + s.id }

// ready waits until Jupyter answers.
func (s *session) ready(ctx context.Context, server *server, client *client) error {
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
		case <-server.exited:
			return s.serverFailed()
		case <-ticks.C:
		}
	}
}

func (s *session) serverFailed() error {
	if code, err := s.exitCode(); err == nil {
		return fault.New(fault.Unavailable, "Jupyter ended before it answered (exit code %d). The log tells more.", code)
	}
	return fault.New(fault.Unavailable, "Jupyter ended before it answered. The log tells more.")
}

// adopt finds a running session again, or notes how it ended.
func (s *session) adopt() {
	s.mu.Lock()
	found := s.record.Server
	client := newClient(s.socket(), s.owner(s.record.UserID), s.id, s.record.Token)
	s.mu.Unlock()
	if boot, err := bootID(); err == nil && boot != found.BootID {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settle(engine.Ended, "The machine was restarted. The work is kept.")
		return
	}
	server, err := s.engine.adoptServer(found, client)
	if err != nil {
		s.engine.options.Logger.Info("a session was not found again", "session", s.id, "error", err)
		client.close()
		s.settleEnded(s.sweep())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted, s.server, s.client = true, server, client
	s.follow(server, client)
}

// adoptServer makes sure that the process is the one that was started and that it is our Jupyter which answers.
func (e *Engine) adoptServer(found process, client *client) (*server, error) {
	if !found.alive() {
		return nil, errors.New("its process has ended")
	}
	server, err := e.watchServer(found, nil)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(e.background, 10*time.Second)
	defer cancel()
	for {
		asked, done := context.WithTimeout(ctx, 5*time.Second)
		err = client.status(asked)
		done()
		if err == nil {
			return server, nil
		}
		select {
		case <-server.exited:
			return nil, errors.New("its process ended")
		case <-ctx.Done():
			return nil, fmt.Errorf("it does not answer: %w", err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// follow watches a running session and reports the end of its server.
func (s *session) follow(server *server, client *client) {
	ctx, cancel := context.WithCancel(s.engine.background)
	if !s.engine.begin() {
		cancel()
		return
	}
	go func() {
		defer s.engine.work.Done()
		defer cancel()
		select {
		case <-server.exited:
			s.serverEnded(server)
		case <-ctx.Done():
		}
	}()
	if !s.engine.begin() {
		return
	}
	go func() {
		defer s.engine.work.Done()
		s.watched(ctx, server, client)
	}()
}

// spawn starts a command in a session's isolation so that it outlives us. Output goes to the session's log unless a
// pipe for it is given. A sandbox with a network holds a file open as long as it lives.
func (s *session) spawn(box box, report, held, output *os.File, environment []string) (*exec.Cmd, error) {
	s.mu.Lock()
	groups := s.record.Groups
	s.mu.Unlock()
	arguments := s.engine.grouped(groups, s.engine.arguments(s.engine.isolation.Level, box))
	log, err := openLog(filepath.Join(s.folder, logName), false)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Dir = "/"
	if !s.engine.isolation.Level.bubblewrap() {
		command.Dir = box.folder
	}
	command.Env = append(slices.Clone(environment), "PATH=/usr/bin:/bin", "LANG=C.UTF-8", s.mark())
	command.Stdout, command.Stderr = log, log
	if output != nil {
		command.Stdout, command.Stderr = output, output
	}
	command.ExtraFiles = []*os.File{report}
	if held != nil {
		command.ExtraFiles = append(command.ExtraFiles, held)
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", arguments[0], err)
	}
	return command, nil
}

// report reads what the monitor wrote.
func (s *session) report() (firstPID int, exit *int, err error) {
	file, err := os.Open(filepath.Join(s.folder, exitName))
	if err != nil {
		return 0, nil, err
	}
	defer file.Close()
	firstPID, exit = readReport(file, false)
	return firstPID, exit, nil
}

// readReport reads objects: with the pid of the namespace's first process, then with the exit code. It reads to the end
// unless the pid is all that is asked for.
func readReport(from io.Reader, pidAlone bool) (firstPID int, exit *int) {
	objects := json.NewDecoder(io.LimitReader(from, 1<<16))
	for {
		var object struct {
			Child *int `json:"child-pid"`
			Exit  *int `json:"exit-code"`
		}
		if err := objects.Decode(&object); err != nil {
			return firstPID, exit // the end, or half an object
		}
		if object.Child != nil {
			if firstPID = *object.Child; pidAlone {
				return firstPID, nil
			}
		}
		if object.Exit != nil {
			exit = object.Exit
		}
	}
}

func (s *session) exitCode() (int, error) {
	_, exit, err := s.report()
	if err == nil && exit == nil {
		err = errNoExit
	}
	if err != nil {
		return 0, err
	}
	return *exit, nil
}

func exitSentence(code int) string {
	const kept = " The work is kept; start the session again."
	if code == 128+int(syscall.SIGKILL) {
		return "Jupyter was killed, perhaps for want of memory." + kept
	}
	return fmt.Sprintf("Jupyter ended unexpectedly (exit code %d).", code) + kept
}
