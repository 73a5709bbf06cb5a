package localjupyter

import (
	"runtime"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Limits bound one session. A zero field takes its default.
type Limits struct {
	Memory    int64         // bytes, what lies in /tmp included; default 2 GiB
	CPU       float64       // cores; default 2, or as many as there are
	Processes int           // threads included; default 1,024
	Disk      int64         // bytes of its work and home folders, and of each file in them; default 10 GiB
	DiskGrace time.Duration // from the warning that the disk is full to the end of the session; default 10 minutes
}

func (l Limits) complete() Limits {
	if l.Memory == 0 {
		l.Memory = 2 << 30
	}
	if l.CPU == 0 {
		l.CPU = min(2, float64(runtime.NumCPU()))
	}
	if l.Processes == 0 {
		l.Processes = 1024
	}
	if l.Disk == 0 {
		l.Disk = 10 << 30
	}
	if l.DiskGrace == 0 {
		l.DiskGrace = 10 * time.Minute
	}
	return l
}

// limits bounds each process by itself: files, cores, and, where the account is the session's own, processes, which are
// counted by account. Where no control group bounds the memory of all of them together, each gets the whole limit.
func (e *Engine) limits(ownAccount bool) []string {
	most := e.options.Limits
	arguments := []string{
		e.options.Prlimit, "--core=0:0", limit("--nofile", unix.RLIMIT_NOFILE, 4096), limit("--fsize", unix.RLIMIT_FSIZE, uint64(most.Disk)),
	}
	if ownAccount {
		arguments = append(arguments, limit("--nproc", unix.RLIMIT_NPROC, uint64(most.Processes)))
	}
	if !e.groups.work() {
		arguments = append(arguments, limit("--data", unix.RLIMIT_DATA, uint64(most.Memory)))
	}
	return append(arguments, "--")
}

// limit never asks for more than we have, which would be refused.
func limit(option string, resource int, most uint64) string {
	var now unix.Rlimit
	if unix.Getrlimit(resource, &now) == nil {
		most = min(most, now.Max)
	}
	value := strconv.FormatUint(most, 10)
	return option + "=" + value + ":" + value
}

// grouped runs a command in control groups from its first moment on, so that nothing of it is outside of them.
func (e *Engine) grouped(folders, command []string) []string {
	if len(folders) == 0 {
		return command
	}
	const script = `n=$1; shift; while [ "$n" -gt 0 ]; do echo 0 >"$1/cgroup.procs" || exit 125; shift; n=$((n-1)); done; exec "$@"`
	return slices.Concat([]string{e.options.Shell, "-c", script, "session", strconv.Itoa(len(folders))}, folders, command)
}
