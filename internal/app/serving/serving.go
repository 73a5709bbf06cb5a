package serving

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"cairn/internal/foundation/httpapi"
)

// maxHeader is the maximum size of the header of a request, in bytes.
const maxHeader = 64 << 10

// limits are the maximum times of the steps of an end, after the notice.
type limits struct {
	arrivals time.Duration // for the first request of a connection that is open already
	requests time.Duration // for requests in flight
	sockets  time.Duration // for browsers to answer that their websocket is being closed
	cut      time.Duration // for requests that were cut off to return
	work     time.Duration // for the background work
}

func defaultLimits() limits {
	return limits{arrivals: time.Second, requests: 30 * time.Second, sockets: 3 * time.Second, cut: 2 * time.Second, work: 10 * time.Second}
}

// Duties are what a server does until it ends, and the steps of its end that its parts know.
type Duties struct {
	Handlers   map[net.Listener]http.Handler
	Background []func(context.Context)

	NotReady   func()                // tells whoever asks that no more requests should come here
	EndStreams func()                // tells the readers of event streams to come back
	EndSockets func(context.Context) // closes the websockets of sessions and waits for that
}

// Options say how a server answers.
type Options struct {
	Logger         *slog.Logger
	Observer       httpapi.Counter // optional; nil disables metrics
	TLS            *tls.Config     // nil: the listeners speak plain HTTP
	TrustedProxies []netip.Prefix  // whose word for the address of a client counts

	Ready    func()               // is called when the server answers
	Stopping func() time.Duration // is called when the server begins to end; returns for how long it still takes requests
}

// Run serves until ctx ends or a listener fails, and then ends in order. It returns what ended it early, if anything.
func Run(ctx context.Context, d Duties, options Options) error {
	s := start(ctx, d, options)
	options.Ready()
	var failure error
	select {
	case <-ctx.Done():
	case failure = <-s.failed:
	}
	return errors.Join(failure, s.end(ctx, options.Stopping(), defaultLimits()))
}

// server is a server that answers on its listeners.
type server struct {
	Duties

	logger    *slog.Logger
	servers   []*http.Server
	accepting sync.WaitGroup // connections, on all listeners
	failed    chan error     // from a listener
	draining  atomic.Bool    // answers close their connections, so that clients go elsewhere for the next one
	working   sync.WaitGroup // the background work
	cut       context.CancelFunc
	stopWork  context.CancelFunc // ends the background work

	mu   sync.Mutex
	busy map[net.Conn]bool // connections with a request in flight, or before their first one
	idle chan struct{}     // closed when none is busy; nil while nobody waits for that
}

// start starts everything.
func start(ctx context.Context, d Duties, options Options) *server {
	s := &server{Duties: d, logger: options.Logger, failed: make(chan error, len(d.Handlers)), busy: map[net.Conn]bool{}}
	ctx = context.WithoutCancel(ctx) // all of it goes on while the server drains
	requests, cut := context.WithCancel(ctx)
	work, stopWork := context.WithCancel(ctx)
	s.cut, s.stopWork = cut, stopWork
	for _, one := range d.Background {
		s.working.Go(func() { one(work) })
	}
	for listener, handler := range d.Handlers {
		handler = httpapi.ClientAddresses(options.TrustedProxies, httpapi.Observe(options.Logger, time.Now, options.Observer, s.closeConnections(handler)))
		server := &http.Server{
			Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
			BaseContext: func(net.Listener) context.Context { return requests },
			ErrorLog:    slog.NewLogLogger(options.Logger.Handler(), slog.LevelDebug),
			ConnState:   s.trackConnection,
		}
		s.servers = append(s.servers, server)
		s.accepting.Go(func() {
			if options.TLS == nil {
				s.failed <- server.Serve(listener)
			} else {
				server.TLSConfig = options.TLS
				s.failed <- server.ServeTLS(listener, "", "")
			}
		})
	}
	return s
}

// closeConnections makes each answer of a draining server the last one on its connection: a client that keeps a
// connection for its next request would otherwise send it just when the server closes.
func (s *server) closeConnections(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() && r.Header.Get("Upgrade") == "" {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// end ends everything in order: it isn't ready, but takes requests during the notice; event streams are told to come
// back; requests in flight are finished; websockets are closed; the background work ends, which may hold leases.
func (s *server) end(ctx context.Context, notice time.Duration, times limits) error {
	ctx = context.WithoutCancel(ctx)
	s.NotReady()
	s.draining.Store(true)
	var err error
	if notice > 0 {
		s.logger.InfoContext(ctx, "the server is not ready anymore and ends after the notice", "notice", notice.String())
		select {
		case <-time.After(notice):
		case err = <-s.failed:
		}
	}
	s.EndStreams()
	answered := s.finishRequests(ctx, times.arrivals)
	wait(answered, times.requests)
	closing, stop := context.WithTimeout(ctx, times.sockets)
	s.EndSockets(closing)
	stop()
	s.cut()
	if !wait(answered, times.cut) {
		for _, server := range s.servers {
			_ = server.Close()
		}
	}
	s.stopWork()
	wait(closedAfter(s.working.Wait), times.work) // it uses the database, which is closed next
	return err
}

// trackConnection follows the states of connections.
func (s *server) trackConnection(connection net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateNew || state == http.StateActive {
		s.busy[connection] = true
	} else {
		delete(s.busy, connection)
		s.notifyQuiet()
	}
}

func (s *server) notifyQuiet() {
	if s.idle != nil && len(s.busy) == 0 {
		close(s.idle)
		s.idle = nil
	}
}

// finishRequests takes no more connections; the channel is closed when the requests of those that are open are finished.
// http.Server.Shutdown alone would drop the first request of a connection that was opened just before.
func (s *server) finishRequests(ctx context.Context, arrivals time.Duration) <-chan struct{} {
	for listener := range s.Handlers {
		_ = listener.Close()
	}
	s.accepting.Wait()
	quiet := make(chan struct{})
	s.mu.Lock()
	s.idle = quiet
	s.notifyQuiet()
	s.mu.Unlock()
	wait(quiet, arrivals)
	var stopping sync.WaitGroup
	for _, server := range s.servers {
		stopping.Go(func() { _ = server.Shutdown(ctx) })
	}
	return closedAfter(stopping.Wait)
}

func closedAfter(work func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		work()
		close(done)
	}()
	return done
}

// wait reports whether a channel is closed in time.
func wait(done <-chan struct{}, longest time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(longest):
		return false
	}
}
