package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"cairn/internal/foundation/httpapi"
)

func TestClientAddresses(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32")}
	for name, c := range map[string]struct {
		trusted   []netip.Prefix
		peer      string
		forwarded []string
		want      string
	}{
		"nobody in between":            {trusted, "192.0.2.1:5", nil, "192.0.2.1:5"},
		"a header of a stranger":       {trusted, "192.0.2.1:5", []string{"198.51.100.7"}, "192.0.2.1:5"},
		"a proxy":                      {trusted, "10.0.0.1:5", []string{"198.51.100.7"}, "198.51.100.7:0"},
		"a chain of proxies":           {trusted, "127.0.0.1:5", []string{"198.51.100.7, 10.0.0.2", "10.0.0.3"}, "198.51.100.7:0"},
		"an address the client forged": {trusted, "10.0.0.1:5", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7:0"},
		"a header that can't be read":  {trusted, "10.0.0.1:5", []string{"198.51.100.7, unknown"}, "10.0.0.1:5"},
		"a client among the proxies":   {trusted, "10.0.0.1:5", []string{"10.0.0.9"}, "10.0.0.9:0"},
		"IPv6 and mapped addresses":    {trusted, "[::ffff:10.0.0.1]:5", []string{"2001:db8::1"}, "[2001:db8::1]:0"},
		"nobody is trusted":            {nil, "127.0.0.1:5", []string{"198.51.100.7"}, "127.0.0.1:5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
			request.RemoteAddr, request.Header["X-Forwarded-For"] = c.peer, c.forwarded
			httpapi.ClientAddresses(c.trusted, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if r.RemoteAddr != c.want {
					t.Errorf("got %s, want %s", r.RemoteAddr, c.want)
				}
			})).ServeHTTP(httptest.NewRecorder(), request)
		})
	}
}

func TestOneHouseholdIsOneNetwork(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1", "[::ffff:192.0.2.1]:80": "192.0.2.1", "[2001:db8::1:2:3:4]:80": "2001:db8::/64",
		"[fe80::2%eth0]:5": "fe80::/64", "odd": "odd",
	} {
		if got := httpapi.ClientNetwork(remote); got != want {
			t.Errorf("%s counts as %s, want %s", remote, got, want)
		}
	}
}
