package gitclient

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/forwardproxy"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/safehttp"
)

// Options say how git is run. The zero value reads repositories of this machine alone.
type Options struct {
	Program string           // absolute path of git; "": /usr/bin/git
	Prlimit string           // absolute path of prlimit, which bounds what git takes; "": /usr/bin/prlimit
	Web     *safehttp.Client // by which git reaches hosts; nil: it reaches none
	Limit   int64            // bytes that git may receive from a host until Close; 0: 1 GiB
	Logger  *slog.Logger     // nil: nothing is logged
}

func (o Options) complete() Options {
	o.Program = cmp.Or(o.Program, "/usr/bin/git")
	o.Prlimit = cmp.Or(o.Prlimit, "/usr/bin/prlimit")
	o.Limit = cmp.Or(o.Limit, 1<<30)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Check returns why git can't be run here; nil if it can.
func (o Options) Check() error {
	o = o.complete()
	for _, program := range []string{o.Program, o.Prlimit} {
		if _, err := os.Stat(program); err != nil {
			return fault.Wrap(err, fault.Unavailable, "This server can't read repositories: the operators have to install %s.", filepath.Base(program))
		}
	}
	return nil
}

// What git may take, besides time. It gets as much memory as a session's box has by default.
const (
	writtenLimit = 2 << 30 // bytes of a file that it writes
	memoryLimit  = 2 << 30
	complaint    = 8 << 10          // bytes of its standard error that are kept
	killTime     = 10 * time.Second // after which its output is given up, too
	silence      = 30 * time.Second // after which git gives up a host that sends nothing
)

// gitConfig is git's only configuration: repositories of this machine may belong to another account, and give single commits.
const gitConfig = "[safe]\n\tdirectory = *\n[uploadpack]\n\tallowAnySHA1InWant = true\n\tallowFilter = true\n"

// repositoryName is the folder in git's home into which it fetches.
const repositoryName = "repository"

// Source is what git reads from.
type Source struct {
	Address string // beginning with https:// or http://
	Path    string // of a repository on this machine, instead
	Login   *Login // with which the host at Address is asked; nil: as anybody
}

// Login is how git says to a host who asks (RFC 7617).
type Login struct{ User, Password string }

// environment has git send the login to the host of an address. Unlike an argument or a file, only the account of this server sees it there.
func (l *Login) environment(address string) []string {
	if l == nil {
		return nil
	}
	host := address
	if parsed, err := url.Parse(address); err == nil {
		host = parsed.Scheme + "://" + parsed.Host + "/"
	}
	return []string{
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http." + host + ".extraHeader",
		"GIT_CONFIG_VALUE_0=Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(l.User+":"+l.Password)),
	}
}

// Repository is a bare repository in a folder, and what its source may be asked for. It is for one goroutine.
type Repository struct {
	options  Options
	root     *os.Root // git's home
	source   Source
	proxy    *forwardproxy.Proxy // through which git reaches a host; nil before it does
	received atomic.Int64        // bytes
}

// Why a repository can't be read.
var (
	ErrHidden      = fault.New(fault.Unavailable, "The repository can't be read: it doesn't exist, or it isn't public.")
	ErrUnreachable = fault.New(fault.Unavailable, "The repository can't be read: its host can't be reached on the public internet.")
	ErrTooMuchSaid = fault.New(fault.TooLarge, "The answer about the repository is too long to be read.")

	errNoElsewhere = fault.New(fault.Unavailable, "This server doesn't read repositories from elsewhere.")
	errOver        = errors.New("more was received than may be")
)

// Open prepares a folder as git's home, which may have been one before. Call Close in the end, which leaves the folder.
func Open(options Options, home string, source Source) (*Repository, error) {
	options = options.complete()
	if err := options.Check(); err != nil {
		return nil, err
	}
	switch {
	case source.Path != "":
		if _, err := os.Stat(source.Path); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "The repository is no longer on this server.")
		}
	case options.Web == nil:
		return nil, errNoElsewhere
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, err
	}
	opened := &Repository{options: options, root: root, source: source}
	err = errors.Join(root.MkdirAll(repositoryName, 0o700), root.WriteFile("gitconfig", []byte(gitConfig), 0o600))
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return opened, nil
}

