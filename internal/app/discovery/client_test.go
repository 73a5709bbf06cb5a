package discovery

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Browsers know that every name below localhost is this machine, and resolvers often don't.
func TestNamesBelowLocalhostAreThisMachine(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(s.Close)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	client := &http.Client{Transport: localNames()}
	for _, name := range []string{"cairn.localhost", "a.B.LocalHost", "localhost", "127.0.0.1"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+net.JoinHostPort(name, port), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusTeapot {
			t.Errorf("%s: %d", name, response.StatusCode)
		}
	}
}
