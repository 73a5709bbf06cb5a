package app

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/apptest"
	"cairn/internal/app/config"
)

func TestANewCertificateIsReadOnceAndABrokenOneIsLogged(t *testing.T) {
	t.Parallel()
	files := config.TLS{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
	apptest.WriteCertificate(t, files.CertFile, files.KeyFile, 1, time.Hour)
	var log bytes.Buffer
	c, err := openCertificate(files, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	serial := func() int64 {
		t.Helper()
		got, err := c.get(&tls.ClientHelloInfo{})
		if err != nil {
			t.Fatal(err)
		}
		return got.Leaf.SerialNumber.Int64()
	}
	if serial() != 1 || log.Len() != 0 {
		t.Errorf("it logs %s", log.String())
	}
	if err := os.WriteFile(files.KeyFile, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := []int64{serial(), serial()}; got[0] != 1 || got[1] != 1 {
		t.Errorf("the certificates %v are in force", got)
	}
	if strings.Count(log.String(), "level=ERROR") != 1 || !strings.Contains(log.String(), files.KeyFile) {
		t.Errorf("it logs %s", log.String())
	}
	apptest.WriteCertificate(t, files.CertFile, files.KeyFile, 2, time.Hour)
	if serial() != 2 || !strings.Contains(log.String(), "read the new certificate") {
		t.Errorf("it logs %s", log.String())
	}
}
