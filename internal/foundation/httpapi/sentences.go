package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"cairn/internal/foundation/fault"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

// The library checks bodies and parameters against the schema and words what it finds, with the texts that
// installSentences gives it. Each begins with one of these marks, which no other text of the library has.
const (
	predicateMark = "\x00"         // what follows is said of the value
	missingMark   = "\x00missing " // what follows is the name of the member that is missing
)

// installSentences gives the library its words for values that break a rule of the schema.
func installSentences() {
	for words, text := range map[*string]string{
		&validation.MsgExpectedRequiredProperty:          missingMark + "%s",
		&validation.MsgExpectedDependentRequiredProperty: missingMark + "%s%.0s",
		&validation.MsgUnexpectedProperty:                predicateMark + "isn't a field of this call. Check its spelling, or leave it out",
		&validation.MsgExpectedString:                    predicateMark + "must be text",
		&validation.MsgExpectedNumber:                    predicateMark + "must be a number",
		&validation.MsgExpectedInteger:                   predicateMark + "must be a whole number",
		&validation.MsgExpectedBoolean:                   predicateMark + "must be true or false",
		&validation.MsgExpectedArray:                     predicateMark + "must be a list, such as []",
		&validation.MsgExpectedObject:                    predicateMark + "must be an object, such as {}",
		&validation.MsgExpectedOneOf:                     predicateMark + "must be one of these: %s",
		&validation.MsgExpectedMinLength:                 predicateMark + "must have %d or more characters",
		&validation.MsgExpectedMaxLength:                 predicateMark + "is too long: it may have %d characters",
		&validation.MsgExpectedMinItems:                  predicateMark + "must have %d or more items",
		&validation.MsgExpectedMaxItems:                  predicateMark + "is too long: it may have %d items",
		&validation.MsgExpectedArrayItemsUnique:          predicateMark + "must not have the same item twice",
		&validation.MsgExpectedMinProperties:             predicateMark + "must have %d or more fields",
		&validation.MsgExpectedMaxProperties:             predicateMark + "is too large: it may have %d fields",
		&validation.MsgExpectedMinimumNumber:             predicateMark + "must be %v or more",
		&validation.MsgExpectedExclusiveMinimumNumber:    predicateMark + "must be more than %v",
		&validation.MsgExpectedMaximumNumber:             predicateMark + "must be %v or less",
		&validation.MsgExpectedExclusiveMaximumNumber:    predicateMark + "must be less than %v",
		&validation.MsgExpectedNumberBeMultipleOf:        predicateMark + "must be a multiple of %v",
		&validation.MsgExpectedBePattern:                 predicateMark + "must be %s",
		&validation.MsgExpectedMatchPattern:              predicateMark + "must match the pattern %s",
		&validation.MsgExpectedRFC3339DateTime:           predicateMark + "must be a time such as 2026-01-31T09:30:00Z",
		&validation.MsgExpectedRFC3339Date:               predicateMark + "must be a date such as 2026-01-31",
		&validation.MsgExpectedBase64String:              predicateMark + "must be encoded as base64",
		// %.0s takes the library's own explanation and shows nothing of it.
		&validation.MsgExpectedRFC4122UUID:  predicateMark + "must be an id such as 01900000-0000-7000-8000-000000000001%.0s",
		&validation.MsgExpectedRFC3986URI:   predicateMark + "must be an address such as https://example.org/page%.0s",
		&validation.MsgExpectedRFC5322Email: predicateMark + "must be an e-mail address such as name@example.org%.0s",
	} {
		*words = text
	}
}

// refusal says why a request is refused as a whole.
func refusal(operation *huma.Operation, status int) string {
	switch status {
	case http.StatusBadRequest:
		return "The body is missing or was cut off. Send it again, as JSON."
	case http.StatusRequestTimeout:
		return "The body took too long to arrive. Send it again."
	case http.StatusRequestEntityTooLarge:
		return fmt.Sprintf("The body is too large: this call takes at most %d bytes.", operation.MaxBodyBytes)
	case http.StatusInternalServerError:
		return "Something went wrong on the server. Send the call again in a moment."
	default:
		return "The request can't be read. See /api/docs for what this call takes."
	}
}

// refusedField names a value that the library refused, and says in a sentence what is wrong with it.
func refusedField(operation *huma.Operation, status int, detail *huma.ErrorDetail) ProblemField {
	field := ProblemField{Location: detail.Location}
	in, name, _ := strings.Cut(detail.Location, ".")
	if member, missing := strings.CutPrefix(detail.Message, missingMark); missing {
		field.Location += "." + member
		field.Message = strings.TrimPrefix(name+"."+member, ".") + " is required."
		return field
	}
	predicate, ours := strings.CutPrefix(detail.Message, predicateMark)
	switch {
	case status == http.StatusUnsupportedMediaType:
		field.Message = "The body must be JSON: send it with the header Content-Type: application/json."
		return field
	case !ours && in == "body":
		field.Message = unreadableBody(detail.Value)
		return field
	case !ours:
		predicate = parameterPredicate(operation, in, name, detail.Value)
	}
	field.Message = subject(in, name) + " " + predicate + "."
	return field
}

// subject names a value as its caller knows it.
func subject(in, name string) string {
	switch {
	case in == "body" && name == "":
		return "The body"
	case in == "body":
		return name
	case in == "header":
		return "The header " + name
	default:
		return "The parameter " + name
	}
}

// unreadableBody says why a body isn't read. The schema allows those that are JSON, so a number in them must be larger than
// the field can hold.
func unreadableBody(value any) string {
	body, _ := value.(string)
	decoder := json.NewDecoder(strings.NewReader(body))
	var into any
	broken := decoder.Decode(&into)
	if broken == nil && decoder.More() {
		return "The body has something after its JSON. Send one JSON value alone."
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](broken); ok {
		before := body[:min(max(int(syntax.Offset)-1, 0), len(body))]
		line, column := 1+strings.Count(before, "\n"), 1+len([]rune(before[strings.LastIndex(before, "\n")+1:]))
		return fmt.Sprintf("The body isn't valid JSON: see line %d, character %d. Check its quotes, commas and brackets.", line, column)
	}
	if broken != nil {
		return "The body isn't valid JSON: it ends too early. Check its quotes and brackets."
	}
	return "A number in the body is too large."
}

// parameterPredicate says what a parameter must be that the library can't read.
func parameterPredicate(operation *huma.Operation, in, name string, value any) string {
	if value == nil || value == "" {
		return "is required"
	}
	for _, parameter := range operation.Parameters {
		if parameter.In != in || parameter.Name != name || parameter.Schema == nil {
			continue
		}
		given := ", not " + fault.Quote(fmt.Sprint(value))
		switch schema := parameter.Schema; schema.Type {
		case huma.TypeInteger:
			if schema.Minimum != nil && schema.Maximum != nil {
				return fmt.Sprintf("must be a whole number from %.0f to %.0f", *schema.Minimum, *schema.Maximum) + given
			}
			return "must be a whole number" + given
		case huma.TypeNumber:
			return "must be a number" + given
		case huma.TypeBoolean:
			return "must be true or false" + given
		case huma.TypeArray:
			return "has an item that can't be read. See /api/docs for what this call takes"
		default:
			if schema.Format == "date-time" {
				return "must be a time such as 2026-01-31T09:30:00Z" + given
			}
		}
	}
	return "can't be read. See /api/docs for what this call takes"
}
