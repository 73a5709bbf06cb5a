package index

import (
	"slices"
	"strings"
)

// required returns the words that an entry must have, each once. The small words of English say little and stand differently in
// every sentence: they count for the ranking, but nothing is left out for them. The last word may be the beginning of
// another one, so it is always required.
func required(words []typedWord) []typedWord {
	var kept []typedWord
	for i, one := range words {
		again := func(other typedWord) bool { return other.text == one.text && slices.Equal(other.parts, one.parts) }
		if (!smallWords[one.text] || i == len(words)-1) && !slices.ContainsFunc(kept, again) {
			kept = append(kept, one)
		}
	}
	return kept
}

var smallWords = func() map[string]bool {
	small := map[string]bool{}
	for word := range strings.FieldsSeq("a about an and are as at be by can do does during for from had has have how in into is its " +
		"of on or that the their there these this those to under via was were what when where which while who why will with without") {
		small[word] = true
	}
	return small
}()
