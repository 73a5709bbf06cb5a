package sandbox_test

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// tryKernel is a program that makes calls which the filter refuses, with arguments with which nothing can happen, and
// prints the error of each.
const tryKernel = `
import ctypes, errno, fcntl, mmap, os, platform, signal, socket, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
amd64 = platform.machine() == "x86_64"

def answer(what, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(*(ctypes.c_long(argument) for argument in arguments))
    if result == 0 and what.startswith("clone"):
        os._exit(0)
    print(what, "REACHED" if result >= 0 else errno.errorcode[ctypes.get_errno()])

def call(what, here, arm64, *arguments):
    answer(what, here if amd64 else arm64, *arguments)

new_user, high = 0x10000000, 1 << 32
call("clone", 56, 220, new_user | signal.SIGCHLD, 0, 0, 0, 0)
call("clone-high", 56, 220, high | new_user | signal.SIGCHLD, 0, 0, 0, 0)
call("clone3", 435, 435, 0, 0)
call("unshare", 272, 97, new_user)
call("unshare-high", 272, 97, high | new_user)
call("setns", 308, 268, os.open("/proc/self/ns/user", os.O_RDONLY), 0)
for what, here, arm64 in [("add_key", 248, 217), ("bpf", 321, 280), ("fsopen", 430, 430), ("io_uring_setup", 425, 425),
        ("keyctl", 250, 219), ("mount", 165, 40), ("open_by_handle_at", 304, 265), ("perf_event_open", 298, 241), ("pivot_root", 155, 41),
        ("request_key", 249, 218), ("swapon", 167, 224), ("umount2", 166, 39), ("userfaultfd", 323, 282)]:
    call(what, here, arm64, 0, 0, 0, 0, 0)
answer("new", 467)
if amd64:
    answer("x32", 0x40000000 | 39)
for family, protocol in ("VSOCK", 0), ("ALG", 0), ("PACKET", 0), ("KEY", 2), ("XDP", 0), ("TIPC", 0), ("NETLINK", 12):
    numbers = {"VSOCK": 40, "ALG": 38, "PACKET": 17, "KEY": 15, "XDP": 44, "TIPC": 30, "NETLINK": 16}
    call(family, 41, 198, numbers[family], socket.SOCK_RAW, protocol)
call("VSOCK-high", 41, 198, high | 40, socket.SOCK_STREAM, 0)
call("SCTP", 41, 198, socket.AF_INET, socket.SOCK_STREAM, 132)
near, far = os.openpty()
call("TIOCSTI", 16, 29, far, high | 0x5412, 0)
call("TLS", 54, 208, socket.create_server(("127.0.0.1", 0)).detach(), 6, 31, 0, 0)
print("unshare-command", "refused" if subprocess.run(["/usr/bin/unshare", "-Ur", "/usr/bin/id"], capture_output=True).returncode else "REACHED")
if amd64:  # getpid of i386, by its interrupt
    child = os.fork()
    if child == 0:
        code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(bytes.fromhex("b814000000cd80c3"))
        result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
        os._exit(0 if result > 0 else 1)
    print("i386", "REACHED" if os.waitpid(child, 0)[1] == 0 else "refused")
print(*(line.replace("\t", " ").strip() for line in open("/proc/self/status") if line.startswith("Seccomp:")))
`

// ordinaryPrograms is what sessions are made of: none of it notices the filter.
const ordinaryPrograms = `
import asyncio, multiprocessing, os, socket, sqlite3, subprocess, sys, threading

def double(number):
    return 2 * number

async def echo():
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    child = await asyncio.create_subprocess_exec("/usr/bin/true")
    print("asyncio", await reader.read() == b"", await child.wait())
    writer.close()
    server.close()

if __name__ == "__main__":
    for method in "fork", "spawn", "forkserver":
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, pool.map(double, [1, 2]))
    thread = threading.Thread(target=lambda: print("thread"))
    thread.start()
    thread.join()
    asyncio.run(echo())
    print("interfaces", bool(socket.if_nameindex()))
    print("sqlite", sqlite3.connect("file.db").execute("pragma journal_mode=wal").fetchone()[0])
    print("terminal", subprocess.run(["/usr/bin/script", "-qec", "echo typed", "/dev/null"], capture_output=True, text=True).stdout.strip())
`

const ordinaryAnswers = "fork [2, 4]\nspawn [2, 4]\nforkserver [2, 4]\nthread\nasyncio True 0\ninterfaces True\nsqlite wal\nterminal typed\n"

// filtersCalls has a box make the calls that it must not, and run what it must.
func (b *bench) filtersCalls() {
	b.Helper()
	if err := b.Unfiltered(); err != nil {
		b.Fatalf("System calls aren't filtered: %v", err)
	}
	other := map[string]string{
		"clone3": "ENOSYS", "TLS": "ENOENT", "new": "ENOSYS", "unshare-command": "refused", "i386": "refused", "Seccomp:": "2",
		"VSOCK": "EAFNOSUPPORT", "VSOCK-high": "EAFNOSUPPORT", "ALG": "EAFNOSUPPORT", "PACKET": "EAFNOSUPPORT", "KEY": "EAFNOSUPPORT",
		"XDP": "EAFNOSUPPORT", "TIPC": "EAFNOSUPPORT", "NETLINK": "EPROTONOSUPPORT", "SCTP": "EPROTONOSUPPORT",
	}
	lines := strings.Split(strings.TrimSpace(b.run(b.box(tryKernel))), "\n")
	for _, line := range lines {
		what, answer, _ := strings.Cut(line, " ")
		if want := cmp.Or(other[what], "EPERM"); strings.TrimSpace(answer) != want {
			b.Errorf("%s: %q, want %s", what, answer, want)
		}
	}
	if len(lines) < 30 {
		b.Errorf("Only these calls were made: %q", lines)
	}
	box := b.box("")
	b.write(filepath.Join(box.Mounts[0].From, "ordinary.py"), ordinaryPrograms)
	box.Command = []string{"/usr/bin/python3", "ordinary.py"}
	if said := b.run(box); said != ordinaryAnswers {
		b.Errorf("Ordinary programs printed %q", said)
	}
}

func TestABoxSeesLittleOfTheMachine(t *testing.T) {
	t.Parallel()
	if _, err := unix.Dup(0); err != nil { // left open, as a careless parent of the server would
		t.Fatal(err)
	}
	b := open(t)
	box := b.box(`
import getpass, glob, grp, os, pwd
print(getpass.getuser(), pwd.getpwuid(os.getuid()).pw_dir, grp.getgrgid(os.getgid()).gr_name, len(pwd.getpwall()), len(grp.getgrall()))
print([name for name in ("cmdline", "kallsyms", "keys", "partitions") if os.path.exists("/proc/" + name) and open("/proc/" + name).read()])
print([name for name in ("/etc/passwd", "/etc/group", "/proc/sys/kernel/hostname") if os.access(name, os.W_OK)])
print(len(os.listdir("/proc/self/fd")))`)
	box.Environment = []string{"HOME=/box/work/home"}
	if said := b.run(box); said != "box /box/work/home box 3 3\n[]\n[]\n4\n" {
		t.Errorf("The box printed %q", said)
	}
}
