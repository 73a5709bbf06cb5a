package transfer

import (
	"encoding/json"
	"strings"

	"cairn/internal/foundation/fault"
)

// The library has no code for this, and the file is named in the check.
func unknownField(text []byte, into any) string {
	err := json.Unmarshal(text, into)
	if strings.HasPrefix(fault.MessageOf(err), "The ") { // want "searches a sentence"
		return ""
	}
	return strings.Replace(err.Error(), "json: unknown field", "there is no field", 1)
}
