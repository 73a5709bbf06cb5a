package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cairn/internal/foundation/freeports"
)

// holder keeps the two sockets of a server open while its process changes, as systemd does (socket activation).
type holder struct {
	sockets   [2]*os.File
	addresses [2]string // of the page and of sessions, with scheme
}

func newHolder(t *testing.T) *holder {
	t.Helper()
	h := &holder{}
	for i := range h.sockets {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		noError(t, err)
		h.sockets[i], err = listener.(*net.TCPListener).File()
		noError(t, err)
		h.addresses[i] = "http://" + listener.Addr().String()
		noError(t, listener.Close()) // the file stays
		t.Cleanup(func() { _ = h.sockets[i].Close() })
	}
	return h
}

// give starts a server with the sockets. The shell knows the process id that the server will have.
func (h *holder) give(command *exec.Cmd) {
	shell := []string{"/bin/sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`}
	command.Path, command.Args = shell[0], append(shell, command.Args...)
	command.Env = append(command.Env, "LISTEN_FDS=2", "LISTEN_FDNAMES=session_listen:listen")
	command.ExtraFiles = []*os.File{h.sockets[1], h.sockets[0]}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// process is a running server.
type process struct {
	t       *testing.T
	command *exec.Cmd
	address string
}

// serve starts a server and returns when it answers. It ends with the test.
func serve(t *testing.T, change func(*exec.Cmd), arguments ...string) *process {
	t.Helper()
	p := &process{t: t, command: cairn(context.WithoutCancel(t.Context()), append([]string{"serve"}, arguments...)...)}
	change(p.command)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	noError(t, err)
	p.command.Stderr = log
	output, err := p.command.StdoutPipe()
	noError(t, err)
	noError(t, p.command.Start())
	t.Cleanup(func() {
		_, _ = p.command.Process.Kill(), p.command.Wait()
		_ = log.Close()
	})
	lines := bufio.NewReader(output)
	line, err := lines.ReadString('\n')
	address, found := strings.CutPrefix(line, "Cairn is at ")
	if !found {
		said, _ := os.ReadFile(log.Name())
		t.Fatalf("the server said %q (%v)\n%s", line, err, said)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	p.address = strings.TrimSpace(address)
	return p
}

func (p *process) signal(which syscall.Signal) {
	p.t.Helper()
	noError(p.t, p.command.Process.Signal(which))
}

// load sends requests at an even rate, each on a connection of its own, until the returned function is called, which
// returns what went wrong.
func load(t *testing.T, perSecond int, addresses ...string) (sent *atomic.Int64, stop func() []error) {
	t.Helper()
	client := &http.Client{Timeout: 5 * time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	ticker, ended := time.NewTicker(time.Second/time.Duration(perSecond)), make(chan struct{})
	sent = new(atomic.Int64)
	var requests sync.WaitGroup
	var mu sync.Mutex
	var failures []error
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failures = append(failures, err)
	}
	requests.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
			}
			request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, addresses[int(sent.Add(1))%len(addresses)], http.NoBody)
			if err != nil {
				fail(err)
				return
			}
			requests.Go(func() {
				answer, err := client.Do(request)
				if err != nil {
					fail(err)
					return
				}
				defer answer.Body.Close()
				if _, err := io.Copy(io.Discard, answer.Body); err != nil {
					fail(err)
				} else if answer.StatusCode != http.StatusOK {
					fail(errors.New(request.URL.String() + ": " + answer.Status))
				}
			})
		}
	})
	return sent, func() []error {
		close(ended)
		requests.Wait()
		return failures
	}
}

// waitFor waits for more requests to be sent, to nobody or to a server.
func waitFor(more int64, sent *atomic.Int64) {
	for until := sent.Load() + more; sent.Load() < until; {
		<-time.After(time.Millisecond)
	}
}

func TestNoRequestFailsWhileAServerOnGivenSocketsRestarts(t *testing.T) {
	t.Parallel()
	h, data := newHolder(t), filepath.Join(t.TempDir(), "data")
	start := func() *process {
		return serve(t, func(command *exec.Cmd) {
			h.give(command)
			command.Env = append(command.Env, "CAIRN_LIMITS_ANONYMOUS_RATE=0", "CAIRN_LOG_LEVEL=error")
		}, "--demo", "--data", data)
	}
	server := start()
	if server.address != h.addresses[0] {
		t.Fatalf("it serves at %s, and the socket is at %s", server.address, h.addresses[0])
	}
	sent, stop := load(t, 200, h.addresses[0]+"/", h.addresses[0]+"/api/v1/rf/resources/public?pageSize=3", h.addresses[1]+"/healthz")
	for range 2 {
		waitFor(50, sent)
		server.signal(syscall.SIGTERM)
		if err := server.command.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		waitFor(50, sent) // while there is no server
		server = start()
	}
	waitFor(50, sent)
	if failures := stop(); len(failures) > 0 {
		t.Errorf("%d of %d requests failed, the first with: %v", len(failures), sent.Load(), failures[0])
	}
}

