package app

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// serving is a call of serve, on one listener.
type serving struct {
	address string
	cancel  context.CancelFunc
	done    chan error
}

func serveOne(t *testing.T, handler http.HandlerFunc, background ...func(context.Context)) serving {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	s := serving{address: "http://" + listener.Addr().String(), cancel: cancel, done: make(chan error, 1)}
	p := &program{logger: slog.New(slog.DiscardHandler)}
	go func() {
		s.done <- p.serve(ctx, background, io.Discard, map[net.Listener]http.Handler{listener: handler})
	}()
	return s
}

func (s serving) get(t *testing.T) <-chan int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	status := make(chan int, 1)
	go func() {
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			status <- 0
			return
		}
		_ = response.Body.Close()
		status <- response.StatusCode
	}()
	return status
}

// await receives a value that comes soon or never.
func await[Value any](t *testing.T, what string, from <-chan Value) Value {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(time.Minute):
		t.Fatalf("%s does not come", what)
		panic("not reached")
	}
}

func TestRequestsUnderWayAreFinished(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	s := serveOne(t, func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
		if r.Context().Err() != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	status := s.get(t)
	await(t, "the request", arrived)
	s.cancel()
	select {
	case err := <-s.done:
		t.Fatalf("ended before the request did: %v", err)
	default:
	}
	close(release)
	if got := await(t, "the answer", status); got != http.StatusOK {
		t.Errorf("the request ended with %d", got)
	}
	if err := await(t, "the end", s.done); err != nil {
		t.Error(err)
	}
}

func TestStreamsEndWithTheServer(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	s := serveOne(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	status := s.get(t)
	await(t, "the request", arrived)
	s.cancel()
	if err := await(t, "the end", s.done); err != nil {
		t.Error(err)
	}
	if got := await(t, "the answer", status); got != http.StatusOK {
		t.Errorf("the stream was cut off instead of being ended by its handler: %d", got)
	}
}

func TestBackgroundWorkEndsBeforeTheDatabaseIsClosed(t *testing.T) {
	t.Parallel()
	started, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s := serveOne(t, func(http.ResponseWriter, *http.Request) {}, func(ctx context.Context) {
		close(started)
		<-ctx.Done()
		<-release
		close(ended)
	})
	await(t, "the start", started)
	s.cancel()
	go close(release)
	if err := await(t, "the end", s.done); err != nil {
		t.Error(err)
	}
	select {
	case <-ended:
	default:
		t.Error("serve returned while work was going on")
	}
}

// Browsers know that every name below localhost is this machine, and resolvers often don't.
func TestNamesBelowLocalhostAreThisMachine(t *testing.T) {
	t.Parallel()
	s := serveOne(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.address, "http://"))
	client := &http.Client{Transport: localNames()}
	for _, name := range []string{"cairn.localhost", "a.B.LocalHost", "localhost", "127.0.0.1"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+net.JoinHostPort(name, port), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusTeapot {
			t.Errorf("%s: %d", name, response.StatusCode)
		}
	}
}
