package sandbox

import (
	"bytes"
	"encoding/binary"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// decide runs the filter of an architecture on a call, as the kernel would. The answer is 0 where the call is allowed.
func decide(t *testing.T, architecture string, audit, number uint32, arguments ...uint64) unix.Errno {
	t.Helper()
	machine, err := bpf.NewVM(filter(architecture))
	if err != nil {
		t.Fatal(err)
	}
	// The machine reads words in network order, the kernel in its own.
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data, number)
	binary.BigEndian.PutUint32(data[4:], audit)
	for i, argument := range arguments {
		binary.BigEndian.PutUint32(data[16+8*i:], uint32(argument))
		binary.BigEndian.PutUint32(data[20+8*i:], uint32(argument>>32))
	}
	answer, err := machine.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	switch verdict := uint32(answer); verdict & unix.SECCOMP_RET_ACTION_FULL {
	case unix.SECCOMP_RET_ALLOW:
		return 0
	case unix.SECCOMP_RET_ERRNO:
		return unix.Errno(verdict & unix.SECCOMP_RET_DATA)
	default:
		t.Fatalf("The filter answers %#x", verdict)
		return 0
	}
}

func TestTheFilterDecides(t *testing.T) {
	t.Parallel()
	const high, thread = 1 << 32, 0x3d0f00 // what pthread_create asks of clone
	for architecture, audit := range audited {
		for _, test := range []struct {
			what      string
			call      call
			want      unix.Errno
			arguments []uint64
		}{
			{"clone3", callClone3, unix.ENOSYS, nil},
			{"a thread", callClone, 0, []uint64{thread}},
			{"fork", callClone, 0, []uint64{uint64(unix.SIGCHLD) | unix.CLONE_CHILD_SETTID | unix.CLONE_CHILD_CLEARTID}},
			{"vfork", callClone, 0, []uint64{uint64(unix.SIGCHLD) | unix.CLONE_VM | unix.CLONE_VFORK}},
			{"a user namespace", callClone, unix.EPERM, []uint64{uint64(unix.SIGCHLD) | unix.CLONE_NEWUSER}},
			{"a user namespace, and more", callClone, unix.EPERM, []uint64{high | unix.CLONE_NEWUSER}},
			{"a namespace of mounts", callClone, unix.EPERM, []uint64{unix.CLONE_NEWNS}},
			{"unsharing files", callUnshare, 0, []uint64{unix.CLONE_FILES}},
			{"unsharing users", callUnshare, unix.EPERM, []uint64{high | unix.CLONE_NEWUSER | unix.CLONE_FILES}},
			{"unsharing time", callUnshare, unix.EPERM, []uint64{unix.CLONE_NEWTIME}},
			{"the size of a terminal", callIoctl, 0, []uint64{0, unix.TIOCGWINSZ}},
			{"typing", callIoctl, unix.EPERM, []uint64{0, unix.TIOCSTI}},
			{"typing, with more", callIoctl, unix.EPERM, []uint64{0, high | unix.TIOCSTI}},
			{"typing by selection", callIoctl, unix.EPERM, []uint64{0, unix.TIOCLINUX}},
			{"a line discipline", callIoctl, unix.EPERM, []uint64{0, unix.TIOCSETD}},
			{"unix", callSocket, 0, []uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET | unix.SOCK_CLOEXEC}},
			{"TCP", callSocket, 0, []uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_NONBLOCK, 0}},
			{"TCP by name", callSocket, 0, []uint64{unix.AF_INET6, unix.SOCK_STREAM, unix.IPPROTO_TCP}},
			{"UDP", callSocket, 0, []uint64{unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDP}},
			{"ping", callSocket, 0, []uint64{unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP}},
			{"ping 6", callSocket, 0, []uint64{unix.AF_INET6, unix.SOCK_DGRAM, unix.IPPROTO_ICMPV6}},
			{"interfaces", callSocket, 0, []uint64{unix.AF_NETLINK, unix.SOCK_RAW | unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE}},
			{"netfilter", callSocket, unix.EPROTONOSUPPORT, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER}},
			{"netfilter, with more", callSocket, unix.EPROTONOSUPPORT, []uint64{high | unix.AF_NETLINK, unix.SOCK_RAW, high | unix.NETLINK_NETFILTER}},
			{"SCTP", callSocket, unix.EPROTONOSUPPORT, []uint64{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP}},
			{"SCTP by its type", callSocket, unix.EPROTONOSUPPORT, []uint64{unix.AF_INET6, unix.SOCK_SEQPACKET, 0}},
			{"DCCP by its type", callSocket, unix.EPROTONOSUPPORT, []uint64{unix.AF_INET, unix.SOCK_DCCP | unix.SOCK_CLOEXEC, 0}},
			{"packets by the old name", callSocket, unix.EPROTONOSUPPORT, []uint64{unix.AF_INET, high | unix.SOCK_PACKET, 0}},
			{"packets", callSocket, unix.EAFNOSUPPORT, []uint64{unix.AF_PACKET, unix.SOCK_RAW}},
			{"vsock", callSocket, unix.EAFNOSUPPORT, []uint64{unix.AF_VSOCK, unix.SOCK_STREAM}},
			{"vsock, with more", callSocket, unix.EAFNOSUPPORT, []uint64{high | unix.AF_VSOCK, unix.SOCK_STREAM}},
			{"the kernel's cryptography", callSocket, unix.EAFNOSUPPORT, []uint64{unix.AF_ALG, unix.SOCK_SEQPACKET}},
			{"a pair of unix sockets", callSocketpair, 0, []uint64{unix.AF_UNIX, unix.SOCK_STREAM}},
			{"a pair of TIPC sockets", callSocketpair, unix.EAFNOSUPPORT, []uint64{unix.AF_TIPC, unix.SOCK_STREAM}},
			{"an option of TCP", callSetsockopt, 0, []uint64{3, unix.IPPROTO_TCP, unix.TCP_NODELAY}},
			{"an option of another level", callSetsockopt, 0, []uint64{3, unix.SOL_SOCKET, unix.TCP_ULP}},
			{"the kernel's TLS", callSetsockopt, unix.ENOENT, []uint64{3, high | unix.IPPROTO_TCP, high | unix.TCP_ULP}},
			{"the newest call", call{"", newestCall, newestCall}, 0, nil},
			{"a newer call", call{"", newestCall + 1, newestCall + 1}, unix.ENOSYS, nil},
		} {
			if got := decide(t, architecture, audit, test.call.number(architecture), test.arguments...); got != test.want {
				t.Errorf("%s, %s: the filter answers %q, want %q", architecture, test.what, got, test.want)
			}
		}
		for _, call := range refusedCalls {
			if number := call.number(architecture); number != absent && decide(t, architecture, audit, number) != unix.EPERM {
				t.Errorf("%s, %s is allowed", architecture, call.name)
			}
		}
		for name, foreign := range map[string]uint32{"i386": unix.AUDIT_ARCH_I386, "arm": unix.AUDIT_ARCH_ARM} {
			if got := decide(t, architecture, foreign, 20); got != unix.EPERM { // getpid on both
				t.Errorf("%s, a call of %s: the filter answers %q", architecture, name, got)
			}
		}
	}
	const getpid = 39
	if got := decide(t, "amd64", unix.AUDIT_ARCH_X86_64, x32|getpid); got != unix.EPERM {
		t.Errorf("A call of x32: the filter answers %q", got)
	}
	if filter("riscv64") != nil {
		t.Error("There is a filter for calls that nobody listed")
	}
}

