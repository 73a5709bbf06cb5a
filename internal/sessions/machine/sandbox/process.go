package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Process is a running box that this server started or adopted.
type Process struct {
	record  Record
	watch   *watch
	command *exec.Cmd // nil unless it is our child
	exited  chan struct{}

	mu    sync.Mutex
	freed bool  // its pid may have been reused
	err   error // how a child ended; read it after exited
}

// Record returns what is needed to find the box again.
func (p *Process) Record() Record { return p.record }

// Exited is closed when the command has ended; never if the process was released before.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Release stops watching a box that continues without this server. One that is being ended is watched to its end;
// otherwise its zombie and whoever waits for it would stay.
func (p *Process) Release() { p.watch.close() }

// Start starts a box and returns when the command runs and its network works, or when it has already ended. The context
// limits only the start: the box outlives it, and this server. An error wraps ErrNetwork if only the network failed.
// With or without an error, Sweep ends what the command left outside its process group.
func (s *Sandbox) Start(ctx context.Context, box Box) (*Process, error) {
	return s.start(ctx, box, box.Output)
}

// start starts a box whose standard output and error go to another file than messages of its network.
func (s *Sandbox) start(ctx context.Context, box Box, output *os.File) (*Process, error) {
	if box.Name == "" {
		return nil, errors.New("a box needs a name")
	}
	report, err := openReport(box.Report)
	if err != nil {
		return nil, err
	}
	defer report.Close()
	if err := s.checkListening(box); err != nil {
		return nil, err
	}
	var alive, held *os.File // the box holds the one end; what connects its network, or waits for its listener, the other
	switch {
	case box.Network == Internet && !s.level.Mounts():
		err = fmt.Errorf("%w: it could not be kept to the internet", ErrNetwork)
	case box.Network == Internet || box.Listening != nil:
		alive, held, err = socketPair()
	}
	if err != nil {
		return nil, err
	}
	if held != nil {
		defer alive.Close()
		defer held.Close()
	}
	started, err := s.spawn(box, output, report, held)
	if err != nil {
		return nil, err
	}
	if held != nil {
		_ = held.Close()
	}
	if s.level.Mounts() {
		err = s.awaitFirst(ctx, started, box.Network, report)
	}
	first := started.record.First.PID
	switch {
	case err != nil:
	case box.Listening != nil:
		var listener net.Listener
		if listener, err = receiveListener(ctx, alive); err == nil {
			box.Listening(listener)
		}
	case box.Network == Internet && first != 0:
		if err = s.attach(ctx, box, first, alive); err != nil {
			err = fmt.Errorf("%w: %w", ErrNetwork, err)
		}
	}
	if err != nil {
		started.kill()
		return nil, err
	}
	return started, nil
}

// awaitFirst waits for the first process of the namespace.
func (s *Sandbox) awaitFirst(ctx context.Context, started *Process, network Network, report io.ReaderAt) error {
	ticks := time.NewTicker(2 * time.Millisecond)
	defer ticks.Stop()
	for {
		if first, _ := readReport(report); first != 0 && (network != Internet || s.begun(first)) {
			found, err := identify(first)
			if err == nil && found.Alive() {
				started.record.First = found
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-started.exited:
			return nil
		case <-ticks.C:
		}
	}
}

// Run runs a box to its end and passes its output to read. An *exec.ExitError in the chain contains its exit code. If
// the context ends first, the error is its cause, and Sweep must end the box.
func (s *Sandbox) Run(ctx context.Context, box Box, read func(io.Reader) error) error {
	reading, writing, err := os.Pipe()
	if err != nil {
		return err
	}
	running, err := s.start(ctx, box, writing)
	_ = writing.Close()
	if err != nil {
		return errors.Join(err, reading.Close())
	}
	ended := make(chan error, 1)
	go func() {
		err := read(reading)
		_ = reading.Close()
		<-running.exited
		ended <- errors.Join(running.err, err)
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-ended:
		return err
	}
}

// ErrRestarted means that the machine was restarted after a box was started.
var ErrRestarted = errors.New("the machine was restarted")

// Adopt watches a box that an earlier server started. It returns ErrRestarted, or an error that says that the box has
// ended.
func (s *Sandbox) Adopt(record Record) (*Process, error) {
	if boot, err := bootID(); err == nil && boot != record.Process.BootID {
		return nil, ErrRestarted
	}
	if !record.Process.Alive() {
		return nil, errors.New("its process has ended")
	}
	return follow(record, nil)
}

// follow watches a process to its end; command is nil unless it is our child.
func follow(record Record, command *exec.Cmd) (*Process, error) {
	opened, err := record.Process.watch()
	if err != nil {
		return nil, err
	}
	followed := &Process{record: record, watch: opened, command: command, exited: make(chan struct{})}
	go func() {
		defer opened.close()
		if opened.ended() != nil {
			return
		}
		followed.reap()
		close(followed.exited)
	}()
	return followed, nil
}

// reap reaps the zombie.
func (p *Process) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.freed = true
	if p.command != nil {
		p.err = p.command.Wait()
	}
}

