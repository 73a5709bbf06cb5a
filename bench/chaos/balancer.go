package chaos

import (
	"context"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
)

const (
	lookEvery = 250 * time.Millisecond // between two checks of a server's /readyz
	lookTime  = 2 * time.Second        // a server without an answer for this long isn't ready
)

// balancer sends each request to the next server that is ready. It never retries: when a server breaks a connection, so does
// the balancer.
type balancer struct {
	backends []*backend
	turn     atomic.Uint64
	proxy    *httputil.ReverseProxy
}

type backend struct {
	address string
	ready   atomic.Bool
}

func newBalancer(addresses ...string) *balancer {
	b := &balancer{}
	for _, address := range addresses {
		b.backends = append(b.backends, &backend{address: address})
	}
	b.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			to, _ := r.In.Context().Value(chosenKey{}).(*backend)
			r.SetURL(&url.URL{Scheme: "http", Host: to.address})
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 512, DisableCompression: true,
			DialContext: (&net.Dialer{Timeout: lookTime}).DialContext,
		},
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, _ error) {
			if to, ok := r.Context().Value(chosenKey{}).(*backend); ok && r.Context().Err() == nil {
				to.ready.Store(false) // until the next check
			}
			panic(http.ErrAbortHandler)
		},
	}
	return b
}

type chosenKey struct{}

// ServeHTTP implements http.Handler.
func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for range b.backends {
		one := b.backends[b.turn.Add(1)%uint64(len(b.backends))]
		if one.ready.Load() {
			b.proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), chosenKey{}, one)))
			return
		}
	}
	w.Header().Set("Retry-After", "1")
	http.Error(w, "no server is ready", http.StatusServiceUnavailable)
}

// look keeps asking the servers whether they are ready, until ctx ends.
func (b *balancer) look(ctx context.Context) {
	client := &http.Client{Timeout: lookTime, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for _, one := range b.backends[1:] {
		go b.lookAt(ctx, client, one)
	}
	b.lookAt(ctx, client, b.backends[0])
}

func (b *balancer) lookAt(ctx context.Context, client *http.Client, one *backend) {
	for ; ctx.Err() == nil; load.Pause(ctx, lookEvery) {
		_, _, err := (program.Way{Client: client}).Get(ctx, "http://"+one.address+"/readyz")
		if ctx.Err() == nil {
			one.ready.Store(err == nil)
		}
	}
}
