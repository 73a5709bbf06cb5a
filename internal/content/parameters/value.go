package parameters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// null is the kind of Python's None, R's NULL and JSON's null. No parameter has it as its type.
const null Type = "null"

// value is what a literal of Python, of R or of JSON stands for.
type value struct {
	kind   Type
	text   string   // a string; a number as in JSON; true or false
	names  []string // of an object, one for each item, in their order
	items  []value  // of a list or an object
	listed bool     // R: written as list(...)
}

// json returns the value in JSON.
func (v value) json() json.RawMessage {
	var text strings.Builder
	inJSON.write(&text, v)
	return json.RawMessage(text.String())
}

// parser reads a value in JSON that is meant for a language.
type parser struct {
	*json.Decoder

	r bool // the language is R
}

// parse reads a value in JSON. It says what is wrong with one that can't be written into a notebook.
func parse(source json.RawMessage, r bool) (value, string) {
	if len(source) > maxValue {
		return value{}, fmt.Sprintf("takes %d bytes of JSON; at most %d are accepted", len(source), maxValue)
	}
	if !json.Valid(source) {
		return value{}, "isn't valid JSON"
	}
	decoder := json.NewDecoder(bytes.NewReader(source))
	decoder.UseNumber()
	return parser{decoder, r}.next(0)
}

func (p parser) next(depth int) (value, string) {
	token, err := p.Token()
	if err != nil {
		return value{}, "isn't valid JSON"
	}
	switch token := token.(type) {
	case bool:
		return value{kind: Boolean, text: strconv.FormatBool(token)}, ""
	case string:
		if p.r && strings.IndexByte(token, 0) >= 0 {
			return value{}, "contains the character NUL, which no text in R can contain"
		}
		return value{kind: String, text: token}, ""
	case json.Number:
		read := value{kind: Integer, text: token.String()}
		if strings.ContainsAny(read.text, ".eE") {
			read.kind = Number
		}
		if len(read.text) > maxNumber || !finite(read.text) {
			return value{}, fmt.Sprintf("contains a number that is too large or too long: numbers have at most %d characters and are below 1.8e308", maxNumber)
		}
		return read, ""
	case json.Delim:
		if depth == maxDepth {
			return value{}, fmt.Sprintf("has more than %d lists or objects in each other", maxDepth)
		}
		return p.items(token, depth+1)
	}
	return value{kind: null}, ""
}

// items reads what follows the opening bracket of a list or an object.
func (p parser) items(opening json.Delim, depth int) (value, string) {
	made := value{kind: List}
	if opening == '{' {
		made.kind = Object
	}
	seen := map[string]bool{}
	for p.More() {
		if made.kind == Object {
			name, problem := p.next(depth)
			switch {
			case problem != "":
				return value{}, problem
			case seen[name.text]:
				return value{}, "has an object with two values of one name"
			case p.r && (name.text == "" || len(name.text) > maxKey):
				return value{}, fmt.Sprintf("has an object in which a name is empty or longer than %d bytes, which R can't have", maxKey)
			}
			seen[name.text] = true
			made.names = append(made.names, name.text)
		}
		item, problem := p.next(depth)
		if problem != "" {
			return value{}, problem
		}
		made.items = append(made.items, item)
	}
	_, err := p.Token() // the closing bracket
	if err != nil {
		return value{}, "isn't valid JSON"
	}
	return made, ""
}

// finite reports whether a number in JSON is one for computers: not beyond ±1.8e308.
func finite(number string) bool {
	_, err := strconv.ParseFloat(number, 64)
	return err == nil
}

// whole returns the digits of a number in JSON that has no fraction, such as 3.0 or 1e3, and false for any other.
func whole(number string) (string, bool) {
	if _, exponent, found := strings.Cut(strings.ToLower(number), "e"); found {
		if size, err := strconv.Atoi(exponent); err != nil || size > 400 || size < -400 {
			return "", false // nobody counts in those, and their digits would fill the memory
		}
	}
	exact, ok := new(big.Rat).SetString(number)
	if !ok || !exact.IsInt() {
		return "", false
	}
	return exact.Num().String(), true
}