// kill kills the process group of our child, which includes the first process of its namespace.
func (p *Process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.freed {
		_ = unix.Kill(-p.record.Process.PID, unix.SIGKILL)
	}
}

// spawn starts the command of a box so that it outlives this server. The box has the report as its descriptor 3 and, with
// internet or a listener, one more file as its descriptor 4.
func (s *Sandbox) spawn(box Box, output, report, held *os.File) (*Process, error) {
	arguments := s.grouped(box.Groups, s.arguments(box))
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Dir = "/"
	if !s.level.Mounts() {
		command.Dir = box.Folder
	}
	command.Env = append(slices.Clone(box.Environment), "PATH=/usr/bin:/bin", "LANG=C.UTF-8", s.tag(box.Name))
	command.Stdout, command.Stderr = writer(output), writer(output)
	command.ExtraFiles = []*os.File{report, held}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := s.launch(command, box); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", arguments[0], err)
	}
	found, err := identify(command.Process.Pid)
	var started *Process
	if err == nil {
		started, err = follow(Record{Name: box.Name, Account: box.Account, Process: found}, command)
	}
	if err != nil {
		_ = unix.Kill(-command.Process.Pid, unix.SIGKILL)
		_ = command.Wait()
		return nil, err
	}
	return started, nil
}

// launch starts the command of a box. Where bubblewrap runs, it takes from descriptors what differs from box to box.
func (s *Sandbox) launch(command *exec.Cmd, box Box) error {
	if !s.level.Mounts() {
		if s.filter == nil {
			return command.Start()
		}
		return startFiltered(command, s.filter)
	}
	users, groups := s.names(box)
	for _, content := range [][]byte{encoded(s.filter), users, groups} { // filterDescriptor and those after it
		file, err := inMemory(content)
		if err != nil {
			return err
		}
		defer file.Close()
		command.ExtraFiles = append(command.ExtraFiles, file)
	}
	return command.Start()
}

// writer prevents a nil *os.File from becoming a non-nil io.Writer.
func writer(file *os.File) io.Writer {
	if file == nil {
		return nil
	}
	return file
}

// openReport opens a file for the reports of a box's monitor, in memory if no path is given: the monitor of a box that
// outlives us wouldn't survive a pipe.
func openReport(path string) (*os.File, error) {
	if path != "" {
		return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	}
	return inMemory(nil)
}

// inMemory returns a file in memory that is read from its beginning.
func inMemory(content []byte) (*os.File, error) {
	memory, err := unix.MemfdCreate("box", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(memory), "box")
	if _, err := file.WriteAt(content, 0); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// readReport reads JSON objects: one with the pid of the namespace's first process, then one with the exit code.
func readReport(from io.ReaderAt) (first int, exit *int) {
	objects := json.NewDecoder(io.NewSectionReader(from, 0, 1<<16))
	for {
		var object struct {
			Child *int `json:"child-pid"`
			Exit  *int `json:"exit-code"`
		}
		if err := objects.Decode(&object); err != nil {
			return first, exit // the end, or an incomplete object
		}
		if object.Child != nil {
			first = *object.Child
		}
		if object.Exit != nil {
			exit = object.Exit
		}
	}
}

// ExitCode reads the exit code of an ended box from its report, even if it ended while no server ran. It returns an
// error if the monitor left none because it was killed too, or the machine stopped.
func ExitCode(report string) (int, error) {
	file, err := os.Open(report)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	_, exit := readReport(file)
	if exit == nil {
		return 0, errors.New("no exit code")
	}
	return *exit, nil
}
