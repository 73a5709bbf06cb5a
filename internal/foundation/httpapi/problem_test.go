package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

func TestFaultsBecomeProblems(t *testing.T) {
	if got := problem(t, get(t, "/wrapped"), http.StatusConflict); got.Detail != "It is there already." || len(got.Errors) != 0 {
		t.Errorf("got %+v", got)
	}
	for path, code := range map[string]fault.Code{
		"/wrapped": "conflict", "/limit": fault.SessionLimit, "/invalid": "invalid", "/broken": "internal", "/late": "unavailable",
		"/nothing-here": "not_found", "/own": "unauthenticated", "/public?count=many": "invalid",
	} {
		var got httpapi.Problem
		if err := json.Unmarshal(get(t, path).Body.Bytes(), &got); err != nil || got.Code != code {
			t.Errorf("%s: code %q, %v; want %q", path, got.Code, err, code)
		}
	}
	down := problem(t, get(t, "/own", "Authorization", downToken), http.StatusServiceUnavailable)
	if down.Code != fault.ProviderUnavailable || down.RetryAfter != 2 || down.Progress == nil || *down.Progress != 0.25 || len(down.Missing) != 1 {
		t.Errorf("got %+v, want what programs need to know", down)
	}
	got := problem(t, get(t, "/invalid"), http.StatusUnprocessableEntity)
	if len(got.Errors) != 1 || got.Errors[0].Location != "query.kind" {
		t.Errorf("got %+v, want the field", got)
	}
	problem(t, get(t, "/broken"), http.StatusInternalServerError)
	problem(t, get(t, "/late"), http.StatusServiceUnavailable)
	problem(t, get(t, "/nothing-here"), http.StatusNotFound)
	problem(t, call(t, http.MethodGet, "/api/nothing", ""), http.StatusNotFound)
}

func TestPanicIsAnsweredAndLogged(t *testing.T) {
	var log bytes.Buffer
	answer := httptest.NewRecorder()
	newHandler(&log).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, httpapi.Base+"/panic?q=typed", nil))
	got := problem(t, answer, http.StatusInternalServerError)
	if !strings.Contains(log.String(), secretCause) || !strings.Contains(log.String(), got.RequestID) {
		t.Errorf("the log has no cause or request id: %s", log.String())
	}
	if strings.Contains(log.String(), "q=typed") {
		t.Errorf("the log has the query: %s", log.String())
	}
}

// A page cancels a search at each key: that isn't a failure of the server.
func TestRequestsThatTheirClientAbandonedAreNoErrors(t *testing.T) {
	for _, client := range []string{"left", "still there"} {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		if client == "left" {
			leave()
		}
		var log bytes.Buffer
		answer := httptest.NewRecorder()
		newHandler(&log).ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, httpapi.Base+"/interrupted", nil))
		if failed := strings.Contains(log.String(), "level=ERROR"); failed != (client == "still there") ||
			strings.Contains(log.String(), "status=499") == failed || (answer.Code == http.StatusInternalServerError) != failed {
			t.Errorf("the client %s: %d, and the log is %s", client, answer.Code, log.String())
		}
	}
}

func TestALostDatabaseIsNoDefect(t *testing.T) {
	var log bytes.Buffer
	answer := httptest.NewRecorder()
	newHandler(&log).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, httpapi.Base+"/lost", nil))
	got := problem(t, answer, http.StatusServiceUnavailable)
	if got.Code != fault.DatabaseUnavailable || answer.Header().Get("Retry-After") != "2" {
		t.Errorf("%+v, %v", got, answer.Header())
	}
	if strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), secretCause) {
		t.Errorf("the log is %s", log.String())
	}
}

func TestInvalidValuesNameTheirField(t *testing.T) {
	for path, location := range map[string]string{
		"/public?count=many": "query.count", "/public?count=-1": "query.count", "/public?count=101": "query.count",
		"/public?count=9999999999999999999999": "query.count", "/public?kind=c": "query.kind",
	} {
		got := problem(t, get(t, path), http.StatusUnprocessableEntity)
		if len(got.Errors) != 1 || got.Errors[0].Location != location || !strings.Contains(got.Detail, strings.TrimPrefix(location, "query.")) {
			t.Errorf("%s: %+v, want a fault at %s", path, got, location)
		}
	}
	if got := problem(t, get(t, "/public?kind=c"), http.StatusUnprocessableEntity); !strings.Contains(got.Detail, "a, b") {
		t.Errorf("%q does not name the valid values", got.Detail)
	}
	for _, path := range []string{"/public?count=&kind=", "/public?unknown=1"} {
		if answer := get(t, path); answer.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
}

func TestBodies(t *testing.T) {
	post := func(body string, headers ...string) *httptest.ResponseRecorder {
		return call(t, http.MethodPost, httpapi.Base+"/things", body,
			append([]string{"Authorization", goodToken, "Content-Type", "application/json"}, headers...)...)
	}
	if answer := post(`{"name": "Grüße"}`); answer.Code != http.StatusCreated {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	if got := problem(t, post(`{broken`), http.StatusBadRequest); got.Code != "malformed" {
		t.Errorf("code %q", got.Code)
	}
	problem(t, post(``), http.StatusBadRequest)
	problem(t, post(`{"name": "x"}`, "Content-Type", "text/csv"), http.StatusUnsupportedMediaType)
	if got := problem(t, call(t, http.MethodPatch, httpapi.Base+"/things", ""), http.StatusMethodNotAllowed); got.Code != "method_not_allowed" {
		t.Errorf("code %q", got.Code)
	}
	problem(t, post(`{"name": "`+strings.Repeat("x", 2000)+`"}`), http.StatusRequestEntityTooLarge)
	for body, location := range map[string]string{
		`{"name": ""}`: "body.name", `{}`: "body.name", `{"name": {}}`: "body.name", `{"name": "x", "other": 1}`: "body.other",
		`[]`: "body",
	} {
		got := problem(t, post(body), http.StatusUnprocessableEntity)
		if len(got.Errors) == 0 || got.Errors[0].Location != location {
			t.Errorf("%s: %+v, want a fault at %s", body, got, location)
		}
	}
}

func TestBodyThatBreaksOffIsTheClientsFault(t *testing.T) {
	body := io.MultiReader(strings.NewReader(`{"name":`), iotest.ErrReader(io.ErrUnexpectedEOF))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, httpapi.Base+"/things", body)
	request.Header.Set("Authorization", goodToken)
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	newHandler(io.Discard).ServeHTTP(answer, request)
	problem(t, answer, http.StatusBadRequest)
}
