package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Options configure the boxes of a Sandbox. Dir and Name are required.
type Options struct {
	Programs

	Dir      string  // absolute path of an existing folder above everything that boxes work on; Open writes hosts and resolv.conf
	Name     string  // of the control groups: the same for the same data at every start, and unique to this Sandbox
	Hostname string  // that boxes see; default "box"
	Variable string  // environment variable with the name of the box in all its processes; default CAIRN_BOX
	Network  Network // the most that a box may ask for: Internet or None, the default
	Logger   *slog.Logger
}

// Programs are the programs that create boxes. They are absolute paths below /usr or /bin, because PATH isn't searched.
// Empty ones are where Debian installs them.
type Programs struct {
	Bubblewrap, Setpriv, Prlimit, Nsenter, IP, Slirp, Shell, Python string
}

// Sandbox starts boxes and ends them. It is safe for concurrent use.
type Sandbox struct {
	options  Options
	accounts accounts
	groups   *groups
	level    Level
	reach    Reach

	filter     []unix.SockFilter // of the system calls in boxes; nil where it doesn't work
	unfiltered error             // why it doesn't
	denied     error             // why the best level doesn't work

	answersFirst bool // this process has a control group

	mu         sync.Mutex
	taken      map[int]bool // accounts that boxes have or had
	groupsLeft []string     // control groups that couldn't be removed yet
}

// Open finds the strongest isolation that works on this machine, by testing it, and logs what doesn't work. It returns
// an error when the options are unusable or Dir isn't writable.
func Open(options Options) (*Sandbox, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	opened := &Sandbox{options: options, accounts: availableAccounts(), taken: map[int]bool{}}
	// Files that whoever started this server left open would be open in boxes too. Kernels before 5.11 can't.
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	err = errors.Join(
		WriteShared(opened.hosts(), "127.0.0.1 localhost "+options.Hostname+"\n::1 localhost\n"),
		WriteShared(opened.resolver(), "nameserver "+virtualResolver+"\n"),
	)
	if err != nil {
		return nil, err
	}
	opened.groups = findGroups(options.Name)
	opened.level = opened.probeLevel()
	opened.reach = opened.probeReach()
	return opened, nil
}

// WriteShared writes a file that boxes read, whatever the umask of this server is.
func WriteShared(path, content string) error {
	return errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chmod(path, 0o644))
}

func (o Options) complete() (Options, error) {
	if !filepath.IsAbs(o.Dir) {
		return o, fmt.Errorf("the folder of the boxes must be an absolute path, not %q", o.Dir)
	}
	if o.Name == "" {
		return o, errors.New("the control groups of the boxes need a name")
	}
	if o.Hostname == "" {
		o.Hostname = "box"
	}
	if o.Variable == "" {
		o.Variable = "CAIRN_BOX"
	}
	if o.Network == "" {
		o.Network = None
	}
	if o.Network != None && o.Network != Internet {
		return o, fmt.Errorf("the network must be internet or none, not %q", o.Network)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	for program, path := range map[*string]string{
		&o.Bubblewrap: "/usr/bin/bwrap", &o.Setpriv: "/usr/bin/setpriv", &o.Prlimit: "/usr/bin/prlimit",
		&o.Nsenter: "/usr/bin/nsenter", &o.IP: "/usr/sbin/ip", &o.Slirp: "/usr/bin/slirp4netns", &o.Shell: "/bin/sh",
		&o.Python: "/usr/bin/python3",
	} {
		if *program == "" {
			*program = path
		}
		if !filepath.IsAbs(*program) {
			return o, fmt.Errorf("%q must be an absolute path", *program)
		}
	}
	return o, nil
}

// Close removes the control groups of boxes that have ended, and that of this process. Running boxes continue.
func (s *Sandbox) Close() {
	s.removeGroupsLeft()
	if s.answersFirst {
		s.groups.leave()
	}
}

// Level returns how well boxes are isolated.
func (s *Sandbox) Level() Level { return s.level }

// Reach returns what boxes can reach.
func (s *Sandbox) Reach() Reach { return s.reach }

// Unfiltered returns why system calls in boxes aren't filtered; nil where they are.
func (s *Sandbox) Unfiltered() error { return s.unfiltered }

// Denied is why the best level of isolation doesn't work here, or nil if it does.
func (s *Sandbox) Denied() error { return s.denied }

// Shell returns the path of the shell.
func (s *Sandbox) Shell() string { return s.options.Shell }

// Level is a level of isolation.
type Level string

// The levels, the strongest first.
const (
	LevelA Level = "A" // root, bubblewrap, an account per box
	LevelB Level = "B" // ordinary user, bubblewrap with a user namespace
	LevelC Level = "C" // root without bubblewrap: an account per box, no new privileges, limits
	LevelD Level = "D" // limits only
)

// Mounts reports whether boxes have separate views of files, processes and network.
func (l Level) Mounts() bool { return l == LevelA || l == LevelB }

// OwnAccount reports whether each box has its own account.
func (l Level) OwnAccount() bool { return l == LevelA || l == LevelC }

// probeLevel returns the strongest level that works, and finds out whether it works with the filter of system calls. A
// level without the filter is better than the next one with it.
func (s *Sandbox) probeLevel() Level {
	levels := []Level{LevelA, LevelC, LevelD}
	if os.Geteuid() != 0 {
		levels = []Level{LevelB, LevelD}
	}
	filter, err := assembled()
	for _, s.level = range levels {
		if s.filter, s.unfiltered = filter, err; filter != nil {
			if s.unfiltered = s.try("/usr/bin/grep", "-q", "^Seccomp:.2", "/proc/self/status"); s.unfiltered == nil {
				return s.level
			}
		}
		s.filter = nil
		if err := s.try("/usr/bin/true"); err != nil && s.level != LevelD {
			s.options.Logger.Warn("a level of isolation does not work", "level", s.level, "error", err)
			if s.denied == nil {
				s.denied = err
			}
			continue
		}
		return s.level
	}
	return LevelD
}

// CanEnter returns an error when the account of a box can't enter a folder of this machine. It matters where boxes see
// the machine's files: with mounts, a box may be below any folder.
func (s *Sandbox) CanEnter(folder string) error { return s.try("/usr/bin/test", "-x", folder) }

// try runs a command as boxes run it.
func (s *Sandbox) try(command ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	trial, err := s.trial(command...)
	if err != nil {
		return err
	}
	var output []byte
	err = s.Run(ctx, trial, func(from io.Reader) (err error) {
		output, err = io.ReadAll(from)
		return err
	})
	if ctx.Err() != nil {
		late, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		return errors.Join(err, s.Sweep(late, Record{Name: trial.Name, Account: trial.Account}))
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(output))
	}
	return nil
}

// trial returns a box that shows Dir to a command.
func (s *Sandbox) trial(command ...string) (Box, error) {
	account, err := s.accounts.pick(nil)
	return Box{
		Name: "trial-" + rand.Text(), Account: account, Command: command, Folder: "/", Mounts: []Mount{{From: s.options.Dir, To: "/trial"}},
	}, err
}
