package dataset

import (
	"bytes"
	"unicode/utf8"

	"cairn/internal/foundation/fault"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

var (
	errNoText    = fault.InvalidField("query.path", "This file isn't text, whatever its name says, so it can't be previewed.")
	errNoPreview = fault.InvalidField("query.path", "This type of file can't be previewed.")
)

// Encodings as they are shown.
const (
	encodingUTF8    = "UTF-8"
	encodingUTF16   = "UTF-16"
	encodingWindows = "Windows-1252"
)

// decode returns the beginning of a file as UTF-8 with line feeds, and its encoding; ok is false when it isn't text.
// Files without a byte order mark are UTF-8 unless they contain none of its multi-byte characters; then they are taken
// for Windows-1252, which older instruments and spreadsheets write. Single invalid bytes become U+FFFD.
func decode(begin content) (text []byte, encoding string, ok bool) {
	raw := begin.bytes
	switch {
	case bytes.HasPrefix(raw, []byte{0xfe, 0xff}), bytes.HasPrefix(raw, []byte{0xff, 0xfe}):
		decoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(raw[:len(raw)&^1])
		if err != nil || bytes.IndexByte(decoded, 0) >= 0 {
			return nil, "", false
		}
		return unixLines(decoded), encodingUTF16, true
	case bytes.IndexByte(raw, 0) >= 0:
		return nil, "", false
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if !begin.whole {
		raw = withoutTornEnd(raw)
	}
	switch {
	case utf8.Valid(raw):
		return unixLines(raw), encodingUTF8, true
	case hasLongCharacters(raw):
		return unixLines(bytes.ToValidUTF8(raw, []byte("\ufffd"))), encodingUTF8, true
	default:
		decoded, err := charmap.Windows1252.NewDecoder().Bytes(raw)
		return unixLines(decoded), encodingWindows, err == nil
	}
}

// withoutTornEnd cuts off a last character that was read only partly.
func withoutTornEnd(text []byte) []byte {
	for cut := 1; cut < utf8.UTFMax && cut <= len(text); cut++ {
		if tail := text[len(text)-cut:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return text[:len(text)-cut]
			}
			break
		}
	}
	return text
}

// hasLongCharacters reports whether there is a multi-byte character in UTF-8.
func hasLongCharacters(text []byte) bool {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if size > 1 && r != utf8.RuneError {
			return true
		}
		i += size
	}
	return false
}

// unixLines converts line ends to line feeds. A carriage return alone counts as one only if there are no line feeds.
func unixLines(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	if bytes.IndexByte(text, '\n') < 0 {
		return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}
