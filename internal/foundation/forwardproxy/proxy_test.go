package forwardproxy

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestTheProxyTunnelsWhereItMayDial speaks TLS through it, as git and pip do.
func TestTheProxyTunnelsWhereItMayDial(t *testing.T) {
	far := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write([]byte("far " + string(body)))
	}))
	defer far.Close()
	for name, test := range map[string]struct {
		dial Dial
		want string // in the answer; "" when there is none
	}{
		"allowed": {(&net.Dialer{}).DialContext, "far words"},
		"refused": {func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("a private address") }, ""},
	} {
		opened, err := Open(test.dial, slog.New(slog.DiscardHandler))
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
			if err == nil || !opened.Failed() {
				t.Errorf("%s: %v", name, response)
			}
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			body, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if string(body) != test.want || opened.Received() == 0 || opened.Failed() {
				t.Errorf("%s: %q, %d bytes", name, body, opened.Received())
			}
		}
		opened.Close()
		for late := time.Now().Add(time.Minute); ; { // its tunnels close concurrently
			response, err := client.Get(far.URL)
			if err != nil {
				break
			}
			_ = response.Body.Close()
			if time.Now().After(late) {
				t.Fatalf("%s: a closed proxy goes on", name)
			}
		}
	}
}
