package index

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
)

const (
	// correctable is the minimum length of words that are corrected; shorter ones are one edit away from everything.
	correctable = 4
	// longestCorrectable is the maximum length: longer texts aren't words.
	longestCorrectable = 40
	// mostCorrected is the maximum number of corrected words in a text: each one costs a pass over all terms.
	mostCorrected = 3
)

// correct returns the words of a request with each one that no visible entry has replaced by the most frequent word one
// edit away, and the replaced ones; "" when there is none. It never reveals words that only hidden entries have. It
// returns an error only when ctx ends.
func (ix *Index) correct(ctx context.Context, wanted *request, visible *roaring.Bitmap) (text string, replaced []string, err error) {
	words := make([]string, len(wanted.words))
	var unknown []int
	for i := range wanted.words {
		words[i] = wanted.words[i].text
		if letters := utf8.RuneCountInString(words[i]); letters < correctable || letters > longestCorrectable || smallWords[words[i]] {
			continue
		}
		if !ix.matchWord(&wanted.words[i]).Intersects(visible) {
			unknown = append(unknown, i)
		}
	}
	if len(unknown) > mostCorrected {
		return "", nil, nil
	}
	for _, i := range unknown {
		better, err := ix.nearest(ctx, words[i], visible)
		if err != nil {
			return "", nil, err
		}
		if better != "" {
			replaced = append(replaced, words[i])
			words[i] = better
		}
	}
	if replaced == nil {
		return "", nil, nil
	}
	return strings.Join(words, " "), replaced, nil
}

func (ix *Index) nearest(ctx context.Context, word string, visible *roaring.Bitmap) (string, error) {
	letters := []rune(word)
	best, most := "", 0
	ix.scanned.Add(int64(len(ix.terms)))
	for number := range ix.terms {
		if number%4096 == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		one := &ix.terms[number]
		if difference := len(one.text) - len(word); difference > utf8.UTFMax || difference < -utf8.UTFMax || !oneEdit(letters, one.text) {
			continue
		}
		if count := one.all.sizeWithin(visible); count > most || (count == most && count > 0 && one.text < best) {
			best, most = one.text, count
		}
	}
	if best == "" {
		best = ix.nearestStem(letters, visible)
	}
	return best, nil
}

// nearestStem returns the most frequent word whose stem is one edit away: others may have written the singular.
func (ix *Index) nearestStem(letters []rune, visible *roaring.Bitmap) string {
	best, most := "", 0
	for stemmed, first := range ix.stems {
		if !oneEdit(letters, stemmed) {
			continue
		}
		for next := first; next != 0; next = ix.terms[next-1].stemmed {
			one := &ix.terms[next-1]
			if count := one.all.sizeWithin(visible); count > most || (count == most && count > 0 && one.text < best) {
				best, most = one.text, count
			}
		}
	}
	return best
}

// oneEdit reports whether adding, removing or replacing one letter, or swapping two neighbors, turns one word into the
// other.
func oneEdit(word []rune, text string) bool {
	other := make([]rune, 0, 64) // on the stack, except for the longest
	if len(text) > 4*(len(word)+1) {
		return false
	}
	for _, letter := range text {
		other = append(other, letter)
	}
	begin := 0
	for begin < len(word) && begin < len(other) && word[begin] == other[begin] {
		begin++
	}
	a, b := word[begin:], other[begin:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch {
	case len(a)+len(b) == 0:
		return false // the same word
	case len(a) <= 1 && len(b) <= 1:
		return true
	}
	return len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
