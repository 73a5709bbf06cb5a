package config_test

import (
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/app/apptest"
	"cairn/internal/app/config"
)

func TestCertificatesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	settings := config.Default()
	settings.Demo = true
	settings.TLS = config.TLS{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
	settings.PublicURL, settings.SessionURL = "http://127.0.0.1:8080", "http://{kind}-{id}.localhost:8081"
	apptest.WriteCertificate(t, settings.TLS.CertFile, settings.TLS.KeyFile, 1, time.Hour)
	expectFaults(t, settings.Check(), `public_url: "http://127.0.0.1:8080" must be https, because this server speaks TLS itself`, `session_url: "http://{kind}-{id}.localhost:8081" must be https`)
	settings.PublicURL, settings.SessionURL = "", ""
	if err := settings.Check(); err != nil {
		t.Error(err)
	}
	other := config.TLS{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
	apptest.WriteCertificate(t, other.CertFile, other.KeyFile, 2, time.Hour)
	settings.TLS.KeyFile = other.KeyFile
	expectFaults(t, settings.Check(), "tls: "+settings.TLS.CertFile+" and "+other.KeyFile+" aren't a certificate and its key (tls: private key does not match public key)")
	settings.TLS.CertFile = apptest.WriteFile(t, "cert.pem", "nothing")
	expectFaults(t, settings.Check(), "tls: "+settings.TLS.CertFile+" and "+other.KeyFile+" aren't a certificate and its key (tls: failed to find any PEM data")
	settings.TLS.KeyFile = "/nowhere.key"
	settings.TLS.CertFile = other.CertFile
	expectFaults(t, settings.Check(), "tls.key_file: /nowhere.key cannot be read: no such file or directory")
}
