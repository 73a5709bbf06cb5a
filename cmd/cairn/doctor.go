package main

import (
	"cairn/internal/app"

	"github.com/spf13/cobra"
)

// doctorCommand examines an installation. What only looks is a row of examinations in internal/app/doctor.go; what changes
// something is a flag here, with a function of its own.
func doctorCommand() *cobra.Command {
	var given flags
	command := &cobra.Command{
		Use: "doctor", Short: "Examine the installation and say what to fix; also while the server runs", Args: arguments(cobra.NoArgs),
		Long: "Examine configuration, certificates, clocks, names, identity provider, engines, files, disks and database, and say what to fix,\n" +
			"one thing a line. Run it as the account that the server runs as. The exit code is 0 when all is fine and 1 otherwise.",
		RunE: func(command *cobra.Command, _ []string) error {
			config, _ := given.load(command) // the doctor names what couldn't be read
			return app.Doctor(command.Context(), config, command.OutOrStdout())
		},
	}
	given.addData(command)
	given.addServer(command)
	return command
}
