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
}

type backend struct {
	address string
	ready   atomic.Bool
	proxy   *httputil.ReverseProxy
}

func newBalancer(addresses ...string) *balancer {
	b := &balancer{}
	for _, address := range addresses {
		one := &backend{address: address}
		one.proxy = &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(&url.URL{Scheme: "http", Host: address})
				r.Out.Host = r.In.Host
				r.SetXForwarded()
			},
			Transport: &http.Transport{
				MaxIdleConnsPerHost: 512, DisableCompression: true,
				DialContext: (&net.Dialer{Timeout: lookTime}).DialContext,
			},
			ErrorHandler: func(_ http.ResponseWriter, r *http.Request, _ error) {
				if r.Context().Err() == nil {
					one.ready.Store(false) // until the next check
				}
				panic(http.ErrAbortHandler)
			},
		}
		b.backends = append(b.backends, one)
	}
	return b
}

// ServeHTTP implements http.Handler.
func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for range b.backends {
		if one := b.backends[b.turn.Add(1)%uint64(len(b.backends))]; one.ready.Load() {
			one.proxy.ServeHTTP(w, r)
			return
		}
	}
	w.Header().Set("Retry-After", "1")
	http.Error(w, "no server is ready", http.StatusServiceUnavailable)
}

// look begins to ask the servers whether they are ready, which goes on until ctx ends.
func (b *balancer) look(ctx context.Context) {
	way := program.Way{Client: &http.Client{Timeout: lookTime, Transport: &http.Transport{}}}
	for _, one := range b.backends {
		go func() {
			for ; ctx.Err() == nil; load.Pause(ctx, lookEvery) {
				_, _, err := way.Get(ctx, "http://"+one.address+"/readyz")
				if ctx.Err() == nil {
					one.ready.Store(err == nil)
				}
			}
		}()
	}
}
