package httpapi_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"
)

// A body of which one byte came holds a connection: on calls, on the page, and where nobody reads it.
func TestStalledBodiesEnd(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"read":   func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) },
		"unread": func(http.ResponseWriter, *http.Request) {},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(httpapi.EndStalledBodies(50*time.Millisecond, handler))
				t.Cleanup(server.Close)
				connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = connection.Close() })
				_, _ = fmt.Fprintf(connection, "%s / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx", method)
				_, _ = io.Copy(io.Discard, connection) // returns when the server has closed it
			})
		}
	}
}

// deadlines notes the read deadlines of its connection.
type deadlines struct {
	*httptest.ResponseRecorder

	set []bool
}

func (d *deadlines) SetReadDeadline(deadline time.Time) error {
	d.set = append(d.set, !deadline.IsZero())
	return nil
}

// The deadline of a body must not end the request once the body is there, whoever set it; until then that of a handler counts.
func TestABodyThatArrivedHasNoDeadline(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    []bool
	}{
		"read":             {func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }, []bool{true, true, true, false}},
		"empty":            {func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }, []bool{false}},
		"empty and unread": {func(http.ResponseWriter, *http.Request) {}, nil},
		"read under a deadline of the handler": {func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now())
			_, _ = io.Copy(io.Discard, r.Body)
		}, []bool{true, true, false}},
		"empty, read under a deadline of the handler": {func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now())
			_, _ = io.Copy(io.Discard, r.Body)
		}, []bool{true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "all of it"
			if strings.HasPrefix(name, "empty") {
				text = ""
			}
			noted := &deadlines{ResponseRecorder: httptest.NewRecorder()}
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(text))
			httpapi.EndStalledBodies(time.Minute, c.handler).ServeHTTP(noted, request)
			if !slices.Equal(noted.set, c.want) {
				t.Errorf("set and cleared %v, want %v", noted.set, c.want)
			}
		})
	}
}
