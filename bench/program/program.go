// Package program runs the real binary as operators do: it imports, serves, and answers over HTTP. Nothing of it is
// linked in here.
package program

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"cairn/bench/load"
)

// Program is a binary and the folder with all its data.
type Program struct {
	Binary string
	Data   string
	Flags  []string // of serve
	Listen string   // where it answers, behind a proxy; empty: any port
	Config string   // YAML; empty: Config(nil, "")
}

// Account is the account that stars entries; Researcher and Operator are accounts of the demo.
const (
	Account    = "bench@example.org"
	Researcher = "researcher@example.org"
	Operator   = "operator@example.org"
)

// Common is what every configuration has. No calls are limited: all loads come from one address, some without a token.
const Common = "limits: {anonymous: {rate: 0}, additions_per_hour: 0}\naccounts: {enable: auto}\n"

// Config returns a configuration with accounts of the embedded provider and with more YAML. No known password matches; `cairn
// token` makes the tokens.
func Config(emails []string, more string) string {
	var text strings.Builder
	text.WriteString(Common + "idp:\n  accounts:\n")
	for _, email := range append(emails, Account) {
		text.WriteString("    - {email: " + email + ", name: Bench, password_hash: \"$2a$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde\"}\n")
	}
	return text.String() + more
}

const (
	startTime = 10 * time.Minute // until a search is answered
	stopTime  = 20 * time.Second // until a program that doesn't stop is killed
)

// command creates a command of the binary that ends with ctx, and when this process ends in any way.
func (p Program) command(ctx context.Context, arguments ...string) (*exec.Cmd, error) {
	file := filepath.Clean(p.Data) + ".yaml"
	if err := os.WriteFile(file, []byte(cmp.Or(p.Config, Config(nil, ""))), 0o600); err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, p.Binary, append(arguments, "--config", file, "--data", p.Data)...)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopTime
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return command, nil
}

// Output runs a command to its end and returns its output; its error contains the error output.
func (p Program) Output(ctx context.Context, arguments ...string) (string, error) {
	command, err := p.command(ctx, arguments...)
	if err != nil {
		return "", err
	}
	return output(command)
}

// Plain is Output of a command that takes neither configuration nor data.
func (p Program) Plain(ctx context.Context, arguments ...string) (string, error) {
	return output(exec.CommandContext(ctx, p.Binary, arguments...))
}

func output(command *exec.Cmd) (string, error) {
	var complaint bytes.Buffer
	command.Stderr = &complaint
	text, err := command.Output()
	if err != nil {
		err = fmt.Errorf("cairn %s: %w: %s", command.Args[1], err, strings.TrimSpace(complaint.String()))
	}
	return strings.TrimSpace(string(text)), err
}

// Version returns the binary's version.
func (p Program) Version(ctx context.Context) (string, error) {
	text, err := p.Plain(ctx, "version")
	return strings.TrimPrefix(text, "cairn "), err
}

// Import writes what write writes into a file, imports that, and returns how long the import took.
func (p Program) Import(ctx context.Context, write func(io.Writer) error) (time.Duration, error) {
	name := filepath.Clean(p.Data) + ".jsonl"
	file, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer os.Remove(name)
	if err := errors.Join(write(file), file.Close()); err != nil {
		return 0, err
	}
	began := time.Now()
	_, err = p.Output(ctx, "import", name)
	return time.Since(began), err
}

// Restored restores a backup of the program into another data folder and exports that.
func (p Program) Restored(ctx context.Context, backup, data string) (took time.Duration, exported string, err error) {
	began := time.Now()
	if _, err := p.Plain(ctx, "restore", backup, "--data", data); err != nil {
		return 0, "", err
	}
	took = time.Since(began)
	exported, err = Program{Binary: p.Binary, Data: data}.Output(ctx, "export", "-")
	return took, exported, err
}

// Server is a running program.
type Server struct {
	Address  string        // host:port of the gateway
	Listened time.Duration // from its start until it printed its address
	Ready    time.Duration // from its start until the first answer to the search

	command *exec.Cmd
	log     *os.File
	rest    chan struct{} // closed when its output has ended
}

// AnySearch is a search that every catalog answers.
const AnySearch = API + "/resources/public?pageSize=100"

