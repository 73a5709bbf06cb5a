package safehttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"cairn/internal/fault"
)

// Options of a client. The zero value is the strict one.
type Options struct {
	UserAgent string         // "" is "Cairn"
	AllowHTTP bool           // http addresses as well as https ones
	Allowed   []netip.Prefix // networks that may be reached although they are not public
	RootCAs   *x509.CertPool // nil: those of the system
	Resolver  *net.Resolver  // nil: that of the system

	trusted *url.URL // an origin that may be reached wherever it is, by http too; nil: none
}

// Client fetches from addresses that users give. It is safe for many goroutines; make one and keep it, because it keeps
// connections.
type Client struct {
	options Options
	client  *http.Client
	dialer  *net.Dialer
}

// Limits that hold for every request.
const (
	connectTime   = 10 * time.Second
	redirectLimit = 5
	headerLimit   = 64 << 10 // bytes of an answer's header
	hostLimit     = 16       // connections to one host
)

// New returns a client.
func New(options Options) *Client {
	if options.UserAgent == "" {
		options.UserAgent = "Cairn"
	}
	guard := newGuard(options.Allowed)
	dialer := &net.Dialer{Timeout: connectTime, Resolver: options.Resolver, Control: guard.Safe}
	c := &Client{options: options, dialer: dialer}
	dial := dialer.DialContext
	if options.trusted != nil {
		dial = c.dialTrusted
	}
	c.client = &http.Client{
		CheckRedirect: c.checkRedirect,
		Transport: &http.Transport{
			DialContext: dial, ForceAttemptHTTP2: true, TLSHandshakeTimeout: connectTime,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: options.RootCAs},
			MaxResponseHeaderBytes: headerLimit, MaxConnsPerHost: hostLimit, MaxIdleConns: 2 * hostLimit, IdleConnTimeout: time.Minute,
		},
	}
	return c
}

// Trusting returns a client that reaches one origin besides, which operators chose: in a private network too, at any port,
// and by http if its address says so.
func (c *Client) Trusting(origin *url.URL) *Client {
	options := c.options
	options.trusted = origin
	return New(options)
}

// dialTrusted dials the trusted origin without a look at its IP address.
func (c *Client) dialTrusted(ctx context.Context, network, address string) (net.Conn, error) {
	if strings.EqualFold(address, hostAndPort(c.options.trusted)) {
		return (&net.Dialer{Timeout: connectTime, Resolver: c.options.Resolver}).DialContext(ctx, network, address)
	}
	return c.dialer.DialContext(ctx, network, address)
}

func hostAndPort(origin *url.URL) string {
	port := origin.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[origin.Scheme]
	}
	return net.JoinHostPort(origin.Hostname(), port)
}

// Dial opens a connection to a host on the public internet, for programs that speak to it themselves.
func (c *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return c.dialer.DialContext(ctx, network, address)
}

// Request is a question to an address. MaxBytes must be given: the default of 0 allows empty answers alone.
type Request struct {
	Address  string
	Header   http.Header   // for the origin of Address: after a redirect to another one, only Accept is left of it
	MaxBytes int64         // of the body, as unpacked
	Timeout  time.Duration // for everything, the reading of the body too; 0: 30 s
	Stall    time.Duration // for the beginning of the answer, and then between parts of the body; 0: 20 s
}

const (
	defaultTimeout = 30 * time.Second
	defaultStall   = 20 * time.Second
)

// Response is an answer of any status. Its body must be closed; reading more of it than allowed, or longer, is a fault.
type Response struct {
	Status  int
	Header  http.Header
	Address string // after redirects
	Length  int64  // of the body in bytes; -1 when the source does not tell
	Body    io.ReadCloser

	host string
}

// Get asks an address and follows redirects. Whatever the source answers is no fault; to ask what is refused is Invalid,
// a body that is announced as too large TooLarge, a source that cannot be reached BadUpstream, a slow one Unavailable.
func (c *Client) Get(ctx context.Context, request Request) (*Response, error) {
	address, err := c.parse(request.Address)
	if err != nil {
		return nil, err
	}
	if request.Timeout == 0 {
		request.Timeout = defaultTimeout
	}
	if request.Stall == 0 {
		request.Stall = defaultStall
	}
	host := address.Hostname()
	limited, endTimeout := context.WithTimeoutCause(ctx, request.Timeout, late(host, request.Timeout))
	limited, cancel := context.WithCancelCause(limited)
	exchange := &exchange{
		host: host, caller: ctx, limited: limited, stallTime: request.Stall,
		stall: time.AfterFunc(request.Stall, func() { cancel(late(host, request.Stall)) }),
		end:   func() { cancel(nil); endTimeout() },
	}
	response, err := c.send(limited, address.String(), request, host)
	exchange.stall.Stop()
	if err != nil {
		defer exchange.close()
		return nil, exchange.explain(err)
	}
	response.Body = &body{exchange: exchange, source: response.Body, limit: request.MaxBytes}
	return response, nil
}

func (c *Client) send(ctx context.Context, address string, request Request, host string) (*Response, error) {
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, refused("%s is no address that can be asked.", shown(request.Address))
	}
	if request.Header != nil {
		ask.Header = request.Header.Clone()
	}
	ask.Header.Set("User-Agent", c.options.UserAgent)
	answer, err := c.client.Do(ask)
	if err != nil {
		return nil, err
	}
	response := &Response{
		Status: answer.StatusCode, Header: answer.Header, Address: answer.Request.URL.String(), Length: answer.ContentLength,
		Body: answer.Body, host: host,
	}
	// What the transport unpacked itself has lost this header.
	if packed := answer.Header.Get("Content-Encoding"); packed != "" && packed != "identity" {
		err = fault.New(fault.BadUpstream, "%s sends packed data that nobody asked for (%s).", shown(host), shown(packed))
	}
	if answer.ContentLength > request.MaxBytes {
		err = tooLarge(host, request.MaxBytes)
	}
	if err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	return response, nil
}

// everywhere are the headers that every origin may see.
var everywhere = []string{"User-Agent", "Accept", "Accept-Encoding"}

// checkRedirect looks at each hop as at the first address, and lets headers meant for one origin reach no other.
func (c *Client) checkRedirect(next *http.Request, via []*http.Request) error {
	if len(via) > redirectLimit {
		return fault.New(fault.BadUpstream, "%s redirects more than %d times.", shown(via[0].URL.Hostname()), redirectLimit)
	}
	if err := c.check(next.URL); err != nil {
		return refused("%s redirects to where this server does not go. %s", shown(via[0].URL.Hostname()), fault.MessageOf(err))
	}
	next.Header.Del("Referer")
	for _, hop := range append(via[1:len(via):len(via)], next) {
		if hop.URL.Scheme == via[0].URL.Scheme && hop.URL.Host == via[0].URL.Host {
			continue
		}
		maps.DeleteFunc(next.Header, func(name string, _ []string) bool { return !slices.Contains(everywhere, name) })
		break
	}
	return nil
}
