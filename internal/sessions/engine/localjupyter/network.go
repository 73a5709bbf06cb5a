package localjupyter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Reach is what sessions reach over the network.
type Reach struct {
	Network  string // "internet", "none", or "all" where nothing keeps sessions from this machine's network
	Sentence string // why it is not what was asked for; or empty
}

const networkAll = "all"

// A session with internet has a network of its own, which ends in slirp4netns, a process that opens connections for it.
// What it must not reach is cut off by the routes of that network, which only its owner could change, and that is not
// the session. The gateway of the virtual network stands for this machine's loopback and is closed by an option of
// slirp4netns; a socket bound to the device passes by the routes, but then nobody answers for the hardware address.
const (
	virtualNetwork  = "10.0.2.0/24"
	virtualResolver = "10.0.2.3"
	virtualDevice   = "tap0"
	attachTime      = 5 * time.Second
)

// refusedNetworks are those that the registry of IANA calls not globally reachable. There is no IPv6 in a session.
var refusedNetworks = []string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // metadata of a large provider, at an address that is public by its number
}

func (e *Engine) resolver() string { return filepath.Join(e.options.Dir, "resolv.conf") }
func (e *Engine) hosts() string    { return filepath.Join(e.options.Dir, "hosts") }

// refusals are the routes of a session's network: with the above, all addresses of this machine itself.
func refusals() ([]string, error) {
	own, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	refused := slices.Clone(refusedNetworks)
	for _, address := range own {
		prefix, err := netip.ParsePrefix(address.String())
		if err != nil || !prefix.Addr().Is4() {
			continue
		}
		refused = append(refused, prefix.Addr().String()+"/32")
	}
	slices.Sort(refused)
	return slices.Compact(refused), nil
}

// begun tells whether the first process of a sandbox runs what it is for; before, bubblewrap works on the network too.
func (e *Engine) begun(pid int) bool {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err == nil && len(line) > 0 && !bytes.HasPrefix(line, []byte(e.options.Bubblewrap+"\x00"))
}

// attach gives the network of a process to the internet and returns when it works. What does so ends with the other end
// of alive, which the sandbox holds, and is found by the session's mark like all its processes.
func (e *Engine) attach(ctx context.Context, pid int, log, alive *os.File, mark string) error {
	ctx, cancel := context.WithTimeout(ctx, attachTime)
	defer cancel()
	spaces, err := openSpaces(pid)
	if err != nil {
		return err
	}
	defer spaces.close()
	if err := e.refuse(ctx, spaces); err != nil {
		return err
	}
	ready, told, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	arguments := []string{
		"--configure", "--mtu=65520", "--cidr=" + virtualNetwork, "--disable-host-loopback", "--ready-fd=3", "--exit-fd=4",
		"--netns-type=path",
	}
	files := []*os.File{told, alive, spaces.network}
	if spaces.user == nil {
		arguments = append(arguments, "--enable-sandbox", "--enable-seccomp") // it is root, and reads what a session sends
	} else {
		arguments, files = append(arguments, "--userns-path=/proc/self/fd/6"), append(files, spaces.user)
	}
	command := exec.Command(e.options.Slirp, append(arguments, "/proc/self/fd/5", virtualDevice)...)
	command.Dir, command.Env, command.ExtraFiles = "/", []string{"PATH=/usr/bin:/bin", mark}, files
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = command.Start()
	_ = told.Close()
	if err != nil {
		return err
	}
	go func() { _ = command.Wait() }() // takes the zombie away
	deadline, _ := ctx.Deadline()
	_ = ready.SetReadDeadline(deadline)
	if count, err := ready.Read(make([]byte, 1)); count != 1 {
		_ = command.Process.Kill()
		return fmt.Errorf("slirp4netns did not bring the network up: %w", err)
	}
	return nil
}

