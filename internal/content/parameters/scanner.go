package parameters

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scanner reads the code of a cell from the left to the right. It looks at each part of a line at most a few times, whatever
// the line is, so the time that it takes grows as the cell does.
type scanner struct {
	text  string
	at    int
	depth int  // the brackets around
	r     bool // the language is R, otherwise Python
}

// peek returns the next byte, and 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// take goes past a mark, if it is the next.
func (s *scanner) take(mark string) bool {
	found := strings.HasPrefix(s.text[s.at:], mark)
	if found {
		s.at += len(mark)
	}
	return found
}

// space goes to the next thing on the line, or between the same brackets.
func (s *scanner) space() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == ' ', c == '\t', c == '\f', c == '\n' && s.depth > 0:
			s.at++
		case c == '#' && s.depth > 0:
			s.comment()
		case s.r || !s.take("\\\n"):
			return
		}
	}
}

// comment goes to the end of the line and returns what is before it.
func (s *scanner) comment() string {
	before, _, _ := strings.Cut(s.text[s.at:], "\n")
	s.at += len(before)
	return before
}

// endLine goes to the start of the next line.
func (s *scanner) endLine() {
	s.comment()
	s.take("\n")
}

// skipLine goes past a line that can't be read, with all lines that brackets, strings and Python's \ join to it. A line that
// Jupyter gives to another program in a cell of Python ends where it ends.
func (s *scanner) skipLine() {
	s.space()
	if c := s.peek(); s.r || (c != '%' && c != '!') {
		s.skip("")
	}
	s.endLine()
}

// skip goes to the end of the line, to its comment or to one of the bytes in stops, outside of brackets and strings.
func (s *scanner) skip(stops string) {
	for depth := 0; s.at < len(s.text); {
		c := s.text[s.at]
		switch {
		case depth == 0 && (c == '\n' || c == '#' || strings.IndexByte(stops, c) >= 0):
			return
		case c == '#':
			s.comment()
		case s.opens(c):
			s.quoted()
		case c == '\\' && !s.r:
			s.at = min(s.at+2, len(s.text))
		default:
			if strings.IndexByte("([{", c) >= 0 {
				depth++
			} else if strings.IndexByte(")]}", c) >= 0 && depth > 0 {
				depth--
			}
			if s.at++; s.r && (c == 'r' || c == 'R') {
				s.rawR()
			}
		}
	}
}

// opens reports whether a string or a quoted name begins with the byte.
func (s *scanner) opens(c byte) bool { return c == '"' || c == '\'' || (c == '`' && s.r) }

// quoted goes past a string or a quoted name and returns what is between its quotes. One without an end goes as far as the
// language would look for it, and gives false. So does one with NUL, which neither language reads in code.
func (s *scanner) quoted() (string, bool) {
	quote := s.text[s.at : s.at+1]
	if triple := strings.Repeat(quote, 3); !s.r && strings.HasPrefix(s.text[s.at:], triple) {
		quote = triple
	}
	start := s.at + len(quote)
	for at := start; at < len(s.text); at++ {
		switch {
		case strings.HasPrefix(s.text[at:], quote):
			s.at = at + len(quote)
			return s.text[start:at], strings.IndexByte(s.text[start:at], 0) < 0
		case s.text[at] == '\\':
			at++
		case s.text[at] == '\n' && !s.r && len(quote) == 1:
			s.at = at
			return "", false
		}
	}
	s.at = len(s.text)
	return "", false
}

// word goes past letters, digits, low lines, and the points of R's names, and returns them.
func (s *scanner) word() string {
	start := s.at
	for s.at < len(s.text) && isWord(s.text[s.at], s.r) {
		s.at++
	}
	return s.text[start:s.at]
}

func isWord(c byte, points bool) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '.' && points
}

// literal reads a value of the language, and gives false for anything else.
func (s *scanner) literal() (value, bool) {
	s.space()
	c := s.peek()
	switch {
	case c == '+', c == '-', c == '.', '0' <= c && c <= '9':
		return s.number()
	case s.r:
		return s.literalR()
	}
	return s.literalPython()
}

