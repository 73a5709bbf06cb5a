package sandbox

import "math"

// call is a system call and its number on each architecture.
type call struct {
	name         string
	amd64, arm64 uint32
}

func (c call) number(architecture string) uint32 {
	if architecture == "arm64" {
		return c.arm64
	}
	return c.amd64
}

// absent is the number of a call that an architecture doesn't have.
const absent = math.MaxUint32

// newestCall has the highest number that boxes may use (Linux 6.13). Later calls don't exist for them until somebody has
// judged what they offer. From 424 on the numbers of all architectures are the same.
const newestCall = 466

// refusedCalls fail with EPERM. Most of them need privileges that no box has; refused before the kernel looks at their
// arguments, a mistake in them can't be exploited. The others (io_uring, keys, performance counters, page faults) have a
// long history of such mistakes, and what sessions run does without them.
var refusedCalls = []call{
	{"acct", 163, 89},
	{"add_key", 248, 217},
	{"bpf", 321, 280},
	{"chroot", 161, 51},
	{"clock_settime", 227, 112},
	{"delete_module", 176, 106},
	{"fanotify_init", 300, 262},
	{"finit_module", 313, 273},
	{"fsconfig", 431, 431},
	{"fsmount", 432, 432},
	{"fsopen", 430, 430},
	{"fspick", 433, 433},
	{"init_module", 175, 105},
	{"io_uring_enter", 426, 426},
	{"io_uring_register", 427, 427},
	{"io_uring_setup", 425, 425},
	{"ioperm", 173, absent},
	{"iopl", 172, absent},
	{"kexec_file_load", 320, 294},
	{"kexec_load", 246, 104},
	{"keyctl", 250, 219},
	{"listmount", 458, 458},
	{"modify_ldt", 154, absent},
	{"mount", 165, 40},
	{"mount_setattr", 442, 442},
	{"move_mount", 429, 429},
	{"open_by_handle_at", 304, 265},
	{"open_tree", 428, 428},
	{"perf_event_open", 298, 241},
	{"pivot_root", 155, 41},
	{"quotactl", 179, 60},
	{"quotactl_fd", 443, 443},
	{"reboot", 169, 142},
	{"request_key", 249, 218},
	{"setdomainname", 171, 162},
	{"sethostname", 170, 161},
	{"setns", 308, 268}, // without a type in its arguments it enters any namespace
	{"settimeofday", 164, 170},
	{"statmount", 457, 457},
	{"swapoff", 168, 225},
	{"swapon", 167, 224},
	{"syslog", 103, 116},
	{"umount2", 166, 39},
	{"uselib", 134, absent},
	{"userfaultfd", 323, 282},
	{"vhangup", 153, 58},
}

// The calls whose arguments decide.
var (
	callClone      = call{"clone", 56, 220}
	callClone3     = call{"clone3", 435, 435}
	callUnshare    = call{"unshare", 272, 97}
	callIoctl      = call{"ioctl", 16, 29}
	callSocket     = call{"socket", 41, 198}
	callSocketpair = call{"socketpair", 53, 199}
	callSetsockopt = call{"setsockopt", 54, 208}
)
