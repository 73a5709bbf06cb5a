package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/httpapi"
)

// ErrTerminated is the cause with which the context of Run ends when the server is to be replaced or moved, as SIGTERM
// says: whoever sends it requests learns of that first. After any other end, such as Ctrl-C, nobody waits for a notice.
var ErrTerminated = errors.New("the server was told to end")

// maxHeader is the maximum size of the header of a request, in bytes.
const maxHeader = 64 << 10

// shutdownLimits is the maximum time of each step of an end, after the notice.
type shutdownLimits struct {
	arrivals time.Duration // for the first request of a connection that is open already
	requests time.Duration // for requests in flight
	sockets  time.Duration // for browsers to answer that their websocket is being closed
	cut      time.Duration // for requests that were cut off to return
	work     time.Duration // for the background work
}

func defaultShutdownLimits() shutdownLimits {
	return shutdownLimits{arrivals: time.Second, requests: 30 * time.Second, sockets: 3 * time.Second, cut: 2 * time.Second, work: 10 * time.Second}
}

// duties are what a server does until it ends, and the steps of its end that its parts know.
type duties struct {
	handlers   map[net.Listener]http.Handler
	background []func(context.Context)

	notReady   func()                // tells whoever asks that no more requests should come here
	endStreams func()                // tells the readers of event streams to come back
	endSockets func(context.Context) // closes the websockets of sessions and waits for that
}

// serving is a server that answers on its listeners.
type serving struct {
	duties

	logger    *slog.Logger
	servers   []*http.Server
	accepting sync.WaitGroup // connections, on all listeners
	failed    chan error     // from a listener
	draining  atomic.Bool    // answers close their connections, so that clients go elsewhere for the next one
	working   sync.WaitGroup // the background work
	cut       context.CancelFunc
	stopWork  context.CancelFunc // ends the background work

	mutex sync.Mutex
	busy  map[net.Conn]bool // connections with a request in flight, or before their first one
	idle  chan struct{}     // closed when none is busy; nil while nobody waits for that
}

// listenAndWork starts everything.
func (p *program) listenAndWork(ctx context.Context, d duties) *serving {
	s := &serving{duties: d, logger: p.logger, failed: make(chan error, len(d.handlers)), busy: map[net.Conn]bool{}}
	ctx = context.WithoutCancel(ctx) // all of it goes on while the server drains
	requests, cut := context.WithCancel(ctx)
	work, rest := context.WithCancel(ctx)
	s.cut, s.stopWork = cut, rest
	for _, one := range d.background {
		s.working.Go(func() { one(work) })
	}
	trusted := config.Prefixes(p.config.TrustedProxies)
	for listener, handler := range d.handlers {
		handler = httpapi.ClientAddresses(trusted, httpapi.Observe(p.logger, time.Now, p.metrics, s.closeConnections(handler)))
		server := &http.Server{
			Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
			BaseContext: func(net.Listener) context.Context { return requests },
			ErrorLog:    slog.NewLogLogger(p.logger.Handler(), slog.LevelDebug),
			ConnState:   s.trackConnection,
		}
		s.servers = append(s.servers, server)
		s.accepting.Go(func() {
			if p.certificate == nil {
				s.failed <- server.Serve(listener)
			} else {
				server.TLSConfig = p.certificate.config()
				s.failed <- server.ServeTLS(listener, "", "")
			}
		})
	}
	return s
}

// closeConnections makes each answer of a draining server the last one on its connection: a client that keeps a
// connection for its next request would otherwise send it just when the server closes.
func (s *serving) closeConnections(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() && r.Header.Get("Upgrade") == "" {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// end ends everything in order: it isn't ready, but takes requests during the notice; event streams are told to come
// back; requests in flight are finished; websockets are closed; the background work ends, which may hold leases.
func (s *serving) end(ctx context.Context, notice time.Duration, times shutdownLimits) error {
	ctx = context.WithoutCancel(ctx)
	s.notReady()
	s.draining.Store(true)
	var err error
	if notice > 0 {
		s.logger.InfoContext(ctx, "the server is not ready anymore and ends after the notice", "notice", notice.String())
		select {
		case <-time.After(notice):
		case err = <-s.failed:
		}
	}
	s.endStreams()
	answered := s.finishRequests(ctx, times.arrivals)
	wait(answered, times.requests)
	closing, stop := context.WithTimeout(ctx, times.sockets)
	s.endSockets(closing)
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
func (s *serving) trackConnection(connection net.Conn, state http.ConnState) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if state == http.StateNew || state == http.StateActive {
		s.busy[connection] = true
	} else {
		delete(s.busy, connection)
		s.notifyQuiet()
	}
}

func (s *serving) notifyQuiet() {
	if s.idle != nil && len(s.busy) == 0 {
		close(s.idle)
		s.idle = nil
	}
}

// finishRequests takes no more connections; the channel is closed when the requests of those that are open are finished.
// http.Server.Shutdown alone would drop the first request of a connection that was opened just before.
func (s *serving) finishRequests(ctx context.Context, arrivals time.Duration) <-chan struct{} {
	for listener := range s.handlers {
		_ = listener.Close()
	}
	s.accepting.Wait()
	quiet := make(chan struct{})
	s.mutex.Lock()
	s.idle = quiet
	s.notifyQuiet()
	s.mutex.Unlock()
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
