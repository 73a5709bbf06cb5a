// Command provider is a second, independent OpenID provider for the browser tests. It is built on another library than
// the embedded provider of Cairn, makes tokens of another shape, and runs on another origin, so that a test which passes
// with both says something about the protocol and not about one implementation. Nobody needs a password here, and paths
// below /test/ let a test break it: it is of no use for anything but tests, and it listens on loopback addresses only.
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
	"strings"
	"time"
)

// options are the command line.
type options struct {
	listen              string
	host                string
	clientID            string
	redirectURI         string
	postLogoutURI       string
	origin              string
	tokens              string
	audience            string
	introspectionSecret string
	refresh             bool
	emailClaims         bool
	sid                 bool
	accessLifetime      time.Duration
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "provider: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	var o options
	var secretFile string
	flags := flag.NewFlagSet("provider", flag.ExitOnError)
	flags.StringVar(&o.listen, "listen", "127.0.0.1:0", "loopback address")
	flags.StringVar(&o.host, "host", "localhost", "host name of the issuer; cookies ignore ports, so another name is another site")
	flags.StringVar(&o.clientID, "client-id", "data-catalog-portal", "the public client")
	flags.StringVar(&o.redirectURI, "redirect-uri", "", "the client's only redirect address")
	flags.StringVar(&o.postLogoutURI, "post-logout-uri", "", "the client's only address after a sign-out")
	flags.StringVar(&o.origin, "origin", "", "the origin whose pages may call the endpoints")
	flags.StringVar(&o.tokens, "tokens", "jwt", "kind of access tokens: jwt or opaque")
	flags.StringVar(&o.audience, "audience", "", "audience of access tokens, the name of an API; none when empty")
	flags.BoolVar(&o.refresh, "refresh", true, "give refresh tokens to those who ask for offline_access")
	flags.BoolVar(&o.emailClaims, "email-claims", true, "name and e-mail in tokens and introspection too, not only in userinfo")
	flags.BoolVar(&o.sid, "sid", true, "sid in tokens")
	flags.DurationVar(&o.accessLifetime, "access-lifetime", 5*time.Minute, "lifetime of access tokens")
	flags.StringVar(&secretFile, "introspection-secret-file", "", "file with the secret of the client "+gatewayClient)
	_ = flags.Parse(arguments) // ends the process itself

	if o.tokens != "jwt" && o.tokens != "opaque" {
		return fmt.Errorf("--tokens is jwt or opaque, not %q", o.tokens)
	}
	if address, err := netip.ParseAddrPort(o.listen); err != nil || !address.Addr().IsLoopback() {
		return fmt.Errorf("--listen must be a loopback address such as 127.0.0.1:0, not %q", o.listen)
	}
	if secretFile != "" {
		secret, err := os.ReadFile(secretFile)
		if err != nil {
			return err
		}
		o.introspectionSecret = strings.TrimSpace(string(secret))
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return err
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	provider, err := newProvider(o, "http://"+net.JoinHostPort(o.host, port))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, "Provider at "+provider.issuer); err != nil {
		return err
	}
	return (&http.Server{Handler: provider, ReadHeaderTimeout: 10 * time.Second}).Serve(listener)
}
