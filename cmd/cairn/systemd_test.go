package main

import (
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// systemd reads what a service of Type=notify says.
type systemd struct{ socket *net.UnixConn }

func newSystemd(t *testing.T) (s systemd, address string) {
	t.Helper()
	address = filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
	noError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	noError(t, socket.SetReadDeadline(time.Now().Add(5*time.Minute)))
	return systemd{socket}, address
}

func (s systemd) expect(t *testing.T, want string) {
	t.Helper()
	message := make([]byte, 1000)
	n, err := s.socket.Read(message)
	if got := string(message[:n]); err != nil || got != want {
		t.Fatalf("systemd is told %q, %v; want %q", got, err, want)
	}
}

func TestTheServerTellsSystemdThatItAnswersAndThatItEnds(t *testing.T) {
	t.Parallel()
	manager, address := newSystemd(t)
	server := serve(t, func(command *exec.Cmd) {
		command.Env = append(command.Env, "NOTIFY_SOCKET="+address, "CAIRN_LOG_LEVEL=error")
	}, "--demo", "--data", filepath.Join(t.TempDir(), "data"), "--listen", "127.0.0.1:0", "--session-listen", "127.0.0.1:0")
	manager.expect(t, "READY=1")
	server.signal(syscall.SIGHUP) // as ExecReload of the units does, here without a site file
	if status := askOnce(t.Context(), server.address+"/healthz"); status != http.StatusOK {
		t.Errorf("after a reload it answers with %d", status)
	}
	server.signal(syscall.SIGTERM)
	manager.expect(t, "STOPPING=1")
	if err := server.command.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
