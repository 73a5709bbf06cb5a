package comparator

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// valueDepth is how deep JSON is compared: every level is read once more for each above it.
const valueDepth = 60

// made are the names of members whose texts are numbers of elements.
var made = setOf("uid uuid model_id root_id rootId comm_id")

// jsonLines returns JSON as lines with the members of objects in order of their names; false if it isn't JSON, nested
// too deep or too long.
func jsonLines(source string) (lines []string, ok bool) {
	data := space([]byte(source))
	if !json.Valid(data) {
		return nil, false
	}
	w := &jsonWriter{}
	ok = w.write("", data, 0)
	return w.lines, ok
}

type jsonWriter struct{ lines []string }

func (w *jsonWriter) add(depth int, text string) bool {
	w.lines = append(w.lines, strings.Repeat("  ", depth)+text)
	return len(w.lines) <= textLines
}

func (w *jsonWriter) write(label string, v value, depth int) bool {
	if depth > valueDepth {
		return false
	}
	switch v.begins() {
	case '{':
		return w.writeObject(label, v, depth)
	case '[':
		if !w.add(depth, label+"[") {
			return false
		}
		for one := range v.elements() {
			if !w.write("", one, depth+1) {
				return false
			}
		}
		return w.add(depth, "]")
	case '"':
		return w.add(depth, label+strconv.Quote(v.text()))
	}
	return w.add(depth, label+string(v[:skip(v)]))
}

func (w *jsonWriter) writeObject(label string, v value, depth int) bool {
	type member struct {
		name  string
		value value
	}
	var all []member
	for name, one := range v.members() {
		if all = append(all, member{name, one}); len(all) > textLines {
			return false
		}
	}
	slices.SortStableFunc(all, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	if !w.add(depth, label+"{") {
		return false
	}
	for _, one := range all {
		if made[one.name] && one.value.begins() == '"' {
			one.value = value(`"<id>"`)
		}
		if !w.write(strconv.Quote(one.name)+": ", one.value, depth+1) {
			return false
		}
	}
	return w.add(depth, "}")
}
