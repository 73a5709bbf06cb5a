package page

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// firstData is embedded in the document: the page's first anonymous request and its answer. The page uses it for
// exactly that request and sends any other itself, so a mismatch between the two sides only costs a request.
type firstData struct {
	Request string          `json:"request"`
	Answer  json.RawMessage `json:"answer"`
}

// firstDataTimeout is how long a document waits for its data; after that the page sends the request itself.
const firstDataTimeout = 500 * time.Millisecond

// firstAnswer is the API's answer to an anonymous request; the zero value if none was sent.
type firstAnswer struct {
	request string
	status  int
	body    []byte
}

// noStatus is the status of a request that wasn't sent.
const noStatus = 0

// ask sends the first request of a page, always anonymously, so that nothing private gets into a document.
func (s *Server) ask(ctx context.Context, request string) firstAnswer {
	if request == "" {
		return firstAnswer{}
	}
	ctx, cancel := context.WithTimeout(ctx, firstDataTimeout)
	defer cancel()
	call, err := http.NewRequestWithContext(ctx, http.MethodGet, request, http.NoBody) //nolint:gosec // it goes to our own handler, not to the network
	if err != nil {
		return firstAnswer{}
	}
	answer := &recordedAnswer{header: http.Header{}, status: http.StatusOK}
	s.options.Calls.ServeHTTP(answer, call)
	return firstAnswer{request, answer.status, answer.body.Bytes()}
}

// data returns it as JSON that can't end a script element; nil unless it succeeded.
func (a firstAnswer) data() []byte {
	if a.status != http.StatusOK {
		return nil
	}
	// Marshal also escapes <, > and & in the raw answer.
	data, err := json.Marshal(firstData{Request: a.request, Answer: a.body})
	if err != nil {
		return nil
	}
	return data
}

// recordedAnswer records the answer to a call that the server makes to itself.
type recordedAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recordedAnswer) Header() http.Header               { return w.header }
func (w *recordedAnswer) WriteHeader(status int)            { w.status = status }
func (w *recordedAnswer) Write(content []byte) (int, error) { return w.body.Write(content) }
