package main

import (
	"cairn/internal/foundation/licenses"

	"github.com/spf13/cobra"
)

func licensesCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use: "licenses [NAME]", Short: "Print the licenses of Cairn and everything in this binary, or only those of the component NAME",
		Example: "  cairn licenses | less\n  cairn licenses react", Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(command *cobra.Command, names []string) error {
			name := ""
			if len(names) > 0 {
				name = names[0]
			}
			return licenses.Write(version, name, asJSON, command.OutOrStdout())
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "as JSON: components, and the texts that their files refer to by key")
	return command
}
