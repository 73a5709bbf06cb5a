package discovery

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestOriginsOfAProvidersEndpoints(t *testing.T) {
	t.Parallel()
	const issuer = "https://login.example.org/realms/lab"
	document := `{"issuer": "` + issuer + `", "authorization_endpoint": "https://login.example.org/auth",
		"token_endpoint": "https://Tokens.example.org:443/t", "jwks_uri": "https://keys.example.org/k", "check_session_iframe": "https://frame.example.org/x",
		"userinfo_endpoint": "https://evil.example;script-src/x", "revocation_endpoint": "http://plain.example.org/x", "end_session_endpoint": 5,
		"service_documentation": "https://docs.example.org/"}`
	want := []string{"https://frame.example.org", "https://keys.example.org", "https://login.example.org", "https://tokens.example.org"}
	if got, err := EndpointOrigins(issuer, []byte(document)); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{`{"issuer": "https://other.example.org"}`, `{}`, `[`, ``} {
		if got, err := EndpointOrigins(issuer, []byte(bad)); err == nil {
			t.Errorf("%s: got %v", bad, got)
		}
	}
}

func TestLastGoodDiscoverySurvivesARestart(t *testing.T) {
	t.Parallel()
	var answer string
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) }))
	defer provider.Close()
	data := t.TempDir()
	open := func() *Discovery {
		return New(provider.URL, filepath.Join(data, "discovery.json"), provider.Client(), slog.New(slog.DiscardHandler))
	}

	answer = `{"issuer": "` + provider.URL + `", "token_endpoint": "https://tokens.example.org/t"}`
	first := open()
	if known := first.Origins(); len(known) != 0 {
		t.Errorf("knows %v before it asked", known)
	}
	if err := first.refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	answer = "down"
	second := open()
	if err := second.refresh(t.Context()); err == nil {
		t.Error("a bad answer was taken")
	}
	for _, d := range []*Discovery{first, second} {
		if known := d.Origins(); !slices.Equal(known, []string{"https://tokens.example.org"}) {
			t.Errorf("knows %v", known)
		}
	}
	if err := os.WriteFile(filepath.Join(data, "discovery.json"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if known := open().Origins(); len(known) != 0 {
		t.Errorf("a damaged file gives %v", known)
	}
}
