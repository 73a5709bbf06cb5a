package codehost

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"cairn/internal/foundation/fault"

	"go.yaml.in/yaml/v3"
)

// DescriptorLimit is the size of the largest descriptor, in bytes. A description of the full length, at four bytes per
// letter, takes a third of it.
const DescriptorLimit = 256 << 10

// Descriptor is the project section of a descriptor as it is written. The catalog checks the values, by the rules of
// entries.
type Descriptor struct {
	Name, Description, Authors, Tags, Privacy, License, Version, DOI, Language, Funding, Related DescriptorField

	Check DescriptorField // the notebooks that say whether the project still runs, by their paths in the repository

	Needs              DescriptorField // what it asks of a session: a group, so it has no texts
	Memory, CPUs, GPUs DescriptorField // the fields of that group; their faults are those of the group
}

// DescriptorField is one field of a descriptor. Numbers, dates and the like are kept as their text.
type DescriptorField struct {
	Line      int              // 0: absent
	Texts     []DescriptorText // one, or any number for lists; empty ones are left out
	Flow      bool             // a list in brackets
	Indent    int              // of the hyphens of any other list, in blanks
	Near      DescriptorText   // if absent: a key that may be meant for it
	Elsewhere Misplaced        // privacy, if absent: where it is instead
	Faults    []fault.Field    // of its form; it then has no texts
}

// Misplaced is a field that isn't where it is read. Its line is 0 if there is none.
type Misplaced struct {
	Heading string // "" for the file's first level
	Value   string // in upper case
	Line    int
}

// DescriptorText is a text and the line on which it begins, counted from 1.
type DescriptorText struct {
	Value string
	Line  int
	Group map[string]string // an author, an award or something related as a group of fields, by their names in lower case; nil for one text
}

// CheckLimit is the maximum number of notebooks below check.
const CheckLimit = 5

// CheckedPath returns why a path can't be below check; "" if it can.
func CheckedPath(file string) string {
	if path.Ext(file) != ".ipynb" || !filepath.IsLocal(filepath.FromSlash(file)) || strings.ContainsAny(file, "\\\x00") {
		return "isn't the path of a notebook in the repository"
	}
	return ""
}

// DescriptorPlace returns the location of a fault in a descriptor.
func DescriptorPlace(line int, field string) string { return fmt.Sprintf("line %d: %s", line, field) }

// ParseDescriptor parses a descriptor. It returns faults only for a file that can't be parsed at all; those of a
// field's form are in the field. Unknown keys are ignored, whatever they contain.
func ParseDescriptor(content []byte) (Descriptor, []fault.Field) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	root, project, problem := projectSection(content)
	if problem != nil {
		return Descriptor{}, []fault.Field{*problem}
	}
	var d Descriptor
	fields := map[string]struct {
		field *DescriptorField
		read  func(f *DescriptorField, key, value *yaml.Node)
	}{
		"name": {&d.Name, readText}, "description": {&d.Description, readText}, "privacy": {&d.Privacy, readText},
		"authors": {&d.Authors, readList}, "tags": {&d.Tags, readList}, "check": {&d.Check, readList},
		"language": {&d.Language, readText}, "funding": {&d.Funding, readList}, "related": {&d.Related, readList},
		"license": {&d.License, readText}, "version": {&d.Version, readText}, "doi": {&d.DOI, readText},
		"needs": {&d.Needs, d.readNeeds},
	}
	for key, value := range pairs(project) {
		known, ok := fields[key.Value]
		switch {
		case !ok:
			if meant, ok := fields[meantKey(key.Value)]; ok {
				meant.field.Near = DescriptorText{Value: key.Value, Line: key.Line}
			}
		case known.field.Line > 0:
			known.field.refuse(key.Line, key.Value, "This field appears a second time; the first is on line %d. Keep one of them.", known.field.Line)
		default:
			known.read(known.field, key, value)
		}
	}
	if d.Privacy.Line == 0 && d.Privacy.Near.Line == 0 {
		d.Privacy.Elsewhere = misplacedPrivacy(root, "")
	}
	return d, nil
}

