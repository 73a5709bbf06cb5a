package app

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
)

// discovery remembers the origins of an external provider's endpoints, which the page's security policy must allow. The
// last good answer is kept in the data folder for starts during which the provider doesn't answer.
type discovery struct {
	issuer string
	file   string
	client *http.Client
	logger *slog.Logger

	mutex sync.Mutex
	known []string
}

const (
	discoveryRetry   = 15 * time.Second
	discoveryRefresh = time.Hour
	discoveryLimit   = 1 << 20
)

// outgoingTime limits requests to the identity provider.
const outgoingTime = 8 * time.Second

// newProviderClient returns the client that asks the identity provider, which may be this server's own.
func newProviderClient() *http.Client {
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

func newDiscovery(issuer, file string, client *http.Client, logger *slog.Logger) *discovery {
	d := &discovery{issuer: issuer, file: file, client: client, logger: logger}
	if saved, err := os.ReadFile(d.file); err == nil {
		d.known, _ = endpointOrigins(issuer, saved) // a damaged file is replaced at the next good answer
	}
	return d
}

func (d *discovery) origins() []string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return slices.Clone(d.known)
}

// follow asks the provider until ctx ends.
func (d *discovery) follow(ctx context.Context) {
	for {
		wait := discoveryRefresh
		if err := d.ask(ctx); err != nil && ctx.Err() == nil {
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

func (d *discovery) ask(ctx context.Context) error {
	document, _, err := fetchDiscovery(ctx, d.client, d.issuer)
	if err != nil {
		return err
	}
	origins, err := endpointOrigins(d.issuer, document)
	if err != nil {
		return err
	}
	d.mutex.Lock()
	d.known = origins
	d.mutex.Unlock()
	return os.WriteFile(d.file, document, 0o600)
}

// fetchDiscovery returns a provider's discovery document, and the header that came with it.
func fetchDiscovery(ctx context.Context, client *http.Client, issuer string) ([]byte, http.Header, error) {
	return fetchDocument(ctx, client, issuer+"/.well-known/openid-configuration")
}

func fetchDocument(ctx context.Context, client *http.Client, address string) ([]byte, http.Header, error) {
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

// endpointOrigins returns the origins of all endpoints in a discovery document, which must be the issuer's own.
func endpointOrigins(issuer string, document []byte) ([]string, error) {
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
		if origin := originOf(address); isOrigin(origin) && !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	slices.Sort(origins)
	return origins, nil
}
