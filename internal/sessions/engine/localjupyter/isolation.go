package localjupyter

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"cairn/internal/fault"
)

// Level is how well sessions are kept apart.
type Level string

// The levels, the strongest first.
const (
	LevelA Level = "A" // root, bubblewrap, an account per session
	LevelB Level = "B" // ordinary user, bubblewrap with a user namespace
	LevelC Level = "C" // root without bubblewrap: an account per session, no new privileges, limits
	LevelD Level = "D" // limits only
)

// Isolation is what the machine allows, for the operator.
type Isolation struct {
	Level    Level
	Sentence string
	Weak     bool   // sessions are not kept apart: operators are to be warned
	Network  Reach  // what sessions reach
	Limits   string // what bounds them
}

var sentences = map[Level]string{
	LevelA: "Each session has its own account, file system view, processes and loopback network.",
	LevelB: "Each session has its own file system view, processes and loopback network, " +
		"but all share this server's account.",
	LevelC: "Each session has its own account, but sees the machine's processes " +
		"and reaches its network: install bubblewrap.",
	LevelD: "Sessions are not isolated from each other or from this server: install bubblewrap, or run as root.",
}

func (l Level) bubblewrap() bool { return l == LevelA || l == LevelB }
func (l Level) ownAccount() bool { return l == LevelA || l == LevelC }

// mount shows a path of the machine inside of the sandbox.
type mount struct {
	from, to string
	writable bool
}

// box is one command in the isolation of a session.
type box struct {
	userID  int
	network bool    // shares this server's network, for programs that are ours alone
	inside  bool    // has the network of a session, which is attached once it runs
	mounts  []mount // only with bubblewrap
	folder  string  // where it starts, as the command sees it
	command []string

	environment []string // more of it
}

// systemFiles are those of /etc that programs need; the rest of it is nobody's business in a session.
var systemFiles = []string{
	"alternatives", "ca-certificates", "fonts", "ipython", "jupyter", "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
	"localtime", "matplotlibrc", "mime.types", "nsswitch.conf", "passwd", "group", "ssl", "timezone",
}

// networkFiles are needed besides where there is a network.
var networkFiles = []string{"gai.conf", "services", "protocols"}

// The file systems in memory that a session may fill.
const (
	temporaryBytes = 1 << 30
	sharedBytes    = 256 << 20
)

// arguments gives the whole command line. Nothing secret is in it: any user of the machine can read it.
func (e *Engine) arguments(level Level, box box) []string {
	command := box.command
	if level.bubblewrap() {
		command = e.firstProcess(command)
	}
	limited := slices.Concat(e.limits(level.ownAccount()), command)
	account := strconv.Itoa(box.userID)
	dropped := slices.Concat([]string{
		e.options.Setpriv, "--reuid", account, "--regid", account, "--clear-groups",
		"--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--",
	}, limited)
	switch level {
	case LevelA:
		return slices.Concat(e.bubblewrap(box), []string{
			"--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP",
			"--cap-add", "CAP_DAC_READ_SEARCH", "--", // to enter the session's folder before it is the session's account
		}, dropped)
	case LevelB:
		return slices.Concat(e.bubblewrap(box), []string{"--unshare-user", "--disable-userns", "--"}, limited)
	case LevelC:
		return e.monitored(dropped)
	default:
		return e.monitored(slices.Concat([]string{e.options.Setpriv, "--no-new-privs", "--"}, limited))
	}
}

