package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"cairn/internal/app/commands"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func passwordCommand() *cobra.Command {
	return &cobra.Command{
		Use: "password", Short: "Make the hash of a password for the configuration", Args: arguments(cobra.NoArgs),
		Long: "Ask for a password twice and print its hash, for password_hash in idp.accounts. Without a terminal, the first line of the\n" +
			"input is the password; a second line, if there is one, must be the same.",
		RunE: func(command *cobra.Command, _ []string) error {
			password, again, err := readPassword(command)
			if err != nil {
				return err
			}
			hash, err := commands.HashPassword(password, again)
			if err == nil {
				_, err = fmt.Fprintln(command.OutOrStdout(), hash)
			}
			return err
		},
	}
}

// readPassword returns a password and its repetition. What it asks goes to the error output, so that the other one holds
// the hash alone.
func readPassword(command *cobra.Command) (password, again string, err error) {
	input := command.InOrStdin()
	if file, ok := input.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		if password, err = ask(command, file, "Password: "); err == nil {
			again, err = ask(command, file, "Once more: ")
		}
		return password, again, err
	}
	lines := bufio.NewReader(input)
	if password, _, err = readLine(lines); err != nil {
		return "", "", err
	}
	again, repeated, err := readLine(lines)
	if !repeated {
		again = password
	}
	return password, again, err
}

// readLine returns a line without its end; found is false where the input has ended.
func readLine(lines *bufio.Reader) (line string, found bool, err error) {
	line, err = lines.ReadString('\n')
	found = line != ""
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), found, err
}

// ask reads a line from a terminal that doesn't show it. Ctrl-C ends the command and leaves the terminal as it was.
func ask(command *cobra.Command, terminal *os.File, question string) (string, error) {
	before, err := term.GetState(int(terminal.Fd()))
	if err != nil {
		return "", err
	}
	_, _ = fmt.Fprint(command.ErrOrStderr(), question)
	defer fmt.Fprintln(command.ErrOrStderr())
	type answer struct {
		line []byte
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		line, err := term.ReadPassword(int(terminal.Fd()))
		answers <- answer{line, err}
	}()
	select {
	case given := <-answers:
		if errors.Is(given.err, io.EOF) {
			given.err = nil // Ctrl-D: as an empty line
		}
		return string(given.line), given.err
	case <-command.Context().Done():
		return "", errors.Join(errors.New("interrupted"), term.Restore(int(terminal.Fd()), before))
	}
}
