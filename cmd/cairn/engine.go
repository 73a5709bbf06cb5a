package main

import (
	"cairn/internal/app/commands"

	"github.com/spf13/cobra"
)

func engineCommand() *cobra.Command {
	command := &cobra.Command{Use: "engine", Short: "Manage the engines that run sessions"}
	command.AddCommand(checkEngineCommand())
	return command
}

func checkEngineCommand() *cobra.Command {
	var given flags
	var repository string
	command := &cobra.Command{
		Use: "check [NAME]", Short: "Test an engine end to end (by default the first one) and report what to fix, also while the server runs",
		Example: "  cairn engine check --config /etc/cairn/cairn.yaml hub", Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(command *cobra.Command, names []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			name := ""
			if len(names) > 0 {
				name = names[0]
			}
			return commands.CheckEngine(command.Context(), settings, name, repository, command.OutOrStdout())
		},
	}
	given.addData(command)
	command.Flags().StringVar(&repository, "repository", "https://github.com/octocat/Hello-World.git", "a public repository for the trial session")
	return command
}
