package index

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// mostRelevant returns a part of a text's results: entries with exactly this name, newest first; then those whose name
// begins with it, by name; then the others by the weight of their words.
func (ix *Index) mostRelevant(wanted *request, found *roaring.Bitmap, closest *relaxed, offset, limit int) []uint32 {
	end := offset + limit
	result := ix.exactlyNamed(wanted, found)
	if len(result) < end {
		result = append(result, ix.prefixNamed(wanted, found, result, end-len(result))...)
	}
	if len(result) < end {
		rest := roaring.AndNot(found, roaring.BitmapOf(result...))
		best := ix.candidates(wanted, rest, closest)
		result = append(result, ix.heaviest(wanted, best, min(end-len(result), len(best)))...)
		if len(result) < end {
			rest.AndNot(roaring.BitmapOf(best...))
			result = append(result, ix.newest(rest, 0, end-len(result))...)
		}
	}
	return result[min(offset, len(result)):min(end, len(result))]
}

// exactlyNamed returns the members with exactly the typed name, newest first.
func (ix *Index) exactlyNamed(wanted *request, found *roaring.Bitmap) []uint32 {
	var exact []uint32
	if wanted.name == "" { // only punctuation
		exact = ix.keep(found, func(d *document) bool { return string(ix.textsOf(d).typed) == wanted.typed }).ToArray()
	} else {
		begin, end := ix.named(wanted.name)
		for i := begin; i < end; i++ {
			ordinal, _ := ix.byName.GetAt(i)
			if d := ix.textsOf(&ix.documents[ordinal]); string(d.name) != wanted.name && string(d.typed) != wanted.typed {
				break // longer names follow
			}
			if found.Contains(ordinal) {
				exact = append(exact, ordinal)
			}
		}
	}
	slices.SortFunc(exact, ix.compareNewest)
	return exact
}

// prefixNamed returns the first members whose name begins with the typed text, by name, without those with exactly this
// name.
func (ix *Index) prefixNamed(wanted *request, found *roaring.Bitmap, exact []uint32, count int) []uint32 {
	if wanted.name == "" {
		return nil
	}
	begin, end := ix.named(wanted.name)
	if begin == end {
		return nil
	}
	begins := []byte(wanted.name)
	var prefixed []uint32
	isExact := make(map[uint32]bool, len(exact))
	for _, ordinal := range exact {
		isExact[ordinal] = true
	}
	if size := int(found.GetCardinality()); size < end-begin {
		each := found.Iterator()
		for each.HasNext() {
			if ordinal := each.Next(); !isExact[ordinal] && bytes.HasPrefix(ix.textsOf(&ix.documents[ordinal]).name, begins) {
				prefixed = append(prefixed, ordinal)
			}
		}
		return smallest(prefixed, ix.compareNames, min(count, len(prefixed)))
	}
	pivot, _ := ix.byName.GetAt(begin)
	left := end - begin
	ix.byName.Ascend(pivot, func(ordinal uint32) bool {
		if found.Contains(ordinal) && !isExact[ordinal] {
			prefixed = append(prefixed, ordinal)
		}
		left--
		return left > 0 && len(prefixed) < count
	})
	return prefixed
}

// candidates returns the entries that are worth ranking, the newest of each kind: first those with the words in their name,
// then the others; of those with only most of the words, first those with more of them.
func (ix *Index) candidates(wanted *request, found *roaring.Bitmap, closest *relaxed) []uint32 {
	var kinds []*roaring.Bitmap // each is in the next
	switch {
	case closest != nil:
		for _, level := range closest.levels {
			kinds = append(kinds, roaring.And(level, found))
		}
	case found.GetCardinality() > uint64(ix.bounds.ranked):
		parts := []*roaring.Bitmap{found}
		for _, word := range wanted.words {
			if number, known := ix.termByText[word.text]; known {
				parts = append(parts, ix.terms[number].inName.bitmap())
			}
		}
		kinds = []*roaring.Bitmap{intersect(parts), found}
	default:
		return found.ToArray()
	}
	best := last(kinds[0], ix.bounds.ranked, make([]uint32, 0, ix.bounds.ranked))
	for i := 1; i < len(kinds) && len(best) < ix.bounds.ranked; i++ {
		best = last(roaring.AndNot(kinds[i], kinds[i-1]), ix.bounds.ranked, best)
	}
	return best
}

// last appends the highest members to a list until it is full.
func last(bitmap *roaring.Bitmap, full int, list []uint32) []uint32 {
	each := bitmap.ReverseIterator()
	for each.HasNext() && len(list) < full {
		list = append(list, each.Next())
	}
	return list
}

// The constants of BM25 with weights of fields (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009). The length
// of an entry is that of its description.
const (
	saturation   = 1.2  // k1
	lengthEffect = 0.75 // b
)

// fieldWeights say what a word counts by its field; in the content it may be repeated often.
var fieldWeights = [...]float64{inName: 6, inTags: 3, inDescription: 1, inAuthors: 1, inContent: 0.2}

// What counts less than the typed word itself.
const (
	pluralShare = 0.95 // its plural or singular
	stemShare   = 0.7  // another word with the same stem
	partShare   = 0.5  // a part of the typed word
	prefixShare = 0.5  // a word that begins with the typed one
	splitShare  = 0.8  // what a text has only as a part of a word, or as several
	mostEndings = 100  // of those

	pairShare = 0.3 // what two words that follow each other as typed add
)

