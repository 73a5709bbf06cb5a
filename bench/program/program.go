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
	Flags  []string // of serve, in addition to those of every benchmark
	Listen string   // where it answers, behind a proxy; empty: any port
	Config string   // YAML, in addition to the configuration of every benchmark
	Whole  string   // YAML, instead of that configuration; empty: with it
}

// Account is the account that stars entries.
const Account = "bench@example.org"

// configuration adds the account to the embedded provider; no known password matches. It limits no calls: all loads come
// from one address, without a token.
const configuration = `limits: {anonymous: {rate: 0}}
idp:
  accounts:
    - {email: ` + Account + `, name: Bench, password_hash: "$2a$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde"}
accounts: {enable: manual}
`

func (p Program) configFile() string { return filepath.Clean(p.Data) + ".yaml" }

// stopTime is how long a program may take to stop before it is killed.
const stopTime = 20 * time.Second

// command creates a command of the binary that ends with ctx, and when this process ends in any way.
func (p Program) command(ctx context.Context, arguments ...string) (*exec.Cmd, error) {
	if err := os.WriteFile(p.configFile(), []byte(cmp.Or(p.Whole, configuration)+p.Config), 0o600); err != nil {
		return nil, err
	}
	arguments = append(arguments, "--config", p.configFile(), "--data", p.Data)
	command := exec.CommandContext(ctx, p.Binary, arguments...)
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
	var complaint bytes.Buffer
	command.Stderr = &complaint
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("cairn %s: %w: %s", arguments[0], err, strings.TrimSpace(complaint.String()))
	}
	return strings.TrimSpace(string(output)), nil
}

// Version returns the binary's version.
func (p Program) Version(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, p.Binary, "version").Output()
	if err != nil {
		return "", fmt.Errorf("%s version: %w", p.Binary, err)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(output)), "cairn "), nil
}

// Site returns the built-in site file.
func (p Program) Site(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, p.Binary, "config", "site").Output()
	if err != nil {
		return "", fmt.Errorf("%s config site: %w", p.Binary, err)
	}
	return string(output), nil
}

// Import imports a file and returns how long that took.
func (p Program) Import(ctx context.Context, file string) (time.Duration, error) {
	began := time.Now()
	_, err := p.Output(ctx, "import", file)
	return time.Since(began), err
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

// Start serves, and waits until a search is answered. A server that is building its index answers 503 before.
func (p Program) Start(ctx context.Context, search string, within time.Duration) (*Server, error) {
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
	ctx, cancel := context.WithTimeout(ctx, within)
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
		return nil, fmt.Errorf("cairn serve: %w\n%s", err, s.complaint())
	}
	return s, nil
}

// askEvery is the interval at which a search is tried until it is answered.
const askEvery = 20 * time.Millisecond

func (s *Server) awaitSearch(ctx context.Context, path string) error {
	request := load.Encode("GET", s.Address, path, "")
	connection := load.NewConnection(s.Address)
	defer connection.Close()
	ticker := time.NewTicker(askEvery)
	defer ticker.Stop()
	for {
		status, body, err := connection.Do(ctx, request)
		switch {
		case err != nil:
			return err
		case status == 200:
			return nil
		case status != 503:
			return fmt.Errorf("the first search was answered %d: %.300s", status, body)
		}
		select {
		case <-ticker.C:
		case <-s.rest:
			return errors.New("it ended while it built its index")
		case <-ctx.Done():
			return fmt.Errorf("it was not ready in time: %w", ctx.Err())
		}
	}
}

func (s *Server) complaint() string {
	text, _ := os.ReadFile(s.log.Name())
	return string(text[max(0, len(text)-2000):])
}

// Ended reports whether the server has ended by itself, or was killed.
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

// Memory is a process's resident memory, in bytes.
type Memory struct{ Now, Peak int64 }

// Memory returns the server's resident memory, current and peak.
func (s *Server) Memory() (Memory, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(s.command.Process.Pid) + "/status")
	if err != nil {
		return Memory{}, err
	}
	return Memory{Now: kibibytes(string(text), "VmRSS:"), Peak: kibibytes(string(text), "VmHWM:")}, nil
}

// clockTick is the unit of the kernel's processor times, on every machine that Go runs on.
const clockTick = 10 * time.Millisecond

// Processor returns how much processor time the server has used, on all cores together.
func (s *Server) Processor() (time.Duration, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(s.command.Process.Pid) + "/stat")
	if err != nil {
		return 0, err
	}
	// The program's name, in parentheses, may contain anything; times in user and system mode are the 12th and 13th field
	// after it.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("the kernel's account reads %q", text)
	}
	user, userErr := strconv.Atoi(fields[11])
	system, systemErr := strconv.Atoi(fields[12])
	return time.Duration(user+system) * clockTick, errors.Join(userErr, systemErr)
}

// Rest waits until the server has done what follows a start, such as writing its index: until it uses hardly any processor
// time for a second, ten minutes at most.
func (s *Server) Rest(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	for {
		before, err := s.Processor()
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		if after, err := s.Processor(); err != nil || after-before < 5*clockTick {
			return err
		}
	}
}

func kibibytes(status, name string) int64 {
	_, rest, _ := strings.Cut(status, name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	number, _ := strconv.ParseInt(fields[0], 10, 64)
	return number << 10
}