// misplacedPrivacy finds a privacy below any heading: somebody who wrote PRIVATE in the wrong place mustn't be told
// that the file names none.
func misplacedPrivacy(group *yaml.Node, heading string) Misplaced {
	for key, value := range pairs(group) {
		if value.Kind == yaml.ScalarNode && meantKey(key.Value) == "privacy" {
			if text := strings.ToUpper(strings.TrimSpace(value.Value)); text == "PUBLIC" || text == "PRIVATE" {
				return Misplaced{Heading: heading, Value: text, Line: key.Line}
			}
		}
		if value.Kind == yaml.MappingNode {
			if found := misplacedPrivacy(value, key.Value); found.Line > 0 {
				return found
			}
		}
	}
	return Misplaced{}
}

// projectSection returns the whole file and the mapping below "project".
func projectSection(content []byte) (root, project *yaml.Node, found *fault.Field) {
	root, found = rootOf(content)
	if found == nil {
		project, found = projectOf(root)
	}
	if found != nil {
		return nil, nil, found
	}
	return root, project, nil
}

func problemIn(line int, format string, arguments ...any) *fault.Field {
	return &fault.Field{Location: fmt.Sprintf("line %d", line), Message: fmt.Sprintf(format, arguments...)}
}

// rootOf parses a file that has a list of fields.
func rootOf(content []byte) (*yaml.Node, *fault.Field) {
	lines := 1 + bytes.Count(content, []byte("\n"))
	problem := func(line int, format string, arguments ...any) *fault.Field {
		line = max(1, min(line, lines)) // at the end of some files the library counts one too many
		return problemIn(line, format, arguments...)
	}
	switch {
	case len(content) > DescriptorLimit:
		return nil, problem(1, "The file is larger than %d KiB. Keep long texts and data in other files.", DescriptorLimit>>10)
	case bytes.HasPrefix(content, []byte("\xff\xfe")), bytes.HasPrefix(content, []byte("\xfe\xff")):
		return nil, problem(1, "The file is saved as UTF-16. Save it as UTF-8.")
	}
	if line := unreadableLine(content); line > 0 {
		return nil, problem(line, "This isn't text in UTF-8. Save the file as plain text in UTF-8.")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, problem(1, "The file is empty. Fill it as in the example.")
	} else if err != nil {
		line, message := explainYAML(content, err)
		return nil, problem(line, "%s", message)
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, problem(second.Line, "A second document begins here, after ---. Keep only one.")
	} else if !errors.Is(err, io.EOF) {
		line, message := explainYAML(content, err)
		return nil, problem(line, "%s", message)
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, problem(root.Line, "This isn't a list of fields. The file must begin with the line project: with the fields indented below it.")
	}
	return root, nil
}

func projectOf(root *yaml.Node) (*yaml.Node, *fault.Field) {
	var project, first, capital, misplaced *yaml.Node
	for key, value := range pairs(root) {
		switch {
		case key.Value == "project" && first == nil:
			project, first = value, key
		case key.Value == "project":
			return nil, problemIn(key.Line, "There is a second project section; the first is on line %d. Keep only one.", first.Line)
		case strings.EqualFold(strings.TrimSpace(key.Value), "project"):
			capital = key
		case meantKey(key.Value) != "" && misplaced == nil:
			misplaced = key
		}
	}
	switch {
	case first == nil && capital != nil:
		return nil, problemIn(capital.Line, "There is no project section. Write its name in lower case: project:")
	case first == nil:
		return nil, problemIn(root.Line, "There is no project section. Begin with the line project: and indent name, description, authors, tags and privacy below it.")
	case project.Kind == yaml.ScalarNode && project.Tag == "!!null" && misplaced != nil:
		return nil, problemIn(misplaced.Line, "%s isn't part of project, because it starts in the same column. Indent it and the other fields by two spaces.", misplaced.Value)
	case project.Kind != yaml.MappingNode:
		return nil, problemIn(first.Line, "The project section has no fields. Indent name, description, authors, tags and privacy below the line project:")
	}
	for key := range pairs(project) {
		if key.Tag == "!!merge" {
			return nil, problemIn(key.Line, "Fields merged from elsewhere with << aren't read. Write them out.")
		}
	}
	return project, nil
}

// pairs iterates over the keys of a mapping that are texts, with their values.
func pairs(mapping *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			if key := mapping.Content[i]; key.Kind == yaml.ScalarNode && !yield(key, mapping.Content[i+1]) {
				return
			}
		}
	}
}

