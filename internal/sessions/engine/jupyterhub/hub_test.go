package jupyterhub_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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
)

const (
	configuration = "../../../../deploy/jupyterhub/jupyterhub_config.py"
	hubToken      = "the-token-of-the-tests-service"
)

// hub is a real JupyterHub with its proxy, started with the configuration that the repository brings.
type hub struct {
	testing.TB
	folder  string
	port    int
	more    []string // of its environment
	command *exec.Cmd
	exited  chan struct{}
}

// newHub starts a hub on free ports of the loopback address; it ends with the test and leaves nothing behind.
func newHub(t testing.TB, environment ...string) *hub {
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
	h := &hub{TB: t, folder: t.TempDir(), port: freePorts(t, 4), more: environment}
	for _, name := range []string{"root", "state", "data/spikes"} {
		if err := os.MkdirAll(filepath.Join(h.folder, name), 0o711); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(h.folder, "data/spikes/values.csv"), []byte("1,2,3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.finish)
	h.start()
	return h
}

// freePorts returns the first of some ports in a row that are free.
func freePorts(t testing.TB, count int) int {
	t.Helper()
	for range 50 {
		first, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		open := []net.Listener{first}
		port := first.Addr().(*net.TCPAddr).Port
		for i := 1; i < count; i++ {
			next, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+i))
			if err == nil {
				open = append(open, next)
			}
		}
		for _, one := range open {
			_ = one.Close()
		}
		if len(open) == count {
			return port
		}
	}
	t.Fatal("no ports are free")
	return 0
}

func (h *hub) url() string { return "http://127.0.0.1:" + strconv.Itoa(h.port) }

// start starts the hub and waits until it answers.
func (h *hub) start() {
	h.Helper()
	log, err := os.OpenFile(filepath.Join(h.folder, "hub.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		h.Fatal(err)
	}
	defer log.Close()
	path, err := filepath.Abs(configuration)
	if err != nil {
		h.Fatal(err)
	}
	h.command = exec.Command("/usr/bin/jupyterhub", "-f", path)
	h.command.Dir = filepath.Join(h.folder, "state")
	h.command.Env = append([]string{
		"PATH=/usr/bin:/bin", "HOME=" + h.folder, "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "CAIRN_HUB_TOKEN=" + hubToken,
		"CONFIGPROXY_AUTH_TOKEN=the-token-of-the-proxy", "CAIRN_ROOT=" + h.folder + "/root", "CAIRN_HUB_STATE=" + h.folder + "/state",
		"CAIRN_DATA_ROOT=" + h.folder + "/data", "CAIRN_HUB_PORT=" + strconv.Itoa(h.port), "CAIRN_ALLOW=127.0.0.0/8",
		"CAIRN_POLL=1", "CAIRN_LOOK=0.2", "CAIRN_DISK=2097152",
	}, h.more...)
	h.command.Stdout, h.command.Stderr = log, log
	h.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the proxy and the service are in it, sessions are not
	if err := h.command.Start(); err != nil {
		h.Fatal(err)
	}
	exited := make(chan struct{})
	h.exited = exited
	command := h.command
	go func() { _ = command.Wait(); close(exited) }()
	h.eventually("the hub answers", func() bool {
		select {
		case <-exited:
			h.Fatalf("the hub ended:\n%s", h.log())
		default:
		}
		status, _ := h.ask(http.MethodGet, "/hub/api/user", nil)
		return status == http.StatusOK
	})
}

// kill9 ends the hub as a power cut does; its proxy and the sessions are left.
func (h *hub) kill9() {
	h.Helper()
	if err := syscall.Kill(h.command.Process.Pid, syscall.SIGKILL); err != nil {
		h.Error(err)
	}
	<-h.exited
}

// finish ends what this hub started, and looks whether that was all.
func (h *hub) finish() {
	if h.Failed() {
		h.Logf("the end of the hub's log:\n%s", h.log())
	}
	_ = syscall.Kill(-h.command.Process.Pid, syscall.SIGKILL)
	<-h.exited
	proxy, _ := os.ReadFile(filepath.Join(h.folder, "state", "proxy.pid"))
	if pid, err := strconv.Atoi(strings.TrimSpace(string(proxy))); err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	left := processesNaming(h.folder + "/root")
	for _, pid := range left {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if len(left) > 0 && !h.Failed() {
		h.Errorf("processes of sessions are left: %v", left)
	}
	h.eventually("all processes have ended", func() bool { return len(processesNaming(h.folder)) == 0 })
	for _, pid := range processesNaming("cairn_work.py") { // the hub's services know it by their environment
		h.eventually("the hub's service has ended", func() bool {
			environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			return !bytes.Contains(environment, []byte(h.folder))
		})
	}
}

func (h *hub) log() string {
	content, _ := os.ReadFile(filepath.Join(h.folder, "hub.log"))
	return string(content[max(0, len(content)-6000):])
}

// ask asks the hub as our service; the answer is decoded into receive when that is not nil.
func (h *hub) ask(method, path string, receive any) (int, string) {
	h.Helper()
	return h.askAs(hubToken, method, path, receive)
}

func (h *hub) askAs(token, method, path string, receive any) (int, string) {
	h.Helper()
	request, err := http.NewRequestWithContext(h.Context(), method, h.url()+path, nil)
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

func (h *hub) eventually(what string, holds func() bool) {
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

// work is a path in a session's work folder.
func (h *hub) work(id, name string) string { return filepath.Join(h.folder, "root", id, "work", name) }

// processesNaming returns the processes whose command line names a text.
func processesNaming(text string) []int {
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
