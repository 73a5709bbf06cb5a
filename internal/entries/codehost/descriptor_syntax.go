package codehost

import (
	"bytes"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var syntaxPattern = regexp.MustCompile(`^yaml: (?:line (\d+): )?([\s\S]*)$`)

// syntaxHints translate parts of the library's messages about broken YAML for the people who write it.
var syntaxHints = []struct{ part, hint string }{
	{"violates indentation", "This line or the next is indented with a tab. Use spaces."},
	{"cannot start any token", "A value can't begin with this character. Put the value in quotes."},
	{"mapping values are not allowed", "There is an unexpected colon. Put text that contains a colon in quotes, put each field on its own line, and indent all fields of project equally."},
	{"expected key", "This line doesn't fit. Indent it like the fields around it, write nothing after a closing quote or bracket, and double a quote inside '...'."},
	{"expected ',' or ']'", "A list that begins with [ here isn't closed with ]. Put text that begins with [ in quotes."},
	{"expected ',' or '}'", "A group that begins with { here isn't closed with }. Put text that begins with { in quotes."},
	{"expected '-' indicator", "A line in a list doesn't begin with a hyphen. Indent all its items equally."},
	{"unexpected end of stream", "A quote is opened here but not closed."},
	{"expected ':'", "This line or the one above isn't a field. Indent the lines of a long text more than its field's name."},
	{"block sequence entries", "A list begins on the same line as its field's name. Put each item on its own line, after a hyphen and a space."},
	{"escape", "A backslash in \"...\" begins a special character. Use '...' for this text."},
	{"unknown anchor", "A value begins with *. Put it in quotes."},
	{"max depth", "The file is nested too deeply."},
}

// explainYAML says where YAML is broken and how to fix it.
func explainYAML(content []byte, err error) (line int, message string) {
	parts := syntaxPattern.FindStringSubmatch(err.Error())
	if parts == nil {
		return 1, "The YAML can't be read: " + shortened(err.Error())
	}
	line, _ = strconv.Atoi(parts[1])
	problem := parts[2]
	switch {
	case strings.HasPrefix(problem, "did not find expected key"), strings.HasPrefix(problem, "did not find expected '-'"):
		line = firstWith(content, err.Error()) // the library reports the beginning of the whole group
	case strings.HasPrefix(problem, "did not find expected"):
		line++ // its parser counts from 0, its scanner from 1
	}
	if strings.Contains(problem, "cannot start any token") && startsWithTab(content, line) {
		problem = "violates indentation"
	}
	if name, ok := strings.CutPrefix(problem, "unknown anchor '"); ok { // the library doesn't say where
		before, _, _ := strings.Cut(string(content), "*"+strings.TrimSuffix(name, "' referenced"))
		line = 1 + strings.Count(before, "\n")
	}
	for _, one := range syntaxHints {
		if strings.Contains(problem, one.part) {
			return line, one.hint
		}
	}
	return line, "The YAML can't be read: " + shortened(problem) + "."
}

func startsWithTab(content []byte, number int) bool {
	lines := strings.Split(string(content), "\n")
	return number >= 1 && number <= len(lines) && strings.HasPrefix(strings.TrimLeft(lines[number-1], " "), "\t")
}

// firstWith returns the first line at which an error occurs.
func firstWith(content []byte, problem string) int {
	lines := bytes.SplitAfter(content, []byte("\n"))
	return 1 + sort.Search(len(lines)-1, func(i int) bool {
		var document yaml.Node
		err := yaml.Unmarshal(bytes.Join(lines[:i+1], nil), &document)
		return err != nil && err.Error() == problem
	})
}
