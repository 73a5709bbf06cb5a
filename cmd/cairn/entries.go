package main

import (
	"context"
	"io"

	"cairn/internal/app/commands"
	"cairn/internal/app/config"

	"github.com/spf13/cobra"
)

func entriesCommand() *cobra.Command {
	command := &cobra.Command{Use: "entries", Short: "Manage the catalog's entries, also while the server runs"}
	command.AddCommand(listEntriesCommand())

	var reason string
	hide := changeEntriesCommand("hide", "Hide entries from the catalog; their authors and operators can still see them", func() commands.EntryChange {
		return commands.HideEntry(reason)
	})
	hide.Flags().StringVar(&reason, "reason", "", "the reason, which the entry's authors will see")
	command.AddCommand(hide, changeEntriesCommand("show", "Bring hidden entries back", commands.ShowEntry))

	var plain bool
	feature := changeEntriesCommand("feature", "Feature entries on the landing page", func() commands.EntryChange {
		return commands.FeatureEntry(!plain)
	})
	feature.Flags().BoolVar(&plain, "off", false, "take them off the landing page")
	command.AddCommand(feature)

	status := "VERIFIED"
	verify := changeEntriesCommand("verify", "Mark entries as verified", func() commands.EntryChange {
		return commands.VerifyEntry(status)
	})
	verify.Flags().StringVar(&status, "status", status, "VERIFIED, REJECTED or NONE")
	command.AddCommand(verify, entriesByIDCommand("delete", "Delete hidden entries permanently", commands.DeleteEntries))
	return command
}

func listEntriesCommand() *cobra.Command {
	var given flags
	var state string
	command := &cobra.Command{
		Use: "list [WORD...]", Short: "List entries, newest first, with what was reported about them",
		RunE: func(command *cobra.Command, words []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			return commands.ListEntries(command.Context(), settings, words, state, command.OutOrStdout())
		},
	}
	given.addData(command)
	command.Flags().StringVar(&state, "state", "", "only entries in any of these states: new,reported,hidden")
	return command
}

func changeEntriesCommand(name, short string, change func() commands.EntryChange) *cobra.Command {
	return entriesByIDCommand(name, short, func(ctx context.Context, settings config.Config, ids []string, out io.Writer) error {
		return commands.ChangeEntries(ctx, settings, change(), ids, out)
	})
}

func entriesByIDCommand(name, short string, work func(ctx context.Context, settings config.Config, ids []string, out io.Writer) error) *cobra.Command {
	var given flags
	command := &cobra.Command{
		Use: name + " ID...", Short: short, Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(command *cobra.Command, ids []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			return work(command.Context(), settings, ids, command.OutOrStdout())
		},
	}
	given.addData(command)
	return command
}
