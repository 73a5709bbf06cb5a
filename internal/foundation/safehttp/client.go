package safehttp

import (
	"bytes"
	"cmp"
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

	"cairn/internal/foundation/fault"
)

// Options of a client. The zero value is the strict one.
type Options struct {
	UserAgent string         // "" is "Cairn"
	AllowHTTP bool           // http addresses as well as https ones
	Allowed   []netip.Prefix // networks that may be reached although they aren't public
	RootCAs   *x509.CertPool // nil: the system's
	Resolver  *net.Resolver  // nil: the system's

	trusted *url.URL // an origin that may be reached wherever it is, also by http; nil: none
}

// Client fetches addresses that users supply. It is safe for concurrent use; create one and reuse it, because it pools
// connections.
type Client struct {
	options Options
	client  *http.Client
	dialer  *net.Dialer
}

// Limits for every request.
const (
	connectTime   = 10 * time.Second
	redirectLimit = 5
	headerLimit   = 64 << 10 // bytes of a response's header
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

// Trusting returns a client that can also reach one origin, which operators chose: even in a private network, on any
// port, and by http if its address says so.
func (c *Client) Trusting(origin *url.URL) *Client {
	options := c.options
	options.trusted = origin
	return New(options)
}

// dialTrusted dials the trusted origin without checking its IP address.
func (c *Client) dialTrusted(ctx context.Context, network, address string) (net.Conn, error) {
	if strings.EqualFold(address, HostAndPort(c.options.trusted)) {
		return (&net.Dialer{Timeout: connectTime, Resolver: c.options.Resolver}).DialContext(ctx, network, address)
	}
	return c.dialer.DialContext(ctx, network, address)
}

// HostAndPort returns where the origin of an address is dialed: its host with its port, or with that of http or https.
func HostAndPort(origin *url.URL) string {
	port := origin.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[origin.Scheme]
	}
	return net.JoinHostPort(origin.Hostname(), port)
}

// Dial opens a connection to a host on the public internet, or to the trusted origin, for programs that use it directly.
func (c *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if c.options.trusted != nil {
		return c.dialTrusted(ctx, network, address)
	}
	return c.dialer.DialContext(ctx, network, address)
}

// Request is a request to an address. MaxBytes must be set: the default of 0 only allows empty responses.
type Request struct {
	Method   string // "": GET, or POST with Post
	Address  string
	Header   http.Header   // for the origin of Address: after a redirect to another one, only Accept is kept
	Post     []byte        // what is sent to Address; nil: nothing
	MaxBytes int64         // of the body, uncompressed
	Timeout  time.Duration // for everything, including reading the body; 0: 30 s
	Stall    time.Duration // until the response begins, and then between parts of the body; 0: 20 s
}

const (
	defaultTimeout = 30 * time.Second
	defaultStall   = 20 * time.Second
)

// Response is a response of any status. Its body must be closed; reading more than allowed, or for too long, is a
// fault.
type Response struct {
	Status  int
	Header  http.Header
	Address string // after redirects
	Length  int64  // of the body in bytes; -1 if the source doesn't say
	Body    io.ReadCloser

	host string
}

// Get requests an address and follows redirects. A response of any status isn't a fault. A refused address is Invalid,
// a body announced as too large TooLarge, a source that can't be reached BadUpstream, and a slow one Unavailable.
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
	method := http.MethodGet
	if request.Post != nil {
		method = http.MethodPost
	}
	method = cmp.Or(request.Method, method)
	ask, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(request.Post))
	if err != nil {
		return nil, refused("%s can't be requested.", shown(request.Address))
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
	// If the transport decompressed the body itself, this header is gone.
	if packed := answer.Header.Get("Content-Encoding"); packed != "" && packed != "identity" {
		err = fault.New(fault.BadUpstream, "%s sends compressed data that wasn't requested (%s).", shown(host), shown(packed))
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

// checkRedirect checks each hop like the first address, and doesn't send headers meant for one origin to another.
func (c *Client) checkRedirect(next *http.Request, via []*http.Request) error {
	if len(via) > redirectLimit {
		return fault.New(fault.BadUpstream, "%s redirects more than %d times.", shown(via[0].URL.Hostname()), redirectLimit)
	}
	if err := c.check(next.URL); err != nil {
		return refused("%s redirects to an address that this server doesn't visit. %s", shown(via[0].URL.Hostname()), fault.MessageOf(err))
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
