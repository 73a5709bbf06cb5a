package catalog

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold writes a text without case and diacritics (Unicode NFKD, marks left out, lower case).
func fold(text string) string {
	decomposed := norm.NFKD.String(text)
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, decomposed)
}

// words splits a text at everything that is neither letter nor digit, so "_ - . /" separate; a camelCase word counts
// as a whole and by its parts. The words are folded.
func words(text string) []string {
	var result []string
	for _, whole := range plainWords(text) {
		parts := splitCamelCase(whole)
		result = append(result, fold(whole))
		if len(parts) > 1 {
			for _, part := range parts {
				result = append(result, fold(part))
			}
		}
	}
	return result
}

func plainWords(text string) []string {
	return strings.FieldsFunc(norm.NFC.String(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)
	})
}

// splitCamelCase parts a word before each upper-case letter that follows a lower-case one, and before the last letter
// of an upper-case run that a lower-case one follows ("HTMLParser": HTML, Parser).
func splitCamelCase(word string) []string {
	runes := []rune(word)
	var parts []string
	start := 0
	for i := 1; i < len(runes); i++ {
		afterLower := unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i-1])
		endOfRun := unicode.IsUpper(runes[i]) && unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if afterLower || endOfRun {
			parts = append(parts, string(runes[start:i]))
			start = i
		}
	}
	return append(parts, string(runes[start:]))
}

// textQuery is what a person typed, made ready for matching.
type textQuery struct {
	name  string     // the whole text as it would stand in a name
	forms [][]string // the words, whole and split at camelCase: one of the forms has to match
}

func parseText(text string) textQuery {
	query := textQuery{name: foldName(text)}
	var whole, parts []string
	for _, word := range plainWords(text) {
		whole = append(whole, fold(word))
		for _, part := range splitCamelCase(word) {
			parts = append(parts, fold(part))
		}
	}
	if len(whole) == 0 {
		return query
	}
	query.forms = [][]string{whole}
	if len(parts) > len(whole) {
		query.forms = append(query.forms, parts)
	}
	return query
}

// foldName folds a name and joins its words by single blanks, so that "torch_brain" and "Torch  Brain" are the same.
func foldName(name string) string {
	folded := plainWords(name)
	for i, word := range folded {
		folded[i] = fold(word)
	}
	return strings.Join(folded, " ")
}

// matchWords tells whether all words occur among sorted ones, the last as a prefix.
func matchWords(sorted, wanted []string) bool {
	for i, word := range wanted {
		at, exact := slices.BinarySearch(sorted, word)
		prefix := i == len(wanted)-1 && at < len(sorted) && strings.HasPrefix(sorted[at], word)
		if !exact && !prefix {
			return false
		}
	}
	return true
}
