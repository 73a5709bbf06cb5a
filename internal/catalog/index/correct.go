package index

import (
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
)

// correctable is from how many letters on a word may be misspelt; shorter ones are one edit away from everything.
const correctable = 4

// correct gives the text with each word that no visible entry has replaced by the most frequent one that is one edit
// away; empty when there is none. What only hidden entries have is never told.
func (ix *Index) correct(wanted *request, visible *roaring.Bitmap) string {
	replaced := false
	text := wanted.corrected(func(word string, last bool) string {
		here := ix.withWord(word)
		if last {
			here = ix.withPrefix(word)
		}
		if utf8.RuneCountInString(word) < correctable || here.Intersects(visible) {
			return word
		}
		better := ix.nearest(word, visible)
		replaced = replaced || better != ""
		if better == "" {
			return word
		}
		return better
	})
	if !replaced {
		return ""
	}
	return text
}

func (ix *Index) nearest(word string, visible *roaring.Bitmap) string {
	letters := []rune(word)
	best, most := "", 0
	for number := range ix.terms {
		one := &ix.terms[number]
		if difference := len(one.text) - len(word); difference > utf8.UTFMax || difference < -utf8.UTFMax || !oneEdit(letters, one.text) {
			continue
		}
		if count := one.all.sizeWithin(visible); count > most || (count == most && count > 0 && one.text < best) {
			best, most = one.text, count
		}
	}
	return best
}

// oneEdit tells whether one letter more, less or other, or two neighbours exchanged, lead from one word to the other.
func oneEdit(word []rune, text string) bool {
	other := make([]rune, 0, 64) // on the stack for all but the longest
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
