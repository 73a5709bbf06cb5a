package httpapi

import (
	"io"
	"net/http"
	"time"
)

// The limits for a client that sends a body slowly.
const (
	BodyTimeout = 10 * time.Second // without sending anything
	bodyRate    = 1 << 10          // bytes per second, on average
)

// EndStalledBodies closes the connection of a request whose body makes no progress for the timeout, even if nobody
// reads the body, or too little of it: a client that pauses uses up its time, and regains it by sending. It leaves a handler alone
// that sets a read deadline itself, until the body has been read: a deadline that passes later would end the request, and every
// other one on its connection, as if the client had left.
func EndStalledBodies(timeout time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := &progressingBody{ReadCloser: r.Body, ResponseWriter: w, timeout: timeout, left: timeout, now: time.Now, own: r.ContentLength == 0}
		body.extend(body.now())
		r = r.WithContext(r.Context()) // a copy
		r.Body = body
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r) // which may become something else, such as a WebSocket
			return
		}
		next.ServeHTTP(body, r)
	})
}

// progressingBody is the body of a request; it also wraps the ResponseWriter to notice a deadline of the handler.
type progressingBody struct {
	io.ReadCloser
	http.ResponseWriter

	timeout time.Duration // all that the client may have
	left    time.Duration
	now     func() time.Time
	own     bool // the handler set a deadline
}

// Read reads from the body.
func (b *progressingBody) Read(into []byte) (int, error) {
	began := b.now()
	b.extend(began)
	count, err := b.ReadCloser.Read(into)
	earned := time.Duration(count) * time.Second / bodyRate
	b.left = max(0, min(b.timeout, b.left+earned-b.now().Sub(began)))
	if err == io.EOF {
		// From here on the server reads to notice that the client has left, which needs no deadline.
		_ = http.NewResponseController(b.ResponseWriter).SetReadDeadline(time.Time{})
	}
	return count, err
}

func (b *progressingBody) extend(now time.Time) {
	if !b.own {
		_ = http.NewResponseController(b.ResponseWriter).SetReadDeadline(now.Add(b.left))
	}
}

// SetReadDeadline sets the deadline for the rest of the body.
func (b *progressingBody) SetReadDeadline(deadline time.Time) error {
	b.own = true
	return http.NewResponseController(b.ResponseWriter).SetReadDeadline(deadline)
}

// Unwrap lets http.ResponseController reach flushing and hijacking.
func (b *progressingBody) Unwrap() http.ResponseWriter { return b.ResponseWriter }
