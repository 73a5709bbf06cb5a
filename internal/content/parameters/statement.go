package parameters

import "strings"

// declaration is what a statement says about a name.
type declaration struct {
	name       string
	annotation string // as in the code
	value      *value // nil: none, or one that can't be read
	opaque     bool   // the value can't be read
}

// statements reads what a line declares, up to its end. It gives false if something on it is no declaration.
func (s *scanner) statements() ([]Parameter, bool) {
	var found []declaration
	for s.space(); len(found) == 0 || !s.ended(); s.space() {
		each, ok := s.declaration()
		if !ok {
			return nil, false
		}
		found = append(found, each)
		if s.space(); !s.take(";") {
			break
		}
	}
	if !s.ended() {
		return nil, false
	}
	help := ""
	if s.peek() == '#' {
		help = strings.TrimSpace(strings.TrimLeft(s.comment(), "#"))
	}
	last := &found[len(found)-1]
	if rest, typed := strings.CutPrefix(help, "type:"); typed && !s.r {
		named := scanner{text: strings.TrimSpace(rest)}
		named.skip(" \t")
		help = strings.TrimSpace(named.text[named.at:])
		if last.annotation == "" {
			last.annotation = named.text[:named.at]
		}
	}
	made := make([]Parameter, len(found))
	for i, each := range found {
		made[i] = each.parameter()
	}
	made[len(made)-1].Help = shortened(help, maxHelp)
	return made, true
}

// ended reports whether nothing but a comment is left of the line.
func (s *scanner) ended() bool {
	return s.at == len(s.text) || s.peek() == '\n' || s.peek() == '#'
}

func (s *scanner) declaration() (declaration, bool) {
	d := declaration{name: s.word()}
	isName := isNamePython
	if s.r {
		isName = isNameR
	}
	if !isName(d.name) || len(d.name) > maxName {
		return d, false
	}
	if s.space(); !s.r && s.take(":") {
		start := s.at
		s.skip("=;")
		if d.annotation = strings.TrimSpace(s.text[start:s.at]); d.annotation == "" {
			return d, false
		}
	}
	if !s.assigns() {
		return d, d.annotation != ""
	}
	start := s.at
	if read, ok := s.wholeValue(); ok {
		d.value = &read
		return d, true
	}
	s.at, s.depth = start, 0
	s.skip(";")
	d.opaque = true
	return d, strings.TrimSpace(s.text[start:s.at]) != ""
}

// assigns goes to the value of an assignment. In R it may be on another line.
func (s *scanner) assigns() bool {
	if strings.HasPrefix(s.text[s.at:], "==") || !s.take("=") && (!s.r || !s.take("<-")) {
		return false
	}
	if s.r {
		s.depth = 1
	}
	s.space()
	s.depth = 0
	return true
}

// wholeValue reads a value after which the statement ends, or Python's list of them without brackets.
func (s *scanner) wholeValue() (value, bool) {
	read, ok := s.literal()
	s.space()
	if ok && !s.r && s.peek() == ',' {
		read = value{kind: List, items: []value{read}}
		for s.take(",") {
			if s.space(); s.ended() || s.peek() == ';' {
				break
			}
			item, found := s.literal()
			if !found {
				return value{}, false
			}
			read.items = append(read.items, item)
			s.space()
		}
	}
	return read, ok && (s.ended() || s.peek() == ';') && len(read.json()) <= maxValue
}

// parameter returns what the declaration says. An annotation counts before the type of the value.
func (d declaration) parameter() Parameter {
	made := Parameter{Name: d.name, Type: Unknown}
	if d.opaque {
		return made
	}
	named, nullable := annotated(d.annotation)
	if d.value != nil {
		made.Default = d.value.json()
		made.listed = d.value.listed
		nullable = nullable || d.value.kind == null
		if named == "" && d.value.kind != null {
			named = d.value.kind
		}
	}
	if named != "" {
		made.Type, made.Nullable = named, nullable
	}
	return made
}
