// Package boxssh is the SSH server inside a session's box: shells, commands, SFTP, and connections to the box's own loopback, which
// is what VS Code's Remote-SSH, rsync and sftp need.
//
// Whoever reaches its socket is let in without a question: that is the session's own user, and the session origin, which has checked
// a ticket. It runs as the session's account and can do nothing that a notebook can't. Each connection gets a fresh host key,
// which clients needn't check: TLS has already identified the server.
package boxssh

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/creack/pty"
	"github.com/gliderlabs/ssh"
	"github.com/pkg/sftp"
	gossh "golang.org/x/crypto/ssh"
)

// Options say what a connection gets. All are required.
type Options struct {
	Folder      string   // where shells and SFTP begin
	Shell       string   // absolute path
	Environment []string // of shells
}

// Listen listens at a socket; only its account may connect. Its folder has to be the account's alone.
func Listen(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// Serve answers connections until the listener is closed.
func Serve(listener net.Listener, options Options) error {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go options.Serve(connection)
	}
}

// Serve answers one connection, until it ends.
func (o Options) Serve(connection net.Conn) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		_ = connection.Close()
		return
	}
	signer, err := gossh.NewSignerFromKey(key)
	if err != nil {
		_ = connection.Close()
		return
	}
	server := &ssh.Server{
		Handler:           o.session,
		SubsystemHandlers: map[string]ssh.SubsystemHandler{"sftp": o.sftp},
		ChannelHandlers:   map[string]ssh.ChannelHandler{"session": ssh.DefaultSessionHandler, "direct-tcpip": ssh.DirectTCPIPHandler},
		LocalPortForwardingCallback: func(_ ssh.Context, host string, _ uint32) bool {
			return host == "localhost" || net.ParseIP(host).IsLoopback()
		},
	}
	server.AddHostKey(signer)
	server.HandleConn(connection)
}

// session runs a shell, or a command in one.
func (o Options) session(session ssh.Session) {
	command := exec.CommandContext(session.Context(), o.Shell, "-l")
	if line := session.RawCommand(); line != "" {
		command.Args = []string{o.Shell, "-c", line}
	}
	command.Dir = o.Folder
	command.Env = append(append([]string{}, o.Environment...), session.Environ()...)
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGHUP) } // when the connection is gone
	requested, sizes, wantsTerminal := session.Pty()
	var err error
	if wantsTerminal {
		err = inTerminal(session, command, requested, sizes)
	} else {
		err = withPipes(session, command)
	}
	_ = session.Exit(exitStatus(err))
}

func inTerminal(session ssh.Session, command *exec.Cmd, requested ssh.Pty, sizes <-chan ssh.Window) error {
	command.Env = append(command.Env, "TERM="+requested.Term)
	terminal, err := pty.StartWithSize(command, sizeOf(requested.Window)) // in a session, and so a process group, of its own
	if err != nil {
		return err
	}
	defer terminal.Close()
	go func() {
		for size := range sizes {
			_ = pty.Setsize(terminal, sizeOf(size))
		}
	}()
	go func() { _, _ = io.Copy(terminal, session) }()
	_, _ = io.Copy(session, terminal) // until the last process has closed the terminal
	return command.Wait()
}

func sizeOf(window ssh.Window) *pty.Winsize {
	const most = 1<<16 - 1
	return &pty.Winsize{Rows: uint16(min(max(window.Height, 0), most)), Cols: uint16(min(max(window.Width, 0), most))}
}

func withPipes(session ssh.Session, command *exec.Cmd) error {
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	command.Stdout, command.Stderr = session, session.Stderr()
	input, err := command.StdinPipe() // Wait doesn't wait for it: the client may send nothing for ever
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(input, session)
		_ = input.Close()
	}()
	return command.Wait()
}

// exitStatus returns what a shell says of a command that ended like this.
func exitStatus(err error) int {
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &ended):
		return 127
	}
	if status, ok := ended.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return ended.ExitCode()
}

func (o Options) sftp(session ssh.Session) {
	server, err := sftp.NewServer(session, sftp.WithServerWorkingDirectory(o.Folder))
	if err == nil {
		if err = server.Serve(); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	_ = session.Exit(exitStatus(err)) // clients report an error without it
}

// Environment returns the variables of shells in a box, from those of its server: without the secret of Jupyter.
func Environment(server []string) []string {
	var kept []string
	for _, one := range server {
		if !strings.HasPrefix(one, "JUPYTER_TOKEN=") {
			kept = append(kept, one)
		}
	}
	return kept
}
