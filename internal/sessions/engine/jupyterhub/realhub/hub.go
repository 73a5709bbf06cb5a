// Package realhub starts a real JupyterHub for tests, with its proxy and the configuration that the repository brings.
package realhub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/foundation/freeports"
)

// Token is that of the hub's service that we are.
const Token = "the-token-of-the-tests-service"

// Hub is a running hub.
type Hub struct {
	testing.TB

	Folder  string // holds "root" with the sessions' folders, "data" with the datasets, "state" and "hub.log"
	port    int
	kind    Kind
	command *exec.Cmd
	exited  chan struct{}
}

// Kind is what hubs differ in.
type Kind struct {
	Config      string // the path of its configuration
	Account     int    // that it runs as
	Environment []string
}

// New starts the hub that has its sessions on its own machine.
func New(t testing.TB, environment ...string) *Hub {
	t.Helper()
	return NewOf(t, Kind{Config: filepath.Join(Deploy(t), "jupyterhub_config.py"), Environment: environment})
}

// NewOf starts a hub on free ports of the loopback address; it ends with the test and leaves nothing behind.
func NewOf(t testing.TB, kind Kind) *Hub {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs a real JupyterHub")
	}
	if os.Geteuid() != 0 {
		t.Skip("a hub that gives each session a user of its own is root")
	}
	if _, err := os.Stat("/usr/bin/jupyterhub"); err != nil {
		t.Fatalf("JupyterHub is not installed; run scripts/setup.sh test: %v", err)
	}
	port, err := freeports.Find(t.Context(), 4)
	if err != nil {
		t.Fatal(err)
	}
	h := &Hub{TB: t, Folder: t.TempDir(), port: port, kind: kind}
	for _, name := range []string{"root", "state", "data/spikes"} {
		if err := os.MkdirAll(filepath.Join(h.Folder, name), 0o711); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(h.Folder, "data/spikes/values.csv"), []byte("1,2,3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(h.Folder, "data/spikes"), 0o755); err != nil { // sessions list it
		t.Fatal(err)
	}
	h.placeProgram()
	for _, name := range []string{".", "root", "state"} {
		if err := os.Chown(filepath.Join(h.Folder, name), kind.Account, kind.Account); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(h.Folder), 0o711); err != nil { // not every account is root
		t.Fatal(err)
	}
	t.Cleanup(h.finish)
	h.Start()
	return h
}

// placeProgram puts this program where the account of the hub can run it, as its agent.
func (h *Hub) placeProgram() {
	h.Helper()
	if !mayBeAgent {
		h.Fatal("TestMain has to call realhub.BeAgent first, because the hub starts this program as its agent")
	}
	program, err := os.Executable()
	if err != nil {
		h.Fatal(err)
	}
	to := filepath.Join(h.Folder, "cairn")
	if err := os.Link(program, to); err != nil { // another disk
		content, err := os.ReadFile(program)
		if err == nil {
			err = os.WriteFile(to, content, 0o700)
		}
		if err != nil {
			h.Fatal(err)
		}
	}
	if err := os.Chmod(to, 0o755); err != nil {
		h.Fatal(err)
	}
}

// Deploy is the folder of what operators add to their hub.
func Deploy(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return filepath.Join(folder, "deploy", "jupyterhub")
		}
		if folder == filepath.Dir(folder) {
			t.Fatal("the test does not run in the repository")
		}
		folder = filepath.Dir(folder)
	}
}

// URL is where the hub's proxy answers.
func (h *Hub) URL() string { return "http://127.0.0.1:" + strconv.Itoa(h.port) }

