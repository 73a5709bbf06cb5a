package engine

import (
	"encoding/base32"
	"strings"

	"github.com/google/uuid"
)

var shortForm = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// ShortID returns another spelling of a session's id, of 26 letters and digits; "" for a text that isn't an id.
func ShortID(id string) string {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return ""
	}
	return shortForm.EncodeToString(parsed[:])
}

// ServerName returns the name of a session's server where names have at most 30 characters and begin with a letter, as on
// a hub since JupyterHub 6.
func ServerName(id string) string { return "s" + ShortID(id) }

// SessionOf returns the id of the session whose server has a name, its id or ServerName; "" for other texts.
func SessionOf(name string) string {
	if parsed, err := uuid.Parse(name); err == nil && parsed.String() == name {
		return name
	}
	short, _ := strings.CutPrefix(name, "s")
	content, err := shortForm.DecodeString(short)
	if err != nil {
		return ""
	}
	parsed, err := uuid.FromBytes(content)
	if id := parsed.String(); err == nil && ServerName(id) == name {
		return id
	}
	return ""
}
