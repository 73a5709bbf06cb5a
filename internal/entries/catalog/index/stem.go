package index

import (
	"iter"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// shortestStem is the minimum length of stems: shorter ones have too many meanings.
const shortestStem = 3

// longStem is the minimum length of stems that tell so much that words may begin with them, and that an ending of Latin
// is taken off.
const longStem = 5

// stem returns what English words of one meaning begin with ("neurons" and "neuronal": neuron), by the algorithm that
// Snowball calls English and, for the words that sciences took from Latin and Greek, withoutLatin; "" for words with other
// characters than a to z, and for short ones.
func stem(word string) string {
	if len(word) < shortestStem {
		return ""
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return ""
		}
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	if len(env.Current()) < shortestStem {
		return ""
	}
	return withoutLatin(env.Current())
}

// withoutLatin returns a stem without the endings that the algorithm leaves on: those of spectrum and spectra, stimulus and
// stimuli, malaria and malarial, crystallography and crystallographic, matrix and matrices.
func withoutLatin(stemmed string) string {
	for _, ending := range []string{"us", "um", "a", "i"} { // the i may be before one of the others, as in bacterium
		if short, found := strings.CutSuffix(stemmed, ending); found && len(short) >= longStem {
			stemmed = short
		}
	}
	if len(stemmed) > longStem && (strings.HasSuffix(stemmed, "ix") || strings.HasSuffix(stemmed, "ex")) {
		return stemmed[:len(stemmed)-2] + "ic"
	}
	return stemmed
}

// beginning returns what the words that a typed one finds begin with: its stem if that tells enough, or itself.
func beginning(typed string) string {
	if stemmed := stem(typed); len(stemmed) >= longStem && strings.HasPrefix(typed, stemmed) {
		return stemmed
	}
	return typed
}

// addStem records the stem of a new term.
func (ix *Index) addStem(number uint32) {
	one := &ix.terms[number]
	stemmed := stem(one.text)
	if stemmed == "" {
		return
	}
	if strings.HasPrefix(one.text, stemmed) {
		stemmed = one.text[:len(stemmed)] // shares its memory
	}
	one.stemmed = ix.stems[stemmed]
	ix.stems[stemmed] = number + 1
}

// withStem yields the terms that have the stem of a word.
func (ix *Index) withStem(word string) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		wanted := stem(word)
		if wanted == "" {
			return
		}
		for next := ix.stems[wanted]; next != 0; next = ix.terms[next-1].stemmed {
			if !yield(next - 1) {
				return
			}
		}
	}
}
