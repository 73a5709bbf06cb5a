package localjupyter

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"cairn/internal/safehttp"
)

// TestTheProxyTunnelsToPublicAddressesAlone speaks TLS through it, as git and pip do.
func TestTheProxyTunnelsToPublicAddressesAlone(t *testing.T) {
	far := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write([]byte("far " + string(body)))
	}))
	defer far.Close()
	for name, test := range map[string]struct {
		web  *safehttp.Client
		want string // in the answer; "" when there is none
	}{
		"allowed": {safehttp.New(safehttp.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}), "far words"},
		"private": {safehttp.New(safehttp.Options{}), ""},
	} {
		opened, err := openProxy(test.web.Dial, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		address, err := url.Parse(opened.address)
		if err != nil {
			t.Fatal(err)
		}
		transport := far.Client().Transport.(*http.Transport).Clone()
		transport.Proxy = http.ProxyURL(address)
		client := &http.Client{Transport: transport}
		response, err := client.Post(far.URL, "text/plain", strings.NewReader("words"))
		if test.want == "" {
			if err == nil || !opened.failed.Load() {
				t.Errorf("%s: %v", name, response)
			}
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			body, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if string(body) != test.want || opened.received.Load() == 0 || opened.failed.Load() {
				t.Errorf("%s: %q, %d bytes", name, body, opened.received.Load())
			}
		}
		opened.close()
		if _, err := client.Get(far.URL); err == nil {
			t.Errorf("%s: a closed proxy goes on", name)
		}
	}
}
