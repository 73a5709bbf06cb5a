package discovery

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/internal/app/config"
)

// Discovery remembers the origins of an external provider's endpoints, which the page's security policy must allow. The
// last good answer is kept in the data folder for starts during which the provider doesn't answer.
type Discovery struct {
	issuer string
	file   string
	client *http.Client
	logger *slog.Logger

	mu    sync.Mutex
	known []string
}

const (
	discoveryRetry   = 15 * time.Second
	discoveryRefresh = time.Hour
	discoveryLimit   = 1 << 20
)

// outgoingTime limits requests to the identity provider.
const outgoingTime = 8 * time.Second

// NewClient returns the client that asks the identity provider, which may be this server's own.
func NewClient() *http.Client {
	return &http.Client{Timeout: outgoingTime, Transport: localNames()}
}

// localNames returns a transport for which names below localhost are this machine, as they are for browsers. Many
// resolvers don't know them, and the embedded provider is asked at the public address too.
func localNames() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck,forcetypeassert // nothing replaces it
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err == nil && strings.HasSuffix(strings.ToLower(host), ".localhost") {
			address = net.JoinHostPort("localhost", port)
		}
		return dial(ctx, network, address)
	}
	return transport
}

// New returns the discovery of an issuer, with what an earlier server saved in a file.
func New(issuer, file string, client *http.Client, logger *slog.Logger) *Discovery {
	d := &Discovery{issuer: issuer, file: file, client: client, logger: logger}
	if saved, err := os.ReadFile(d.file); err == nil {
		d.known, _ = EndpointOrigins(issuer, saved) // a damaged file is replaced at the next good answer
	}
	return d
}

// Origins returns the origins of the provider's endpoints, as far as they are known.
func (d *Discovery) Origins() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.known)
}

// Follow asks the provider until ctx ends.
func (d *Discovery) Follow(ctx context.Context) {
	for {
		wait := discoveryRefresh
		if err := d.refresh(ctx); err != nil && ctx.Err() == nil {
			d.logger.WarnContext(ctx, "could not fetch the identity provider's discovery document", "issuer", d.issuer, "error", err)
			wait = discoveryRetry
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

func (d *Discovery) refresh(ctx context.Context) error {
	document, _, err := Fetch(ctx, d.client, d.issuer)
	if err != nil {
		return err
	}
	origins, err := EndpointOrigins(d.issuer, document)
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.known = origins
	d.mu.Unlock()
	return os.WriteFile(d.file, document, 0o600)
}

// Fetch returns a provider's discovery document, and the header that came with it.
func Fetch(ctx context.Context, client *http.Client, issuer string) ([]byte, http.Header, error) {
	return FetchDocument(ctx, client, issuer+"/.well-known/openid-configuration")
}

// FetchDocument returns a document of at most 1 MiB that a provider publishes, and the header that came with it.
func FetchDocument(ctx context.Context, client *http.Client, address string) ([]byte, http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, response.Header, fmt.Errorf("%s answered %s", address, response.Status)
	}
	document, err := io.ReadAll(io.LimitReader(response.Body, discoveryLimit))
	return document, response.Header, err
}

// EndpointOrigins returns the origins of all endpoints in a discovery document, which must be the issuer's own.
func EndpointOrigins(issuer string, document []byte) ([]string, error) {
	var members map[string]any
	if err := json.Unmarshal(document, &members); err != nil {
		return nil, err
	}
	if members["issuer"] != issuer {
		return nil, fmt.Errorf("the document is of the issuer %v", members["issuer"])
	}
	var origins []string
	for name, value := range members {
		address, isText := value.(string)
		if !isText || (!strings.HasSuffix(name, "_endpoint") && name != "check_session_iframe" && name != "jwks_uri") {
			continue
		}
		if origin := config.OriginOf(address); config.IsOrigin(origin) && !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	slices.Sort(origins)
	return origins, nil
}