// entries reads values between brackets, from the opening to the closing one. name reads what must be before each value.
// comma says that one is after the last.
func (s *scanner) entries(closing string, name func() (string, bool)) (names []string, items []value, comma, ok bool) {
	s.at++
	if s.depth++; s.depth > maxDepth {
		return nil, nil, false, false
	}
	for s.space(); !s.take(closing); s.space() {
		if len(items) > 0 && !comma {
			return nil, nil, false, false
		}
		found, ok := name()
		if !ok {
			return nil, nil, false, false
		}
		item, ok := s.literal()
		if !ok {
			return nil, nil, false, false
		}
		names, items = append(names, found), append(items, item)
		s.space()
		comma = s.take(",")
	}
	s.depth--
	return names, items, comma, true
}

// number reads a number with its sign.
func (s *scanner) number() (value, bool) {
	sign := ""
	if s.take("-") {
		sign = "-"
	} else {
		s.take("+")
	}
	s.space()
	start := s.at
	for s.at < len(s.text) {
		c := s.text[s.at]
		exponent := s.at > start && s.text[s.at-1]|0x20 == 'e'
		if !isWord(c, true) && (!exponent || c != '+' && c != '-') {
			break
		}
		s.at++
	}
	read := numberPython
	if s.r {
		read = numberR
	}
	kind, text, ok := read(s.text[start:s.at])
	if kind == Integer && text == "0" {
		sign = ""
	}
	return value{kind: kind, text: sign + text}, ok && len(text) <= maxNumber
}

// withoutFraction matches a point that JSON doesn't allow.
var withoutFraction = regexp.MustCompile(`\.([eE]|$)`)

// decimal returns a decimal number of either language in JSON, which has digits on both sides of a point and no 0 before others.
func decimal(number string) string {
	number = strings.TrimLeft(number, "0")
	if number == "" || number[0] < '0' || number[0] > '9' {
		number = "0" + number
	}
	return withoutFraction.ReplaceAllString(number, ".0$1")
}

// integer returns the decimal digits of a whole number, which Go writes as the languages do.
func integer(text string) (string, bool) {
	number, ok := new(big.Int).SetString(text, 0)
	if !ok {
		return "", false
	}
	return number.String(), true
}

// escapes that both languages have for a character.
var escapes = map[string]string{
	"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", `\`: `\`, `'`: `'`, `"`: `"`,
}

// The escapes of each language, with the digits that it takes.
var (
	escapePython = regexp.MustCompile(`(?s)\\(?:[0-7]{1,3}|x[[:xdigit:]]{2}|u[[:xdigit:]]{4}|U[[:xdigit:]]{8}|.?)`)
	escapeR      = regexp.MustCompile(`(?s)\\(?:[0-7]{1,3}|x[[:xdigit:]]{1,2}|u(?:[[:xdigit:]]{1,4}|\{[[:xdigit:]]{1,4}\})|` +
		`U(?:[[:xdigit:]]{1,8}|\{[[:xdigit:]]{1,8}\})|.?)`)
)

// unquote goes past a string or a quoted name and returns what it stands for. It gives false for one that the language
// refuses, and for characters that JSON doesn't have or that have names.
func (s *scanner) unquote() (string, bool) {
	body, ok := s.quoted()
	pattern := escapePython
	if s.r {
		pattern = escapeR
	}
	narrow, wide := false, false
	text := pattern.ReplaceAllStringFunc(body, func(escape string) string {
		escape = escape[1:]
		plain, found := escapes[escape]
		c, base := escape[0], 16
		if '0' <= c && c <= '7' {
			base = 8
		}
		switch {
		case found:
			return plain
		case base == 8, len(escape) > 1 && (c == 'x' || c == 'u' || c == 'U'):
			code, err := strconv.ParseUint(strings.Trim(escape, "xuU{}"), base, 31)
			asByte := c != 'u' && c != 'U'
			narrow, wide = narrow || asByte, wide || !asByte
			ok = ok && err == nil && utf8.ValidRune(rune(code)) && (!s.r || code > 0 && (!asByte || code < 0x80))
			return string(rune(code))
		case s.r && (c == '`' || c == ' ' || c == '\n'):
			return escape
		case !s.r && c == '\n':
			return ""
		case s.r || strings.IndexByte("xuUN", c) >= 0:
			ok = false
		}
		return `\` + escape // in Python it is no escape
	})
	return text, ok && (!s.r || !narrow || !wide) // R refuses strings with escapes of both bytes and characters
}
