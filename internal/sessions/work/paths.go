package work

import (
	"path"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
)

// pathOf returns the bytes of a path below the work folder that a call names; "" is the folder itself.
func pathOf(escaped string) (string, error) {
	if escaped == "" {
		return "", nil
	}
	file, err := versions.UnescapePath(escaped)
	if err != nil || len(file) > pathLimit || strings.HasPrefix(file, "/") || path.Clean("/"+file) != "/"+file || strings.ContainsRune(file, 0) {
		return "", fault.InvalidField("query.path", "%s isn't a path below the work folder, such as notebooks/start.ipynb.", fault.Quote(escaped))
	}
	return file, nil
}

// pathLimit is the maximum length of a path, in bytes.
const pathLimit = 4096
