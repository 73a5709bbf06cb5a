package httpapi_test

import (
	"net/http"
	"testing"

	"cairn/internal/foundation/httpapi"
)

func TestWhoMayCall(t *testing.T) {
	for path, want := range map[string]map[string]int{
		"/public": {"": 200, goodToken: 200, "Bearer bad": 401, "Basic x": 401, downToken: 503},
		"/open":   {"": 200, goodToken: 200, "Bearer bad": 200, "Basic x": 200, downToken: 200},
		"/own":    {"": 401, goodToken: 200, "Bearer bad": 401, "Basic x": 401, downToken: 503},
	} {
		for token, status := range want {
			headers := []string{}
			if token != "" {
				headers = append(headers, "Authorization", token)
			}
			answer := get(t, path, headers...)
			if answer.Code != status {
				t.Errorf("%s with %q: %d, want %d", path, token, answer.Code, status)
			}
			if (status == http.StatusUnauthorized) != (answer.Header().Get("WWW-Authenticate") != "") {
				t.Errorf("%s with %q: WWW-Authenticate %q", path, token, answer.Header().Get("WWW-Authenticate"))
			}
			if status >= http.StatusBadRequest {
				problem(t, answer, status)
			}
		}
	}
}

func TestStrangersLearnNothingFromErrorsAboutTheirInput(t *testing.T) {
	problem(t, get(t, "/own?count=many&kind=c"), http.StatusUnauthorized)
	problem(t, call(t, http.MethodPost, httpapi.Base+"/things", "{broken"), http.StatusUnauthorized)
	problem(t, call(t, http.MethodPost, httpapi.Base+"/things", `{"name": ""}`, "Authorization", "Bearer bad"), http.StatusUnauthorized)
}

func TestUnavailableProviderSaysWhenToComeBack(t *testing.T) {
	if after := get(t, "/own", "Authorization", downToken).Header().Get("Retry-After"); after != "2" {
		t.Errorf("Retry-After %q, want whole seconds, rounded up", after)
	}
	if after := get(t, "/late").Header().Get("Retry-After"); after == "" {
		t.Error("a 503 without Retry-After")
	}
}

func TestCORSIsForConfiguredOriginsOnly(t *testing.T) {
	for _, origin := range []string{"https://evil.example", "https://portal.example.org.evil.example", "http://portal.example.org", "null"} {
		answer := get(t, "/public", "Origin", origin)
		if allowed := answer.Header().Get("Access-Control-Allow-Origin"); allowed != "" {
			t.Errorf("%s is allowed as %q", origin, allowed)
		}
	}
	answer := get(t, "/public", "Origin", pageOrigin)
	header := answer.Header()
	if header.Get("Access-Control-Allow-Origin") != pageOrigin || header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("got %v", header)
	}
	if exposed := header.Get("Access-Control-Expose-Headers"); exposed != "Etag, Repr-Digest, Retry-After, Ratelimit-Limit, Ratelimit-Remaining, Ratelimit-Reset" {
		t.Errorf("exposes %q", exposed)
	}
	problem(t, get(t, "/own", "Origin", pageOrigin), http.StatusUnauthorized)
	if got := get(t, "/own", "Origin", pageOrigin).Header().Get("Access-Control-Allow-Origin"); got != pageOrigin {
		t.Error("an error answer cannot be read by the page of a configured origin")
	}
}

func TestPreflight(t *testing.T) {
	preflight := func(method, header string) http.Header {
		return call(t, http.MethodOptions, httpapi.Base+"/own", "", "Origin", pageOrigin,
			"Access-Control-Request-Method", method, "Access-Control-Request-Headers", header).Header()
	}
	for _, name := range []string{
		"authorization", "x-claims", "content-type", "cache-control", "pragma", "expires", "if-none-match", "idempotency-key",
	} {
		header := preflight(http.MethodGet, name)
		if header.Get("Access-Control-Allow-Headers") != name || header.Get("Access-Control-Max-Age") != "600" {
			t.Errorf("%s: got %v", name, header)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if got := preflight(method, "authorization").Get("Access-Control-Allow-Methods"); got != method {
			t.Errorf("%s: allowed %q", method, got)
		}
	}
	for _, refused := range []http.Header{preflight(http.MethodGet, "x-other"), preflight("TRACE", "authorization")} {
		if refused.Get("Access-Control-Allow-Headers") != "" || refused.Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("got %v, want nothing allowed", refused)
		}
	}
}
