package index

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// What a text must be for entries with only most of its words to be listed too.
const (
	mostRelaxed = 16 // words at most
	sentence    = 4  // words at least, if entries have all of them: fewer are chosen to say exactly what is meant
	enough      = 10 // entries with all of them at most, in that case
)

// relaxedParts is into how many parts the words of a text are weighed, by their rarity.
const relaxedParts = 16

// relaxed are entries with most of the words of a text: with at least half of what the words weigh.
type relaxed struct {
	words   []typedWord
	matches []*roaring.Bitmap // by word
	levels  []*roaring.Bitmap // those with most words first; each level is in the next
}

// all returns all entries.
func (r *relaxed) all() *roaring.Bitmap { return r.levels[len(r.levels)-1] }

// needsMore reports whether entries with most of the words are listed after those found: if these are none, or hardly any
// for a whole sentence, which is rarely in an entry as it is. A text that is in the name of an entry was found. What it
// says doesn't depend on the tags and types that are filtered by, or their counts wouldn't be of what remains.
func (ix *Index) needsMore(wanted *request, found, visible *roaring.Bitmap, tags []string) bool {
	switch {
	case wanted.words == nil:
		return false
	case found.IsEmpty():
		return true
	case found.GetCardinality() >= enough || len(required(wanted.words)) < sentence || wanted.exact != nil:
		return false
	case len(tags) > 0:
		found = ix.match(wanted, visible)
	}
	inName := func(d *document) bool { return bytes.Contains(ix.textsOf(d).typed, []byte(wanted.typed)) }
	return found.GetCardinality() < enough && ix.keep(found, inName).IsEmpty()
}

// wholeFirst returns the ids of a part of the results, those with all words first, and what to say about the others.
func (ix *Index) wholeFirst(wanted *request, found, whole *roaring.Bitmap, closest *relaxed, query Query) ([]string, *Hint) {
	first, rest := roaring.And(found, whole), roaring.AndNot(found, whole)
	size := int(first.GetCardinality())
	ordinals := ix.inOrder(wanted, first, nil, query.Sort, query.Offset, query.Limit)
	if rest.IsEmpty() {
		return ix.ids(ordinals), nil
	}
	if left := query.Limit - len(ordinals); left > 0 {
		ordinals = append(ordinals, ix.inOrder(wanted, rest, closest, query.Sort, max(0, query.Offset-size), left)...)
	}
	best := ix.heaviest(wanted, ix.candidates(wanted, rest, closest), 1)[0]
	return ix.ids(ordinals), &Hint{Kind: HintRelaxed, Words: closest.lacking(best), Whole: size, Remove: []Removable{}}
}

// relax returns the allowed entries with most of the words of a request; nil for none, and for a text with a field that no
// entry has: that isn't a word to leave out.
func (ix *Index) relax(wanted *request, visible, allowed *roaring.Bitmap) *relaxed {
	words := required(wanted.words)
	if wanted.unread || len(words) < 2 || len(words) > mostRelaxed {
		return nil
	}
	result := &relaxed{words: words, matches: make([]*roaring.Bitmap, len(words))}
	sizes := make([]int, len(words))
	for i := range words {
		result.matches[i] = ix.matchWord(&words[i])
		sizes[i] = int(visible.AndCardinality(result.matches[i]))
	}
	parts := weigh(sizes, int(visible.GetCardinality()))
	heaviestFirst := make([]int, len(words))
	after := 0 // what the words that come weigh
	for i := range words {
		heaviestFirst[i] = i
		after += parts[i]
	}
	slices.SortStableFunc(heaviestFirst, func(a, b int) int { return cmp.Compare(parts[b], parts[a]) })
	least, before := (after+1)/2, 0
	having := make([]*roaring.Bitmap, after+1) // having[n]: entries with n or more parts so far, if they can still have enough
	having[0] = ix.filter(wanted, allowed)
	for _, i := range heaviestFirst {
		before += parts[i]
		after -= parts[i]
		for n := before; n >= max(1, least-after); n-- {
			more := roaring.And(having[max(0, n-parts[i])], result.matches[i])
			if having[n] != nil {
				more.Or(having[n])
			}
			having[n] = more
		}
	}
	all := having[least]
	for _, exact := range wanted.exact {
		all = ix.keep(all, ix.exactly(exact))
	}
	for n := before; n >= least; n-- {
		if level := roaring.And(having[n], all); !level.IsEmpty() {
			result.levels = append(result.levels, level)
		}
	}
	if result.levels == nil {
		return nil
	}
	return result
}

// nowhere returns the words of a request that no visible entry has; small ones aren't named.
func (r *request) nowhere(ix *Index, visible *roaring.Bitmap) []string {
	words := []string{}
	for _, one := range required(r.words) {
		if !ix.matchWord(&one).Intersects(visible) {
			words = append(words, one.text)
		}
	}
	return words
}

// weigh returns what words weigh that so many of the entries have, in parts of about relaxedParts. A word that none has
// weighs as much as the others on average.
func weigh(sizes []int, count int) []int {
	rarities := make([]float64, len(sizes))
	sum, known := 0.0, 0
	for i, size := range sizes {
		if size > 0 {
			rarities[i] = rarity(float64(size), float64(count))
			sum += rarities[i]
			known++
		}
	}
	average := sum / float64(max(1, known))
	parts := make([]int, len(sizes))
	for i := range sizes {
		if sizes[i] == 0 {
			rarities[i] = average
		}
		parts[i] = max(1, int(math.Round(relaxedParts*rarities[i]/(average*float64(len(sizes))))))
	}
	return parts
}

// lacking returns the words that the best of the entries lacks.
func (r *relaxed) lacking(best uint32) []string {
	words := []string{}
	for i := range r.words {
		if !r.matches[i].Contains(best) {
			words = append(words, r.words[i].text)
		}
	}
	return words
}
