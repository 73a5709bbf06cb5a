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

	// Weight is the share of a box of processors that several want, beside the weights of the others, from 1 to 10,000 as in version 2 of
	// control groups; default NormalWeight. Without control groups, every box with less runs at the same low priority.
	Weight int
}

// NormalWeight is the kernel's default.
const NormalWeight = 100

// normalShares are what version 1 of control groups has for NormalWeight.
const normalShares = 1024

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
	if l.Weight == 0 {
		l.Weight = NormalWeight
	}
	return l
}

// prlimit limits each process: files, core dumps, and, if the box has its own account, processes, which are counted per
// account. Where no control group limits the memory of all of them together, each gets the whole limit; where none has a
// weight, each process of a box with less than the normal one is nice.
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
	if limits.Weight < NormalWeight && !s.groups.work() {
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
