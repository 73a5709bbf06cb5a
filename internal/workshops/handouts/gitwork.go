package handouts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/sandbox"
)

// What git may take, besides time. It gets as much memory as a session's box has by default.
const (
	writtenLimit = 2 << 30 // bytes of a file that it writes
	memoryLimit  = 2 << 30
	complaint    = 8 << 10 // bytes of its standard error that are kept
	killTime     = 10 * time.Second
)

// gitConfig is git's only configuration: repositories of this machine may belong to another account, and give single commits.
const gitConfig = "[safe]\n\tdirectory = *\n[uploadpack]\n\tallowAnySHA1InWant = true\n\tallowFilter = true\n"

const repositoryName = "repository" // the folder in git's home into which it fetches

// gitWork is what git does for one question about a repository.
type gitWork struct {
	options  GitOptions
	root     *os.Root // of a temporary folder, which is git's home
	source   string   // what git fetches from: an address, or a path on this machine
	local    bool
	proxy    *sandbox.Proxy // nil: it reaches no host
	received atomic.Int64   // bytes
}

var (
	errNoElsewhere = fault.New(fault.Unavailable, "This server doesn't read repositories from elsewhere.")
	errHidden      = fault.New(fault.Unavailable, "The repository can't be read: it doesn't exist, or it isn't public.")
	errUnreachable = fault.New(fault.Unavailable, "The repository can't be read: its host can't be reached on the public internet.")
	errOver        = errors.New("more was received than may be")
)

// open prepares the work with a repository. Call close in the end.
func (g *Git) open(repository engine.Repository) (*gitWork, error) {
	if repository.URL == "" {
		return nil, fault.InvalidField("repository.url", "There is no repository to ask.")
	}
	if err := repository.Validate(); err != nil {
		return nil, err
	}
	for _, program := range []string{g.options.Program, g.options.Prlimit} {
		if _, err := os.Stat(program); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "This server can't read repositories: the operators have to install %s.", filepath.Base(program))
		}
	}
	work := &gitWork{options: g.options, source: repository.URL}
	if repository.LocalPath != "" {
		work.source, work.local = repository.LocalPath, true
		if _, err := os.Stat(repository.LocalPath); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "The repository is no longer on this server.")
		}
	} else if g.options.Web == nil {
		return nil, errNoElsewhere
	}
	folder, err := os.MkdirTemp(g.options.Folder, TemporaryPrefix)
	if err != nil {
		return nil, err
	}
	if work.root, err = os.OpenRoot(folder); err == nil {
		err = errors.Join(work.root.Mkdir(repositoryName, 0o700), work.root.WriteFile("gitconfig", []byte(gitConfig), 0o600))
	}
	if err == nil && !work.local {
		work.proxy, err = sandbox.OpenProxy(work.dial, g.options.Logger)
	}
	if err != nil {
		if work.root != nil {
			_ = work.root.Close()
		}
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return work, nil
}

func (w *gitWork) close() {
	if w.proxy != nil {
		w.proxy.Close()
	}
	if err := errors.Join(w.root.Close(), os.RemoveAll(w.root.Name())); err != nil {
		w.options.Logger.Warn("a temporary folder can't be deleted", "folder", w.root.Name(), "error", err)
	}
}

// isUnreachable reports whether the repository's host couldn't be reached or may not be.
func (w *gitWork) isUnreachable() bool { return w.proxy != nil && w.proxy.Failed() }

// isOver reports whether more was received than may be.
func (w *gitWork) isOver() bool { return w.received.Load() > w.options.Limit }

// dial opens a connection for git that ends when it has received too much.
func (w *gitWork) dial(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := w.options.Web.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &counted{connection, w}, nil
}

type counted struct {
	net.Conn

	work *gitWork
}

// Read implements io.Reader.
func (c *counted) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	if c.work.received.Add(int64(n)) > c.work.options.Limit {
		return n, errOver
	}
	return n, err
}

