package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"cairn/internal/foundation/fault"

	"filippo.io/age"
)

// Keys are the secrets of an installation.
type Keys struct {
	Meta  map[string]string `json:"meta"`  // rows of the table meta
	Files map[string][]byte `json:"files"` // by their path in the data folder
}

// seal encrypts keys with a passphrase.
func (k Keys) seal(passphrase string) ([]byte, error) {
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, err
	}
	var sealed bytes.Buffer
	to, err := age.Encrypt(&sealed, recipient)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(json.NewEncoder(to).Encode(k), to.Close()); err != nil {
		return nil, err
	}
	return sealed.Bytes(), nil
}

// openKeys decrypts keys; Invalid when the passphrase is another one.
func openKeys(sealed []byte, passphrase string) (keys Keys, err error) {
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return keys, err
	}
	from, err := age.Decrypt(bytes.NewReader(sealed), identity)
	if err != nil {
		return keys, fault.Wrap(err, fault.Invalid, "The passphrase doesn't open %s of this backup. Use the one that it was made with.", keysName)
	}
	content, err := io.ReadAll(from)
	if err != nil {
		return keys, fault.Wrap(err, fault.Invalid, "%s of this backup is damaged.", keysName)
	}
	return keys, json.Unmarshal(content, &keys)
}
