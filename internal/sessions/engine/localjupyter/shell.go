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

// ShellCommand is the command of Options.ShellProgram that serves SSH: its arguments are a socket and a folder.
const ShellCommand = "serve-shell"

const (
	shellSocket = "ssh.sock"
	shellInBox  = "/session/cairn"
	// $0 is the program, $1 the socket, $2 the folder; the rest is the command of the session's server.
	startShell = `(echo 500 >/proc/self/oom_score_adj; exec "$0" ` + ShellCommand + ` "$1" "$2" </dev/null) & shift 2; exec "$@"`
)

// besideShell returns the command of a session's server with an SSH server beside it, and what that needs to see; the command
// alone if there is none.
func (l *launch) besideShell(command []string, folder, runtime string) ([]string, []sandbox.Mount) {
	program := l.engine.options.ShellProgram
	if program == "" || l.batch() != nil {
		return command, nil
	}
	var mounts []sandbox.Mount
	if l.engine.sandbox.Level().Mounts() {
		mounts, program = []sandbox.Mount{{From: program, To: shellInBox}}, shellInBox
	}
	return append([]string{l.engine.sandbox.Shell(), "-c", startShell, program, filepath.Join(runtime, shellSocket), folder}, command...), mounts
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
