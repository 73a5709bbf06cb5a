// Package forwardproxy is the way to the network for programs whose addresses users choose: it decides where each connection may lead.
package forwardproxy

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"sync/atomic"
	"time"
)

// Proxy is the only way to the network for programs that connect to addresses chosen by users and follow redirects: it
// checks where each connection leads. Each box that needs one gets its own, which ends with it.
type Proxy struct {
	address  string
	server   *http.Server
	dial     Dial
	received atomic.Int64    // bytes
	failed   atomic.Bool     // something was unreachable or refused
	ctx      context.Context //nolint:containedctx // ends the tunnels, which the server doesn't track
	cancel   context.CancelFunc
}

// Dial opens a connection to an address chosen by a user, unless it must not be reached.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Open listens on the loopback of this machine, so a box that uses it has this machine's network.
func Open(dial Dial, logger *slog.Logger) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	opened := New(listener.Addr().String(), dial, logger)
	go opened.Serve(listener)
	return opened, nil
}

// New returns a proxy that its users reach at an address, once Serve has a listener: such as one in a box that reaches nothing else.
func New(address string, dial Dial, logger *slog.Logger) *Proxy {
	opened := &Proxy{address: "http://" + address, dial: dial}
	opened.ctx, opened.cancel = context.WithCancel(context.Background())
	plain := &httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.Out.URL, request.Out.Host = request.In.URL, request.In.Host
		},
		Transport: &http.Transport{DialContext: opened.connect, DisableCompression: true, DisableKeepAlives: true},
		ErrorLog:  slog.NewLogLogger(logger.Handler(), slog.LevelDebug), FlushInterval: -1,
	}
	opened.server = &http.Server{
		ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodConnect {
				opened.tunnel(w, r)
			} else {
				plain.ServeHTTP(w, r)
			}
		}),
	}
	return opened
}

// Serve answers on a listener until Close.
func (p *Proxy) Serve(listener net.Listener) { _ = p.server.Serve(listener) }

// Close ends the proxy and all its connections.
func (p *Proxy) Close() {
	p.cancel()
	_ = p.server.Close()
}

// Received returns how many bytes were received through it.
func (p *Proxy) Received() int64 { return p.received.Load() }

// Failed reports whether something was unreachable or refused.
func (p *Proxy) Failed() bool { return p.failed.Load() }

// Environment returns variables that make programs use the proxy for every address.
func (p *Proxy) Environment() []string {
	return []string{"http_proxy=" + p.address, "https_proxy=" + p.address, "all_proxy=" + p.address, "no_proxy="}
}

func (p *Proxy) connect(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := p.dial(ctx, network, address)
	if err != nil {
		p.failed.Store(true)
		return nil, err
	}
	return counted{connection, &p.received}, nil
}

type counted struct {
	net.Conn

	received *atomic.Int64
}

func (c counted) Read(part []byte) (int, error) {
	count, err := c.Conn.Read(part)
	c.received.Add(int64(count))
	return count, err
}

func (c counted) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}

func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	far, err := p.connect(r.Context(), "tcp", r.Host)
	if err != nil {
		http.Error(w, "This address can't be reached from here.", http.StatusBadGateway)
		return
	}
	defer far.Close()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connected\r\n\r\n"); err != nil {
		return
	}
	stop := context.AfterFunc(p.ctx, func() { _, _ = near.Close(), far.Close() })
	defer stop()
	ended := make(chan error, 2)
	go func() { ended <- pipe(far, buffered) }()
	go func() { ended <- pipe(near, far) }()
	_, _ = <-ended, <-ended
}

// pipe copies until the end and half-closes the destination.
func pipe(to net.Conn, from io.Reader) error {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		return errors.Join(err, half.CloseWrite())
	}
	return errors.Join(err, to.Close())
}
