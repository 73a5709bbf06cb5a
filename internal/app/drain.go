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

	"cairn/internal/httpapi"
)

// ErrTerminated is the cause with which the context of Run ends when the server is to be replaced or moved, as SIGTERM
// says: whoever sends it requests learns of that first. After any other end, such as Ctrl-C, nobody waits for a notice.
var ErrTerminated = errors.New("the server was told to end")

// ShutdownConfig says how a server ends.
type ShutdownConfig struct {
	Notice string `yaml:"notice"`
}

// longestNotice is the maximum of shutdown.notice; service managers kill a server that takes long to end.
const longestNotice = 5 * time.Minute

func (c ShutdownConfig) notice() (time.Duration, bool) {
	notice, err := time.ParseDuration(c.Notice)
	return notice, err == nil && notice >= 0 && notice <= longestNotice
}

// The maximum time of each step of an end, after the notice.
const (
	requestTime = 30 * time.Second // for requests in flight
	socketTime  = 3 * time.Second  // for browsers to answer that their websocket is being closed
	cutTime     = 2 * time.Second  // for requests that were cut off to return
	workTime    = 10 * time.Second // for the background work
)

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

	logger   *slog.Logger
	servers  []*http.Server
	failed   chan error     // from a listener
	draining atomic.Bool    // answers close their connections, so that clients go elsewhere for the next one
	working  sync.WaitGroup // the background work
	cut      context.CancelFunc
	rest     context.CancelFunc // ends the background work
}

// listenAndWork starts everything.
func (p *program) listenAndWork(ctx context.Context, d duties) *serving {
	s := &serving{duties: d, logger: p.logger, failed: make(chan error, len(d.handlers))}
	ctx = context.WithoutCancel(ctx) // all of it goes on while the server drains
	requests, cut := context.WithCancel(ctx)
	work, rest := context.WithCancel(ctx)
	s.cut, s.rest = cut, rest
	for _, one := range d.background {
		s.working.Go(func() { one(work) })
	}
	trusted := prefixes(p.config.TrustedProxies)
	for listener, handler := range d.handlers {
		handler = httpapi.ClientAddresses(trusted, httpapi.Observe(p.logger, time.Now, s.closeConnections(handler)))
		server := &http.Server{
			Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
			BaseContext: func(net.Listener) context.Context { return requests },
			ErrorLog:    slog.NewLogLogger(p.logger.Handler(), slog.LevelDebug),
		}
		s.servers = append(s.servers, server)
		if p.certificate != nil {
			server.TLSConfig = p.certificate.config()
			go func() { s.failed <- server.ServeTLS(listener, "", "") }()
		} else {
			go func() { s.failed <- server.Serve(listener) }()
		}
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
// back; requests in flight are finished, for at most the time given as longest; websockets are closed; the background
// work ends, which may hold leases.
func (s *serving) end(ctx context.Context, notice, longest time.Duration) error {
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
	answered := s.finishRequests(ctx)
	wait(answered, longest)
	closing, stop := context.WithTimeout(ctx, socketTime)
	s.endSockets(closing)
	stop()
	s.cut()
	if !wait(answered, cutTime) {
		for _, server := range s.servers {
			_ = server.Close()
		}
	}
	s.rest()
	wait(closedAfter(s.working.Wait), workTime) // it uses the database, which is closed next
	return err
}

// finishRequests takes no more requests; the channel is closed when those in flight are finished.
func (s *serving) finishRequests(ctx context.Context) <-chan struct{} {
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
