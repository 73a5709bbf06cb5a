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
func (ix *Index) mostRelevant(wanted *request, found *roaring.Bitmap, offset, limit int) []uint32 {
	end := offset + limit
	result := ix.exactlyNamed(wanted, found)
	if len(result) < end {
		result = append(result, ix.prefixNamed(wanted, found, result, end-len(result))...)
	}
	if len(result) < end {
		rest := roaring.AndNot(found, roaring.BitmapOf(result...))
		best := ix.candidates(wanted, rest)
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

// candidates returns the entries that are worth ranking: first those with the words in their name, then the others, the
// newest of each.
func (ix *Index) candidates(wanted *request, found *roaring.Bitmap) []uint32 {
	parts := []*roaring.Bitmap{found}
	for _, word := range wanted.words {
		if number, known := ix.termByText[word.text]; known {
			parts = append(parts, ix.terms[number].inName.bitmap())
		}
	}
	inNames := intersect(parts)
	best := last(inNames, ix.bounds.ranked, make([]uint32, 0, ix.bounds.ranked))
	if len(best) < ix.bounds.ranked && int(found.GetCardinality()) > len(best) {
		best = last(roaring.AndNot(found, inNames), ix.bounds.ranked, best)
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

// The weights of BM25 with fields (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009): a word in a name
// counts as much as six in the description, one in a tag as much as three.
const (
	saturation   = 1.2  // k1
	lengthEffect = 0.75 // b
	nameWeight   = 6
	tagWeight    = 3
	partWeight   = 0.8 // of what a text has only as a part of a word, or as several
)

// heaviest returns the first entries by the weight of their words; ties are newest first.
func (ix *Index) heaviest(wanted *request, ordinals []uint32, count int) []uint32 {
	type weighted struct {
		ordinal uint32
		weight  float64
	}
	terms := ix.scoredTerms(wanted)
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
	bits  []uint64 // a bit for each term: most words of an entry aren't among them
}

// scored is a term that matches a typed word.
type scored struct {
	word   int     // the position of the typed word
	rarity float64 // of the term; half of it if it matches only partly
}

func (s *scores) set(term uint32, one scored) {
	s.terms[term] = one
	s.bits[term/64] |= 1 << (term % 64)
}

func (s *scores) has(term uint32) bool { return s.bits[term/64]&(1<<(term%64)) != 0 }

// scoredTerms returns the typed words, and at half their rarity the words that match them otherwise: their parts, words
// with the same stem, and the first few that begin with them.
func (ix *Index) scoredTerms(wanted *request) *scores {
	const endings = 100
	result := &scores{terms: map[uint32]scored{}, bits: make([]uint64, len(ix.terms)/64+1)}
	add := func(position int, number uint32, share float64) {
		if !result.has(number) {
			count, size := float64(len(ix.ordinals)), float64(ix.terms[number].all.size())
			result.set(number, scored{position, share * math.Log(1+(count-size+0.5)/(size+0.5))})
		}
	}
	addWord := func(position int, word string, share float64) {
		if number, known := ix.termByText[word]; known {
			add(position, number, share)
		}
	}
	words := slices.Concat(alternatives(wanted.words)...)
	for i, word := range words {
		addWord(i, word.text, 1)
	}
	for i, word := range slices.Concat(slices.Concat(wanted.exact...)...) {
		addWord(len(words)+i, word, 1)
	}
	for i, word := range words {
		for _, one := range word.parts {
			addWord(i, one, 0.5)
		}
		if len(word.text) == 1 {
			continue
		}
		taken := 0
		ix.eachTerm(word.text, func(number uint32) bool {
			add(i, number, 0.5)
			taken++
			return taken < endings
		})
		for number := range ix.withStem(word.text) {
			add(i, number, 0.5)
		}
	}
	return result
}

// weight returns the weight of an entry: for each typed word, that of the term that matches it best.
func (ix *Index) weight(d *document, wanted *scores) float64 {
	const most = 8
	var terms [most]uint32
	var counts [most]float64
	used := 0
	for word := range ix.textsOf(d).record.words() {
		if !wanted.has(word.term) {
			continue
		}
		at := slices.Index(terms[:used], word.term)
		if at < 0 {
			if used == most {
				continue
			}
			at = used
			terms[at] = word.term
			used++
		}
		count := 1.0
		switch word.field {
		case inName:
			count = nameWeight
		case inTags:
			count = tagWeight
		case inDescription:
			count /= 1 - lengthEffect + lengthEffect*float64(d.length)*float64(len(ix.ordinals))/float64(max(1, ix.words))
		case inAuthors:
		}
		if word.form == part || word.form == joined {
			count *= partWeight
		}
		counts[at] += count
	}
	weight := 0.0
	var best [most]scored // by typed word
	words := 0
	for i, term := range terms[:used] {
		one := wanted.terms[term]
		value := one.rarity * counts[i] * (saturation + 1) / (counts[i] + saturation)
		at := slices.IndexFunc(best[:words], func(other scored) bool { return other.word == one.word })
		if at < 0 {
			at = words
			best[at] = scored{word: one.word}
			words++
		}
		if value > best[at].rarity {
			weight += value - best[at].rarity
			best[at].rarity = value
		}
	}
	return weight
}
