package sandbox_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/sessions/machine/sandbox"
)

// levelVariable is the level that TestLevelHere must find when it is run again as another user.
const levelVariable = "CAIRN_TEST_LEVEL"

// TestLevelHere runs boxes at the level that this account gets. Without the variable that is A: tests run as root with
// bubblewrap.
func TestLevelHere(t *testing.T) {
	t.Parallel()
	level := sandbox.Level(os.Getenv(levelVariable))
	if level == "" {
		level = sandbox.LevelA
	}
	b := open(t, func(options *sandbox.Options) {
		if level == sandbox.LevelC || level == sandbox.LevelD {
			options.Bubblewrap = "/nonexistent"
		}
	})
	if b.Level() != level {
		t.Fatalf("The level is %s, want %s", b.Level(), level)
	}
	b.reachesWhatItsLevelTells()
	if err := b.CanEnter(b.folder); (err == nil) != (level == sandbox.LevelD) {
		t.Errorf("Entering a closed folder: %v", err) // at D it is ours, at A and B it doesn't exist
	}
	for _, folder := range []string{b.folder, filepath.Dir(b.folder), filepath.Dir(filepath.Dir(b.folder))} {
		if err := os.Chmod(folder, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.CanEnter(b.folder); level == sandbox.LevelC && err != nil {
		t.Errorf("Entering an open folder: %v", err)
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	box := b.box(fmt.Sprintf(`
import os, socket
def attempt(what, work):
    try:
        work()
        print(what, "REACHED")
    except Exception as error:
        print(what, "refused")
print("account", os.getuid(), os.getgroups())
print(*(line.strip() for line in open("/proc/self/status") if line.startswith(("NoNewPrivs", "CapEff"))))
print("processes", len([name for name in os.listdir("/proc") if name.isdigit()]) < 4)
open("mine.txt", "w").write("precious")
print("writable", [folder for folder in ("/", "/box", "/dev", "/etc", "/etc/passwd", "/usr") if os.access(folder, os.W_OK)])
print("usable", open("/dev/null", "w").write("x"), len(os.urandom(2)), os.openpty()[0] > 0, os.access("/dev/shm", os.W_OK))
attempt("folder", lambda: os.listdir(%q))
attempt("shadow", lambda: open("/etc/shadow").read())
attempt("loopback", lambda: socket.create_connection(("127.0.0.1", %s), timeout=5))
attempt("account 0", lambda: os.setuid(0))`, b.folder, port))
	said := b.run(box)
	account := os.Geteuid()
	if level.OwnAccount() {
		account = box.Account
	}
	b.wants("the account", said, "account "+strconv.Itoa(account)+" [")
	b.wants("privileges", said, "CapEff:\t0000000000000000 NoNewPrivs:\t1")
	b.wants("folders of the system", said, "writable []")
	b.wants("devices", said, "usable 1 2 True True")
	b.wants("the password file", said, "shadow refused")
	b.wants("another account", said, "account 0 refused")
	outcome := map[bool]string{true: "refused", false: "REACHED"}
	b.wants("other processes", said, "processes "+map[bool]string{true: "True", false: "False"}[level.Mounts()])
	b.wants("other folders", said, "folder "+outcome[level != sandbox.LevelD])
	b.wants("this machine's loopback", said, "loopback "+outcome[level.Mounts()])
	if text, err := os.ReadFile(filepath.Join(box.Mounts[0].From, "mine.txt")); err != nil || string(text) != "precious" {
		t.Errorf("The file is %q %v", text, err)
	}
	behind := b.box(`import os; print("nice", os.nice(0))`)
	if behind.Limits.Weight = 1; !b.Grouped() {
		b.wants("a box with little weight", b.run(behind), "nice 19")
	}
	b.servesInsideAlone(port)
	b.filtersCalls()
	b.leavesNothing()
}

// servesInsideAlone has a box ask what is served on its own loopback, and then this machine's.
func (b *bench) servesInsideAlone(port string) {
	b.Helper()
	box := b.box(fmt.Sprintf(`
import socket, urllib.request
print(urllib.request.urlopen("http://%s/", timeout=20).read())
try:
    socket.create_connection(("127.0.0.1", %s), timeout=5)
    print("REACHED")
except OSError:
    print("refused")`, sandbox.Loopback, port))
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") })}
	defer server.Close()
	box.Listening = func(listener net.Listener) { go func() { _ = server.Serve(listener) }() }
	if !b.Level().Mounts() {
		if said, err := b.try(box); err == nil {
			b.Errorf("A box that shares this machine's loopback ran: %s", said)
		}
		return
	}
	b.wants("what is served in the box", b.run(box), "b'served'\nrefused\n")
}

func (b *bench) reachesWhatItsLevelTells() {
	b.Helper()
	reach := b.Reach()
	_, denied := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
	switch {
	case !b.Level().Mounts():
		if reach.Network != sandbox.All {
			b.Errorf("The network is %+v", reach)
		}
	case denied != nil: // it may be reserved for root
		if reach.Network != sandbox.None || reach.Err == nil {
			b.Errorf("The network is %+v", reach)
		}
	case reach.Network != sandbox.Internet:
		b.Errorf("The network is %+v", reach)
	}
}

// leavesNothing starts a box that leaves a process without its tag behind and waits, and sweeps it.
func (b *bench) leavesNothing() {
	b.Helper()
	seconds := strconv.Itoa(100000 + rand.IntN(100000))
	box := b.box(`
import os, subprocess, time
subprocess.Popen(["/usr/bin/setsid", "/usr/bin/sleep", "` + seconds + `"], env={})
time.sleep(600)`)
	process := b.start(box)
	b.awaitThat("What the box leaves", func() bool { return len(processesNaming("sleep\x00"+seconds)) > 0 })
	b.sweep(process.Record())
	b.await(process)
	left := processesNaming("sleep\x00" + seconds)
	if b.Level() != sandbox.LevelD {
		if len(left) > 0 {
			b.Errorf("Processes %v survived", left)
		}
		return
	}
	for _, name := range left { // without its own account or namespace it isn't found
		pid, _ := strconv.Atoi(name)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// TestLevelsOfOthers runs TestLevelHere where there is no bubblewrap, and as an ordinary user.
func TestLevelsOfOthers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, closed := range []string{folder, filepath.Dir(folder)} {
		if err := os.Chmod(closed, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	copied := filepath.Join(folder, "levels.test")
	if output, err := exec.Command("/usr/bin/install", "-m", "755", program, copied).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, output)
	}
	for level, user := range map[string]string{"B": "65534", "C": "0", "D": "65534"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			temporary := filepath.Join(folder, level)
			if output, err := exec.Command("/usr/bin/install", "-d", "-m", "777", temporary).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, output)
			}
			command := exec.Command("/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--",
				copied, "-test.run", "^TestLevelHere$", "-test.v")
			command.Dir = temporary
			command.Env = []string{"PATH=/usr/bin:/bin", "TMPDIR=" + temporary, levelVariable + "=" + level}
			if output, err := command.CombinedOutput(); err != nil || !strings.Contains(string(output), "--- PASS") {
				t.Errorf("Level %s: %v\n%s", level, err, output)
			}
		})
	}
}
