// Package jupyter starts a Jupyter server as one would by hand, with nothing of the product around it.
package jupyter

import (
	"context"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Address is that of every server for its own client, without a slash at the end.
const Address = "http://localhost"

// stopTime is how long a server has to end by itself.
const stopTime = 10 * time.Second

// Server is a Jupyter server that was started.
type Server struct {
	Client  *http.Client
	Header  http.Header // what each request needs
	command *exec.Cmd
}

// Start starts a program on a folder, which is also its home, and returns at once. The end of ctx ends it.
func Start(ctx context.Context, program, folder string, options, environment []string) (*Server, error) {
	socket := filepath.Join(folder, "j.sock")
	command := exec.CommandContext(ctx, program, append(options, "--no-browser", "--allow-root", "--NotebookApp.sock="+socket,
		"--NotebookApp.notebook_dir="+folder, "--KernelManager.transport=ipc", "--NotebookApp.terminals_enabled=False")...)
	command.Env = append(environment, Environment(folder)...)
	command.Env = append(command.Env, "JUPYTER_TOKEN=token")
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopTime
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	return &Server{Client: client, Header: http.Header{"Authorization": {"token token"}}, command: command}, command.Start()
}

// Environment are the variables of everything of Jupyter's whose home is a folder.
func Environment(folder string) []string {
	return []string{
		"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + folder, "JUPYTER_RUNTIME_DIR=" + folder, "JUPYTER_NO_CONFIG=1", "PYTHONDONTWRITEBYTECODE=1",
	}
}

// Stop ends the server with its kernels, and returns when it has ended.
func (s *Server) Stop() {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	_ = s.command.Wait()
	s.Client.CloseIdleConnections()
}
