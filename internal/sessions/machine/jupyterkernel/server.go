// Package jupyterkernel speaks to the kernels of a Jupyter server as a browser tab does: it calls the server's API, and
// exchanges messages with kernels over a websocket. Servers and kernels run the code of users: redirects aren't followed,
// and of no answer more than a bounded part is kept.
package jupyterkernel

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"
)

// Server is a way to a Jupyter server.
type Server struct {
	URL    string       // where its paths begin, with a slash at the end
	Header http.Header  // goes with every request, such as Authorization
	Client *http.Client // reaches the server
	Limit  int64        // the most bytes of an answer that are read; 0: 8 MiB
}

// NewServer returns the way to a server that answers at an address over a transport, with this Authorization.
func NewServer(address *url.URL, authorization string, transport http.RoundTripper) Server {
	return Server{URL: address.String(), Header: http.Header{"Authorization": {authorization}}, Client: &http.Client{Transport: transport}}
}

// Kernel is a kernel that a server started for a file.
type Kernel struct {
	ID   string
	Path string // of the file, as the server's API writes it
}

// StatusError is an answer of a server that refuses.
type StatusError struct {
	Status  int
	Message string // the server's own words, or the beginning of what it answered
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("the server answered %d: %s", e.Status, e.Message)
}

// StatusOf returns the status of a StatusError; zero for other errors.
func StatusOf(err error) int {
	if refused, ok := errors.AsType[*StatusError](err); ok {
		return refused.Status
	}
	return 0
}

// MessageOf returns the message of a StatusError; "" for other errors.
func MessageOf(err error) string {
	if refused, ok := errors.AsType[*StatusError](err); ok {
		return refused.Message
	}
	return ""
}

// ErrTooLarge is the error for an answer with more bytes than are read.
var ErrTooLarge = errors.New("the server's answer is too large")

// answerLimit is the most bytes of an answer that are read, unless a server has another limit.
const answerLimit = 8 << 20

func (s Server) client() *http.Client {
	own := *s.Client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// Call sends a request with a JSON body, unless body is nil, and reads the JSON answer unless answer is nil. A refusal is
// a StatusError.
func (s Server) Call(ctx context.Context, method, path string, body, answer any) error {
	var sent io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, sent)
	if err != nil {
		return err
	}
	maps.Copy(request.Header, s.Header)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := s.client().Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	most := cmp.Or(s.Limit, answerLimit)
	content, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	switch {
	case err != nil:
		return err
	case int64(len(content)) > most:
		return ErrTooLarge
	case response.StatusCode < 200 || response.StatusCode > 299:
		var said struct{ Message string }
		if json.Unmarshal(content, &said) != nil || said.Message == "" {
			said.Message = string(content)
		}
		return &StatusError{Status: response.StatusCode, Message: fmt.Sprintf("%.300s", said.Message)}
	case answer == nil:
		return nil
	}
	return json.Unmarshal(content, answer)
}

// Start starts a kernel by its name for a file, which need not exist: the kernel begins in the file's folder. If the
// server has a kernel for this path already, it is that one.
func (s Server) Start(ctx context.Context, name, path string) (Kernel, error) {
	wish := map[string]any{"path": path, "name": path, "type": "notebook", "kernel": map[string]string{"name": name}}
	var made struct{ Kernel struct{ ID string } }
	if err := s.Call(ctx, http.MethodPost, "api/sessions", wish, &made); err != nil {
		return Kernel{}, err
	}
	if made.Kernel.ID == "" {
		return Kernel{}, errors.New("the server names no kernel")
	}
	return Kernel{ID: made.Kernel.ID, Path: path}, nil
}

// Has reports whether the server still has a kernel.
func (s Server) Has(ctx context.Context, kernel Kernel) (bool, error) {
	err := s.Call(ctx, http.MethodGet, "api/kernels/"+url.PathEscape(kernel.ID), nil, nil)
	if isGone(err) {
		return false, nil
	}
	return err == nil, err
}

// isGone reports whether a server knows nothing of what it was asked about, or nothing any more.
func isGone(err error) bool {
	refused, ok := errors.AsType[*StatusError](err)
	return ok && (refused.Status == http.StatusNotFound || refused.Status == http.StatusGone)
}

// Interrupt interrupts what the kernel works on.
func (s Server) Interrupt(ctx context.Context, kernel Kernel) error {
	return s.Call(ctx, http.MethodPost, "api/kernels/"+url.PathEscape(kernel.ID)+"/interrupt", nil, nil)
}

// End ends the kernel of a path, and returns when it has ended. A kernel that has already ended, or never began, is no error. While
// a server starts a kernel that died again, it can't end it, and is asked until it does or ctx ends.
func (s Server) End(ctx context.Context, path string) error {
	var sessions []struct{ ID, Path string }
	if err := s.Call(ctx, http.MethodGet, "api/sessions", nil, &sessions); err != nil {
		return err
	}
	for _, one := range sessions {
		if one.Path == path {
			return s.delete(ctx, one.ID)
		}
	}
	return nil
}

// retryEvery is how often a server that can't end a kernel is asked again.
const retryEvery = 100 * time.Millisecond

func (s Server) delete(ctx context.Context, session string) error {
	ticks := time.NewTicker(retryEvery)
	defer ticks.Stop()
	for {
		err := s.Call(ctx, http.MethodDelete, "api/sessions/"+url.PathEscape(session), nil, nil)
		refused, ok := errors.AsType[*StatusError](err)
		switch {
		case isGone(err):
			return nil
		case !ok || refused.Status < http.StatusInternalServerError:
			return err
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return err
		}
	}
}
