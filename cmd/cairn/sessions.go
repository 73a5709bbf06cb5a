package main

import (
	"cairn/internal/app/commands"

	"github.com/spf13/cobra"
)

func sessionsCommand() *cobra.Command {
	command := &cobra.Command{Use: "sessions", Short: "List and stop sessions, and delete kept work; also while the server runs"}
	command.AddCommand(listSessionsCommand(), stopSessionsCommand(), purgeSessionsCommand())
	return command
}

func listSessionsCommand() *cobra.Command {
	var given flags
	var all bool
	command := &cobra.Command{
		Use: "list", Short: "List everyone's running and starting sessions, newest first", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			return commands.ListSessions(command.Context(), settings, all, command.OutOrStdout())
		},
	}
	given.addData(command)
	command.Flags().BoolVar(&all, "all", false, "also list sessions that have ended")
	return command
}

func stopSessionsCommand() *cobra.Command {
	var given flags
	var reason string
	command := &cobra.Command{
		Use: "stop ID...", Short: "Stop anyone's sessions and keep their work", Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(command *cobra.Command, ids []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			return commands.StopSessions(command.Context(), settings, ids, reason, command.OutOrStdout())
		},
	}
	given.addData(command)
	command.Flags().StringVar(&reason, "reason", "", "the reason, which the owner of each session will see")
	return command
}

func purgeSessionsCommand() *cobra.Command {
	var given flags
	var dryRun bool
	command := &cobra.Command{
		Use: "purge", Short: "Delete sessions that ended longer ago than sessions.keep, with their work", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			return commands.PurgeSessions(command.Context(), settings, dryRun, command.OutOrStdout())
		},
	}
	given.addData(command)
	command.Flags().BoolVar(&dryRun, "dry-run", false, "only print what would be deleted")
	return command
}
