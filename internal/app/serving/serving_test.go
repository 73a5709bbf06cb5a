package serving

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// served is a call of serve, on one listener.
type served struct {
	address  string
	listener net.Listener
	end      context.CancelCauseFunc
	done     chan error
	steps    chan string // of the end, in their order
}

func serveOne(t *testing.T, handler http.HandlerFunc, background ...func(context.Context)) served {
	t.Helper()
	return serveWithNotice(t, 0, nil, handler, background...)
}

func serveWithNotice(t *testing.T, notice time.Duration, steps chan string, handler http.HandlerFunc, background ...func(context.Context)) served {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancelCause(context.Background())
	t.Cleanup(func() { end(nil) })
	s := served{address: "http://" + listener.Addr().String(), listener: listener, end: end, done: make(chan error, 1), steps: steps}
	d := Duties{
		Handlers: map[net.Listener]http.Handler{listener: handler}, Background: background,
		NotReady:   func() { s.step("not ready") },
		EndStreams: func() { s.step("streams") },
		EndSockets: func(context.Context) { s.step("sockets") },
	}
	options := Options{
		Logger: slog.New(slog.DiscardHandler), Ready: func() {}, Stopping: func() time.Duration { return notice },
	}
	go func() { s.done <- Run(ctx, d, options) }()
	return s
}

// step waits until somebody looks, if anybody does.
func (s served) step(name string) {
	if s.steps != nil {
		s.steps <- name
	}
}

func (s served) get(t *testing.T) <-chan int {
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
	s.end(nil)
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

func TestRequestsAreTakenDuringTheNotice(t *testing.T) {
	t.Parallel()
	s := serveWithNotice(t, 5*time.Minute, make(chan string), func(http.ResponseWriter, *http.Request) {})
	s.end(nil)
	if step := await(t, "the first step", s.steps); step != "not ready" {
		t.Errorf("the first step is %q", step)
	}
	if status := await(t, "the answer", s.get(t)); status != http.StatusOK {
		t.Errorf("answered with %d", status)
	}
	_ = s.listener.Close() // the notice is of no use anymore
	for range 2 {
		await(t, "the next step", s.steps)
	}
	if err := await(t, "the end", s.done); !errors.Is(err, net.ErrClosed) {
		t.Errorf("ended with %v", err)
	}
}

func TestAServerEndsInOrder(t *testing.T) {
	t.Parallel()
	arrived, release, worked := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s := serveWithNotice(t, time.Millisecond, make(chan string), func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	}, func(ctx context.Context) {
		<-ctx.Done()
		close(worked)
	})
	s.end(nil)
	if step := await(t, "the first step", s.steps); step != "not ready" {
		t.Errorf("the first step is %q", step)
	}
	long := s.get(t)
	await(t, "a request before the end", arrived)
	if step := await(t, "the second step", s.steps); step != "streams" {
		t.Errorf("the second step is %q", step)
	}
	select {
	case step := <-s.steps:
		t.Errorf("%q comes before the end of the requests", step)
	case <-worked:
		t.Error("the background work ended before the requests")
	default:
	}
	close(release)
	if status := await(t, "the answer", long); status != http.StatusOK {
		t.Errorf("the request ended with %d", status)
	}
	if step := await(t, "the third step", s.steps); step != "sockets" {
		t.Errorf("the third step is %q", step)
	}
	await(t, "the end of the work", worked)
	if err := await(t, "the end", s.done); err != nil {
		t.Error(err)
	}
}

// Connections that clients keep would be closed just when the next request is on its way.
func TestTheLastAnswersCloseTheirConnections(t *testing.T) {
	t.Parallel()
	s := server{}
	answered := func(headers ...string) string {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		answer := httptest.NewRecorder()
		s.closeConnections(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(answer, request)
		return answer.Header().Get("Connection")
	}
	if got := answered(); got != "" {
		t.Errorf("a server that stays answers with Connection: %s", got)
	}
	s.draining.Store(true)
	if got := answered(); got != "close" {
		t.Errorf("a server that ends answers with Connection: %q", got)
	}
	if got := answered("Connection", "Upgrade", "Upgrade", "websocket"); got != "" {
		t.Errorf("a websocket is answered with Connection: %s", got)
	}
}

// listening is a server on one listener, to be ended with a patience of the test's choice.
func listening(t *testing.T, handler http.HandlerFunc) (running *server, listener net.Listener) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nothing := func() {}
	return start(t.Context(), Duties{
		Handlers: map[net.Listener]http.Handler{listener: handler}, NotReady: nothing, EndStreams: nothing, EndSockets: func(context.Context) {},
	}, Options{Logger: slog.New(slog.DiscardHandler)}), listener
}

// What waits for its context, such as a stream of a session's server, goes on forever.
func TestRequestsThatNeverEndAreCutOff(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	running, listener := listening(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	status := served{address: "http://" + listener.Addr().String()}.get(t)
	await(t, "the request", arrived)
	if err := running.end(t.Context(), 0, limits{cut: time.Minute}); err != nil {
		t.Error(err)
	}
	if got := await(t, "the answer", status); got != http.StatusOK {
		t.Errorf("it was cut off instead of being ended by its handler: %d", got)
	}
}

// http.Server.Shutdown closes such a connection, so its client would be told of an error.
func TestTheRequestOfAConnectionThatIsOpenIsAnswered(t *testing.T) {
	t.Parallel()
	running, listener := listening(t, func(http.ResponseWriter, *http.Request) {})
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	for accepted := 0; accepted == 0; <-time.After(time.Millisecond) {
		running.mu.Lock()
		accepted = len(running.busy)
		running.mu.Unlock()
	}
	_, _ = io.WriteString(connection, "GET / HTTP/1.1\r\n")
	ended := make(chan error, 1)
	go func() {
		ended <- running.end(t.Context(), 0, limits{arrivals: time.Minute, requests: time.Minute})
	}()
	running.accepting.Wait()
	_, _ = io.WriteString(connection, "Host: x\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK || !answer.Close {
		t.Errorf("answered with %d, connection kept: %t", answer.StatusCode, !answer.Close)
	}
	if err := await(t, "the end", ended); err != nil {
		t.Error(err)
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
	s.end(nil)
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
