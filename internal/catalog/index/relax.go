package index

import (
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// mostRelaxed is the maximum number of words of a text that is searched without some of them.
const mostRelaxed = 16

// mostWeighed is the maximum number of entries of which the best one decides which words are kept.
const mostWeighed = 100

// relax returns the words of a request, at least half of them, that the best of the allowed entries with most of them has,
// and the other words. It returns "" when it found nothing, and for a text with a field that no entry has: that isn't a
// word to leave out.
func (ix *Index) relax(wanted *request, allowed *roaring.Bitmap) (text string, dropped []string) {
	words := required(wanted.words)
	if wanted.unread || len(words) < 2 || len(words) > mostRelaxed {
		return "", nil
	}
	allowed = ix.filter(wanted, allowed)
	matches := make([]*roaring.Bitmap, len(words))
	having := []*roaring.Bitmap{allowed} // having[n]: entries with at least n of the words so far
	for i := range words {
		matches[i] = roaring.And(allowed, ix.matchWord(&words[i]))
		having = append(having, roaring.New())
		for n := i + 1; n > 0; n-- {
			having[n] = roaring.Or(having[n], roaring.And(having[n-1], matches[i]))
		}
	}
	most := len(words)
	for having[most].IsEmpty() {
		most--
		if 2*most < len(words) || most == 0 {
			return "", nil
		}
	}
	best := ix.heaviest(wanted, last(having[most], mostWeighed, nil), 1)[0]
	var kept []string
	for i := range words {
		if matches[i].Contains(best) {
			kept = append(kept, words[i].text)
		} else {
			dropped = append(dropped, words[i].text)
		}
	}
	return strings.Join(kept, " "), dropped
}
