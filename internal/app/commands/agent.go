package commands

import (
	"context"
	"io"
	"log/slog"

	"cairn/internal/sessions/engine/jupyterhub/agent"
)

// ServeAgent serves the agent of a hub until the context ends; its settings are in the environment.
func ServeAgent(ctx context.Context, release string, logger *slog.Logger) error {
	return agent.Serve(ctx, release, logger)
}

// MakePodEnvironment makes the environment of a session in its pod.
func MakePodEnvironment(ctx context.Context, asked io.Reader, said io.Writer) error {
	return agent.MakePodEnvironment(ctx, asked, said)
}