// Close ends what Open began.
func (r *Repository) Close() error {
	if r.proxy != nil {
		r.proxy.Close()
	}
	return r.root.Close()
}

// Source is how git's arguments name what it reads from.
func (r *Repository) Source() string { return cmp.Or(r.source.Path, r.source.Address) }

// Make makes the repository anew, for commits with ids of a format: sha1 or sha256.
func (r *Repository) Make(ctx context.Context, format string) error {
	if err := errors.Join(r.root.RemoveAll(repositoryName), r.root.Mkdir(repositoryName, 0o700)); err != nil {
		return err
	}
	_, err := r.Output(ctx, false, complaint, "init", "--quiet", "--bare", "--template=", "--object-format="+format, ".")
	return err
}

// Config returns the configuration of the repository, which SetConfig writes.
func (r *Repository) Config() ([]byte, error) { return r.root.ReadFile(repositoryName + "/config") }

// SetConfig writes the configuration of the repository.
func (r *Repository) SetConfig(config []byte) error {
	return r.root.WriteFile(repositoryName+"/config", config, 0o600)
}

// Mirror clones all branches and tags of the source, and returns the path of the bare clone, which doesn't say where it comes from.
func (r *Repository) Mirror(ctx context.Context) (path string, err error) {
	said, err := r.Output(ctx, true, answerLimit, "ls-remote", "--symref", "--", r.Source(), "HEAD")
	if err != nil {
		return "", err
	}
	format, head := "sha1", ""
	for line := range strings.Lines(string(said)) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if target, isSymbolic := strings.CutPrefix(id, "ref: "); isSymbolic && name == "HEAD" && headPattern.MatchString(target) {
			head = target
		} else if name == "HEAD" && len(id) == sha256.Size*2 {
			format = "sha256"
		}
	}
	if err := r.Make(ctx, format); err != nil {
		return "", err
	}
	config, err := r.Config()
	if err != nil {
		return "", err
	}
	_, err = r.Output(ctx, true, answerLimit, "fetch", "--quiet", "--no-write-fetch-head", "--no-auto-maintenance", "--", r.Source(), "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
	if err == nil && head != "" {
		_, err = r.Output(ctx, false, answerLimit, "symbolic-ref", "HEAD", head)
	}
	return filepath.Join(r.root.Name(), repositoryName), errors.Join(err, r.SetConfig(config))
}

// answerLimit is the length of an answer that Mirror reads, in bytes.
const answerLimit = 1 << 20

var headPattern = regexp.MustCompile(`^refs/heads/[^\x00-\x20\x7f-]\S*$`)

// IsOver reports whether more was received than may be.
func (r *Repository) IsOver() bool { return r.received.Load() > r.options.Limit }

// dial opens a connection for git that ends when it has received too much. No redirect leads to another host, or to another port.
func (r *Repository) dial(ctx context.Context, network, address string) (net.Conn, error) {
	source, err := url.Parse(r.source.Address)
	if err != nil || safehttp.HostAndPort(source) != address {
		return nil, fmt.Errorf("%q isn't where the repository is", address)
	}
	if err := r.options.Web.Check(r.source.Address); err != nil {
		return nil, err
	}
	connection, err := r.options.Web.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &counted{connection, r}, nil
}

type counted struct {
	net.Conn

	by *Repository
}

// Read implements io.Reader.
func (c *counted) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	if c.by.received.Add(int64(n)) > c.by.options.Limit {
		return n, errOver
	}
	return n, err
}