// TestNumbersOfCalls compares our numbers with those of golang.org/x/sys, which come from the kernel's own headers.
func TestNumbersOfCalls(t *testing.T) {
	t.Parallel()
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/sys/unix").Output()
	if err != nil {
		t.Fatal(err)
	}
	for architecture := range audited {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(folder)), "zsysnum_linux_"+architecture+".go"), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		numbers := map[string]uint32{}
		ast.Inspect(parsed, func(node ast.Node) bool {
			if constant, ok := node.(*ast.ValueSpec); ok {
				number, err := strconv.ParseUint(constant.Values[0].(*ast.BasicLit).Value, 0, 32)
				if err != nil {
					t.Fatal(err)
				}
				numbers[constant.Names[0].Name] = uint32(number)
			}
			return true
		})
		for _, call := range append([]call{callClone, callClone3, callUnshare, callIoctl, callSocket, callSocketpair, callSetsockopt}, refusedCalls...) {
			want, exists := numbers["SYS_"+strings.ToUpper(call.name)]
			if !exists {
				want = absent
			}
			if got := call.number(architecture); got != want {
				t.Errorf("%s on %s: %d, want %d", call.name, architecture, got, want)
			}
		}
		if numbers["SYS_REMOVEXATTRAT"] != newestCall {
			t.Errorf("On %s the newest call of Linux 6.13 is %d", architecture, numbers["SYS_REMOVEXATTRAT"])
		}
	}
}

// forbiddenVariable makes TestWhereTheKernelForbidsFilters open a sandbox.
const forbiddenVariable = "CAIRN_TEST_FORBIDDEN"

// TestWhereTheKernelForbidsFilters runs itself under a filter that refuses further ones.
func TestWhereTheKernelForbidsFilters(t *testing.T) {
	t.Parallel()
	if os.Getenv(forbiddenVariable) != "" {
		opened, err := Open(Options{Dir: t.TempDir(), Name: "cairn-test-unfiltered"})
		if err != nil {
			t.Fatal(err)
		}
		if opened.Level() != LevelA || opened.Unfiltered() == nil || opened.filter != nil {
			t.Errorf("The level is %s: %v", opened.Level(), opened.Unfiltered())
		}
		return
	}
	raw, err := bpf.Assemble(slices.Concat(
		[]bpf.Instruction{loadCall}, when(bpf.JumpEqual, unix.SYS_SECCOMP, refuse(unix.EINVAL)),
		when(bpf.JumpEqual, unix.SYS_PRCTL, slices.Concat(
			[]bpf.Instruction{loadArgument(0)}, when(bpf.JumpEqual, unix.PR_SET_SECCOMP, refuse(unix.EINVAL)), []bpf.Instruction{allow},
		)...),
		[]bpf.Instruction{allow},
	))
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	command := exec.Command(os.Args[0], "-test.run", "^TestWhereTheKernelForbidsFilters$", "-test.v")
	command.Env = []string{"PATH=/usr/bin:/bin", forbiddenVariable + "=1"}
	command.Stdout, command.Stderr = &said, &said
	if err := startFiltered(command, instructions(raw)); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil || !strings.Contains(said.String(), "--- PASS") {
		t.Errorf("%v\n%s", err, said.String())
	}
}
