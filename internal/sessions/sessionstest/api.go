package sessionstest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
)

// API is the calls behind the real edge; the header Test-Caller stands for an access token of that person.
func (w *World) API() http.Handler {
	w.T.Helper()
	api := httpapi.New(httpapi.Options{
		Version: "1", Logger: w.Options.Logger,
		SignedIn: func(ctx context.Context) bool { _, ok := identity.From(ctx); return ok },
		Authenticate: func(request *http.Request, _ bool) (context.Context, error) {
			name := request.Header.Get("Test-Caller")
			if name == "" {
				return request.Context(), nil
			}
			return identity.With(request.Context(), w.Person(name)), nil
		},
	})
	w.Server.Routes(api)
	return api.Handler()
}

// APIAs is the calls as one caller makes them, whose account costs no query.
func (w *World) APIAs(caller identity.Caller) http.Handler {
	api := httpapi.New(httpapi.Options{
		Version: "1", Logger: w.Options.Logger, SignedIn: func(context.Context) bool { return true },
		Authenticate: func(request *http.Request, _ bool) (context.Context, error) {
			return identity.With(request.Context(), caller), nil
		},
	})
	w.Server.Routes(api)
	return api.Handler()
}

// Call creates a request as the clients do that exist already: with a JSON content type and "{}" on everything.
func Call(handler http.Handler, method, path, caller string, headers ...string) *httptest.ResponseRecorder {
	return Send(handler, method, path, caller, "{}", headers...)
}

// Send is Call with a body of JSON; "" for none.
func Send(handler http.Handler, method, path, caller, body string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, httpapi.Base+path, strings.NewReader(body))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if caller != "" {
		request.Header.Set("Test-Caller", caller)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer
}

// Decode reads the JSON of an answer.
func Decode[T any](t *testing.T, answer *httptest.ResponseRecorder) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(answer.Body.Bytes(), &value); err != nil {
		t.Fatalf("%d %s: %v", answer.Code, answer.Body, err)
	}
	return value
}

// WantStatus checks the status of an answer.
func (w *World) WantStatus(what string, answer *httptest.ResponseRecorder, status int) {
	w.T.Helper()
	if answer.Code != status {
		w.T.Errorf("%s: got %d %s, want %d", what, answer.Code, strings.TrimSpace(answer.Body.String()), status)
	}
}