// Output runs git and returns its standard output of at most so many bytes; ErrTooMuchSaid if it says more.
func (r *Repository) Output(ctx context.Context, reaches bool, most int64, arguments ...string) (said []byte, err error) {
	err = r.Run(ctx, reaches, nil, func(output io.Reader) (err error) {
		said, err = io.ReadAll(io.LimitReader(output, most+1))
		if int64(len(said)) > most {
			return ErrTooMuchSaid
		}
		return err
	}, arguments...)
	return said, err
}

// Run runs git in the repository to its end. Only a git that reaches the source may connect to anything. If read returns an error, git is
// killed, and that is the error. TooLarge if the source has more than may be received, else Unavailable, which is ErrHidden or
// ErrUnreachable if that is known.
func (r *Repository) Run(ctx context.Context, reaches bool, input io.Reader, read func(io.Reader) error, arguments ...string) error {
	if reaches && r.source.Path == "" && r.proxy == nil {
		opened, err := forwardproxy.Open(r.dial, r.options.Logger)
		if err != nil {
			return err
		}
		r.proxy = opened
	}
	running, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	command := exec.CommandContext(running, r.options.Prlimit, slices.Concat([]string{ //nolint:gosec // a program that operators chose
		"--core=0:0", limit("--fsize", syscall.RLIMIT_FSIZE, writtenLimit), limit("--data", syscall.RLIMIT_DATA, memoryLimit), "--",
		r.options.Program, "-C", filepath.Join(r.root.Name(), repositoryName), "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "fetch.unpackLimit=1", "-c", "pack.threads=1",
	}, arguments)...)
	command.Env = r.environment(reaches)
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
	case r.IsOver():
		return fault.New(fault.TooLarge, "The repository has more than the %s that this server reads at once.", humanize.Bytes(r.options.Limit))
	}
	if _, ended := errors.AsType[*fault.Fault](reading); ended {
		return reading
	}
	return r.explain(fmt.Errorf("git %s: %w: %s", arguments[0], errors.Join(err, reading), said.content), said.content)
}

// limit never asks for more than this process has, which would be refused.
func limit(option string, resource int, most uint64) string {
	var now syscall.Rlimit
	if syscall.Getrlimit(resource, &now) == nil {
		most = min(most, now.Max)
	}
	return fmt.Sprintf("%s=%[2]d:%[2]d", option, most)
}

func (r *Repository) environment(reaches bool) []string {
	variables := []string{
		"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=" + r.root.Name(), "TMPDIR=" + r.root.Name(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(r.root.Name(), "gitconfig"), "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
		"GIT_CEILING_DIRECTORIES=" + r.root.Name(), // a repository around this folder isn't ours
	}
	switch {
	case !reaches:
		return append(variables, "GIT_ALLOW_PROTOCOL=none")
	case r.source.Path != "":
		return append(variables, "GIT_ALLOW_PROTOCOL=file")
	}
	protocols := "https" // which no redirect leaves
	if strings.HasPrefix(r.source.Address, "http:") {
		protocols = "http:https"
	}
	return slices.Concat(variables, r.proxy.Environment(), r.source.Login.environment(r.source.Address), []string{
		"GIT_ALLOW_PROTOCOL=" + protocols, "GIT_HTTP_LOW_SPEED_LIMIT=1000", fmt.Sprintf("GIT_HTTP_LOW_SPEED_TIME=%d", silence/time.Second),
	})
}

var notPublic = regexp.MustCompile(`could not read Username|Authentication failed|repository '.*' not found|The requested URL returned error: 40[14]`)

// explain returns the fault for an error of git, which said something about it.
func (r *Repository) explain(err error, said []byte) error {
	switch {
	case r.proxy != nil && r.proxy.Failed():
		return errors.Join(ErrUnreachable, err)
	case notPublic.Match(said), r.source.Login != nil && bytes.Contains(said, []byte("The requested URL returned error: 403")):
		return errors.Join(ErrHidden, err)
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
