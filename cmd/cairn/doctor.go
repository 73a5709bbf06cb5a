package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"cairn/internal/app/commands"
	"cairn/internal/app/doctor"

	"github.com/spf13/cobra"
)

// doctorCommand examines an installation. What only looks is a row of checks in internal/app/doctor; what changes
// something is a flag here, with a function of its own.
func doctorCommand() *cobra.Command {
	var given flags
	var accept bool
	command := &cobra.Command{
		Use: "doctor", Short: "Examine the installation and say what to fix; also while the server runs", Args: arguments(cobra.NoArgs),
		Long: "Examine configuration, certificates, clocks, names, identity provider, engines, files, disks and database, and say what to fix,\n" +
			"one thing a line. Run it as the account that the server runs as. The exit code is 0 when all is fine and 1 otherwise.",
		RunE: func(command *cobra.Command, _ []string) error {
			settings, err := given.load(command)
			if accept {
				if err != nil {
					return err
				}
				return commands.AcceptOlderDatabase(command.Context(), settings, func() (bool, error) { return confirm(command) }, command.OutOrStdout())
			}
			// The doctor names what couldn't be read.
			return doctor.Run(command.Context(), settings, command.OutOrStdout())
		},
	}
	given.addData(command)
	given.addServer(command)
	command.Flags().BoolVar(&accept, "accept-older-database", false, "say what the database lacks of what its data folder has seen, and let the server start from it")
	return command
}

// confirm asks whether to go on.
func confirm(command *cobra.Command) (bool, error) {
	if _, err := fmt.Fprint(command.OutOrStdout(), "Type yes to go on: "); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(command.InOrStdin()).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return strings.TrimSpace(line) == "yes", nil
}
