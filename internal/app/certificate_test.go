package app_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/apptest"
	"cairn/internal/app/commands"
	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/freeports"
)

// smallConfig is of a server without the demo's content, which starts sooner.
func smallConfig(t *testing.T) config.Config {
	t.Helper()
	settings := demoConfig(t)
	settings.Demo, settings.IDP.Accounts = false, []config.IDPAccount{{Email: "ada@example.org", PasswordHash: apptest.PasswordHash}}
	return settings
}

// ask asks a listener for its health over a new connection, under a name, trusting one certificate.
func ask(t *testing.T, address, name string, trusted *x509.Certificate) *http.Response {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(trusted)
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+name+"/healthz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatalf("%s as %s: %v", address, name, err)
	}
	_ = response.Body.Close()
	return response
}

func TestBothListenersSpeakTLS(t *testing.T) {
	t.Parallel()
	port, err := freeports.Find(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	settings := smallConfig(t)
	settings.TLS = config.TLS{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
	settings.Listen, settings.SessionListen = fmt.Sprintf("127.0.0.1:%d", port), fmt.Sprintf("127.0.0.1:%d", port+1)
	settings.PublicURL, settings.SessionURL = "https://catalog.example.org", "https://{kind}-{id}.run.example.org"
	first := apptest.WriteCertificate(t, settings.TLS.CertFile, settings.TLS.KeyFile, 1, time.Hour, "catalog.example.org", "*.run.example.org")
	start(t, settings)
	for address, name := range map[string]string{settings.Listen: "catalog.example.org", settings.SessionListen: "s-x.run.example.org"} {
		response := ask(t, address, name, first)
		if response.StatusCode != http.StatusOK || response.TLS.PeerCertificates[0].SerialNumber.Int64() != 1 || response.ProtoMajor != 2 {
			t.Errorf("%s: %d by %s, certificate %v", name, response.StatusCode, response.Proto, response.TLS.PeerCertificates[0].SerialNumber)
		}
		if got := response.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
			t.Errorf("%s: Strict-Transport-Security %q", name, got)
		}
		if status, answer := plainly(t, address); status != http.StatusBadRequest || !strings.Contains(answer, "HTTPS server") {
			t.Errorf("%s without TLS: %d %s", name, status, answer)
		}
	}

	second := apptest.WriteCertificate(t, settings.TLS.CertFile, settings.TLS.KeyFile, 2, time.Hour, "catalog.example.org", "*.run.example.org")
	for _, address := range []string{settings.Listen, settings.SessionListen} {
		if got := ask(t, address, "127.0.0.1", second).TLS.PeerCertificates[0].SerialNumber.Int64(); got != 2 {
			t.Errorf("%s: the certificate %d stays after there is a new one", address, got)
		}
	}
	if err := os.WriteFile(settings.TLS.CertFile, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask(t, settings.Listen, "catalog.example.org", second)
	if err := os.Remove(settings.TLS.KeyFile); err != nil {
		t.Fatal(err)
	}
	ask(t, settings.Listen, "catalog.example.org", second)
	third := apptest.WriteCertificate(t, settings.TLS.CertFile, settings.TLS.KeyFile, 3, time.Hour, "catalog.example.org")
	ask(t, settings.Listen, "catalog.example.org", third)
}

// plainly asks a listener without TLS.
func plainly(t *testing.T, address string) (status int, answer string) {
	t.Helper()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, "GET /healthz HTTP/1.1\r\nHost: catalog.example.org\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

func TestOnThisMachineTheAddressesSayWhetherTheyAreTLS(t *testing.T) {
	t.Parallel()
	settings := smallConfig(t)
	settings.TLS = config.TLS{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
	trusted := apptest.WriteCertificate(t, settings.TLS.CertFile, settings.TLS.KeyFile, 1, time.Hour)
	s := start(t, settings)
	if !strings.HasPrefix(s.address, "https://127.0.0.1:") || !strings.Contains(s.out.String(), "Sessions at https://{kind}-{id}.localhost:") {
		t.Errorf("it prints %s", s.out.String())
	}
	response := ask(t, strings.TrimPrefix(s.address, "https://"), strings.TrimPrefix(s.address, "https://"), trusted)
	if got := response.Header.Get("Strict-Transport-Security"); response.StatusCode != http.StatusOK || got != "" {
		t.Errorf("%d, Strict-Transport-Security %q", response.StatusCode, got)
	}
	settings = smallConfig(t)
	if response, _ := start(t, settings).get("/healthz", ""); response.Header.Get("Strict-Transport-Security") != "" {
		t.Error("an http address tells browsers to use https")
	}
}

func TestHealthIsAskedOverTLSAndSaysWhatElseAnswers(t *testing.T) {
	t.Parallel()
	settings := smallConfig(t)
	settings.TLS = config.TLS{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
	apptest.WriteCertificate(t, settings.TLS.CertFile, settings.TLS.KeyFile, 1, -time.Hour, "catalog.example.org") // neither its name nor its end matters
	s := start(t, settings)
	settings.Listen = strings.TrimPrefix(s.address, "https://")
	if err := commands.CheckHealth(t.Context(), settings); err != nil {
		t.Error(err)
	}
	settings.TLS = config.TLS{}
	if err := commands.CheckHealth(t.Context(), settings); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "isn't a healthy server: 400 Bad Request.") {
		t.Errorf("without TLS: %v", err)
	}
}
