package licenses

import (
	"encoding/json"
	"io"
)

// Write writes the licenses of everything in this program, or only of the components that name matches: for people,
// or as the JSON of the API.
func Write(version, name string, asJSON bool, out io.Writer) error {
	inventory, err := Load(version)
	if err == nil && name != "" {
		inventory, err = inventory.Find(name)
	}
	if err != nil {
		return err
	}
	if !asJSON {
		return inventory.Print(out)
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(inventory)
}