// serveForReal starts a server that isn't the demo, with a notice that is longer than any test.
func serveForReal(t *testing.T) *process {
	t.Helper()
	return serve(t, func(command *exec.Cmd) {
		command.Env = append(command.Env, "CAIRN_SHUTDOWN_NOTICE=5m", "CAIRN_OIDC_ISSUER=https://login.example.org", "CAIRN_LOG_LEVEL=error")
	}, "--data", filepath.Join(t.TempDir(), "data"), "--listen", "127.0.0.1:0", "--session-listen", "127.0.0.1:0")
}

// ask returns the status of an answer; 0 when none came.
func askOnce(ctx context.Context, address string) int {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0
	}
	answer, err := (&http.Client{Timeout: 5 * time.Minute}).Do(request)
	if err != nil {
		return 0
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

func TestASecondSignalEndsTheServerAtOnce(t *testing.T) {
	t.Parallel()
	server := serveForReal(t)
	server.signal(syscall.SIGTERM)
	for deadline := time.Now().Add(5 * time.Minute); askOnce(t.Context(), server.address+"/readyz") != http.StatusServiceUnavailable; <-time.After(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the server stays ready")
		}
	}
	if status := askOnce(t.Context(), server.address+"/api/v1/rf/config"); status != http.StatusOK {
		t.Errorf("a request during the notice is answered with %d", status)
	}
	server.signal(syscall.SIGTERM)
	_ = server.command.Wait()
	status, _ := server.command.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("the server ended with %v", server.command.ProcessState)
	}
}

func TestCtrlCGivesNoNotice(t *testing.T) {
	t.Parallel()
	server := serveForReal(t)
	server.signal(syscall.SIGINT)
	if err := server.command.Wait(); err != nil { // within the time of the test
		t.Errorf("the server ended with %v", err)
	}
}

// balancer sends each request to one of the servers that say that they are ready, and tries no second one.
type balancer struct {
	http.Handler

	ready []atomic.Bool
	next  atomic.Int64
}

func newBalancer(t *testing.T, servers []string) *balancer {
	t.Helper()
	b := &balancer{ready: make([]atomic.Bool, len(servers))}
	for i, server := range servers {
		go func() {
			for ; t.Context().Err() == nil; <-time.After(50 * time.Millisecond) {
				b.ready[i].Store(askOnce(t.Context(), "http://"+server+"/readyz") == http.StatusOK)
			}
		}()
	}
	b.Handler = &httputil.ReverseProxy{Rewrite: func(request *httputil.ProxyRequest) {
		chosen := int(b.next.Add(1)) % len(servers)
		if !b.ready[chosen].Load() {
			chosen = (chosen + 1) % len(servers)
		}
		request.SetURL(&url.URL{Scheme: "http", Host: servers[chosen]})
		request.Out.Host = request.In.Host
	}, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	return b
}

func (b *balancer) waitUntilReady(t *testing.T, server int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !b.ready[server].Load(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the server isn't ready")
		}
	}
}

func TestNoRequestFailsWhileServersBehindABalancerRestart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	config := filepath.Join(folder, "cairn.yaml")
	port, err := freeports.Find(t.Context(), 2) // the ports that the system picks are those of clients, too
	noError(t, err)
	addresses := []string{net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), net.JoinHostPort("127.0.0.1", strconv.Itoa(port+1))}
	b := newBalancer(t, addresses)
	front := httptest.NewServer(b)
	t.Cleanup(front.Close)
	noError(t, os.WriteFile(config, []byte(`
database_url: sqlite:`+filepath.Join(folder, "cairn.db")+`
public_url: `+front.URL+`
session_url: http://{kind}-{id}.localhost:8081
oidc: {issuer: "https://login.example.org"}
sessions: {engines: [{name: hub, kind: jupyterhub, url: "http://127.0.0.1:1", token_file: `+filepath.Join(folder, "token")+`}]}
limits: {anonymous: {rate: 0}}
log: {level: error}
`), 0o600))
	noError(t, os.WriteFile(filepath.Join(folder, "token"), []byte("token"), 0o600))
	start := func(server int) *process {
		return serve(t, func(*exec.Cmd) {}, "--config", config, "--data", filepath.Join(folder, strconv.Itoa(server)),
			"--listen", addresses[server], "--session-listen", "127.0.0.1:0")
	}
	servers := []*process{start(0), start(1)}
	b.waitUntilReady(t, 0)
	b.waitUntilReady(t, 1)
	sent, stop := load(t, 200, front.URL+"/", front.URL+"/api/v1/rf/resources/public?pageSize=3", front.URL+"/api/v1/rf/config")
	for i, server := range servers {
		waitFor(50, sent)
		server.signal(syscall.SIGTERM)
		if err := server.command.Wait(); err != nil {
			t.Errorf("server %d ended with %v", i, err)
		}
		waitFor(50, sent) // to the other one
		servers[i] = start(i)
		b.waitUntilReady(t, i)
	}
	waitFor(50, sent)
	if failures := stop(); len(failures) > 0 {
		t.Errorf("%d of %d requests failed, the first with: %v", len(failures), sent.Load(), failures[0])
	}
}