// meantKey returns the field that a key is probably meant for, or "". Each of these occurs in real files.
func meantKey(key string) string {
	switch strings.ToLower(strings.TrimSpace(key)) {
	case "name", "title", "project_name":
		return "name"
	case "description", "summary", "abstract":
		return "description"
	case "authors", "author", "owner", "owners", "maintainers", "contributors":
		return "authors"
	case "tags", "tag", "keywords", "topics":
		return "tags"
	case "privacy", "visibility":
		return "privacy"
	}
	return ""
}

func (f *DescriptorField) refuse(line int, name, format string, arguments ...any) {
	f.Line, f.Texts = max(f.Line, 1), nil
	f.Faults = append(f.Faults, fault.Field{Location: DescriptorPlace(line, name), Message: fmt.Sprintf(format, arguments...)})
}

func readText(f *DescriptorField, key, value *yaml.Node) {
	f.Line = key.Line
	switch {
	case value.Kind == yaml.AliasNode:
		f.refuse(key.Line, key.Value, "%s", aliasProblem)
	case value.Kind != yaml.ScalarNode:
		f.refuse(key.Line, key.Value, "This is a %s, but a single text is expected. Write %s: followed by the text in quotes.", formOf(value), key.Value)
	default:
		f.add(value)
	}
}

func readList(f *DescriptorField, key, value *yaml.Node) {
	f.Line = key.Line
	switch {
	case value.Kind == yaml.AliasNode:
		f.refuse(key.Line, key.Value, "%s", aliasProblem)
		return
	case value.Kind == yaml.ScalarNode && (value.Tag == "!!null" || strings.TrimSpace(value.Value) == ""):
		return
	case value.Kind == yaml.ScalarNode:
		f.refuse(key.Line, key.Value, "This is a single text, but a list is expected. Write: %s: %s", key.Value, flowList(strings.Split(value.Value, ",")))
		return
	case value.Kind != yaml.SequenceNode:
		f.refuse(key.Line, key.Value, "This is a group of fields, but a list is expected. Put each item on its own line, after a hyphen and a space.")
		return
	}
	f.Flow, f.Indent = value.Style&yaml.FlowStyle != 0, value.Column-1
	for _, item := range value.Content {
		person, group := personOf(key.Value, item), groupOf(key.Value, item)
		switch {
		case item.Kind == yaml.ScalarNode:
			f.add(item)
		case item.Kind == yaml.AliasNode:
			f.refuse(item.Line, key.Value, "%s", aliasProblem)
			return
		case person != nil:
			f.Texts = append(f.Texts, DescriptorText{Value: cmp.Or(person["email"], person["name"]), Line: item.Line, Group: person})
		case group != nil:
			f.Texts = append(f.Texts, DescriptorText{Line: item.Line, Group: group})
		default:
			f.refuse(item.Line, key.Value, "An item is a %s, but a single text is expected.%s", formOf(item), itemHint(key.Value, item))
			return
		}
	}
}

// needsExample is a group of needs as people write one.
const needsExample = "needs: {memory: 8GiB, cpus: 2, gpus: 1}"

// readNeeds reads the group below needs. Unlike elsewhere, unknown keys are refused: a misspelt one would start sessions
// that are too small.
func (d *Descriptor) readNeeds(f *DescriptorField, key, value *yaml.Node) {
	f.Line = key.Line
	switch {
	case value.Kind == yaml.AliasNode:
		f.refuse(key.Line, key.Value, "%s", aliasProblem)
		return
	case value.Kind == yaml.ScalarNode && (value.Tag == "!!null" || strings.TrimSpace(value.Value) == ""):
		return
	case value.Kind == yaml.ScalarNode:
		f.refuse(key.Line, key.Value, "This is a single text, but a group of fields is expected. Write, for example: %s", needsExample)
		return
	case value.Kind != yaml.MappingNode:
		f.refuse(key.Line, key.Value, "This is a list, but a group of fields is expected. Write, for example: %s", needsExample)
		return
	}
	fields := map[string]*DescriptorField{"memory": &d.Memory, "cpus": &d.CPUs, "gpus": &d.GPUs}
	for key, value := range pairs(value) {
		one, known := fields[key.Value]
		switch {
		case !known:
			f.refuse(key.Line, "needs", "There is no field %s here; the fields are memory, cpus and gpus. Write, for example: %s", fault.Quote(key.Value), needsExample)
		case one.Line > 0:
			f.refuse(key.Line, key.Value, "This field appears a second time; the first is on line %d. Keep one of them.", one.Line)
		case value.Kind == yaml.MappingNode || value.Kind == yaml.SequenceNode:
			f.refuse(key.Line, key.Value, "This is a %s, but a single value is expected. Write, for example: %s", formOf(value), needsExample)
		default:
			readText(one, key, value)
			f.Faults = append(f.Faults, one.Faults...)
		}
	}
}

