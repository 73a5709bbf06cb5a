package page

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// firstData is written into the document: what the page would ask first as somebody who is not signed in, and the
// answer. The page uses it for exactly that request and asks for anything else itself, so a difference between the two
// sides costs a request and nothing more.
type firstData struct {
	Request string          `json:"request"`
	Answer  json.RawMessage `json:"answer"`
}

// firstDataTime is how long a document waits for its data; after that the page asks.
const firstDataTime = 500 * time.Millisecond

// firstAnswer is what the API answers anybody to a request; the zero value where nothing is asked.
type firstAnswer struct {
	request string
	status  int
	body    []byte
}

// noStatus is that of a request that was not made.
const noStatus = 0

// ask creates the first request of a page. Whoever wants the document, it is made as nobody: what is private stays out.
func (s *Server) ask(ctx context.Context, request string) firstAnswer {
	if request == "" {
		return firstAnswer{}
	}
	ctx, cancel := context.WithTimeout(ctx, firstDataTime)
	defer cancel()
	call, err := http.NewRequestWithContext(ctx, http.MethodGet, request, http.NoBody) //nolint:gosec // it goes to our own handler, not to the network
	if err != nil {
		return firstAnswer{}
	}
	answer := &heldAnswer{header: http.Header{}, status: http.StatusOK}
	s.options.Calls.ServeHTTP(answer, call)
	return firstAnswer{request, answer.status, answer.body.Bytes()}
}

// data returns it as JSON that no script element ends in; nil where it is no success.
func (a firstAnswer) data() []byte {
	if a.status != http.StatusOK {
		return nil
	}
	// Marshal writes <, > and & of the raw answer as escapes too.
	data, err := json.Marshal(firstData{Request: a.request, Answer: a.body})
	if err != nil {
		return nil
	}
	return data
}

// heldAnswer keeps the answer to a call that the server makes of itself.
type heldAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *heldAnswer) Header() http.Header               { return w.header }
func (w *heldAnswer) WriteHeader(status int)            { w.status = status }
func (w *heldAnswer) Write(content []byte) (int, error) { return w.body.Write(content) }