// Start starts the hub and waits until it answers.
func (h *Hub) Start() {
	h.Helper()
	log, err := os.OpenFile(filepath.Join(h.Folder, "hub.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		h.Fatal(err)
	}
	defer log.Close()
	program := filepath.Join(h.Folder, "cairn")
	h.command = exec.Command("/usr/bin/jupyterhub", "-f", h.kind.Config)
	h.command.Dir = filepath.Join(h.Folder, "state")
	h.command.Env = append([]string{
		"PATH=/usr/bin:/bin", "HOME=" + h.Folder, "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "CAIRN_HUB_TOKEN=" + Token,
		"CONFIGPROXY_AUTH_TOKEN=the-token-of-the-proxy", "CAIRN_ROOT=" + h.Folder + "/root", "CAIRN_HUB_STATE=" + h.Folder + "/state",
		"CAIRN_DATA_ROOT=" + h.Folder + "/data", "CAIRN_HUB_PORT=" + strconv.Itoa(h.port), "CAIRN_ALLOW=127.0.0.0/8",
		"CAIRN_POLL=1", "CAIRN_LOOK=0.2", "CAIRN_DISK=2097152", "CAIRN_PROGRAM=" + program, "CAIRN_AGENT_LOOK=100ms", "CAIRN_VERSIONS_EVERY=200ms",
	}, h.kind.Environment...)
	h.command.Stdout, h.command.Stderr = log, log
	h.command.SysProcAttr = &syscall.SysProcAttr{
		Setpgid: true, Credential: &syscall.Credential{Uid: uint32(h.kind.Account), Gid: uint32(h.kind.Account)},
	} // the proxy and the service are in it, sessions are not
	if err := h.command.Start(); err != nil {
		h.Fatal(err)
	}
	exited := make(chan struct{})
	h.exited = exited
	command := h.command
	go func() { _ = command.Wait(); close(exited) }()
	h.Eventually("the hub answers", func() bool {
		select {
		case <-exited:
			h.Fatalf("the hub ended:\n%s", h.log())
		default:
		}
		status, _ := h.Ask(http.MethodGet, "/hub/api/user", nil)
		return status == http.StatusOK
	})
}

// Kill ends the hub as a power cut does; its proxy and the sessions are left.
func (h *Hub) Kill() {
	h.Helper()
	if err := syscall.Kill(h.command.Process.Pid, syscall.SIGKILL); err != nil {
		h.Error(err)
	}
	<-h.exited
}

// Stop ends the hub as its operators do; its proxy and the sessions are left.
func (h *Hub) Stop() {
	h.Helper()
	if err := syscall.Kill(h.command.Process.Pid, syscall.SIGTERM); err != nil {
		h.Error(err)
	}
	<-h.exited
}

// finish ends what this hub started, and looks whether that was all.
func (h *Hub) finish() {
	if h.Failed() {
		h.Logf("the end of the hub's log:\n%s", h.log())
	}
	_ = syscall.Kill(-h.command.Process.Pid, syscall.SIGKILL)
	<-h.exited
	proxy, _ := os.ReadFile(filepath.Join(h.Folder, "state", "proxy.pid"))
	if pid, err := strconv.Atoi(strings.TrimSpace(string(proxy))); err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	left := ProcessesNaming(h.Folder + "/root")
	for _, pid := range left {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if len(left) > 0 && !h.Failed() {
		h.Errorf("processes of sessions are left: %v", left)
	}
	h.Eventually("all processes have ended", func() bool { return len(ProcessesNaming(h.Folder)) == 0 })
	for _, pid := range ProcessesNaming("\x00agent\x00") { // they know their hub by their environment
		h.Eventually("the hub's agent has ended", func() bool {
			environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			return !bytes.Contains(environment, []byte(h.Folder))
		})
	}
}

func (h *Hub) log() string {
	content, _ := os.ReadFile(filepath.Join(h.Folder, "hub.log"))
	return string(content[max(0, len(content)-6000):])
}

// Ask asks the hub as our service; the answer is decoded into receive when that is not nil.
func (h *Hub) Ask(method, path string, receive any) (int, string) {
	h.Helper()
	return h.AskAs(Token, method, path, receive)
}

// AskAs is Ask with another token.
func (h *Hub) AskAs(token, method, path string, receive any) (int, string) {
	h.Helper()
	request, err := http.NewRequestWithContext(h.Context(), method, h.URL()+path, nil)
	if err != nil {
		h.Fatal(err)
	}
	request.Header.Set("Authorization", "token "+token)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	content, _ := io.ReadAll(response.Body)
	if receive != nil && response.StatusCode < 300 {
		if err := json.Unmarshal(content, receive); err != nil {
			h.Fatalf("%s %s: %v\n%s", method, path, err, content)
		}
	}
	return response.StatusCode, string(content)
}

// Eventually waits for a condition, a minute at most.
func (h *Hub) Eventually(what string, holds func() bool) {
	h.Helper()
	late := time.After(60 * time.Second)
	for !holds() {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-late:
			h.Fatalf("%s: not after a minute", what)
		}
	}
}

// Work is a path in a session's work folder.
func (h *Hub) Work(id, name string) string { return filepath.Join(h.Folder, "root", id, "work", name) }

// ProcessesNaming returns the processes whose command line names a text.
func ProcessesNaming(text string) []int {
	var found []int
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		command, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if bytes.Contains(command, []byte(text)) {
			found = append(found, pid)
		}
	}
	return found
}
