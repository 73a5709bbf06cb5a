package sandbox_test

import (
	"bufio"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"cairn/internal/sessions/machine/sandbox"
)

// hides keeps 1 MB in each way in which a process can keep a file that no folder has, some of them in two ways.
const hides = `
import ctypes, mmap, os, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def keep(name, megabytes=1):
    descriptor = os.open(name, os.O_RDWR | os.O_CREAT)
    os.write(descriptor, bytes(megabytes << 20))
    os.fsync(descriptor)
    os.unlink(name)
    return descriptor
opened = keep("opened")
again = os.dup(opened)
os.open("nameless", os.O_RDWR | os.O_CREAT)
left = os.open("left", os.O_RDWR | os.O_CREAT)
os.write(left, bytes(1 << 20))
mapped = keep("mapped")
memory = mmap.mmap(mapped, 1 << 20)
os.close(mapped)
apart, over = threading.Event(), threading.Event()
def own_table():
    if libc.unshare(0x400) != 0:  # CLONE_FILES
        raise OSError(ctypes.get_errno(), "unshare")
    keep("of a thread")
    apart.set()
    over.wait()
thread = threading.Thread(target=own_table, daemon=True)
thread.start()
apart.wait()
child = os.fork()
if child == 0:
    keep("of a child")
    print("ready", flush=True)
sys.stdin.read()
os._exit(0)
`

func TestDeletedFilesThatProcessesKeepAreFound(t *testing.T) {
	t.Parallel()
	b := open(t)
	name, folder := rand.Text(), t.TempDir()
	keeper := exec.Command("/usr/bin/python3", "-c", hides)
	keeper.Dir, keeper.Env, keeper.Stderr = folder, []string{"CAIRN_TEST_BOX=" + name}, os.Stderr
	input, err := keeper.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := keeper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := keeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = keeper.Wait() }()
	defer input.Close()
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		t.Fatalf("It said %q: %v", line, err)
	}
	used, count, err := b.DeletedFiles(t.Context(), sandbox.Record{Name: name}, nil, folder)
	if err != nil || count != 4 || used < 4<<20 || used > 16<<20 {
		t.Errorf("%d files of %d bytes are found, not 4 of 1 MiB: %v", count, used, err)
	}
	used, count, err = b.DeletedFiles(t.Context(), sandbox.Record{Name: name, Account: 4_000_000}, nil, folder)
	if err != nil || count != 0 || used != 0 {
		t.Errorf("%d files of others are found, of %d bytes: %v", count, used, err)
	}
}

func TestAFileSystemInMemoryIsBounded(t *testing.T) {
	t.Parallel()
	b := open(t)
	if b.Level() != sandbox.LevelA {
		return // only root can mount
	}
	folder := t.TempDir()
	if err := sandbox.MountMemory(folder, 20001, 1<<20, 8); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := sandbox.Unmount(folder); err != nil {
			t.Error(err)
		}
	}()
	var about unix.Stat_t
	if err := unix.Stat(folder, &about); err != nil || about.Uid != 20001 || about.Gid != 20001 || about.Mode&0o777 != 0o700 {
		t.Errorf("It belongs to %d:%d with mode %o: %v", about.Uid, about.Gid, about.Mode, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "large"), make([]byte, 2<<20), 0o600); err == nil {
		t.Error("It takes more than its size")
	}
	files := 0
	for ; files < 20; files++ {
		if err := os.WriteFile(filepath.Join(folder, rand.Text()), nil, 0o600); err != nil {
			break
		}
	}
	if files >= 8 {
		t.Errorf("It takes %d files", files)
	}
	if err := sandbox.Unmount(folder); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("Unmounted it holds %v %v", entries, err)
	}
	if err := sandbox.Unmount(filepath.Join(folder, "missing")); err != nil {
		t.Error(err)
	}
}
