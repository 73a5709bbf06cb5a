package metadata

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
)

// object is a JSON object that anybody may have written: no member needs to be there, or of the type that its format says.
type object map[string]any

// objectIn parses a file; nil for anything else than a JSON object.
func objectIn(content []byte) object {
	var found object
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(content, []byte("\ufeff"))))
	decoder.UseNumber() // version 1.10 isn't 1.1
	if decoder.Decode(&found) != nil {
		return nil
	}
	return found
}

// text returns the first of the members that is a text or a number; "" if none is.
func (o object) text(names ...string) string {
	for _, name := range names {
		if text := textOf(o[name]); text != "" {
			return text
		}
	}
	return ""
}

func textOf(value any) string {
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value)
	case json.Number:
		return value.String()
	}
	return ""
}

// list returns a member as a list: linked data writes lists of one without brackets.
func (o object) list(name string) []any {
	value := o[name]
	if inner, ok := value.(map[string]any); ok { // a list whose order counts, or not, in linked data
		for _, kind := range []string{"@list", "@set"} {
			if items, there := inner[kind]; there {
				value = items
			}
		}
	}
	switch value := value.(type) {
	case nil:
		return nil
	case []any:
		return value[:min(len(value), listLimit)]
	default:
		return []any{value}
	}
}

// objects returns those items of a list that are objects; a text becomes an object with this member.
func (o object) objects(name, member string) []object {
	var found []object
	for _, item := range o.list(name) {
		switch item := item.(type) {
		case map[string]any:
			found = append(found, item)
		case string:
			found = append(found, object{member: item})
		}
	}
	return found
}

// texts returns the texts of a list, and of its objects a member. A single text may be a list with commas.
func (o object) texts(name string, member ...string) []string {
	var found []string
	if text, single := o[name].(string); single {
		found = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' })
		return found[:min(len(found), listLimit)]
	}
	for _, item := range o.list(name) {
		text := textOf(item)
		if inner, ok := item.(map[string]any); ok {
			text = object(inner).text(member...)
		}
		if text != "" {
			found = append(found, text)
		}
	}
	return found
}

// is reports whether one of an object's types, in linked data of any version, has a name.
func (o object) is(name string) bool {
	return slices.Contains(append(o.texts("@type"), o.texts("type")...), name)
}

var markup = regexp.MustCompile(`(?s)<!--.*?-->|<(?:script|style)\b.*?</(?:script|style)>|</?[a-zA-Z][^>]*>`)

// plain returns a text without HTML, which archives keep descriptions in.
func plain(text string) string {
	if !strings.Contains(text, "<") {
		return withoutEntities(text)
	}
	text = regexpBlocks.ReplaceAllString(text, "\n\n")
	return strings.TrimSpace(regexpBlanks.ReplaceAllString(withoutEntities(markup.ReplaceAllString(text, "")), "\n\n"))
}

var (
	regexpBlocks = regexp.MustCompile(`(?i)</(?:p|div|li|h[1-6])>|<br\s*/?>`)
	regexpBlanks = regexp.MustCompile(`\n\s*\n+`)
)

// withoutEntities returns a text with the characters that HTML's entities stand for. Blanks that keep words on a line are blanks.
func withoutEntities(text string) string {
	return strings.ReplaceAll(html.UnescapeString(text), "\u00a0", " ")
}
