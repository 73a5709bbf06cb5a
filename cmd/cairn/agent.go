package main

import (
	"log/slog"
	"os"

	"cairn/internal/app/commands"

	"github.com/spf13/cobra"
)

func agentCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "agent", Short: "Keep the files of a hub's sessions, as its service", Args: arguments(cobra.NoArgs), Hidden: true,
		Long: "Copy repositories, install packages, keep versions of work, and pack and delete it, where the folders of a JupyterHub's sessions are. The hub\n" +
			"starts it as its service and gives it its settings in the environment, as docs/jupyterhub.md says.",
		RunE: func(command *cobra.Command, _ []string) error {
			return commands.ServeAgent(command.Context(), version, slog.New(slog.NewTextHandler(os.Stderr, nil)))
		},
	}
	command.AddCommand(&cobra.Command{
		Use: "environment", Short: "Install packages in the pod of a session", Args: arguments(cobra.NoArgs), Hidden: true,
		Long: "Make the environment that the agent describes on the standard input, and tell in lines how it goes. The agent has pods run it, as\n" +
			"docs/kubernetes.md says.",
		RunE: func(command *cobra.Command, _ []string) error {
			return commands.MakePodEnvironment(command.Context(), os.Stdin, os.Stdout)
		},
	})
	return command
}
