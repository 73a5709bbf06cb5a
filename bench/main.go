// Command bench measures the product as its users experience it. Each benchmark is a sub-command with a package beside
// this file; `make bench` runs one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"cairn/bench/backup"
	"cairn/bench/catalog"
	"cairn/bench/chaos"
	"cairn/bench/hub"
	"cairn/bench/jobs"
	"cairn/bench/launch"
	"cairn/bench/relevance"
	"cairn/bench/sessions"
	"cairn/bench/sharing"
	"cairn/bench/upload"
	"cairn/bench/versions"
	"cairn/bench/ways"
	"cairn/bench/workshop"
)

// benchmarks are called with their flags; they print their progress and leave no process or temporary file behind, even
// when ctx ends.
var benchmarks = map[string]func(ctx context.Context, arguments []string, out io.Writer) error{
	"backup":    backup.Run,
	"catalog":   catalog.Run,
	"chaos":     chaos.Run,
	"hub":       hub.Run,
	"jobs":      jobs.Run,
	"launch":    launch.Run,
	"polling":   sessions.RunPolling,
	"proxy":     sessions.RunProxy,
	"relevance": relevance.Run,
	"sharing":   sharing.Run,
	"soak":      sessions.RunSoak,
	"upload":    upload.Run,
	"versions":  versions.Run,
	"ways":      ways.Run,
	"workshop":  workshop.Run,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(run(ctx, os.Args[1:]))
}

func run(ctx context.Context, arguments []string) int {
	if len(arguments) == 0 || benchmarks[arguments[0]] == nil {
		fmt.Fprintf(os.Stderr, "bench: name a benchmark: %s\n", strings.Join(slices.Sorted(maps.Keys(benchmarks)), ", "))
		return 2
	}
	getAhead()
	err := benchmarks[arguments[0]](ctx, arguments[1:], os.Stdout)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "bench: stopped")
		return 130
	default:
		fmt.Fprintln(os.Stderr, "bench: "+err.Error())
		return 1
	}
}

// getAhead lets this process interrupt computing sessions on the processors as the server does: the people it stands for
// have processors of their own. It works where the kernel weighs the processes of each terminal as a group.
func getAhead() { _ = os.WriteFile("/proc/self/autogroup", []byte("-20"), 0) }
