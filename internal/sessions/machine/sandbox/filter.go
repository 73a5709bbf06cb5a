package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// audited are the architectures that have a filter, as the kernel names them to it.
var audited = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// newNamespaces are the flags of clone and unshare that create namespaces. Only unshare knows CLONE_NEWTIME; clone has
// the signal of the child there.
const newNamespaces = unix.CLONE_NEWCGROUP | unix.CLONE_NEWIPC | unix.CLONE_NEWNET | unix.CLONE_NEWNS |
	unix.CLONE_NEWPID | unix.CLONE_NEWUSER | unix.CLONE_NEWUTS

// x32 is the bit of amd64's calls with 32-bit pointers, which have numbers and arguments of their own.
const x32 = 0x40000000

// A filter decides by struct seccomp_data: the call, the architecture, the instruction pointer and six arguments.
var (
	loadCall         = bpf.LoadAbsolute{Off: 0, Size: 4}
	loadArchitecture = bpf.LoadAbsolute{Off: 4, Size: 4}
)

// loadArgument loads the low half of an argument: both architectures are little-endian. The kernel ignores the high half
// of all arguments that the filter looks at, so a filter that compared it could be bypassed.
func loadArgument(number uint32) bpf.LoadAbsolute {
	return bpf.LoadAbsolute{Off: 16 + 8*number, Size: 4}
}

var allow = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}

func refuse(code unix.Errno) bpf.RetConstant {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(code)}
}

// when runs instructions that end in a return if the loaded value meets a condition, and continues behind them otherwise.
func when(condition bpf.JumpTest, value uint32, then ...bpf.Instruction) []bpf.Instruction {
	return slices.Concat([]bpf.Instruction{bpf.JumpIf{Cond: condition, Val: value, SkipFalse: uint8(len(then))}}, then)
}

// whenAny is when for any of several values.
func whenAny(values []uint32, then bpf.Instruction) []bpf.Instruction {
	var all []bpf.Instruction
	for _, value := range values {
		all = append(all, when(bpf.JumpEqual, value, then)...)
	}
	return all
}

// filter returns the filter of all system calls in boxes, or nil for an architecture whose calls we don't know.
func filter(architecture string) []bpf.Instruction {
	audit, known := audited[architecture]
	if !known {
		return nil
	}
	program := slices.Concat(
		[]bpf.Instruction{loadArchitecture}, when(bpf.JumpNotEqual, audit, refuse(unix.EPERM)),
		[]bpf.Instruction{loadCall},
	)
	if architecture == "amd64" {
		program = append(program, when(bpf.JumpGreaterOrEqual, x32, refuse(unix.EPERM))...)
	}
	program = append(program, when(bpf.JumpGreaterThan, newestCall, refuse(unix.ENOSYS))...)
	var refused []uint32
	for _, call := range refusedCalls {
		if number := call.number(architecture); number != absent {
			refused = append(refused, number)
		}
	}
	program = append(program, whenAny(refused, refuse(unix.EPERM))...)
	on := func(call call, then ...bpf.Instruction) {
		program = append(program, when(bpf.JumpEqual, call.number(architecture), then...)...)
	}
	// The flags of clone3 are in memory, where a filter can't read them. Without it libc uses clone.
	on(callClone3, refuse(unix.ENOSYS))
	on(callClone, loadArgument(0), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: newNamespaces, SkipFalse: 1}, refuse(unix.EPERM), allow)
	on(callUnshare, loadArgument(0), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: newNamespaces | unix.CLONE_NEWTIME, SkipFalse: 1}, refuse(unix.EPERM), allow)
	// What is typed into a terminal by a program, and line disciplines, which load modules.
	on(callIoctl, slices.Concat(
		[]bpf.Instruction{loadArgument(1)}, whenAny([]uint32{unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD}, refuse(unix.EPERM)),
		[]bpf.Instruction{allow},
	)...)
	on(callSocket, sockets()...)
	on(callSocketpair, sockets()...)
	// Protocols above TCP in the kernel, TLS above all: libraries have their own.
	on(callSetsockopt, slices.Concat(
		[]bpf.Instruction{loadArgument(1)}, when(bpf.JumpNotEqual, unix.IPPROTO_TCP, allow),
		[]bpf.Instruction{loadArgument(2)}, when(bpf.JumpEqual, unix.TCP_ULP, refuse(unix.ENOENT)), []bpf.Instruction{allow},
	)...)
	return append(program, allow)
}

