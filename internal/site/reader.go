package site

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"cairn/internal/foundation/fault"
)

// reader fills the types of this package from YAML nodes. The library's own decoding stops at the first kind of fault
// and drops the lines; this one continues and keeps them.
//
// The words of a rule, in this order: "optional" (may be missing), "list MIN MAX" (number of items), then the rule of a
// string: "text MAX" (one line of 1..MAX characters), "listed" (one of those in the tag "enum"), "picture" (a file
// beside the site file; the value becomes its address), or one from values.go.
type reader struct {
	file     string
	folder   string // of the site file; "" for the embedded one
	pictures map[string]picture
	faults   []fault.Field
}

type rule struct {
	optional   bool
	minimum    int
	maximum    int
	check      string
	characters int
	names      []string
}

func parse(file, folder string, data []byte, revised time.Time) (*Site, error) {
	r := &reader{file: file, folder: folder, pictures: map[string]picture{}}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil {
		r.reportSyntax(err)
		return nil, r.fault()
	}
	if err := decoder.Decode(&second); err == nil {
		r.report(second.Line, "a second document begins here; the file must contain only one")
	} else if !errors.Is(err, io.EOF) {
		r.reportSyntax(err)
	}
	site := &Site{pictures: r.pictures, revised: revised}
	r.read(document.Content[0], "the file", "", rule{}, reflect.ValueOf(site).Elem())
	site.finishEvents(r.report)
	if len(r.faults) > 0 {
		return nil, r.fault()
	}
	return site, nil
}

func (r *reader) report(line int, format string, arguments ...any) {
	r.faults = append(r.faults, fault.Field{
		Location: fmt.Sprintf("%s line %d", r.file, line),
		Message:  fmt.Sprintf(format, arguments...),
	})
}

var syntaxPattern = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

func (r *reader) reportSyntax(err error) {
	if errors.Is(err, io.EOF) {
		r.report(1, "the file is empty")
		return
	}
	parts := syntaxPattern.FindStringSubmatch(err.Error())
	if parts == nil {
		parts = []string{"", "", err.Error()}
	}
	line, _ := strconv.Atoi(parts[1])
	// The library counts lines from 0 for some syntax errors and from 1 for others, so the message says "near".
	r.report(max(line, 1), "the YAML is broken near this line: %s", parts[2])
}

func (r *reader) fault() error {
	lines := make([]string, len(r.faults))
	for i, field := range r.faults {
		lines[i] = field.Location + ": " + field.Message
	}
	invalid := fault.New(fault.Invalid, "%s", strings.Join(lines, "\n"))
	invalid.Fields = r.faults
	return invalid
}

// read decodes a node into a value of one of our types; name is what messages call it, prefix leads to its keys.
func (r *reader) read(node *yaml.Node, name, prefix string, rule rule, into reflect.Value) {
	switch {
	case node.Kind == yaml.AliasNode: // never followed: a few of them can expand to gigabytes
		r.report(node.Line, "%s is an alias (*); write the value out", name)
	case into.Kind() == reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		r.read(node, name, prefix, rule, into.Elem())
	case into.Kind() == reflect.Struct:
		r.readMapping(node, name, prefix, into)
	case into.Kind() == reflect.Slice:
		r.readList(node, name, prefix, rule, into)
	case into.Kind() == reflect.Bool:
		if node.Kind != yaml.ScalarNode || node.Tag != "!!bool" {
			r.report(node.Line, "%s must be true or false", name)
			return
		}
		into.SetBool(strings.EqualFold(node.Value, "true"))
	default:
		if node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
			r.report(node.Line, "%s must be text", name)
			return
		}
		value, problem := node.Value, rule.problem(node.Value)
		if rule.check == "picture" {
			value, problem = r.picture(node.Value)
		}
		if problem != "" {
			r.report(node.Line, "%s %s", name, problem)
		}
		into.SetString(value)
	}
}

// picture adds a file beside the site file and returns its address on this server.
func (r *reader) picture(name string) (address, problem string) {
	found, err := readPicture(r.folder, name)
	if err != nil {
		return "", err.Error()
	}
	r.pictures[name] = found
	return addressOf(name, found), ""
}