// Start serves, and waits until a search is answered. A server that is building its index answers 503 before.
func (p Program) Start(ctx context.Context, search string) (*Server, error) {
	arguments := append([]string{"serve", "--listen", cmp.Or(p.Listen, "127.0.0.1:0"), "--session-listen", "127.0.0.1:0"}, p.Flags...)
	command, err := p.command(ctx, arguments...)
	if err != nil {
		return nil, err
	}
	s := &Server{command: command, rest: make(chan struct{})}
	if s.log, err = os.OpenFile(filepath.Clean(p.Data)+".log", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	command.Stderr = s.log
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := command.Start(); err != nil {
		return nil, err
	}
	address := make(chan string, 1)
	go func() {
		defer close(s.rest)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if found, ok := strings.CutPrefix(lines.Text(), "Cairn is at http://"); ok {
				address <- cmp.Or(p.Listen, found)
			}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	select {
	case s.Address = <-address:
		s.Listened = time.Since(began)
		err = s.awaitSearch(ctx, search)
		s.Ready = time.Since(began)
	case <-s.rest:
		err = errors.New("it ended before it served")
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		_ = s.Stop()
		text, _ := os.ReadFile(s.log.Name())
		return nil, fmt.Errorf("cairn serve: %w\n%s", err, text[max(0, len(text)-2000):])
	}
	return s, nil
}

func (s *Server) awaitSearch(ctx context.Context, path string) error {
	connection := load.NewConnection(s.Address)
	defer connection.Close()
	request := load.Encode("GET", s.Address, path, "")
	answered, err := load.Wait(ctx, startTime, 20*time.Millisecond, func() (bool, error) {
		status, body, err := connection.Do(ctx, request)
		if err == nil && status != 200 && status != 503 {
			err = fmt.Errorf("the first search was answered %d: %.300s", status, body)
		}
		return status == 200, err
	})
	if err == nil && !answered {
		err = errors.New("it was not ready in time")
	}
	return err
}

// Ended reports whether the server has ended on its own, or was killed.
func (s *Server) Ended() bool {
	select {
	case <-s.rest:
		return true
	default:
		return false
	}
}

// Stop stops the server as Ctrl-C does and waits for it.
func (s *Server) Stop() error {
	_ = s.command.Process.Signal(os.Interrupt)
	kill := time.AfterFunc(stopTime, func() { _ = s.command.Process.Kill() })
	defer kill.Stop()
	<-s.rest
	return errors.Join(s.command.Wait(), s.log.Close())
}

// Kill ends the server at once and waits until it is gone.
func (s *Server) Kill() error {
	if err := s.command.Process.Kill(); err != nil {
		return err
	}
	<-s.rest
	_ = s.command.Wait() // it says that it was killed
	return s.log.Close()
}

// Log returns what the program wrote into its log.
func (p Program) Log() string {
	text, _ := os.ReadFile(filepath.Clean(p.Data) + ".log")
	return string(text)
}

// Figures are what a process holds: resident memory in bytes, now and at most, descriptors, and threads. What the kernel
// doesn't say is 0.
type Figures struct {
	Now, Peak            int64
	Descriptors, Threads int
}

// proc returns a file or folder that the kernel has about the server.
func (s *Server) proc(name string) string {
	return filepath.Join("/proc", strconv.Itoa(s.command.Process.Pid), name)
}

// Figures returns what the server holds.
func (s *Server) Figures() Figures {
	text, _ := os.ReadFile(s.proc("status"))
	number := func(name string) int64 {
		_, rest, _ := strings.Cut(string(text), name)
		number, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
		return number
	}
	descriptors, _ := os.ReadDir(s.proc("fd"))
	return Figures{Now: number("VmRSS:") << 10, Peak: number("VmHWM:") << 10, Descriptors: len(descriptors), Threads: int(number("Threads:"))}
}

// clockTick is the unit of the kernel's processor times, on every machine that Go runs on.
const clockTick = 10 * time.Millisecond

// Processor returns how much processor time the server has used, on all cores together.
func (s *Server) Processor() time.Duration {
	text, _ := os.ReadFile(s.proc("stat"))
	// The program's name, in parentheses, may contain anything; times in user and system mode are the 12th and 13th field
	// after it.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * clockTick
}
