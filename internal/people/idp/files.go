package idp

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"cairn/internal/foundation/fault"
)

const (
	signingKeyFile = "signing-key.pem"
	macKeyFile     = "mac.key"
	stateFile      = "state.json"
	macKeySize     = 32
)

// openDir creates the provider's folder, or refuses one that others can access.
func openDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(err, fault.Internal, "The folder %s for the identity provider's keys cannot be made.", dir)
	}
	return checkDir(dir)
}

func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fault.Wrap(err, fault.Internal, "The folder %s for the identity provider's keys cannot be read.", dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fault.New(fault.Invalid, "The folder %s contains keys, but others can read it. Run: chmod 700 %s", dir, dir)
	}
	return nil
}

// CheckDir returns why New would refuse what is in a folder for Options.Dir, and changes nothing. A folder that doesn't exist
// is fine: New makes it.
func CheckDir(dir string) []error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var wrong []error
	if err := checkDir(dir); err != nil {
		wrong = append(wrong, err)
	}
	for name, parse := range map[string]func(path string, data []byte) error{
		signingKeyFile: func(path string, data []byte) error { _, err := parseSigningKey(path, data); return err },
		macKeyFile:     checkMACKey,
		stateFile:      func(path string, data []byte) error { _, err := parseState(path, data); return err },
	} {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			err = unreadable(path, err)
		default:
			err = parse(path, data)
		}
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	return wrong
}

func unreadable(path string, err error) error {
	return fault.Wrap(err, fault.Internal, "The file %s of the identity provider cannot be read.", path)
}

// loadSigningKey reads the key that signs tokens; the first start creates it.
func loadSigningKey(dir string) (*rsa.PrivateKey, error) {
	path := filepath.Join(dir, signingKeyFile)
	data, err := readOrCreate(path, func() ([]byte, error) {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return nil, err
		}
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return nil, err
		}
		return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
	})
	if err != nil {
		return nil, err
	}
	return parseSigningKey(path, data)
}

func parseSigningKey(path string, data []byte) (*rsa.PrivateKey, error) {
	if block, _ := pem.Decode(data); block != nil {
		if parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if key, ok := parsed.(*rsa.PrivateKey); ok {
				return key, nil
			}
		}
	}
	return nil, brokenFile(path)
}

// loadMACKey reads the key of refresh tokens and login forms; the first start creates it.
func loadMACKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, macKeyFile)
	data, err := readOrCreate(path, func() ([]byte, error) {
		key := make([]byte, macKeySize)
		_, err := rand.Read(key)
		return key, err
	})
	if err != nil {
		return nil, err
	}
	return data, checkMACKey(path, data)
}

func checkMACKey(path string, data []byte) error {
	if len(data) != macKeySize {
		return brokenFile(path)
	}
	return nil
}

func brokenFile(path string) error {
	return fault.New(fault.Internal,
		"The file %s of the identity provider is damaged. Restore it, or remove it, and everyone will have to sign in again.", path)
}

// readOrCreate reads a file, and creates it first if it doesn't exist; when two processes do so at once, both get the
// same content.
func readOrCreate(path string, create func() ([]byte, error)) ([]byte, error) {
	data, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return nil, unreadable(path, err)
		}
		return data, nil
	}
	if data, err = create(); err == nil {
		err = writeFile(path, data, os.Link)
	}
	if errors.Is(err, fs.ErrExist) {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The file %s of the identity provider cannot be written.", path)
	}
	return data, nil
}

// replaceFile replaces a file atomically: readers see the old or the new content.
func replaceFile(path string, data []byte) error { return writeFile(path, data, os.Rename) }

func writeFile(path string, data []byte, place func(from, to string) error) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // already gone after a rename
	_, err = temporary.Write(data)
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	if err = place(temporary.Name(), path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
