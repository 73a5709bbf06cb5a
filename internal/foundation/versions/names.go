package versions

import (
	"errors"
	"path"
	"strings"
	"unicode/utf8"
)

// escapeMark begins an escaped byte. It is a character that nobody types in names, and is escaped itself.
const escapeMark = '\u241b' // ␛, three bytes

// errEscape says that a text isn't one that EscapePath writes.
var errEscape = errors.New("the path isn't written as paths are")

const hexadecimal = "0123456789abcdef"

// EscapePath writes a path of any bytes as text for JSON and addresses, from which UnescapePath makes the same bytes. Valid
// UTF-8 stays as it is, except for the mark ␛ itself: each byte that isn't part of a character becomes ␛ and two
// hexadecimal digits, as do the three bytes of ␛.
func EscapePath(path string) string {
	if utf8.ValidString(path) && !strings.ContainsRune(path, escapeMark) {
		return path
	}
	var text strings.Builder
	for at := 0; at < len(path); {
		char, size := utf8.DecodeRuneInString(path[at:])
		if char == utf8.RuneError && size == 1 || char == escapeMark {
			for _, one := range []byte(path[at : at+size]) {
				text.WriteRune(escapeMark)
				text.WriteByte(hexadecimal[one>>4])
				text.WriteByte(hexadecimal[one&15])
			}
		} else {
			text.WriteString(path[at : at+size])
		}
		at += size
	}
	return text.String()
}

// UnescapePath returns the bytes of a path that EscapePath wrote, and an error for any other text.
func UnescapePath(text string) (string, error) {
	if !strings.ContainsRune(text, escapeMark) {
		if !utf8.ValidString(text) {
			return "", errEscape
		}
		return text, nil
	}
	var found strings.Builder
	for at := 0; at < len(text); {
		char, size := utf8.DecodeRuneInString(text[at:])
		if char != escapeMark {
			found.WriteString(text[at : at+size])
			at += size
			continue
		}
		at += size
		if len(text) < at+2 {
			return "", errEscape
		}
		high, low := strings.IndexByte(hexadecimal, text[at]), strings.IndexByte(hexadecimal, text[at+1])
		if high < 0 || low < 0 {
			return "", errEscape
		}
		found.WriteByte(byte(high<<4 | low))
		at += 2
	}
	if EscapePath(found.String()) != text { // such as an escaped letter: each path has one text
		return "", errEscape
	}
	return found.String(), nil
}

var caches = map[string]bool{
	".cache": true, "__pycache__": true, ".pytest_cache": true, ".mypy_cache": true, ".ruff_cache": true, "node_modules": true,
}

// LeaveOutCaches leaves out folders whose content programs recreate, and Jupyter's checkpoints, at any depth.
func LeaveOutCaches(name string, isFolder bool) Reason {
	base := path.Base(name)
	switch {
	case isFolder && caches[base], !isFolder && path.Ext(base) == ".pyc":
		return Cache
	case isFolder && base == ".ipynb_checkpoints":
		return Checkpoint
	}
	return ""
}
