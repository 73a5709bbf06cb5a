package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"cairn/internal/app/commands"
	"cairn/internal/foundation/fault"
	"cairn/internal/sharing/client"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func sshCommand() *cobra.Command {
	return &cobra.Command{
		Use: "ssh SESSION", Short: "Reach a running session of any Cairn server by SSH", Args: arguments(cobra.ExactArgs(1)),
		Long: "Reach one of your running sessions by SSH, where its operators allow it. In a terminal it opens a shell, with the program ssh. Anything else is\n" +
			"connected with the session's SSH server, as ssh wants it of a ProxyCommand; put these lines into ~/.ssh/config for ssh, sftp, rsync and\n" +
			"editors, which then know the session as ID" + client.ShellSuffix + ":\n\n" + sshConfiguration + "\nThe token needs the scope run." + clientHelp,
		RunE: func(command *cobra.Command, words []string) error {
			if term.IsTerminal(int(os.Stdin.Fd())) {
				return runSSH(command.Context(), words[0])
			}
			server, err := openClient()
			if err != nil {
				return err
			}
			connection, err := server.Shell(command.Context(), words[0])
			if err != nil {
				return err
			}
			client.Join(connection, command.InOrStdin(), command.OutOrStdout())
			return nil
		},
	}
}

// sshConfiguration is what people put into the configuration of ssh. The host keys are new for each connection, which TLS protects.
// No key and no password of theirs is offered, because code in a session could ask for it.
const sshConfiguration = `  Host *` + client.ShellSuffix + `
    ProxyCommand cairn ssh '%h'
    User session
    PreferredAuthentications none
    ForwardAgent no
    ForwardX11 no
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
`

// runSSH opens a shell in a session with the program ssh.
func runSSH(ctx context.Context, session string) error {
	program, err := exec.LookPath("ssh")
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The program ssh isn't installed. On Debian: apt-get install openssh-client")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(session, client.ShellSuffix) + client.ShellSuffix
	command := exec.CommandContext(ctx, program, "-F", os.DevNull, "-o", fmt.Sprintf("ProxyCommand=%s ssh %%h", quoted(self)), //nolint:gosec // the caller's own programs
		"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "PreferredAuthentications=none",
		"-o", "ForwardAgent=no", "-o", "ForwardX11=no", "-o", "LogLevel=ERROR", "--", "session@"+name)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = command.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok && ended.ExitCode() >= 0 {
		return exitStatus(ended.ExitCode()) // ssh has said what is wrong
	}
	return err
}

// exitStatus is the status of a program that has said itself what is wrong.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// quoted returns a path as a word for a shell, in which ssh runs a ProxyCommand.
func quoted(path string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(path, "%", "%%"), "'", `'\''`) + "'"
}

// serveShellCommand is what the box of a session runs beside its server.
func serveShellCommand() *cobra.Command {
	return &cobra.Command{
		Use: commands.ShellCommand + " SOCKET FOLDER", Hidden: true, Args: arguments(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, words []string) error { return commands.ServeShell(words[0], words[1]) },
	}
}