func (f *DescriptorField) add(value *yaml.Node) {
	if text := strings.TrimSpace(value.Value); text != "" && value.Tag != "!!null" {
		f.Texts = append(f.Texts, DescriptorText{Value: text, Line: value.Line})
	}
}

// aliasProblem: aliases are never followed, because a few of them can expand to gigabytes.
const aliasProblem = "A value that begins with * refers to another part of the file. Write the value out, or put text that begins with * in quotes."

func formOf(node *yaml.Node) string {
	if node.Kind == yaml.SequenceNode {
		return "list"
	}
	return "group of fields"
}

// groupOf returns the fields of an award or of something related; nil for anything else.
func groupOf(field string, item *yaml.Node) map[string]string {
	if (field != "funding" && field != "related") || item.Kind != yaml.MappingNode {
		return nil
	}
	group := map[string]string{}
	for key, value := range pairs(item) {
		if text := strings.TrimSpace(value.Value); value.Kind == yaml.ScalarNode && value.Tag != "!!null" && text != "" {
			group[strings.ToLower(strings.TrimSpace(key.Value))] = text
		}
	}
	return group
}

// personOf returns the fields of an author who is written as a group: name, email, orcid, affiliation, ror and role. It is
// nil for anything that names nobody.
func personOf(field string, item *yaml.Node) map[string]string {
	if field != "authors" || item.Kind != yaml.MappingNode {
		return nil
	}
	person, parts := map[string]string{}, map[string]string{}
	for key, value := range pairs(item) {
		if value.Kind == yaml.MappingNode && strings.EqualFold(key.Value, "affiliation") {
			for inner, text := range pairs(value) {
				if text.Kind == yaml.ScalarNode && text.Tag != "!!null" {
					person[map[string]string{"name": "affiliation", "ror": "ror"}[inner.Value]] = strings.TrimSpace(text.Value)
				}
			}
			delete(person, "")
		}
		text := strings.TrimSpace(value.Value)
		if value.Kind != yaml.ScalarNode || value.Tag == "!!null" || text == "" {
			continue
		}
		switch name := strings.ToLower(strings.TrimSpace(key.Value)); name {
		case "name":
			person["name"] = text
		case "email", "e-mail", "mail":
			person["email"] = text
		case "orcid", "affiliation", "ror", "role":
			person[name] = text
		case "given-names", "name-particle", "family-names", "name-suffix", "alias":
			parts[name] = text
		}
	}
	if person["name"] == "" {
		person["name"] = nameOf(parts)
	}
	if person["name"] == "" && person["email"] == "" {
		return nil
	}
	return person
}

// nameOf puts together the parts of a name in the Citation File Format, in the order in which it is spoken.
func nameOf(parts map[string]string) string {
	words := []string{parts["given-names"]}
	if parts["family-names"] != "" {
		words = append(words, parts["name-particle"], parts["family-names"], parts["name-suffix"])
	}
	return cmp.Or(strings.Join(strings.Fields(strings.Join(words, " ")), " "), parts["alias"])
}

// itemHint says what to write instead of a group of fields.
func itemHint(field string, item *yaml.Node) string {
	if field == "authors" && item.Kind == yaml.MappingNode {
		return " Write the e-mail address of each author: - you@example.org, or {name: Your Name, email: you@example.org}."
	}
	return " Put it in quotes if [ ] { } or : are part of the text."
}

// flowList writes texts as a YAML list in brackets.
func flowList(texts []string) string {
	const most = 8
	var items []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" && len(items) < most {
			items = append(items, fmt.Sprintf("%q", shortened(text)))
		}
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func shortened(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

// unreadableLine returns the first line that isn't text, or 0.
func unreadableLine(content []byte) int {
	line := 1
	for rest := content; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == '\n':
			line++
		case r == utf8.RuneError && size == 1, r < ' ' && r != '\t' && r != '\r', r == 0x7f:
			return line
		}
		rest = rest[size:]
	}
	return 0
}
