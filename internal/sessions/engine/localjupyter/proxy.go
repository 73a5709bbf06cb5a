package localjupyter

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

// proxy is the only way to the network for git and pip: they dial addresses that users chose, and follow redirects, so
// it is the proxy that looks where each connection leads. Each command gets one of its own, which ends with it.
type proxy struct {
	address  string
	server   *http.Server
	dial     dialer
	received atomic.Int64    // bytes
	failed   atomic.Bool     // something could not be reached, or must not
	ctx      context.Context //nolint:containedctx // ends the tunnels, which the server knows nothing of
	cancel   context.CancelFunc
}

// dialer opens a connection to an address that a user chose, unless it leads into a private network.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

func openProxy(dial dialer, logger *slog.Logger) (*proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	opened := &proxy{address: "http://" + listener.Addr().String(), dial: dial}
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
	go func() { _ = opened.server.Serve(listener) }()
	return opened, nil
}

func (p *proxy) close() {
	p.cancel()
	_ = p.server.Close()
}

// environment makes programs use the proxy for every address.
func (p *proxy) environment() []string {
	return []string{"http_proxy=" + p.address, "https_proxy=" + p.address, "all_proxy=" + p.address, "no_proxy="}
}

func (p *proxy) connect(ctx context.Context, network, address string) (net.Conn, error) {
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

func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	far, err := p.connect(r.Context(), "tcp", r.Host)
	if err != nil {
		http.Error(w, "This address cannot be reached from here.", http.StatusBadGateway)
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

// pipe copies until the end and hands the end on.
func pipe(to net.Conn, from io.Reader) error {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		return errors.Join(err, half.CloseWrite())
	}
	return errors.Join(err, to.Close())
}
