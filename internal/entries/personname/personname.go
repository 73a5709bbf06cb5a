// Package personname tells what people are called: the parts of a name as people write it, and the name that an e-mail
// address spells.
package personname

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// particles belong to the family name that follows them.
var particles = regexp.MustCompile(`^(af|al|bin|da|de|del|della|den|der|di|do|dos|du|el|la|le|van|von|zu|zum|zur)$`)

// Split divides a person's name: the family name is the last word with the particles before it, or what precedes a comma.
// Both are "" for a name of one word.
func Split(name string) (given, family string) {
	if family, given, found := strings.Cut(name, ", "); found {
		return given, family
	}
	return splitWords(strings.Fields(name))
}

func splitWords(words []string) (given, family string) {
	begin := len(words) - 1
	for begin > 1 && particles.MatchString(words[begin-1]) {
		begin--
	}
	if begin < 1 {
		return "", ""
	}
	return strings.Join(words[:begin], " "), strings.Join(words[begin:], " ")
}

var (
	// groups are words that mark the address of a group.
	groups = regexp.MustCompile(`^(admin|contact|data|group|help|hello|info|lab|list|mail|no|noreply|office|project|support|team)$`)
	// spelt is a word that may be a part of a name.
	spelt = regexp.MustCompile(`^\p{L}[\p{L}\p{M}'’-]*$`)
)

// InAddress derives a person's name from an e-mail address, such as Jane Doe from jane.doe@example.org; both parts are ""
// for addresses like jdoe or team, which spell none.
func InAddress(email string) (given, family string) {
	local, _, found := strings.Cut(email, "@")
	if !found {
		return "", ""
	}
	local, _, _ = strings.Cut(local, "+")
	separators := "-" // which join the parts of one name, unless nothing else separates the names
	if strings.ContainsAny(local, "._") {
		separators = "._"
	}
	var words []string
	for _, word := range strings.FieldsFunc(local, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if word = strings.TrimRight(word, "0123456789"); word == "" {
			continue
		}
		if !spelt.MatchString(word) || groups.MatchString(word) {
			return "", ""
		}
		words = append(words, word)
	}
	if len(words) < 2 || len(words) > 5 || utf8.RuneCountInString(words[len(words)-1]) < 2 {
		return "", ""
	}
	begin := len(words) - 1
	for begin > 1 && particles.MatchString(words[begin-1]) {
		begin--
	}
	for i, word := range words {
		if i < begin || i == len(words)-1 {
			words[i] = capital(word)
		}
	}
	return strings.Join(words[:begin], " "), strings.Join(words[begin:], " ")
}

// capital writes a part of a name as people do; a single letter is an initial.
func capital(word string) string {
	begins := true
	written := strings.Map(func(r rune) rune {
		upper := r
		if begins {
			upper = unicode.ToUpper(r)
		}
		begins = strings.ContainsRune("'’-", r)
		return upper
	}, word)
	if utf8.RuneCountInString(written) == 1 {
		return written + "."
	}
	return written
}

// GroupInAddress returns what a group is called whose address doesn't spell a person's name: "Lab" for lab@example.org.
func GroupInAddress(email string) string {
	local, _, _ := strings.Cut(email, "@")
	words := strings.FieldsFunc(local, func(r rune) bool { return strings.ContainsRune("._+-", r) })
	for i, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		words[i] = string(unicode.ToUpper(first)) + word[size:]
	}
	return cmp.Or(strings.Join(words, " "), "Unknown")
}
