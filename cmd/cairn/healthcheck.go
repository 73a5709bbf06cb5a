package main

import (
	"cairn/internal/app/commands"
	"cairn/internal/foundation/fault"

	"github.com/spf13/cobra"
)

func healthcheckCommand() *cobra.Command {
	var given flags
	command := &cobra.Command{
		Use: "healthcheck", Short: "Exit with 0 if the server on this machine answers, else with 1; for containers", Args: arguments(cobra.NoArgs),
		Example: "  HEALTHCHECK CMD [\"cairn\", \"healthcheck\", \"--config\", \"/etc/cairn/cairn.yaml\"]",
		RunE: func(command *cobra.Command, _ []string) error {
			settings, err := given.load(command)
			if err == nil {
				err = commands.CheckHealth(command.Context(), settings)
			}
			if err != nil {
				return fault.Wrap(err, fault.Unavailable, "%s", sentence(err)) // containers reserve all exit codes but 0 and 1
			}
			return nil
		},
	}
	set := command.Flags()
	set.StringVar(&given.configFile, "config", "", "configuration file (YAML)")
	set.StringVar(&given.config.Listen, "listen", "", "address of the page and the API (default \"127.0.0.1:8080\")")
	return command
}
