package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// mostRelaxed is the maximum number of words of a text that is searched without some of them.
const mostRelaxed = 16

// relax returns the words of a request, at least half of them, that some allowed entries have together, and the other
// words. Rare words are kept first: they say most about what is meant. It returns "" when it found nothing, and for a text
// with a field that no entry has: that isn't a word to leave out.
func (ix *Index) relax(wanted *request, allowed *roaring.Bitmap) (text string, dropped []string) {
	words := wanted.words
	if wanted.unread || len(words) < 2 || len(words) > mostRelaxed {
		return "", nil
	}
	allowed = ix.filter(wanted, allowed)
	type found struct {
		position int
		entries  *roaring.Bitmap
		size     uint64
	}
	matches := make([]found, len(words))
	for i := range words {
		entries := roaring.And(allowed, ix.matchWord(&words[i]))
		matches[i] = found{i, entries, entries.GetCardinality()}
	}
	slices.SortStableFunc(matches, func(a, b found) int { return cmp.Compare(a.size, b.size) })
	kept := make([]bool, len(words))
	left, count := allowed, 0
	for _, one := range matches {
		if one.entries.Intersects(left) {
			left = roaring.And(left, one.entries)
			kept[one.position] = true
			count++
		}
	}
	if 2*count < len(words) {
		return "", nil
	}
	var rest []string
	for i := range words {
		if kept[i] {
			rest = append(rest, words[i].text)
		} else {
			dropped = append(dropped, words[i].text)
		}
	}
	return strings.Join(rest, " "), dropped
}
