// Package transport sends HTTP requests to a single server with little work for each.
package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	maxIdle    = 16          // connections kept for the next requests: each uses one of our files and one of the server's
	idleTime   = time.Minute // how long they are kept
	maxHead    = 1 << 20     // bytes of an answer's headers, interim answers included
	bufferSize = 4 << 10     // bytes, as in http.Transport
)

// Transport sends requests to one server, over connections that it keeps. A request without a body is written, and its
// answer read, by the goroutine that asks. All others go through http.Transport, over connections of their own: it passes
// each request to two goroutines of the connection and back, which would cost small requests a third more processor time.
type Transport struct {
	dial   func(context.Context) (net.Conn, error)
	others *http.Transport

	mu    sync.Mutex
	idle  []*connection // the first has been idle longest
	sweep *time.Timer   // closes connections that have been idle for idleTime; nil: nothing to close
}

// New returns a transport to the server that dial connects to, whatever the addresses of the requests are.
func New(dial func(context.Context) (net.Conn, error)) *Transport {
	return &Transport{dial: dial, others: &http.Transport{
		DialContext:  func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		MaxIdleConns: maxIdle, MaxIdleConnsPerHost: maxIdle, IdleConnTimeout: idleTime, DisableCompression: true,
	}}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if !onlyAsks(request) {
		return t.others.RoundTrip(request)
	}
	for ctx := request.Context(); ; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		used, err := t.take(ctx)
		if err != nil {
			return nil, causeOf(ctx, err)
		}
		response, err := used.exchange(request)
		if err == nil || !used.stale() {
			return response, err
		}
	}
}

// onlyAsks reports whether a request may be sent again, and needs nothing but its headers and one answer.
func onlyAsks(request *http.Request) bool {
	return (request.Method == http.MethodGet || request.Method == http.MethodHead) && (request.Body == nil || request.Body == http.NoBody) &&
		request.Header.Get("Upgrade") == "" && request.Header.Get("Expect") == "" && !request.Close
}

// causeOf returns why a context has ended, or else the error.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// CloseIdleConnections closes the connections that nothing is using.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closeIdle(time.Now())
	t.others.CloseIdleConnections()
}

// closeIdle closes the connections that have been idle since a time, or longer.
func (t *Transport) closeIdle(since time.Time) {
	kept := slices.IndexFunc(t.idle, func(c *connection) bool { return c.idleSince.After(since) })
	if kept < 0 {
		kept = len(t.idle)
	}
	for _, old := range t.idle[:kept] {
		_ = old.Close()
	}
	t.idle = slices.Delete(t.idle, 0, kept)
}

// take returns the connection that was used last, or a new one.
func (t *Transport) take(ctx context.Context) (*connection, error) {
	for {
		kept := t.last()
		if kept == nil {
			break
		}
		if kept.quiet() {
			return kept, nil
		}
		_ = kept.Close()
	}
	dialed, err := t.dial(ctx)
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: dialed, of: t, incoming: io.LimitedReader{R: dialed}, writer: bufio.NewWriterSize(dialed, bufferSize)}
	c.reader = bufio.NewReaderSize(&c.incoming, bufferSize)
	if system, ok := dialed.(syscall.Conn); ok {
		if c.system, err = system.SyscallConn(); err != nil {
			_ = c.Close()
			return nil, err
		}
	}
	return c, nil
}

// last takes the connection that was used last from those that are kept; nil: there is none.
func (t *Transport) last() *connection {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.idle) == 0 {
		return nil
	}
	end := len(t.idle) - 1
	kept := t.idle[end]
	t.idle = slices.Delete(t.idle, end, end+1)
	return kept
}

// keep keeps a connection whose last answer was read.
func (t *Transport) keep(c *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.idle) == maxIdle {
		_ = c.Close()
		return
	}
	c.idleSince = time.Now()
	t.idle = append(t.idle, c)
	if t.sweep == nil {
		t.sweep = time.AfterFunc(idleTime, t.closeOld)
	}
}

func (t *Transport) closeOld() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.closeIdle(now.Add(-idleTime))
	if t.sweep = nil; len(t.idle) > 0 {
		t.sweep = time.AfterFunc(idleTime-now.Sub(t.idle[0].idleSince), t.closeOld)
	}
}

// connection carries one request at a time.
type connection struct {
	net.Conn

	of        *Transport
	system    syscall.RawConn  // of Conn; nil: it has none
	incoming  io.LimitedReader // of Conn: a server could send headers without end
	reader    *bufio.Reader    // of incoming
	writer    *bufio.Writer
	idleSince time.Time // zero: not used before
}

// quiet reports whether nothing has come while the connection was idle: neither its end nor something that nobody asked for.
func (c *connection) quiet() bool {
	if c.system == nil {
		return true
	}
	quiet := false
	err := c.system.Control(func(descriptor uintptr) {
		events, err := unix.Poll([]unix.PollFd{{Fd: int32(descriptor), Events: unix.POLLIN}}, 0)
		quiet = err == nil && events == 0
	})
	return err == nil && quiet
}

// stale reports whether an exchange failed because the server had closed a connection that was idle: nothing came back.
func (c *connection) stale() bool { return !c.idleSince.IsZero() && c.incoming.N == maxHead }

var (
	errUpgraded = errors.New("the server upgraded a connection that was not to be upgraded")
	errLongHead = fmt.Errorf("the headers of the server's answer are longer than %d bytes", maxHead)
)

// exchange sends a request and returns the answer, whose body gives the connection back when it has been read to its end.
// After an error, the connection is closed.
func (c *connection) exchange(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	unfollow := context.AfterFunc(ctx, func() { _ = c.Close() })
	c.incoming.N = maxHead
	response, err := c.ask(request)
	if err != nil {
		unfollow()
		_ = c.Close()
		if c.incoming.N == 0 {
			err = errLongHead
		}
		return nil, causeOf(ctx, err)
	}
	c.incoming.N = math.MaxInt64
	response.Body = &answerBody{ReadCloser: response.Body, ctx: ctx, end: func(whole bool) {
		if unfollow() && whole && !response.Close && c.reader.Buffered() == 0 {
			c.of.keep(c)
			return
		}
		_ = c.Close()
	}}
	return response, nil
}

func (c *connection) ask(request *http.Request) (*http.Response, error) {
	if err := request.Write(c.writer); err != nil {
		return nil, err
	}
	if err := c.writer.Flush(); err != nil {
		return nil, err
	}
	for {
		response, err := http.ReadResponse(c.reader, request)
		switch {
		case err != nil:
			return nil, err
		case response.StatusCode == http.StatusSwitchingProtocols:
			return nil, errUpgraded
		case response.StatusCode >= http.StatusOK:
			return response, nil
		}
	}
}

// answerBody ends its exchange once, when it was read to its end, failed or was closed.
type answerBody struct {
	io.ReadCloser

	ctx  context.Context
	once sync.Once
	end  func(whole bool)
}

func (b *answerBody) finish(whole bool) { b.once.Do(func() { b.end(whole) }) }

// Read implements io.Reader.
func (b *answerBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if err == nil {
		return n, nil
	}
	whole := errors.Is(err, io.EOF)
	b.finish(whole)
	if !whole {
		err = causeOf(b.ctx, err)
	}
	return n, err
}

// Close implements io.Closer. It doesn't read what is left, which may be long.
func (b *answerBody) Close() error {
	b.finish(false)
	_ = b.ReadCloser.Close() // says that the connection is closed
	return nil
}
