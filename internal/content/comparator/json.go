package comparator

import (
	"bytes"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// value is one JSON value: a part of a valid document, which it doesn't copy. encoding/json would copy every level.
type value []byte

// begins returns the first byte of the value; 0 if there is none.
func (v value) begins() byte {
	if len(v) == 0 {
		return 0
	}
	return v[0]
}

// elements yields the elements of a list; nothing for other values.
func (v value) elements() iter.Seq[value] {
	return func(yield func(value) bool) {
		if v.begins() != '[' {
			return
		}
		for rest := space(v[1:]); rest[0] != ']'; {
			end := skip(rest)
			if !yield(rest[:end]) {
				return
			}
			rest = after(rest[end:])
		}
	}
}

// members yields the members of an object, with names as they are read; nothing for other values.
func (v value) members() iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		if v.begins() != '{' {
			return
		}
		for rest := space(v[1:]); rest[0] != '}'; {
			end := skip(rest)
			name := rest[:end]
			rest = space(space(rest[end:])[1:]) // the colon
			end = skip(rest)
			if !yield(name.text(), rest[:end]) {
				return
			}
			rest = after(rest[end:])
		}
	}
}

// member returns a member of an object; nil if there is none. The last of several with the same name counts.
func (v value) member(name string) (found value) {
	for key, one := range v.members() {
		if key == name {
			found = one
		}
	}
	return found
}

// text returns a text, or the texts of a list as one; "" for other values.
func (v value) text() string {
	if v.begins() == '"' && bytes.IndexByte(v, '\\') < 0 {
		return strings.ToValidUTF8(string(v[1:len(v)-1]), "\ufffd")
	}
	var out strings.Builder
	v.write(&out)
	return strings.ToValidUTF8(out.String(), "\ufffd")
}

// write writes what text returns, but without holding it.
func (v value) write(to io.Writer) {
	if v.begins() == '"' {
		v.decode(to)
	}
	for line := range v.elements() {
		if line.begins() == '"' {
			line.decode(to)
		}
	}
}

// decode writes a text without its quotes and escapes.
func (v value) decode(out io.Writer) {
	for rest := v[1 : len(v)-1]; len(rest) > 0; {
		plain := bytes.IndexByte(rest, '\\')
		if plain < 0 {
			plain = len(rest)
		}
		_, _ = out.Write(rest[:plain])
		if rest = rest[plain:]; len(rest) == 0 {
			return
		}
		r, length := escaped(rest)
		_, _ = out.Write(utf8.AppendRune(nil, r))
		rest = rest[length:]
	}
}

// escaped decodes the escape that a part of a text begins with.
func escaped(part []byte) (r rune, length int) {
	if part[1] != 'u' {
		if at := strings.IndexByte(`bfnrt`, part[1]); at >= 0 {
			return rune("\b\f\n\r\t"[at]), 2
		}
		return rune(part[1]), 2
	}
	r = unit(part)
	if utf16.IsSurrogate(r) {
		if len(part) >= 12 && part[6] == '\\' && part[7] == 'u' {
			if pair := utf16.DecodeRune(r, unit(part[6:])); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

// unit returns the number of an escape like \u00e9.
func unit(part []byte) rune {
	number, _ := strconv.ParseUint(string(part[2:6]), 16, 16)
	return rune(number)
}

// space drops the white space that comes first.
func space(data value) value {
	at := 0
	for at < len(data) && (data[at] == ' ' || data[at] == '\n' || data[at] == '\r' || data[at] == '\t') {
		at++
	}
	return data[at:]
}

// after drops what is between a value and the next one, or the end of what contains both.
func after(data value) value {
	data = space(data)
	if data.begins() == ',' {
		return space(data[1:])
	}
	return data
}

// skip returns the length of the value that data begins with.
func skip(data value) int {
	depth := 0
	for at := 0; at < len(data); at++ {
		switch data[at] {
		case '"':
			at += quoted(data[at:]) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\n', '\r', '\t':
			continue
		default: // a number or a word
			for at+1 < len(data) && bytes.IndexByte([]byte(",:]} \n\r\t"), data[at+1]) < 0 {
				at++
			}
		}
		if depth == 0 {
			return at + 1
		}
	}
	return len(data)
}

// quoted returns the length of the text that data begins with, with its quotes.
func quoted(data value) int {
	for at := 1; ; {
		end := at + bytes.IndexByte(data[at:], '"')
		escapes := 0
		for data[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end + 1
		}
		at = end + 1
	}
}
