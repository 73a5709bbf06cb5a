package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// heldFile is a file whose reading waits until it is let go.
type heldFile struct {
	*bytes.Reader

	begun, proceed chan struct{}
	closed         sync.WaitGroup
}

func (f *heldFile) Read(into []byte) (int, error) {
	f.begun <- struct{}{}
	<-f.proceed
	return f.Reader.Read(into)
}

func (f *heldFile) Close() error {
	f.closed.Done()
	return nil
}

// Callers without an account share their downloads, and one address has a part of them. Nobody waits for the others who has
// an account, and what has ended makes room.
func TestStrangersShareTheirDownloads(t *testing.T) {
	t.Parallel()
	api := httpapi.New(httpapi.Options{
		Authenticate: func(r *http.Request, _ bool) (context.Context, error) { return r.Context(), nil },
		SignedIn:     func(ctx context.Context) bool { return ctx.Value(http.ServerContextKey) != nil },
		Logger:       slog.New(slog.DiscardHandler),
	})
	file := &heldFile{begun: make(chan struct{}, 1), proceed: make(chan struct{})}
	httpapi.Register(api, httpapi.Public, huma.Operation{OperationID: "file", Method: http.MethodGet, Path: "/file"}, func(context.Context, *struct{}) (*huma.StreamResponse, error) {
		file.closed.Add(1)
		one := &heldFile{Reader: bytes.NewReader([]byte("content")), begun: file.begun, proceed: file.proceed}
		return api.Send(httpapi.Download{ReadSeeker: one, Closer: file, Name: "a.txt", Kind: "text/plain", Tag: `"tag"`}, nil)
	})
	handler := api.Handler()
	ask := func(address string, account bool) *httptest.ResponseRecorder {
		request, answer := httptest.NewRequestWithContext(t.Context(), http.MethodGet, httpapi.Base+"/file", nil), httptest.NewRecorder()
		if account {
			request = request.WithContext(context.WithValue(t.Context(), http.ServerContextKey, true))
		}
		request.RemoteAddr = address
		handler.ServeHTTP(answer, request)
		return answer
	}
	var under sync.WaitGroup
	hold := func(address string, account bool) {
		under.Go(func() {
			if answer := ask(address, account); answer.Code != http.StatusOK || answer.Body.String() != "content" {
				t.Errorf("%s gets %d: %s", address, answer.Code, answer.Body)
			}
		})
		<-file.begun
	}
	refused := func(what, address string) {
		if answer := ask(address, false); answer.Code != http.StatusServiceUnavailable || answer.Header().Get("Retry-After") == "" || answer.Header().Get("ETag") != "" {
			t.Errorf("%s it is answered %d, %v", what, answer.Code, answer.Header())
		}
	}
	for i := range 16 {
		hold("[2001:db8::1]:"+strconv.Itoa(i+1), false)
	}
	refused("Beyond what one network may have", "[2001:db8::2]:1")
	hold("[2001:db8::2]:1", true)
	for i := range 128 - 16 {
		hold("192.0.2."+strconv.Itoa(i+1)+":1", false)
	}
	refused("Beyond what all may have", "198.51.100.1:1")
	hold("198.51.100.1:1", true)
	close(file.proceed)
	go func() {
		for range file.begun {
		}
	}()
	under.Wait()
	file.closed.Wait()
	if answer := ask("198.51.100.1:1", false); answer.Code != http.StatusOK {
		t.Errorf("When all have ended it is answered %d", answer.Code)
	}
	close(file.begun)
}

// What can't be sent to its end breaks the connection.
func TestStreamsThatFailAreCut(t *testing.T) {
	t.Parallel()
	api := httpapi.New(httpapi.Options{
		Authenticate: func(r *http.Request, _ bool) (context.Context, error) { return r.Context(), nil },
		SignedIn:     func(context.Context) bool { return false },
		Logger:       slog.New(slog.DiscardHandler),
	})
	ended := make(chan struct{}, 1)
	httpapi.Register(api, httpapi.Public, huma.Operation{OperationID: "zip", Method: http.MethodGet, Path: "/zip"}, func(context.Context, *struct{}) (*huma.StreamResponse, error) {
		return api.Stream(func() { ended <- struct{}{} }, func(w http.ResponseWriter, _ *http.Request) error {
			httpapi.Attach(w.Header(), "a.zip", "application/json") // which isn't held back
			_, err := io.WriteString(w, "a part")
			return errors.Join(err, io.ErrUnexpectedEOF)
		}), nil
	})
	server := httptest.NewServer(api.Handler())
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+httpapi.Base+"/zip", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.Client().Do(request)
	if err == nil {
		_, err = io.ReadAll(answer.Body)
		_ = answer.Body.Close()
	}
	if err == nil {
		t.Error("A part looks like the whole")
	}
	<-ended
}