// heaviest returns the first entries by the weight of their words; ties are newest first.
func (ix *Index) heaviest(wanted *request, ordinals []uint32, count int) []uint32 {
	type weighted struct {
		ordinal uint32
		weight  float64
	}
	terms := ix.scoredTerms(wanted)
	defer giveBack(&sharedBits, terms.bits)
	weights := make([]weighted, len(ordinals))
	for i, ordinal := range ordinals {
		weights[i] = weighted{ordinal, ix.weight(&ix.documents[ordinal], terms)}
	}
	weights = smallest(weights, func(a, b weighted) int {
		if byWeight := cmp.Compare(b.weight, a.weight); byWeight != 0 {
			return byWeight
		}
		return ix.compareNewest(a.ordinal, b.ordinal)
	}, count)
	result := make([]uint32, len(weights))
	for i, one := range weights {
		result[i] = one.ordinal
	}
	return result
}

// scores are the terms that count for the ranking.
type scores struct {
	terms map[uint32]scored
	bits  []uint64  // a bit for each term: most words of an entry aren't among them
	words []counted // the typed words
}

// counted is a typed word, with what an entry has of it while that is weighed.
type counted struct {
	rarity float64 // with everything that matches it
	count  float64 // how often what matches it occurs, weighted by fields
	share  float64 // of what matches it best
	pairs  float64 // as count, but only right after the typed word before it
}

// mostScored is the maximum number of typed words, joined ones included, that count.
const mostScored = 32

// scored is a term that matches a typed word.
type scored struct {
	word  int     // the position of the typed word
	share float64 // of what the word itself would count
}

func (s *scores) set(term uint32, one scored) {
	s.terms[term] = one
	s.bits[term/64] |= 1 << (term % 64)
}

func (s *scores) has(term uint32) bool { return s.bits[term/64]&(1<<(term%64)) != 0 }

// scoredTerms returns the typed words, and what matches them otherwise: words with the same stem, their parts, and the
// first few words that begin with them.
func (ix *Index) scoredTerms(wanted *request) *scores {
	result := &scores{terms: map[uint32]scored{}, bits: borrow[uint64](&sharedBits, len(ix.terms)/64+1)}
	var sizes [mostScored]int
	add := func(position int, number uint32, share float64) {
		if !result.has(number) {
			result.set(number, scored{position, share})
			sizes[position] += ix.terms[number].all.size()
		}
	}
	addWord := func(position int, word string, share float64) {
		if number, known := ix.termByText[word]; known {
			add(position, number, share)
		}
	}
	words, unquoted := wantedWords(wanted)
	for i, word := range words {
		addWord(i, word.text, 1)
	}
	for i, word := range words[:unquoted] {
		for number := range ix.withStem(word.text) {
			if other := ix.terms[number].text; other == word.text+"s" || word.text == other+"s" {
				add(i, number, pluralShare)
			} else {
				add(i, number, stemShare)
			}
		}
	}
	for i, word := range words[:unquoted] {
		for _, one := range word.parts {
			addWord(i, one, partShare)
		}
		if len(word.text) == 1 {
			continue
		}
		taken := 0
		ix.eachTerm(beginning(word.text), func(number uint32) bool {
			add(i, number, prefixShare)
			taken++
			return taken < mostEndings
		})
	}
	count := float64(len(ix.ordinals))
	result.words = make([]counted, len(words))
	for i := range words {
		size := min(float64(sizes[i]), count)
		result.words[i].rarity = rarity(size, count)
	}
	return result
}

// rarity says how much it tells of an entry to have a word that so many of all have.
func rarity(size, count float64) float64 { return math.Log(1 + (count-size+0.5)/(size+0.5)) }

// wantedWords returns the different words of a request that count for the ranking: those typed, joined neighbors, and after
// the first unquoted ones those in quotes.
func wantedWords(wanted *request) (words []typedWord, unquoted int) {
	add := func(one typedWord) {
		if len(words) < mostScored && !slices.ContainsFunc(words, func(other typedWord) bool { return other.text == one.text }) {
			words = append(words, one)
		}
	}
	for _, way := range alternatives(wanted.words) {
		for _, one := range way {
			add(one)
		}
	}
	unquoted = len(words)
	for _, exact := range wanted.exact {
		for _, text := range slices.Concat(exact...) {
			add(typedWord{text: text})
		}
	}
	return words, unquoted
}

// weight returns the weight of an entry: the sum over the typed words of how often and where what matches them occurs,
// and of how often two of them follow each other as typed.
func (ix *Index) weight(d *document, wanted *scores) float64 {
	length := 1 - lengthEffect + lengthEffect*float64(d.length)*float64(len(ix.ordinals))/float64(max(1, ix.words))
	before := -1 // the typed word that the word before matches
	for reader := newWordReader(ix.textsOf(d).record); reader.next(); {
		word := &reader.word
		if !wanted.has(word.term) {
			before = -1
			continue
		}
		one := wanted.terms[word.term]
		count := fieldWeights[word.field] / length
		if word.form == part || word.form == joined {
			one.share *= splitShare
		}
		typed := &wanted.words[one.word]
		typed.count += count
		typed.share = max(typed.share, one.share)
		if !word.first && before >= 0 && before == one.word-1 {
			typed.pairs += count
		}
		before = one.word
	}
	weight := 0.0
	for i := range wanted.words {
		if typed := &wanted.words[i]; typed.count > 0 {
			weight += typed.rarity * (typed.share*saturate(typed.count) + pairShare*saturate(typed.pairs))
			typed.count, typed.share, typed.pairs = 0, 0, 0
		}
	}
	return weight
}

// saturate bounds what a word counts that occurs often: the second time adds less than the first.
func saturate(count float64) float64 { return count * (saturation + 1) / (count + saturation) }
