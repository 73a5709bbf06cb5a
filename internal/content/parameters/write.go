package parameters

import (
	"fmt"
	"strings"
	"unicode"
)

// notation is how a language writes values.
type notation struct {
	null, yes, no, comma, equals string
	quote                        func(string) string
	brackets                     func(value) (string, string) // of a list or an object
}

var (
	inJSON   = notation{"null", "true", "false", ",", ":", func(text string) string { return string(encode(text)) }, square}
	inPython = notation{"None", "True", "False", ", ", ": ", quote, square}
	inR      = notation{"NULL", "TRUE", "FALSE", ", ", " = ", quote, round}
)

func square(v value) (opening, closing string) {
	if v.kind == Object {
		return "{", "}"
	}
	return "[", "]"
}

// round returns what R has around values. c(...) is as R's users write lists of texts, numbers or booleans, where it keeps
// each of them. list() alone would be a list without names.
func round(v value) (opening, closing string) {
	switch {
	case v.kind == List && !v.listed && alike(v.items):
		return "c(", ")"
	case v.kind == Object && len(v.items) == 0:
		return "setNames(list(), character(0))", ""
	}
	return "list(", ")"
}

func (n notation) write(to *strings.Builder, v value) {
	switch {
	case v.kind == null:
		to.WriteString(n.null)
	case v.kind == Boolean && v.text == "true":
		to.WriteString(n.yes)
	case v.kind == Boolean:
		to.WriteString(n.no)
	case v.kind == String:
		to.WriteString(n.quote(v.text))
	case v.kind == List, v.kind == Object:
		opening, closing := n.brackets(v)
		to.WriteString(opening)
		for i, item := range v.items {
			if i > 0 {
				to.WriteString(n.comma)
			}
			if v.kind == Object {
				to.WriteString(n.quote(v.names[i]) + n.equals)
			}
			n.write(to, item)
		}
		to.WriteString(closing)
	default:
		to.WriteString(v.text)
	}
}

// assignments returns the code that assigns the values, in the order in which they are declared.
func (d Declared) assignments(chosen map[string]value) string {
	var code strings.Builder
	code.WriteString("# Parameters")
	for _, each := range d.Parameters {
		given, found := chosen[each.Name]
		switch {
		case !found:
		case d.Language == languageR:
			if each.Type == Integer && isIntegerR(given.text) {
				given.text += "L"
			}
			given.listed = each.listed
			code.WriteString("\n" + each.Name + " <- ")
			inR.write(&code, given)
		default:
			if each.Type == Number && given.kind == Integer {
				given.text += ".0" // without it Python would read an integer, and a float is meant
			}
			code.WriteString("\n" + each.Name + " = ")
			inPython.write(&code, given)
		}
	}
	return code.String()
}

// quote writes a string with the escapes that Python and R have in common. What can't be seen becomes an escape.
func quote(text string) string {
	var code strings.Builder
	code.WriteByte('"')
	for _, c := range text {
		switch {
		case c == '"', c == '\\':
			code.WriteString(`\` + string(c))
		case c == '\n':
			code.WriteString(`\n`)
		case c == '\r':
			code.WriteString(`\r`)
		case c == '\t':
			code.WriteString(`\t`)
		case unicode.IsPrint(c):
			code.WriteRune(c)
		case c > 0xffff:
			fmt.Fprintf(&code, `\U%08x`, c)
		default:
			fmt.Fprintf(&code, `\u%04x`, c)
		}
	}
	code.WriteByte('"')
	return code.String()
}
