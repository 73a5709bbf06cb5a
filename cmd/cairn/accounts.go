package main

import (
	"cairn/internal/app/commands"

	"github.com/spf13/cobra"
)

func accountsCommand() *cobra.Command {
	command := &cobra.Command{Use: "accounts", Short: "See and decide who may start sessions, also while the server runs"}
	command.AddCommand(
		listAccountsCommand(),
		changeAccountsCommand(commands.EnableAccount, "Let accounts start sessions"),
		changeAccountsCommand(commands.DisableAccount, "Stop accounts from starting sessions, and stop their running ones; the work is kept"),
		changeAccountsCommand(commands.PromoteAccount, "Make accounts operators"),
		changeAccountsCommand(commands.DemoteAccount, "Turn operators back into ordinary accounts"),
	)
	return command
}

func changeAccountsCommand(change commands.AccountChange, short string) *cobra.Command {
	var given flags
	command := &cobra.Command{
		Use: string(change) + " EMAIL...", Short: short, Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(command *cobra.Command, emails []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			return commands.ChangeAccounts(command.Context(), settings, change, emails, command.OutOrStdout())
		},
	}
	given.addData(command)
	return command
}

func listAccountsCommand() *cobra.Command {
	var given flags
	var waiting bool
	command := &cobra.Command{
		Use: "list", Short: "List accounts, those waiting first", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			return commands.ListAccounts(command.Context(), settings, waiting, command.OutOrStdout())
		},
	}
	given.addData(command)
	command.Flags().BoolVar(&waiting, "waiting", false, "only accounts waiting to be enabled")
	return command
}
