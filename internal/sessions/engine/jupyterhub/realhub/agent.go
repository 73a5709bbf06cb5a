package realhub

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"cairn/internal/sessions/engine/front"
	"cairn/internal/sessions/engine/jupyterhub/agent"
)

// mayBeAgent reports whether TestMain called BeAgent. A hub without it would start the tests once more in place of its agent.
var mayBeAgent bool

// BeAgent is what hubs of this package start as their service, what their pods make environments with, and the front of their sessions: the program of the test
// itself. TestMain calls it first; it returns unless this process is one of these.
func BeAgent() {
	mayBeAgent = true
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	front.Be()
	var err error
	switch strings.Join(os.Args[1:], " ") {
	case "agent":
		syscall.Umask(0o077)
		err = agent.Serve(ctx, "of the test", slog.New(slog.NewTextHandler(os.Stderr, nil)))
	case "agent environment":
		err = agent.MakePodEnvironment(ctx, os.Stdin, os.Stdout)
	default:
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
