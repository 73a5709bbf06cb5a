package sandbox

import (
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// Limits are the limits of a box. A zero field means its default.
type Limits struct {
	Memory    int64   // bytes, including files in /tmp; default 2 GiB
	CPU       float64 // cores; default 2, or all if there are fewer
	Processes int     // threads included; default 1,024
	FileSize  int64   // bytes of each file written; default 10 GiB

	Background bool // it gets what other boxes leave of the processors
}

// Weights of boxes on processors that several want: the kernel's normal ones, and the lowest that it knows.
const (
	normalWeight, backgroundWeight = "100", "1"  // in version 2 of control groups
	normalShares, backgroundShares = "1024", "2" // in version 1
)

// weight returns the weight of a box in versions 2 and 1 of control groups.
func (l Limits) weight() (weight, shares string) {
	if l.Background {
		return backgroundWeight, backgroundShares
	}
	return normalWeight, normalShares
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
	if l.FileSize == 0 {
		l.FileSize = 10 << 30
	}
	return l
}

// prlimit limits each process: files, core dumps, and, if the box has its own account, processes, which are counted per
// account. Where no control group limits the memory of all of them together, each gets the whole limit; where none has a
// weight, each process of a box in the background is nice.
func (s *Sandbox) prlimit(limits Limits) []string {
	limits = limits.complete()
	arguments := []string{
		s.options.Prlimit, "--core=0:0", limit("--nofile", unix.RLIMIT_NOFILE, 4096), limit("--fsize", unix.RLIMIT_FSIZE, uint64(limits.FileSize)),
	}
	if s.level.OwnAccount() {
		arguments = append(arguments, limit("--nproc", unix.RLIMIT_NPROC, uint64(limits.Processes)))
	}
	if !s.groups.work() {
		arguments = append(arguments, limit("--data", unix.RLIMIT_DATA, uint64(limits.Memory)))
	}
	arguments = append(arguments, "--")
	if limits.Background && !s.groups.work() {
		arguments = append(arguments, "/usr/bin/nice", "-n", "19")
	}
	return arguments
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
