package installation

import (
	"encoding/json"
	"os"
	"path/filepath"

	"cairn/internal/foundation/fault"
)

// issuerFile records, for commands, the addresses of the server with this data folder.
const issuerFile = "issuer.json"

// IssuerNote is what a server with the embedded identity provider leaves in its data folder.
type IssuerNote struct {
	Issuer    string `json:"issuer"`
	PublicURL string `json:"publicUrl"`
	Demo      bool   `json:"demo"`
}

// WriteIssuer records where a server's embedded identity provider is.
func WriteIssuer(data string, note IssuerNote) error {
	return writeJSON(filepath.Join(data, issuerFile), note)
}

// ReadIssuer returns what the server that uses, or last used, a data folder recorded.
func ReadIssuer(data string) (note IssuerNote, err error) {
	path := filepath.Join(data, issuerFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return note, fault.Wrap(err, fault.NotFound, "No server has used the data folder %s yet. Start one with cairn serve, or choose "+
			"its folder with --data.", data)
	}
	if err := json.Unmarshal(content, &note); err != nil {
		return note, fault.Wrap(err, fault.Invalid, "The file %s is damaged; start the server once to replace it.", path)
	}
	return note, nil
}

// writeJSON replaces a file, which others read whole at any time.
func writeJSON(path string, value any) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
