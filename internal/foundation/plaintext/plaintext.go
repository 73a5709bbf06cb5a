// Package plaintext reads the text of files that people made with any program: UTF-8, UTF-16 and UTF-32 with a byte order mark, and
// Windows-1252.
package plaintext

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Encodings as they are shown.
const (
	UTF8    = "UTF-8"
	UTF16   = "UTF-16"
	UTF32   = "UTF-32"
	Windows = "Windows-1252"
)

// marked are the encodings whose byte order marks begin a file. The mark of UTF-32 in little endian begins like that of UTF-16.
var marked = []struct {
	mark     string
	name     string
	unit     int // bytes
	encoding encoding.Encoding
}{
	{"\x00\x00\xfe\xff", UTF32, 4, utf32.UTF32(utf32.BigEndian, utf32.UseBOM)},
	{"\xff\xfe\x00\x00", UTF32, 4, utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)},
	{"\xfe\xff", UTF16, 2, unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
	{"\xff\xfe", UTF16, 2, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
}

// Decode returns the beginning of a file as UTF-8 with line feeds, and its encoding; ok is false when it isn't text. Whole says
// that the file doesn't go on. Files without a byte order mark are UTF-8 unless they contain none of its multi-byte characters;
// then they are taken for Windows-1252, which older instruments and spreadsheets write. Single invalid bytes become U+FFFD.
func Decode(raw []byte, whole bool) (text []byte, encoding string, ok bool) {
	for _, one := range marked {
		if bytes.HasPrefix(raw, []byte(one.mark)) {
			decoded, err := one.encoding.NewDecoder().Bytes(raw[:len(raw)/one.unit*one.unit])
			if err != nil || bytes.IndexByte(decoded, 0) >= 0 {
				return nil, "", false
			}
			return unixLines(decoded), one.name, true
		}
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		return nil, "", false
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if !whole {
		raw = withoutTornEnd(raw)
	}
	switch {
	case utf8.Valid(raw):
		return unixLines(raw), UTF8, true
	case hasLongCharacters(raw):
		return unixLines(bytes.ToValidUTF8(raw, []byte("\ufffd"))), UTF8, true
	case bytes.ContainsFunc(raw, isControl):
		return nil, "", false // of a format of its own
	default:
		decoded, err := charmap.Windows1252.NewDecoder().Bytes(raw)
		return unixLines(decoded), Windows, err == nil
	}
}

// isControl reports whether a character is in no text; those that move the cursor or set colors are.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != '\x1b'
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
