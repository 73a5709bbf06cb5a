package localjupyter

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"path/filepath"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/machine/sandbox"
)

// ShellCommand is the command of Options.Program that serves SSH: its arguments are a socket and a folder.
const ShellCommand = "serve-shell"

const (
	shellSocket  = "ssh.sock"
	programInBox = "/session/cairn"
	// $0 is the program, $1 the socket, $2 the folder; the rest is the command of the session's server.
	startShell = `(echo 500 >/proc/self/oom_score_adj; exec "$0" ` + ShellCommand + ` "$1" "$2" </dev/null) & shift 2; exec "$@"`
)

// program returns where this program is in the box of a session, and what that needs to see; "" if it isn't there.
func (l *launch) program() (path string, mounts []sandbox.Mount) {
	path = l.engine.options.Program
	if path != "" && l.engine.sandbox.Level().Mounts() {
		return programInBox, []sandbox.Mount{{From: path, To: programInBox}}
	}
	return path, nil
}

// besideShell returns the command of a session's server with an SSH server beside it, if it has one.
func (l *launch) besideShell(command []string, folder, runtime, program string) []string {
	if program == "" || l.batch() != nil || !l.engine.options.SSH && l.engine.options.VSCode == "" {
		return command
	}
	return append([]string{l.engine.sandbox.Shell(), "-c", startShell, program, filepath.Join(runtime, shellSocket), folder}, command...)
}

// HasShell reports whether sessions that start now have an SSH server.
func (e *Engine) HasShell() bool { return e.options.SSH }

// DialShell implements engine.ShellDialer.
func (e *Engine) DialShell(ctx context.Context, id string) (net.Conn, error) {
	if !e.options.SSH {
		return nil, fault.New(fault.NotFound, "This server offers no SSH. The operators can turn it on with sessions.ssh.")
	}
	return e.dialShell(ctx, id)
}

func (e *Engine) dialShell(ctx context.Context, id string) (net.Conn, error) {
	client, err := e.client(id)
	if err != nil {
		return nil, err
	}
	connection, err := client.dialBeside(ctx, shellSocket)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(err, fault.Conflict, "This session was started without SSH. Stop it and start it again.")
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The session's SSH server isn't responding. Stop the session and start it again.")
	}
	return connection, nil
}