func (r *reader) readList(node *yaml.Node, name, prefix string, rule rule, into reflect.Value) {
	into.Set(reflect.MakeSlice(into.Type(), 0, 0))
	if node.Kind != yaml.SequenceNode {
		r.report(node.Line, "%s must be a list", name)
		return
	}
	if count := len(node.Content); count < rule.minimum || count > rule.maximum {
		r.report(node.Line, "%s has %d items; it must have %s", name, count, rule.span())
		return
	}
	for _, item := range node.Content {
		value := reflect.New(into.Type().Elem()).Elem()
		r.read(item, "an item of "+name, prefix, rule, value)
		into.Set(reflect.Append(into, value))
	}
}

func (r *reader) readMapping(node *yaml.Node, name, prefix string, into reflect.Value) {
	if node.Kind != yaml.MappingNode {
		r.report(node.Line, "%s must be a group of keys", name)
		return
	}
	before := len(r.faults)
	structure := into.Type()
	if placed, ok := into.Addr().Interface().(interface{ readAt(line int) }); ok {
		placed.readAt(node.Line)
	}
	var known []string
	fields := map[string]reflect.StructField{}
	for field := range structure.Fields() {
		key := field.Tag.Get("yaml")
		if key == "" { // absent from the file
			continue
		}
		known = append(known, key)
		fields[key] = field
		if field.Type.Kind() == reflect.Slice { // an omitted list is empty, not null
			into.FieldByIndex(field.Index).Set(reflect.MakeSlice(field.Type, 0, 0))
		}
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		field, ok := fields[key.Value]
		switch {
		case !ok:
			r.report(key.Line, "%s is unknown; the keys here are %s", quotedKey(prefix, key), strings.Join(known, ", "))
		case lines[key.Value] != 0:
			r.report(key.Line, "%s appears a second time; the first is on line %d", prefix+key.Value, lines[key.Value])
		default:
			lines[key.Value] = key.Line
			path := prefix + key.Value
			r.read(value, path, path+".", parseRule(field.Tag), into.FieldByIndex(field.Index))
		}
	}
	for _, key := range known {
		if lines[key] == 0 && !parseRule(fields[key].Tag).optional {
			r.report(node.Line, "%s is missing", prefix+key)
		}
	}
	if whole, ok := into.Addr().Interface().(checked); ok && len(r.faults) == before {
		whole.check(func(key, format string, arguments ...any) {
			line, name := lines[key], prefix+key
			if key == "" { // about the mapping as a whole
				line, name = node.Line, strings.TrimSuffix(prefix, ".")
			}
			r.report(line, "%s", name+": "+fmt.Sprintf(format, arguments...))
		})
	}
}

// quotedKey quotes a key, which may be anything, shortened to a readable length.
func quotedKey(prefix string, key *yaml.Node) string {
	text := []rune(key.Value)
	if key.Kind != yaml.ScalarNode {
		return prefix + "(a key that isn't text)"
	}
	return strconv.Quote(prefix + string(text[:min(len(text), 40)]))
}

// parseRule parses a struct tag of this package; the tags are constants, so an unknown word is a bug.
func parseRule(tag reflect.StructTag) rule {
	var parsed rule
	text := tag.Get("rule")
	words := strings.Fields(text)
	number := func() int {
		value, err := strconv.Atoi(words[0])
		if err != nil {
			panic("site: rule " + text)
		}
		words = words[1:]
		return value
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch word {
		case "optional":
			parsed.optional = true
		case "list":
			parsed.minimum, parsed.maximum = number(), number()
		case "text":
			parsed.check, parsed.characters = word, number()
		case "listed":
			parsed.check, parsed.names = word, strings.Split(tag.Get("enum"), ",")
		default:
			if _, known := forms[word]; !known && word != "picture" {
				panic("site: rule " + text)
			}
			parsed.check = word
		}
	}
	return parsed
}

func (r rule) span() string {
	if r.minimum == r.maximum {
		return strconv.Itoa(r.minimum)
	}
	return fmt.Sprintf("%d to %d", r.minimum, r.maximum)
}
