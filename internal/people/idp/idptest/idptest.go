// Package idptest creates the folder of an identity provider for a test.
package idptest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Folder creates the folder of a provider with a signing key, unless there is one. All tests of a package share the
// key, because creating one takes longer than most tests.
func Folder(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := signingKey()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(path, "signing-key.pem"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(key); err != nil {
		t.Fatal(err)
	}
}

var signingKey = sync.OnceValues(func() ([]byte, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), err
})
