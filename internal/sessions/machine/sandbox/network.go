package sandbox

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

// Network is what a box can reach over the network.
type Network string

// The networks that boxes may ask for.
const (
	None     Network = "none"     // only its own loopback
	Internet Network = "internet" // public IPv4 addresses
	All      Network = "all"      // everything this server can reach: for programs that run no untrusted code
)

// Reach is what boxes can reach.
type Reach struct {
	Network Network // All if nothing separates boxes from this machine's network
	Err     error   // why the requested internet isn't available
}

// ErrNetwork says that a box couldn't get its network.
var ErrNetwork = errors.New("the network of a box could not be set up")

// A box with internet has a network namespace, which ends in slirp4netns, a process that opens connections for it.
// Routes of that network block what it must not reach; only the network's owner could change them, and that isn't the
// box. The gateway of the virtual network stands for this machine's loopback and is closed by an option of slirp4netns;
// a socket bound to the device bypasses the routes, but then nobody answers for the hardware address.
const (
	virtualNetwork  = "10.0.2.0/24"
	virtualResolver = "10.0.2.3"
	virtualDevice   = "tap0"
	attachTime      = 5 * time.Second
)

// refusedNetworks are those that the IANA registry calls not globally reachable. Boxes have no IPv6.
var refusedNetworks = []string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // metadata of a large provider, at a public address
}

func (s *Sandbox) resolver() string { return filepath.Join(s.options.Dir, "resolv.conf") }
func (s *Sandbox) hosts() string    { return filepath.Join(s.options.Dir, "hosts") }

// refusals returns the blocking routes of a box's network: the networks above and all addresses of this machine.
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

// begun reports whether the first process of a box runs its command; before, bubblewrap also changes the network.
func (s *Sandbox) begun(pid int) bool {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err == nil && len(line) > 0 && !bytes.HasPrefix(line, []byte(s.options.Bubblewrap+"\x00"))
}

// attach connects the network of a box to the internet, and lets the command of the box begin when it works. The process
// that connects it ends with the other end of alive, which the box holds, and carries the tag of the box like all its
// processes.
func (s *Sandbox) attach(ctx context.Context, box Box, first int, alive *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, attachTime)
	defer cancel()
	spaces, err := openSpaces(first)
	if err != nil {
		return err
	}
	defer spaces.close()
	if err := s.refuse(ctx, spaces); err != nil {
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
		arguments = append(arguments, "--enable-sandbox", "--enable-seccomp") // it is root, and parses what a box sends
	} else {
		arguments, files = append(arguments, "--userns-path=/proc/self/fd/6"), append(files, spaces.user)
	}
	arguments = s.grouped(box.Groups, slices.Concat([]string{s.options.Slirp}, arguments, []string{"/proc/self/fd/5", virtualDevice}))
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Dir, command.Env, command.ExtraFiles = "/", []string{"PATH=/usr/bin:/bin", s.tag(box.Name)}, files
	command.Stdout, command.Stderr = writer(box.Output), writer(box.Output)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = command.Start()
	_ = told.Close()
	if err != nil {
		return err
	}
	go func() { _ = command.Wait() }() // reaps the zombie
	deadline, _ := ctx.Deadline()
	_ = ready.SetReadDeadline(deadline)
	if count, err := ready.Read(make([]byte, 1)); count != 1 {
		_ = command.Process.Kill()
		return fmt.Errorf("slirp4netns did not bring the network up: %w", err)
	}
	_, err = alive.WriteString("connected\n")
	return err
}

// refuse sets the routes before there is anything to route to.
func (s *Sandbox) refuse(ctx context.Context, spaces *spaces) error {
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
	command := exec.CommandContext(ctx, s.options.Nsenter, append(arguments, s.options.IP, "-batch", "-")...)
	command.Env, command.ExtraFiles, command.Stdin = []string{"PATH=/usr/bin:/bin"}, files, strings.NewReader(routes.String())
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the routes of a box's network cannot be set: %w: %s", err, bytes.TrimSpace(output))
	}
	return nil
}

// spaces are the namespaces of a process; user is nil if our own owns its network.
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
	// The process has moved on into another user namespace, in which nobody may change the network.
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

// probeReach tests a complete network. Without bubblewrap there is nothing to connect.
func (s *Sandbox) probeReach() Reach {
	if !s.level.Mounts() {
		return Reach{Network: All}
	}
	if s.options.Network == None {
		return Reach{Network: None}
	}
	if err := s.tryNetwork(); err != nil {
		return Reach{Network: None, Err: err}
	}
	return Reach{Network: Internet}
}

func (s *Sandbox) tryNetwork() error {
	ctx, cancel := context.WithTimeout(context.Background(), attachTime)
	defer cancel()
	trial, err := s.trial("/usr/bin/sleep", "60")
	if err != nil {
		return err
	}
	trial.Network = Internet
	running, err := s.Start(ctx, trial)
	if err != nil {
		return err
	}
	return s.Sweep(ctx, running.Record())
}