// sockets allows the sockets of this machine, of TCP, UDP and ping, and those that list network interfaces. All other
// families and protocols are modules that the kernel would load for anybody; vsock also leads to the host of a virtual
// machine past every rule for networks.
func sockets() []bpf.Instruction {
	const types = 0xf // the rest of the argument is flags
	internet := slices.Concat(
		[]bpf.Instruction{loadArgument(1), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: types}},
		when(bpf.JumpGreaterThan, unix.SOCK_RAW, refuse(unix.EPROTONOSUPPORT)),
		[]bpf.Instruction{loadArgument(2)},
		whenAny([]uint32{0, unix.IPPROTO_ICMP, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMPV6}, allow),
		[]bpf.Instruction{refuse(unix.EPROTONOSUPPORT)},
	)
	return slices.Concat(
		[]bpf.Instruction{loadArgument(0)},
		when(bpf.JumpEqual, unix.AF_UNIX, allow),
		when(bpf.JumpEqual, unix.AF_INET, internet...),
		when(bpf.JumpEqual, unix.AF_INET6, internet...),
		when(bpf.JumpEqual, unix.AF_NETLINK, slices.Concat(
			[]bpf.Instruction{loadArgument(2)}, when(bpf.JumpEqual, unix.NETLINK_ROUTE, allow),
			[]bpf.Instruction{refuse(unix.EPROTONOSUPPORT)},
		)...),
		[]bpf.Instruction{refuse(unix.EAFNOSUPPORT)},
	)
}

// assembled returns the filter of this machine as the kernel takes it.
func assembled() ([]unix.SockFilter, error) {
	program := filter(runtime.GOARCH)
	if program == nil {
		return nil, fmt.Errorf("there is no filter of system calls for %s", runtime.GOARCH)
	}
	raw, err := bpf.Assemble(program)
	if err != nil {
		return nil, err
	}
	return instructions(raw), nil
}

func instructions(raw []bpf.RawInstruction) []unix.SockFilter {
	var all []unix.SockFilter
	for _, one := range raw {
		all = append(all, unix.SockFilter{Code: one.Op, Jt: one.Jt, Jf: one.Jf, K: one.K})
	}
	return all
}

// Filters returns the filters of all architectures that have one, by their names in uname, as bubblewrap reads them: for
// sandboxes that this package doesn't start.
func Filters() (map[string][]byte, error) {
	found := map[string][]byte{}
	for architecture, machine := range map[string]string{"amd64": "x86_64", "arm64": "aarch64"} {
		raw, err := bpf.Assemble(filter(architecture))
		if err != nil {
			return nil, err
		}
		found[machine] = encoded(instructions(raw))
	}
	return found, nil
}

// encoded returns a filter as bubblewrap reads it from a file.
func encoded(program []unix.SockFilter) []byte {
	var file bytes.Buffer
	_ = binary.Write(&file, binary.LittleEndian, program) // a buffer takes everything
	return file.Bytes()
}

// startFiltered starts a command under a filter, where bubblewrap doesn't load it. The thread that loads it starts
// nothing else and ends.
func startFiltered(command *exec.Cmd, program []unix.SockFilter) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked, so the thread ends with this function
		err := load(program)
		if err == nil {
			err = command.Start()
		}
		started <- err
	}()
	return <-started
}

// load puts this thread under a filter.
func load(program []unix.SockFilter) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	loaded := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, code := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&loaded))) //nolint:gosec // a call without a wrapper
	if code != 0 {
		return os.NewSyscallError("seccomp", code)
	}
	return nil
}
