package commands

import (
	"os"

	"cairn/internal/sessions/engine/front"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/boxssh"
)

// ShellCommand is the name of the command that ServeShell carries out.
const ShellCommand = localjupyter.ShellCommand

// BeSession makes this process the server of a session if it was started as one, and doesn't return then. The main function calls it
// first; without that, sessions on this machine have Jupyter alone.
func BeSession() { front.Be() }

// ServeShell serves SSH at a socket in the box of a session; shells begin in a folder.
func ServeShell(socket, folder string) error {
	listener, err := boxssh.Listen(socket)
	if err != nil {
		return err
	}
	shell := "/bin/bash"
	if _, err := os.Stat(shell); err != nil {
		shell = "/bin/sh"
	}
	return boxssh.Serve(listener, boxssh.Options{Folder: folder, Shell: shell, Environment: boxssh.Environment(os.Environ())})
}