// refuse sets the routes before there is anything to route to.
func (e *Engine) refuse(ctx context.Context, spaces *spaces) error {
	refused, err := refusals()
	if err != nil {
		return err
	}
	var routes strings.Builder
	for _, prefix := range refused {
		fmt.Fprintf(&routes, "route add prohibit %s\n", prefix)
	}
	arguments := []string{"--net=/proc/self/fd/3"}
	files := []*os.File{spaces.network}
	if spaces.user != nil {
		arguments, files = append(arguments, "--user=/proc/self/fd/4", "--preserve-credentials"), append(files, spaces.user)
	}
	command := exec.CommandContext(ctx, e.options.Nsenter, append(arguments, e.options.IP, "-batch", "-")...)
	command.Env, command.ExtraFiles, command.Stdin = []string{"PATH=/usr/bin:/bin"}, files, strings.NewReader(routes.String())
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the routes of a session's network cannot be set: %w: %s", err, bytes.TrimSpace(output))
	}
	return nil
}

// spaces are the namespaces of a process; user is nil where its network belongs to our own.
type spaces struct{ network, user *os.File }

func openSpaces(pid int) (*spaces, error) {
	network, err := os.Open("/proc/" + strconv.Itoa(pid) + "/ns/net")
	if err != nil {
		return nil, err
	}
	opened := &spaces{network: network}
	if os.Geteuid() == 0 {
		return opened, nil
	}
	// The process has moved on into a namespace of its own, in which nobody may change the network.
	owner, err := unix.IoctlRetInt(int(network.Fd()), unix.NS_GET_USERNS)
	if err != nil {
		_ = network.Close()
		return nil, fmt.Errorf("the owner of the network: %w", err)
	}
	opened.user = os.NewFile(uintptr(owner), "user namespace")
	return opened, nil
}

func (s *spaces) close() {
	_ = s.network.Close()
	if s.user != nil {
		_ = s.user.Close()
	}
}

// probeNetwork tries a whole network. Without bubblewrap there is nothing to attach one to.
func (e *Engine) probeNetwork(level Level) Reach {
	if !level.bubblewrap() {
		return Reach{networkAll, "Sessions reach all that this server reaches, its own services and private networks too: install bubblewrap."}
	}
	if e.options.Network == NetworkNone {
		return Reach{Network: NetworkNone}
	}
	if err := e.tryNetwork(level); err != nil {
		e.options.Logger.Debug("sessions cannot have the internet", "error", err)
		return Reach{NetworkNone, "Sessions have no network, because this machine allows no filtered one: it needs slirp4netns, iproute2 and " +
			"access to /dev/net/tun (" + err.Error() + ")."}
	}
	return Reach{Network: NetworkInternet}
}

func (e *Engine) tryNetwork(level Level) error {
	user, err := e.users.pick(nil)
	if err != nil {
		return err
	}
	arguments := e.arguments(level, box{
		userID: user, inside: true, folder: "/session", command: []string{e.options.Shell, "-c", "read line"},
		mounts: []mount{{from: e.options.Dir, to: "/session"}},
	})
	told, report, err := os.Pipe()
	if err != nil {
		return err
	}
	defer told.Close()
	alive, held, err := os.Pipe()
	if err != nil {
		return errors.Join(err, report.Close())
	}
	defer alive.Close()
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return errors.Join(err, report.Close(), held.Close())
	}
	defer nowhere.Close()
	ctx, cancel := context.WithTimeout(context.Background(), attachTime)
	defer cancel()
	trial := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	trial.Dir, trial.Env, trial.ExtraFiles = "/", []string{"PATH=/usr/bin:/bin"}, []*os.File{report, held}
	trial.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	input, err := trial.StdinPipe()
	if err == nil {
		err = trial.Start()
	}
	_ = report.Close()
	_ = held.Close()
	if err != nil {
		return err
	}
	defer func() {
		_ = input.Close()
		_ = trial.Wait()
	}()
	_ = told.SetReadDeadline(time.Now().Add(attachTime))
	first, _ := readReport(told, true)
	for !e.begun(first) {
		select {
		case <-ctx.Done():
			return errors.New("the sandbox does not start")
		case <-time.After(2 * time.Millisecond):
		}
	}
	return e.attach(ctx, first, nowhere, alive, "CAIRN_TRIAL=1")
}
