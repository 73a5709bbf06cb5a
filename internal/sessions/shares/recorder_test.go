package shares_test

import (
	"bytes"
	"net/http"
	"sync"
	"testing"
	"time"

	"cairn/internal/sessions"
)

// recorder is an answer that is read while it is written.
type recorder struct {
	header  http.Header
	written sessions.Broadcast

	// mu guards the field below.
	mu   sync.Mutex
	body bytes.Buffer
}

func newRecorder() *recorder { return &recorder{header: http.Header{}} }

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (r *recorder) Write(data []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.body.Write(data)
}

// Flush implements http.Flusher.
func (r *recorder) Flush() { r.written.Notify() }

// SetWriteDeadline is what http.ResponseController calls.
func (r *recorder) SetWriteDeadline(time.Time) error { return nil }

// await waits until the answer contains a text.
func (r *recorder) await(t *testing.T, text string) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	for {
		more := r.written.Next()
		r.mu.Lock()
		found := bytes.Contains(r.body.Bytes(), []byte(text))
		r.mu.Unlock()
		if found {
			return
		}
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("%q didn't come", text)
		}
	}
}
