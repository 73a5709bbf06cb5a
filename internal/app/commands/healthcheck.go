package commands

import (
	"context"
	"crypto/tls"
	"net/http"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
)

// healthTime is how long a server may take to say that it answers.
const healthTime = 5 * time.Second

// CheckHealth asks the server on this machine, at the configured listen address, whether it answers. Unavailable: it doesn't.
func CheckHealth(ctx context.Context, settings config.Config) error {
	address := settings.TLS.Scheme() + "://" + config.Reachable(settings.Listen, settings.Listen) + "/healthz"
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "listen: %s isn't an address at which a server can be asked.", humanize.Quote(settings.Listen))
	}
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // the certificate is for the public name, and nothing secret is said
	}}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "No server answers at %s: %s.", address, strings.TrimSuffix(humanize.Reason(err), "."))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fault.New(fault.Unavailable, "What answers at %s isn't a healthy server: %s.", address, response.Status)
	}
	return nil
}