// output runs git in the repository and returns its standard output of at most so many bytes.
func (w *gitWork) output(ctx context.Context, reaches bool, most int64, arguments ...string) (said []byte, err error) {
	err = w.run(ctx, reaches, nil, func(output io.Reader) (err error) {
		said, err = io.ReadAll(io.LimitReader(output, most+1))
		if int64(len(said)) > most {
			return errTooMuch
		}
		return err
	}, arguments...)
	return said, err
}

// run runs git in the repository to its end. Only a git that reaches the repository may connect to anything. If read returns an error,
// git is killed, and that is the error.
func (w *gitWork) run(ctx context.Context, reaches bool, input io.Reader, read func(io.Reader) error, arguments ...string) error {
	running, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	command := exec.CommandContext(running, w.options.Prlimit, slices.Concat([]string{ //nolint:gosec // a program that operators chose
		"--core=0:0", limit("--fsize", syscall.RLIMIT_FSIZE, writtenLimit), limit("--data", syscall.RLIMIT_DATA, memoryLimit), "--",
		w.options.Program, "-C", filepath.Join(w.root.Name(), repositoryName), "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "fetch.unpackLimit=1", "-c", "pack.threads=1",
	}, arguments)...)
	command.Env = w.environment(reaches)
	command.Stdin = input
	said := &tail{}
	command.Stderr = said
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // git starts others
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = killTime
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fault.Wrap(err, fault.Unavailable, "This server can't read repositories: git can't be started.")
	}
	reading := read(output)
	if reading != nil {
		kill(reading)
	}
	err = command.Wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil && reading == nil:
		return nil
	case w.isOver():
		return fault.New(fault.TooLarge, "The repository has more than the %s that are read to find what changed.", humanize.Bytes(w.options.Limit))
	}
	if _, ended := errors.AsType[*fault.Fault](reading); ended {
		return reading
	}
	return w.explain(fmt.Errorf("git %s: %w: %s", arguments[0], errors.Join(err, reading), said.content), said.content)
}

// limit never asks for more than this process has, which would be refused.
func limit(option string, resource int, most uint64) string {
	var now syscall.Rlimit
	if syscall.Getrlimit(resource, &now) == nil {
		most = min(most, now.Max)
	}
	return fmt.Sprintf("%s=%[2]d:%[2]d", option, most)
}

func (w *gitWork) environment(reaches bool) []string {
	variables := []string{
		"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=" + w.root.Name(), "TMPDIR=" + w.root.Name(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(w.root.Name(), "gitconfig"), "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
	}
	switch {
	case !reaches:
		return append(variables, "GIT_ALLOW_PROTOCOL=none")
	case w.local:
		return append(variables, "GIT_ALLOW_PROTOCOL=file")
	}
	return slices.Concat(variables, w.proxy.Environment(), []string{
		"GIT_ALLOW_PROTOCOL=http:https", "GIT_HTTP_LOW_SPEED_LIMIT=1", fmt.Sprintf("GIT_HTTP_LOW_SPEED_TIME=%d", resolveTime/time.Second),
	})
}

var notPublic = regexp.MustCompile(`could not read Username|Authentication failed|repository '.*' not found|The requested URL returned error: 40[134]`)

// explain returns the fault for an error of git, which said something about it.
func (w *gitWork) explain(err error, said []byte) error {
	switch {
	case w.isUnreachable():
		return errors.Join(errUnreachable, err)
	case notPublic.Match(said):
		return errors.Join(errHidden, err)
	case bytes.Contains(said, []byte("No space left on device")):
		return fault.Wrap(err, fault.Unavailable, "The repository can't be read: the disk of this server is full. Tell the operators.")
	}
	return fault.Wrap(err, fault.Unavailable, "The repository can't be read.")
}

// tail keeps the end of what is written to it.
type tail struct{ content []byte }

// Write implements io.Writer.
func (t *tail) Write(said []byte) (int, error) {
	t.content = append(t.content, said...)
	if extra := len(t.content) - complaint; extra > 0 {
		t.content = bytes.Clone(t.content[extra:])
	}
	return len(said), nil
}
