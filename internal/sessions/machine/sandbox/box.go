package sandbox

import (
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Box is a command and what it may see and use. Only Name, Command and Folder are required.
type Box struct {
	Name        string   // boxes with the same name are swept together; not secret
	Command     []string // with an absolute path; any user of the machine can read it
	Environment []string // besides PATH, LANG and the tag
	Folder      string   // absolute path, inside the box, where the command starts
	Mounts      []Mount  // in order; no effect at levels that don't mount
	Network     Network  // None when empty; no effect at levels that don't mount, where everything is reachable
	Account     int      // of the command, at levels where each box has an account
	Groups      []string // control groups from MakeGroups in which it runs
	Limits      Limits   // of each of its processes

	// Listening is called once with a listener at Loopback in the box, before the command begins. Whoever gets it closes it.
	// A box that has one reaches nothing else: it needs the network None at a level that mounts.
	Listening func(net.Listener) `json:"-"`

	Output *os.File // standard output, standard error and messages of its network; nil: discarded. With Run only the latter
	Report string   // path of a file that Adopt and ExitCode need later; empty: none
}

// Mount shows a path of this machine in a box.
type Mount struct {
	From, To string // absolute paths
	Writable bool
}

// systemFiles are those of /etc that programs need; the rest of it stays hidden.
var systemFiles = []string{
	"alternatives", "ca-certificates", "fonts", "ipython", "jupyter", "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
	"localtime", "matplotlibrc", "mime.types", "nsswitch.conf", "octaverc", "R", "ssl", "timezone",
}

// networkFiles are also needed with a network.
var networkFiles = []string{"gai.conf", "services", "protocols"}

// The file systems in memory that a box may fill.
const (
	temporaryBytes = 1 << 30
	sharedBytes    = 256 << 20
)

// arguments returns the whole command line of a box. It contains no secrets: any user of the machine can read it.
func (s *Sandbox) arguments(box Box) []string {
	command := box.Command
	if box.Listening != nil {
		command = s.listening(command)
	}
	if s.level.Mounts() {
		command = s.firstProcess(command, box.Network == Internet)
	}
	limited := slices.Concat(s.prlimit(box.Limits), command)
	account := strconv.Itoa(box.Account)
	dropped := slices.Concat([]string{
		s.options.Setpriv, "--reuid", account, "--regid", account, "--clear-groups",
		"--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--",
	}, limited)
	switch s.level {
	case LevelA:
		return slices.Concat(s.bubblewrap(box), []string{
			"--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP",
			"--cap-add", "CAP_DAC_READ_SEARCH", "--", // to enter the folder of the box before switching to its account
		}, dropped)
	case LevelB:
		return slices.Concat(s.bubblewrap(box), []string{"--unshare-user", "--disable-userns", "--"}, limited)
	case LevelC:
		return s.monitored(dropped)
	default:
		return s.monitored(slices.Concat([]string{s.options.Setpriv, "--no-new-privs", "--"}, limited))
	}
}

// bubblewrap mounts with the rights of this server, so a folder may be below one that the account of the box can't
// enter.
func (s *Sandbox) bubblewrap(box Box) []string {
	memory := box.Limits.complete().Memory
	arguments := []string{
		s.options.Bubblewrap, "--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--json-status-fd", "3", "--hostname", s.options.Hostname,
		"--proc", "/proc", "--dev", "/dev",
		"--perms", "1777", "--size", strconv.FormatInt(min(temporaryBytes, memory/2), 10), "--tmpfs", "/tmp",
		"--perms", "1777", "--size", strconv.Itoa(sharedBytes), "--tmpfs", "/dev/shm",
		"--ro-bind", "/usr", "/usr",
		"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
		"--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin",
		"--dir", "/etc",
		"--perms", "0644", "--ro-bind-data", strconv.Itoa(usersDescriptor), "/etc/passwd",
		"--perms", "0644", "--ro-bind-data", strconv.Itoa(groupsDescriptor), "/etc/group",
	}
	if s.filter != nil {
		arguments = append(arguments, "--seccomp", strconv.Itoa(filterDescriptor))
	}
	for _, file := range hiddenFiles() {
		arguments = append(arguments, "--dev-bind", "/dev/null", file)
	}
	files := systemFiles
	if box.Network == Internet || box.Network == All {
		files = slices.Concat(files, networkFiles)
	}
	if box.Network == Internet {
		arguments = append(arguments, "--sync-fd", "4", "--ro-bind", s.resolver(), "/etc/resolv.conf")
	}
	if box.Network == All {
		arguments = append(arguments, "--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf", "--ro-bind-try", "/etc/hosts", "/etc/hosts")
	} else {
		arguments = append(arguments, "--unshare-net", "--ro-bind", s.hosts(), "/etc/hosts")
	}
	for _, file := range files {
		arguments = append(arguments, "--ro-bind-try", "/etc/"+file, "/etc/"+file)
	}
	pythons, _ := filepath.Glob("/etc/python3*")
	for _, folder := range pythons {
		arguments = append(arguments, "--ro-bind-try", folder, folder)
	}
	for i, mount := range box.Mounts {
		for _, parent := range parents(mount.To, box.Mounts[:i]) {
			arguments = append(arguments, "--dir", parent)
		}
		option := "--ro-bind"
		if mount.Writable {
			option = "--bind"
		}
		arguments = append(arguments, option, mount.From, mount.To)
	}
	// These are in memory without a bound, and at level B they belong to the account of the box.
	return append(arguments, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", box.Folder)
}

// parents lists the folders above a mount point, topmost first, that no earlier mount provides. Bubblewrap would create
// them too, but with the permissions of what is mounted.
func parents(point string, before []Mount) []string {
	var found []string
	for folder := path.Dir(point); folder != "/" && folder != "."; folder = path.Dir(folder) {
		found = append(found, folder)
	}
	slices.Reverse(found)
	return slices.DeleteFunc(found, func(folder string) bool {
		return slices.ContainsFunc(before, func(mount Mount) bool {
			return folder == mount.To || strings.HasPrefix(folder, mount.To+"/")
		})
	})
}

// ordinaryUmask lets boxes create files with ordinary permissions, however closed this server keeps its own.
const ordinaryUmask = "umask 022; "

// firstProcess makes a shell process 1 of the namespace: it reaps zombies, and when the command ends it exits, which
// ends everything else in the namespace. Bubblewrap's own first process would wait for processes that the command left
// behind. If the network is yet to be connected, the command begins when attach says that it works, without the way to
// attach.
func (s *Sandbox) firstProcess(command []string, awaitsNetwork bool) []string {
	script := ordinaryUmask + `"$@"; exit $?`
	if awaitsNetwork {
		script = ordinaryUmask + `read -r connected <&4 || exit; "$@" 4<&-; exit $?`
	}
	return slices.Concat([]string{s.options.Shell, "-c", script, s.options.Hostname}, command)
}

// monitored runs the command below a shell that reports its exit code as bubblewrap does.
func (s *Sandbox) monitored(command []string) []string {
	const script = ordinaryUmask + `"$@" 3>&-; code=$?; echo "{ \"exit-code\": $code }" >&3; exit $code`
	return slices.Concat([]string{s.options.Shell, "-c", script, s.options.Hostname}, command)
}

// grouped starts a command in control groups, so that nothing of it runs outside of them.
func (s *Sandbox) grouped(folders, command []string) []string {
	if len(folders) == 0 {
		return command
	}
	const script = `n=$1; shift; while [ "$n" -gt 0 ]; do echo 0 >"$1/cgroup.procs" || exit 125; shift; n=$((n-1)); done; exec "$@"`
	return slices.Concat([]string{s.options.Shell, "-c", script, s.options.Hostname, strconv.Itoa(len(folders))}, folders, command)
}
