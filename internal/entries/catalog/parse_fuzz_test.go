package catalog

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
)

// FuzzParseTypes: each type once, known ones alone; otherwise a sentence that names the valid ones.
func FuzzParseTypes(f *testing.F) {
	for _, seed := range []string{"", "DATASET", "dataset,MODEL ,", "DATASET,DATASET", "VIDEO", ",,,", "\xff", "DATASET\x00", "ſession", strings.Repeat("A,", 500)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		types, err := ParseTypes(list)
		if err != nil {
			message := fault.MessageOf(err)
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(message, names(Types[:])) || !utf8.ValidString(message) || len(message) > 1000 {
				t.Errorf("%q: %q", list, message)
			}
			return
		}
		for i, one := range types {
			if !slices.Contains(Types[:], one) || slices.Contains(types[:i], one) || !strings.Contains(strings.ToUpper(list), string(one)) {
				t.Errorf("%q gives %v", list, types)
			}
		}
	})
}

// FuzzParseTags: what is read can be written as a comma list and is read the same again, so no tag breaks a filter.
func FuzzParseTags(f *testing.F) {
	for _, seed := range []string{"", "a,b", `md\, namd,v1`, `a\\,b`, `\`, `\\\,`, ", ,", "a,a", "\xff\xfe,\x00", strings.Repeat("x,", 100), "\u00a0\u2003"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		tags := parseTags([]string{first, second})
		if len(tags) > TagsLimit+2 {
			t.Fatalf("%d tags: one more than any entry has is enough to refuse them", len(tags))
		}
		escaped := make([]string, len(tags))
		for i, tag := range tags {
			if tag == "" || strings.TrimSpace(tag) != tag || slices.Contains(tags[:i], tag) {
				t.Errorf("%q, %q give %q", first, second, tags)
			}
			escaped[i] = strings.NewReplacer(`\`, `\\`, `,`, `\,`).Replace(tag)
		}
		if again := parseTags([]string{strings.Join(escaped, ",")}); len(tags) <= TagsLimit && !slices.Equal(again, tags) {
			t.Errorf("%q is read again as %q", tags, again)
		}
	})
}

// FuzzPerson looks for names whose pages can't be found by their ids, and for ids that nobody could have.
func FuzzPerson(f *testing.F) {
	for _, seed := range []string{"Ada King", "x", "0000-0002-1825-0097", "ada@example.org", "李 明", "—", strings.Repeat("ä-", 150), "\x00", "\xff", "<script>", strings.Repeat("\u0301", 500)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		id := Credit{Name: name}.personID()
		if id == "" {
			return
		}
		if again := (Credit{Name: id}).personID(); again != id {
			t.Errorf("%q has the id %q, whose id is %q", name, id, again)
		}
		if strings.ContainsAny(id, "@/?#%<> \x00") || ParseORCID(id) != "" || len([]rune(id)) > 100 {
			t.Errorf("%q has the id %q", name, id)
		}
	})
}