// bubblewrap starts as who we are and mounts; so a folder may lie below one that the session's account cannot enter.
func (e *Engine) bubblewrap(box box) []string {
	arguments := []string{
		e.options.Bubblewrap, "--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--json-status-fd", "3", "--hostname", "session",
		"--proc", "/proc", "--dev", "/dev",
		"--perms", "1777", "--size", strconv.FormatInt(min(temporaryBytes, e.options.Limits.Memory/2), 10), "--tmpfs", "/tmp",
		"--perms", "1777", "--size", strconv.Itoa(sharedBytes), "--tmpfs", "/dev/shm",
		"--ro-bind", "/usr", "/usr",
		"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
		"--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin",
		"--dir", "/etc", "--dir", "/session", "--dir", "/session/environments", // made as parents of something closed they would be closed too
	}
	files := systemFiles
	if box.network || box.inside {
		files = slices.Concat(files, networkFiles)
	}
	if box.inside {
		arguments = append(arguments, "--sync-fd", "4", "--ro-bind", e.resolver(), "/etc/resolv.conf")
	} else if box.network {
		arguments = append(arguments, "--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf", "--ro-bind-try", "/etc/hosts", "/etc/hosts")
	}
	if !box.network {
		arguments = append(arguments, "--unshare-net", "--ro-bind", e.hosts(), "/etc/hosts")
	}
	for _, file := range files {
		arguments = append(arguments, "--ro-bind-try", "/etc/"+file, "/etc/"+file)
	}
	pythons, _ := filepath.Glob("/etc/python3*")
	for _, folder := range pythons {
		arguments = append(arguments, "--ro-bind-try", folder, folder)
	}
	for _, mount := range box.mounts {
		option := "--ro-bind"
		if mount.writable {
			option = "--bind"
		}
		arguments = append(arguments, option, mount.from, mount.to)
	}
	return append(arguments, "--chdir", box.folder)
}

// firstProcess makes a shell process 1 of the namespace: it takes zombies away, and when the command ends it ends too
// and with it everything else in the namespace. Bubblewrap's own first process would wait for what a user left behind.
func (e *Engine) firstProcess(command []string) []string {
	return slices.Concat([]string{e.options.Shell, "-c", `"$@"; exit $?`, "session"}, command)
}

// monitored runs the command below a shell that reports its exit code as bubblewrap does.
func (e *Engine) monitored(command []string) []string {
	const script = `"$@" 3>&-; code=$?; echo "{ \"exit-code\": $code }" >&3; exit $code`
	return slices.Concat([]string{e.options.Shell, "-c", script, "session"}, command)
}

// probe finds the strongest level that really works here. The fault tells why no session can be started although a
// level works.
func (e *Engine) probe() (Isolation, error) {
	level, blocked := e.probeLevel()
	found := Isolation{Level: level, Sentence: sentences[level], Weak: level == LevelD, Network: e.probeNetwork(level)}
	if found.Limits = "memory of each process, files"; e.groups.work() {
		found.Limits = "memory, processors and processes of each session, files"
	}
	return found, blocked
}

func (e *Engine) probeLevel() (Level, error) {
	if os.Geteuid() != 0 {
		if e.works(LevelB) {
			return LevelB, nil
		}
		return LevelD, nil
	}
	if e.works(LevelA) {
		return LevelA, nil
	}
	if !e.works(LevelC) {
		return LevelD, nil
	}
	if e.tries(LevelC, "/usr/bin/test", "-x", e.options.Dir) != nil {
		return LevelC, fault.New(fault.EngineUnavailable,
			"Sessions cannot start: their accounts cannot enter the data folder %s. "+
				"Install bubblewrap (apt-get install bubblewrap) or open the folders above it (chmod o+x).", e.options.Dir)
	}
	return LevelC, nil
}

func (e *Engine) works(level Level) bool { return e.tries(level, "/usr/bin/true") == nil }

func (e *Engine) tries(level Level, command ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	user, err := e.users.pick(nil)
	if err != nil {
		return err
	}
	arguments := e.arguments(level, box{
		userID: user, folder: "/session", command: command,
		mounts: []mount{{from: e.options.Dir, to: "/session"}},
	})
	status, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer status.Close()
	trial := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	trial.Dir = "/"
	trial.Env = []string{"PATH=/usr/bin:/bin"}
	trial.ExtraFiles = []*os.File{status}
	trial.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if output, err := trial.CombinedOutput(); err != nil {
		e.options.Logger.Debug("isolation level does not work", "level", level, "error", err, "output", string(output))
		return err
	}
	return nil
}
