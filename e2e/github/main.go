// Command github runs the stand-in for GitHub of internal/entries/codehost/githubtest for the browser tests. It listens on a
// loopback address and prints it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"

	"cairn/internal/entries/codehost/githubtest"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "github: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("github", flag.ExitOnError)
	listen := flags.String("listen", "127.0.0.1:0", "loopback address")
	_ = flags.Parse(arguments) // exits the process on errors
	if address, err := netip.ParseAddrPort(*listen); err != nil || !address.Addr().IsLoopback() {
		return fmt.Errorf("--listen must be a loopback address such as 127.0.0.1:0, not %q", *listen)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *listen)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, "GitHub at http://"+listener.Addr().String()); err != nil {
		return err
	}
	return (&http.Server{Handler: &githubtest.Server{}, ReadHeaderTimeout: 10 * time.Second}).Serve(listener)
}
