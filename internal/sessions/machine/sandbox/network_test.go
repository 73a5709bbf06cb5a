package sandbox_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/machine/sandbox"
)

// elsewhere starts a web server at a public address outside this machine: in a network namespace behind a cable, at an
// address that no machine on the internet has anymore (RFC 7526). It returns host and port; our end of the cable is .1.
func elsewhere(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	command := exec.Command("/usr/bin/unshare", "--net", "/usr/bin/python3", "-m", "http.server", "--bind", "0.0.0.0", "8000")
	command.Dir = folder
	if err := os.WriteFile(filepath.Join(folder, "far.txt"), []byte("REACHED"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	pid := strconv.Itoa(command.Process.Pid)
	for late := time.Now().Add(time.Minute); !strings.HasPrefix(commandOf(pid), "/usr/bin/python3"); {
		if time.Now().After(late) {
			t.Fatal("The server elsewhere does not start")
		}
	}
	device, number := cable(t, pid)
	host := fmt.Sprintf("192.88.99.%d", number+2)
	for _, line := range []string{
		fmt.Sprintf("ip address add 192.88.99.%d/30 dev %s", number+1, device),
		"ip link set " + device + " up",
		"nsenter -t " + pid + " -n ip address add " + host + "/30 dev cable",
		"nsenter -t " + pid + " -n ip link set cable up",
		fmt.Sprintf("nsenter -t %s -n ip route add default via 192.88.99.%d", pid, number+1),
	} {
		if output, err := shell(line); err != nil {
			t.Fatalf("%s: %v %s", line, err, output)
		}
	}
	for late := time.Now().Add(time.Minute); ; {
		connection, err := net.DialTimeout("tcp", host+":8000", time.Second)
		if err == nil {
			_ = connection.Close()
			return host + ":8000"
		}
		if time.Now().After(late) {
			t.Fatalf("The server elsewhere isn't responding: %v", err)
		}
	}
}

// cable connects this machine to the network of a process. Its name is reserved against all other tests on this
// machine, and with it the addresses derived from its number.
func cable(t *testing.T, pid string) (device string, number int) {
	t.Helper()
	var said []byte
	for _, one := range rand.Perm(64) {
		device = fmt.Sprintf("far%d", one)
		var err error
		if said, err = shell("ip link add " + device + " type veth peer name cable netns " + pid); err == nil {
			return device, 4 * one
		}
	}
	t.Fatalf("No cable can be laid: %s", said)
	return "", 0
}

func shell(line string) ([]byte, error) {
	return exec.Command("/bin/sh", "-c", "PATH=/usr/sbin:/usr/bin "+line).CombinedOutput()
}

func commandOf(pid string) string {
	line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
	return string(line)
}

// TestBoxesReachTheInternetAlone tries refused and allowed addresses from a box.
func TestBoxesReachTheInternetAlone(t *testing.T) {
	t.Parallel()
	b := open(t)
	far := elsewhere(t)
	everywhere, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer everywhere.Close()
	_, port, _ := net.SplitHostPort(everywhere.Addr().String())
	own := []string{"127.0.0.1", "10.0.2.2", "10.0.2.3"}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		host, _, _ := strings.Cut(address.String(), "/")
		own = append(own, host)
	}
	box := b.box(fmt.Sprintf(`
import socket, subprocess, threading, urllib.request
print(urllib.request.urlopen("http://%s/far.txt", timeout=20).read())
lines = []
def attempt(what, work):
    try:
        lines.append(f"{what} REACHED {work()}")
    except Exception as error:
        lines.append(f"{what} refused {error!r}")
def connect(host, port, device=None):
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(kind) as s:
        s.settimeout(3)
        if device:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device)
        s.connect((host, port))
def ask(host):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(3)
        s.sendto(b"x", (host, 80))
        return s.recv(1)
def run(*words):
    return subprocess.run(words, check=True, capture_output=True)
tries = [threading.Thread(target=attempt, args=(f"{host} {device}", lambda host=host, device=device: connect(host, %s, device)))
    for host in %s + ["192.168.0.1", "172.16.0.1", "100.64.0.1", "169.254.169.254", "168.63.129.16", "fd00:ec2::254", "224.0.0.1"]
    for device in (None, b"tap0")]
tries += [threading.Thread(target=attempt, args=("udp " + host, lambda host=host: ask(host))) for host in ("169.254.169.254", "10.0.2.2")]
tries += [threading.Thread(target=attempt, args=(" ".join(words), lambda words=words: run(*words))) for words in (
    ("/usr/sbin/ip", "route", "del", "prohibit", "10.0.0.0/8"), ("/usr/sbin/ip", "address", "add", "192.168.0.2/24", "dev", "tap0"))]
for one in tries: one.start()
for one in tries: one.join()
print(len(tries), "\n".join(lines))`, far, port, pythonList(own)))
	box.Network = sandbox.Internet
	printed, found := strings.CutPrefix(b.run(box), "b'REACHED'\n")
	if !found {
		t.Errorf("The internet is not reached: %s", printed)
	}
	reached, refused := strings.Count(printed, "REACHED"), strings.Count(printed, " refused ")
	if reached != 0 || refused < 20 || !strings.HasPrefix(printed, strconv.Itoa(refused)+" ") {
		t.Errorf("The box got through:\n%s", printed)
	}
}

// TestACommandBeginsWithItsNetwork: what connects the network is slow, the command looks at it at once.
func TestACommandBeginsWithItsNetwork(t *testing.T) {
	t.Parallel()
	b := open(t, func(options *sandbox.Options) {
		options.Slirp = filepath.Join(t.TempDir(), "slow")
		const slow = "#!/bin/sh\nfor n in 1 2 3 4 5 6 7 8; do /usr/bin/python3 -c 'import json'; done\nexec /usr/bin/slirp4netns \"$@\"\n"
		if err := os.WriteFile(options.Slirp, []byte(slow), 0o755); err != nil {
			t.Fatal(err)
		}
	})
	box := b.box("")
	box.Command = []string{"/bin/sh", "-c", "cat /proc/net/route; ls -l /proc/self/fd"}
	box.Network = sandbox.Internet
	printed := b.run(box)
	if !strings.Contains(printed, "tap0") {
		t.Errorf("The command began before its network worked: %s", printed)
	}
	if strings.Contains(printed, "socket:") {
		t.Errorf("The command holds the way to what connects its network: %s", printed)
	}
}

func pythonList(texts []string) string {
	return fmt.Sprintf("%q", texts)[:1] + `"` + strings.Join(texts, `", "`) + `"]`
}

// TestWithoutTheMeansBoxesHaveNoNetwork: the requested network isn't available, and operators learn why.
func TestWithoutTheMeansBoxesHaveNoNetwork(t *testing.T) {
	t.Parallel()
	b := open(t, func(options *sandbox.Options) { options.Slirp = "/nonexistent/slirp4netns" })
	if reach := b.Reach(); reach.Network != sandbox.None || !strings.Contains(reach.Err.Error(), "slirp4netns") {
		t.Errorf("The network is %+v", reach)
	}
	box := b.box(`
import socket
try:
    socket.create_connection(("1.1.1.1", 80), timeout=5)
except OSError:
    print("refused")`)
	b.wants("no network", b.run(box), "refused")
	box.Network = sandbox.Internet
	if _, err := b.Start(t.Context(), box); !errors.Is(err, sandbox.ErrNetwork) {
		t.Errorf("A box with internet: %v", err)
	}
	b.sweep(sandbox.Record{Name: box.Name, Account: box.Account})
}
