package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// textRules is incremented when the rules in this file change, so that older snapshots aren't used.
const textRules = 2

// Fold removes case and diacritics from a text (Unicode NFKD, marks removed, lower case).
func Fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// form says how a token was derived from a text.
type form uint8

const (
	plain form = iota // a word that doesn't split
	whole             // a camelCase word as a whole
	part              // one of its parts, which follow it
)

// token is a folded word of a text.
type token struct {
	text string
	form form
}

// tokens splits a text at everything that isn't a letter or digit, so "_ - . /" separate; a camelCase word yields the
// whole word and its parts. So a text without a separator is in a folded text exactly if it is in one of the tokens.
func tokens(text string) []token {
	words := plainWords(text)
	result := make([]token, 0, len(words))
	for _, word := range words {
		parts := splitCamelCase(word)
		if len(parts) == 1 {
			result = append(result, token{Fold(word), plain})
			continue
		}
		result = append(result, token{Fold(word), whole})
		for _, one := range parts {
			result = append(result, token{Fold(one), part})
		}
	}
	return result
}

func plainWords(text string) []string {
	if !isASCII(text) {
		text = norm.NFC.String(text)
	}
	return strings.FieldsFunc(text, separates)
}

// separates reports whether a rune separates words: it isn't a letter, digit or mark, and doesn't fold to any, unlike
// the subscript two of CO₂.
func separates(r rune) bool {
	switch {
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
		return false
	case r < utf8.RuneSelf:
		return true
	}
	return strings.IndexFunc(norm.NFKD.String(string(r)), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0
}

// splitCamelCase splits a word before each upper-case letter that follows a lower-case one, and before the last letter
// of an upper-case run that is followed by a lower-case one ("HTMLParser": HTML, Parser).
func splitCamelCase(word string) []string {
	if strings.IndexFunc(word[1:], unicode.IsUpper) < 0 {
		return []string{word}
	}
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

// forms returns the words of a text in the two forms that another text may have them in: whole, and split at camelCase.
// The second is left out when it is the same; a text without words has none.
func forms(text string) [][]string {
	var wholes, parts []string
	for _, word := range plainWords(text) {
		wholes = append(wholes, Fold(word))
		for _, one := range splitCamelCase(word) {
			parts = append(parts, Fold(one))
		}
	}
	switch {
	case len(wholes) == 0:
		return nil
	case len(parts) == len(wholes):
		return [][]string{wholes}
	}
	return [][]string{wholes, parts}
}

// FoldName folds a name and joins its words with single blanks, so that "torch_brain" and "Torch  Brain" are the same.
func FoldName(name string) string {
	folded := plainWords(name)
	for i, word := range folded {
		folded[i] = Fold(word)
	}
	return strings.Join(folded, " ")
}

// grams returns the substrings of these lengths of a folded text, each once.
func grams(text string, shortest, longest int) []gram {
	runes := []rune(text)
	result := make([]gram, 0, (longest-shortest+1)*len(runes))
	for i := range runes {
		for length := shortest; length <= longest && i+length <= len(runes); length++ {
			result = append(result, packGram(runes[i:i+length]))
		}
	}
	slices.Sort(result)
	return slices.Compact(result)
}

// gram is up to three letters of 21 bits each; shorter ones are padded with zeros on the left.
type gram uint64

// Entries are indexed by the one- and two-letter parts of their names, words of names by their three-letter parts.
const (
	gramLength     = 2
	wordGramLength = 3
)

func packGram(letters []rune) gram {
	var packed gram
	for _, letter := range letters {
		packed = packed<<21 | gram(letter)
	}
	return packed
}

// prefixLength is the maximum length of prefixes that get their own sets if many words have them; longer ones have few
// words.
const prefixLength = 3

// prefixes returns the first letters of a word.
func prefixes(word string) []string {
	result := make([]string, 0, prefixLength)
	for i := range word {
		if i > 0 {
			result = append(result, word[:i])
		}
		if len(result) == prefixLength {
			return result
		}
	}
	return append(result, word)
}
