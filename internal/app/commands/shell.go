package commands

import (
	"os"

	"cairn/internal/sessions/engine/jupyterhub/front"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/boxssh"
)

// ShellCommand is the name of the command that ServeShell carries out.
const ShellCommand = localjupyter.ShellCommand

// FrontCommand is the name of the command that ServeSession carries out.
const FrontCommand = front.Command

// ServeSession starts the Jupyter of a hub's session, serves what Jupyter can't beside it, and returns its exit status.
func ServeSession(arguments []string) (status int, err error) { return front.Main(arguments) }

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
