package main

import (
	"cairn/internal/app"

	"github.com/spf13/cobra"
)

func sessionsCommand() *cobra.Command {
	command := &cobra.Command{Use: "sessions", Short: "Look after the sessions' kept work; also while the server runs"}
	command.AddCommand(purgeSessionsCommand())
	return command
}

func purgeSessionsCommand() *cobra.Command {
	var given flags
	var dryRun bool
	command := &cobra.Command{
		Use: "purge", Short: "Delete sessions that ended longer ago than sessions.keep, with their work", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			config, err := given.load(command)
			if err != nil {
				return err
			}
			return app.PurgeSessions(command.Context(), config, dryRun, command.OutOrStdout())
		},
	}
	given.addData(command)
	command.Flags().BoolVar(&dryRun, "dry-run", false, "only print them")
	return command
}
