package realhub

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"cairn/internal/sessions/engine/jupyterhub/agent"
)

// BeAgent is what hubs of this package start as their service: the program of the test itself. TestMain calls it first; it returns
// unless this process is the agent of a hub.
func BeAgent() {
	if len(os.Args) != 2 || os.Args[1] != "agent" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	syscall.Umask(0o077)
	if err := agent.Serve(ctx, "of the test", slog.New(slog.NewTextHandler(os.Stderr, nil))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
