package parameters

import (
	"regexp"
	"slices"
	"strings"
)

var (
	namePython    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	stringPython  = regexp.MustCompile(`^[rRuU]?["']`)
	integerPython = regexp.MustCompile(`^(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|[1-9](?:_?[0-9])*|0(?:_?0)*)$`)
	floatPython   = regexp.MustCompile(strings.ReplaceAll(`^(?:(?:D?\.D|D\.)(?:[eE][+-]?D)?|D[eE][+-]?D)$`, "D", `(?:[0-9](?:_?[0-9])*)`))
)

// keywordsPython can't be names.
var keywordsPython = []string{
	"False", "None", "True", "__debug__", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
	"elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not",
	"or", "pass", "raise", "return", "try", "while", "with", "yield",
}

func isNamePython(word string) bool {
	return namePython.MatchString(word) && !slices.Contains(keywordsPython, word)
}

func (s *scanner) literalPython() (value, bool) {
	if s.atStringPython() {
		return s.stringsPython()
	}
	nameless := func() (string, bool) { return "", true }
	switch s.peek() {
	case '[':
		_, items, _, ok := s.entries("]", nameless)
		return value{kind: List, items: items}, ok
	case '(':
		_, items, comma, ok := s.entries(")", nameless)
		if len(items) == 1 && !comma {
			return items[0], ok
		}
		return value{kind: List, items: items}, ok
	case '{':
		names, items, _, ok := s.entries("}", s.keyPython)
		return dict(names, items), ok
	}
	switch word := s.word(); word {
	case "True", "False":
		return value{kind: Boolean, text: strings.ToLower(word)}, true
	case "None":
		return value{kind: null}, true
	}
	return value{}, false
}

// keyPython reads the key of a dict and its colon.
func (s *scanner) keyPython() (string, bool) {
	key, ok := s.literal()
	s.space()
	return key.text, ok && key.kind == String && s.take(":")
}

// dict returns an object. Of the values of one key the last one counts, in the place of the first.
func dict(names []string, items []value) value {
	made := value{kind: Object}
	places := map[string]int{}
	for i, name := range names {
		if place, found := places[name]; found {
			made.items[place] = items[i]
			continue
		}
		places[name] = len(made.names)
		made.names, made.items = append(made.names, name), append(made.items, items[i])
	}
	return made
}

func (s *scanner) atStringPython() bool {
	return stringPython.MatchString(s.text[s.at:min(s.at+2, len(s.text))])
}

// stringsPython reads a string, and those beside it, which Python joins.
func (s *scanner) stringsPython() (value, bool) {
	var text strings.Builder
	for s.atStringPython() {
		read := s.unquote
		if strings.EqualFold(s.word(), "r") {
			read = s.quoted
		}
		part, ok := read()
		if !ok {
			return value{}, false
		}
		text.WriteString(part)
		s.space()
	}
	return value{kind: String, text: text.String()}, true
}

// numberPython reads a number without its sign.
func numberPython(text string) (Type, string, bool) {
	if floatPython.MatchString(text) {
		number := decimal(strings.ReplaceAll(text, "_", ""))
		return Number, number, finite(number)
	}
	if !integerPython.MatchString(text) {
		return "", "", false
	}
	number, ok := integer(text)
	return Integer, number, ok
}

// optional matches an annotation that allows None beside a type, annotation what names a type, and choice one of several
// types of which the first has brackets.
var (
	optional   = regexp.MustCompile(`(?s)^(?:\w+\.)*Optional\s*\[(.*)\]$|^None\s*\|(.*)$|^(.*)\|\s*None$`)
	annotation = regexp.MustCompile(`(?s)^(?:\w+\.)*(\w+)\s*(?:\[.*\])?$`)
	choice     = regexp.MustCompile(`\]\s*\|`)
)

var types = map[string]Type{
	"str": String, "int": Integer, "float": Number, "bool": Boolean, "list": List, "List": List, "tuple": List, "Tuple": List,
	"Sequence": List, "dict": Object, "Dict": Object,
}

// annotated returns the type that an annotation names, and whether it allows None; "" where the type isn't known.
func annotated(text string) (named Type, nullable bool) {
	text = strings.TrimSpace(strings.Trim(text, `"'`))
	if found := optional.FindStringSubmatch(text); found != nil {
		text, nullable = strings.TrimSpace(found[1]+found[2]+found[3]), true
	}
	found := annotation.FindStringSubmatch(text)
	if found == nil || choice.MatchString(text) {
		return "", nullable
	}
	return types[found[1]], nullable
}
