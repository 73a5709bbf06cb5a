package app

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// WriteCertificate makes a certificate that signs itself, and its key. It ends after a time, which may be in the past.
func WriteCertificate(t *testing.T, files TLSConfig, serial int64, life time.Duration, names ...string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "Cairn"}, DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-365 * 24 * time.Hour), NotAfter: time.Now().Add(life), BasicConstraintsValid: true, IsCA: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(certificate)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{files.CertFile: {Type: "CERTIFICATE", Bytes: certificate}, files.KeyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name+".new", pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			t.Fatal(err)
		}
	}
	return parsed
}

// CertificateFiles returns paths in a new folder.
func CertificateFiles(t *testing.T) TLSConfig {
	t.Helper()
	folder := t.TempDir()
	return TLSConfig{CertFile: filepath.Join(folder, "cert.pem"), KeyFile: filepath.Join(folder, "key.pem")}
}

func TestANewCertificateIsReadOnceAndABrokenOneIsLogged(t *testing.T) {
	t.Parallel()
	files := CertificateFiles(t)
	WriteCertificate(t, files, 1, time.Hour)
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
	WriteCertificate(t, files, 2, time.Hour)
	if serial() != 2 || !strings.Contains(log.String(), "read the new certificate") {
		t.Errorf("it logs %s", log.String())
	}
}
