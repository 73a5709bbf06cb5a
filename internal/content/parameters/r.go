package parameters

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	nameR        = regexp.MustCompile(`^(?:[A-Za-z]|\.(?:[A-Za-z._]|$))[A-Za-z0-9._]*$`)
	reservedR    = regexp.MustCompile(`^(?:\.\.\.|\.\.[0-9]+|if|else|repeat|while|function|for|next|break|TRUE|FALSE|NULL|Inf|NaN|NA|NA_integer_|NA_real_|NA_character_|NA_complex_|in)$`)
	hexadecimalR = regexp.MustCompile(`^0[xX][0-9a-fA-F]+$`)
	decimalR     = regexp.MustCompile(`^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$`)
	rawStartR    = regexp.MustCompile(`^["'](-*)[(\[{]`)
)

func isNameR(word string) bool { return nameR.MatchString(word) && !reservedR.MatchString(word) }

func (s *scanner) literalR() (value, bool) {
	if c := s.peek(); c == '"' || c == '\'' {
		text, ok := s.unquote()
		return value{kind: String, text: text}, ok
	}
	switch word := s.word(); word {
	case "r", "R":
		text, ok := s.rawR()
		return value{kind: String, text: text}, ok
	case "TRUE", "FALSE":
		return value{kind: Boolean, text: strings.ToLower(word)}, true
	case "NULL":
		return value{kind: null}, true
	case "c", "list":
		if s.space(); s.peek() != '(' {
			break
		}
		names, items, comma, ok := s.entries(")", s.argumentR)
		if !ok || comma {
			break
		}
		if word == "list" {
			return listR(names, items)
		}
		named := strings.Join(names, "") != ""
		return value{kind: List, items: items}, !named && alike(items)
	}
	return value{}, false
}

// alike reports whether c(...) makes a vector of the values: they are all texts, numbers or booleans. It would turn others
// into texts, flatten lists and leave out NULL.
func alike(items []value) bool {
	kinds := map[Type]bool{}
	for _, item := range items {
		if item.kind == Integer {
			item.kind = Number
		}
		kinds[item.kind] = true
	}
	return len(kinds) < 2 && !kinds[null] && !kinds[List] && !kinds[Object]
}

// listR returns a list, or an object if all values have a name of their own.
func listR(names []string, items []value) (value, bool) {
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
	}
	if len(seen) == 0 || len(seen) == 1 && seen[""] {
		return value{kind: List, items: items, listed: true}, true
	}
	return value{kind: Object, names: names, items: items}, len(seen) == len(names) && !seen[""]
}

// argumentR reads the name of an argument and its =. Without them it gives the empty name and stays where it is.
func (s *scanner) argumentR() (string, bool) {
	start := s.at
	var name string
	var ok bool
	if s.opens(s.peek()) {
		name, ok = s.unquote()
	} else {
		name = s.word()
		ok = isNameR(name)
	}
	s.space()
	if !ok || strings.HasPrefix(s.text[s.at:], "==") || !s.take("=") {
		s.at = start
		return "", true
	}
	return name, name != ""
}

// rawR goes past a raw string whose r has been read, and returns what is between its brackets. It stays where it is if none
// begins here.
func (s *scanner) rawR() (string, bool) {
	start := rawStartR.FindStringSubmatch(s.text[s.at:])
	if start == nil {
		return "", false
	}
	opening := start[0]
	brackets := map[byte]string{'(': ")", '[': "]", '{': "}"}
	closing := brackets[opening[len(opening)-1]] + start[1] + opening[:1]
	body, _, found := strings.Cut(s.text[s.at+len(opening):], closing)
	s.at += len(opening) + len(body)
	s.take(closing)
	return body, found && strings.IndexByte(body, 0) < 0
}

// numberR reads a number without its sign.
func numberR(text string) (Type, string, bool) {
	text, long := strings.CutSuffix(text, "L")
	number, ok := decimal(text), decimalR.MatchString(text)
	if hexadecimalR.MatchString(text) {
		number, ok = integer(text)
	}
	switch {
	case !ok || !finite(number):
		return "", "", false
	case !long:
		return Number, number, true
	}
	number, ok = whole(number)
	return Integer, number, ok && isIntegerR(number)
}

// isIntegerR reports whether digits are those of one of R's integers, whose lowest value stands for NA.
func isIntegerR(digits string) bool {
	size, err := strconv.ParseInt(digits, 10, 64)
	return err == nil && -1<<31 < size && size < 1<<31
}
