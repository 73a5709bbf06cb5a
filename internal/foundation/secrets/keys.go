// Package secrets encrypts what a database stores of others' secrets, with keys that are never in the database. A key is an identity of age
// (https://age-encryption.org), and a key file has one on each line.
package secrets

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cairn/internal/foundation/fault"

	"filippo.io/age"
)

// ErrKey is in the error of a text that none of the keys opens.
var ErrKey = errors.New("none of the keys opens it")

// Keys encrypt with the first of them, and open what any of them has encrypted. A nil *Keys opens nothing.
type Keys struct{ identities []*age.X25519Identity }

// mode is what a key file has: only the account of this server reads it.
const mode = 0o600

// Open reads a key file. Invalid if others may read it, or if it isn't one.
func Open(path string) (*Keys, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The key file %s can't be read.", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fault.New(fault.Invalid, "The key file %s can be read by other accounts of this machine. Run: chmod 600 %[1]s", path)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The key file %s can't be read.", path)
	}
	keys := &Keys{}
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		identity, err := age.ParseX25519Identity(line)
		if err != nil { // whose text may have a part of the key
			return nil, fault.New(fault.Invalid, "The key file %s has a line that isn't an identity of age. Make one with: age-keygen", path)
		}
		keys.identities = append(keys.identities, identity)
	}
	if len(keys.identities) == 0 {
		return nil, fault.New(fault.Invalid, "The key file %s has no key. Make one with: age-keygen", path)
	}
	return keys, nil
}

// OpenOrMake is Open, after it has made a file that isn't there. If several do that at once, all of them open the file of one.
func OpenOrMake(path string) (*Keys, error) {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return Open(path)
	}
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	made, err := os.CreateTemp(filepath.Dir(path), ".key-")
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The key file %s can't be made.", path)
	}
	defer func() { _ = os.Remove(made.Name()) }()
	_, err = fmt.Fprintln(made, identity)
	if err = errors.Join(err, made.Chmod(mode), made.Sync(), made.Close()); err == nil {
		err = os.Link(made.Name(), path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fault.Wrap(err, fault.Invalid, "The key file %s can't be made.", path)
	}
	return Open(path)
}

// Seal encrypts a text with the first key.
func (k *Keys) Seal(plain []byte) (string, error) {
	if k == nil {
		return "", ErrKey
	}
	var sealed bytes.Buffer
	into, err := age.Encrypt(&sealed, k.identities[0].Recipient())
	if err == nil {
		_, err = into.Write(plain)
		err = errors.Join(err, into.Close())
	}
	return base64.RawStdEncoding.EncodeToString(sealed.Bytes()), err
}

// Unseal returns a text that Seal encrypted; ErrKey if that was with another key. isOld: with a key that isn't the first any more, so that
// the text should be sealed again.
func (k *Keys) Unseal(sealed string) (plain []byte, isOld bool, err error) {
	if k == nil {
		return nil, false, ErrKey
	}
	content, err := base64.RawStdEncoding.DecodeString(sealed)
	if err != nil {
		return nil, false, errors.Join(ErrKey, err)
	}
	for i, identity := range k.identities {
		opened, err := age.Decrypt(bytes.NewReader(content), identity)
		if err != nil {
			continue
		}
		plain, err := io.ReadAll(opened)
		if err != nil {
			return nil, false, errors.Join(ErrKey, err)
		}
		return plain, i > 0, nil
	}
	return nil, false, ErrKey
}
