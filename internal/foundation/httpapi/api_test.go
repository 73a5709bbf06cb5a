package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

const (
	goodToken   = "Bearer good"
	downToken   = "Bearer provider-down"
	pageOrigin  = "https://portal.example.org"
	publicURL   = "https://cairn.example.org"
	secretCause = "password=hunter2"
)

type callerKey struct{}

type thing struct {
	Name   string   `json:"name" minLength:"1" maxLength:"10"`
	Count  int      `json:"count,omitempty"`
	List   []string `json:"list,omitempty" maxItems:"3"`
	Color  string   `json:"color,omitempty" enum:"red,green"`
	Code   string   `json:"code,omitempty" pattern:"^[A-Z]+$"`
	ID     string   `json:"id,omitempty" format:"uuid"`
	Fine   bool     `json:"fine,omitempty"`
	People []struct {
		Name  string `json:"name" maxLength:"10"`
		Orcid string `json:"orcid"`
	} `json:"people,omitempty"`
}

type thingOutput struct{ Body thing }

// newHandler returns an API with one operation of each kind that logs to log.
func newHandler(log io.Writer) http.Handler { return newLimitedHandler(log, nil, nil) }

func newLimitedHandler(log io.Writer, anonymous *httpapi.RateLimit, now func() time.Time) http.Handler {
	return newHandlerWith(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), anonymous, now)
}

func newLoggingHandler(logger *slog.Logger) http.Handler { return newHandlerWith(logger, nil, nil) }

func newHandlerWith(logger *slog.Logger, anonymous *httpapi.RateLimit, now func() time.Time) http.Handler {
	api := httpapi.New(httpapi.Options{
		Version: "1", AllowedOrigins: []string{pageOrigin}, Logger: logger, Anonymous: anonymous, Now: now,
		Authenticate: func(r *http.Request, optional bool) (context.Context, error) {
			switch header := r.Header.Get("Authorization"); {
			case header == "" || optional:
				return r.Context(), nil
			case header == goodToken:
				return context.WithValue(r.Context(), callerKey{}, true), nil
			case header == downToken:
				down := fault.Wrap(errors.New(secretCause), fault.ProviderUnavailable, "The provider is down.")
				down.RetryAfter, down.Progress, down.Missing = 1500*time.Millisecond, new(0.25), []string{"a"}
				return r.Context(), down
			default:
				return r.Context(), fault.New(fault.Unauthenticated, "Please sign in again.")
			}
		},
		SignedIn:  func(ctx context.Context) bool { return ctx.Value(callerKey{}) != nil },
		PublicURL: publicURL, Frame: func() httpapi.Frame {
			return httpapi.Frame{Product: "Hill & Dale", Columns: []httpapi.FrameColumn{{Title: "About", Links: []httpapi.FrameLink{{Text: "Help", Href: "/help"}}}}}
		},
	})
	add := func(access httpapi.Access, method, path string, answer func() (*thingOutput, error)) {
		httpapi.Register(api, access, huma.Operation{
			OperationID: method + path, Method: method, Path: path, Tags: []string{"Things"}, Summary: "A <thing>",
		}, func(context.Context, *struct {
			Count int    `query:"count" minimum:"0" maximum:"100"`
			Kind  string `query:"kind" enum:"a,b"`
		},
		) (*thingOutput, error) {
			return answer()
		})
	}
	fine := func() (*thingOutput, error) { return &thingOutput{Body: thing{Name: "fine"}}, nil }
	add(httpapi.Public, http.MethodGet, "/public", fine)
	add(httpapi.Public, http.MethodGet, "/long", func() (*thingOutput, error) {
		return &thingOutput{Body: thing{Name: strings.Repeat("a long thing ", 1000)}}, nil
	})
	add(httpapi.Open, http.MethodGet, "/open", fine)
	add(httpapi.SignedIn, http.MethodGet, "/own", fine)
	add(httpapi.Public, http.MethodGet, "/panic", func() (*thingOutput, error) { panic(secretCause) })
	add(httpapi.Public, http.MethodGet, "/broken", func() (*thingOutput, error) { return nil, errors.New(secretCause) })
	add(httpapi.Public, http.MethodGet, "/late", func() (*thingOutput, error) { return nil, context.DeadlineExceeded })
	add(httpapi.Public, http.MethodGet, "/wrapped", func() (*thingOutput, error) {
		return nil, fault.Wrap(errors.New(secretCause), fault.Conflict, "It is there already.")
	})
	add(httpapi.Public, http.MethodGet, "/limit", func() (*thingOutput, error) {
		return nil, fault.New(fault.SessionLimit, "You have enough.")
	})
	add(httpapi.Public, http.MethodGet, "/lost", func() (*thingOutput, error) {
		lost := fault.Wrap(errors.New(secretCause), fault.DatabaseUnavailable, "The database is away.")
		lost.RetryAfter = 2 * time.Second
		return nil, lost
	})
	add(httpapi.Public, http.MethodGet, "/interrupted", func() (*thingOutput, error) {
		return nil, fmt.Errorf("%s: %w", secretCause, context.Canceled)
	})
	add(httpapi.Public, http.MethodGet, "/invalid", func() (*thingOutput, error) {
		return nil, fault.InvalidField("query.kind", "This kind is unknown.")
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "make", Method: http.MethodPost, Path: "/things", Tags: []string{"Things"}, DefaultStatus: http.StatusCreated,
		MaxBodyBytes: 1000,
	}, func(_ context.Context, input *struct{ Body thing }) (*thingOutput, error) {
		return &thingOutput{Body: input.Body}, nil
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "change", Method: http.MethodPatch, Path: "/things/{id}", Tags: []string{"Things"},
	}, func(context.Context, *struct {
		ID   string `path:"id"`
		Kind string `query:"kind" enum:"a,b" required:"true"`
	},
	) (*thingOutput, error) {
		return fine()
	})
	return httpapi.Observe(logger, time.Now, nil, api.Handler())
}

// call calls a new API; headers are pairs of name and value.
func call(t *testing.T, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	newHandler(io.Discard).ServeHTTP(answer, request)
	return answer
}

func get(t *testing.T, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	return call(t, http.MethodGet, httpapi.Base+path, "", headers...)
}

// problem reads an error answer and checks what all of them have in common.
func problem(t *testing.T, answer *httptest.ResponseRecorder, status int) httpapi.Problem {
	t.Helper()
	if answer.Code != status {
		t.Fatalf("status %d, want %d: %s", answer.Code, status, answer.Body)
	}
	if kind := answer.Header().Get("Content-Type"); kind != "application/problem+json" {
		t.Errorf("content type %q", kind)
	}
	var raw map[string]any
	var result httpapi.Problem
	if err := errors.Join(json.Unmarshal(answer.Body.Bytes(), &raw), json.Unmarshal(answer.Body.Bytes(), &result)); err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	for _, name := range []string{"type", "title", "status", "code", "detail", "message", "errors", "requestId"} {
		if raw[name] == nil {
			t.Errorf("%s is missing or null: %s", name, answer.Body)
		}
	}
	if result.Status != status || result.Title != http.StatusText(status) || result.Detail == "" || result.Message != result.Detail {
		t.Errorf("got %+v", result)
	}
	if result.RequestID == "" || result.RequestID != answer.Header().Get("X-Request-Id") {
		t.Errorf("request id %q, header %q", result.RequestID, answer.Header().Get("X-Request-Id"))
	}
	if strings.Contains(answer.Body.String(), secretCause) {
		t.Errorf("the cause is shown: %s", answer.Body)
	}
	return result
}
