package index

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
)

// visible returns the entries that an e-mail may see, and the private ones that are shown to it.
func (ix *Index) visible(email string, shown []string) *roaring.Bitmap {
	found := ix.public.bitmap()
	if number, ok := ix.authorByEmail[email]; ok {
		found = roaring.Or(found, ix.authors[number].all.bitmap())
	}
	if len(shown) > 0 {
		found = roaring.Or(found, privateOnes(ix, shown))
	}
	return found
}

// match returns the allowed entries that match a request. The result must not be changed.
func (ix *Index) match(wanted *request, allowed *roaring.Bitmap) *roaring.Bitmap {
	allowed = ix.filter(wanted, allowed)
	if wanted.typed == "" || allowed.IsEmpty() {
		return allowed
	}
	found := ix.addPartsOfNames(wanted, ix.matchWords(wanted, allowed), allowed)
	for _, exact := range wanted.exact {
		found = ix.keep(found, ix.exactly(exact))
	}
	return found
}

// filter returns the allowed entries that have the fields of a request, the words of its quoted texts in any order, and
// nothing that it excludes. The result must not be changed.
func (ix *Index) filter(wanted *request, allowed *roaring.Bitmap) *roaring.Bitmap {
	parts := []*roaring.Bitmap{allowed}
	for _, numbers := range wanted.tags {
		sets := make([]*set, len(numbers))
		for i, number := range numbers {
			sets[i] = &ix.tags[number].all
		}
		parts = append(parts, union(sets))
	}
	for _, number := range wanted.authors {
		parts = append(parts, ix.terms[number].inAuthor.bitmap())
	}
	for _, kind := range wanted.types {
		parts = append(parts, ix.kinds[kind].bitmap())
	}
	for _, exact := range wanted.exact {
		parts = append(parts, ix.withAnyForm(exact))
	}
	allowed = intersect(parts)
	for _, excluded := range wanted.excluded {
		having := ix.keep(roaring.And(allowed, ix.withAnyForm(excluded)), ix.exactly(excluded))
		allowed = roaring.AndNot(allowed, having)
	}
	return allowed
}

// matchWords returns the allowed entries that have all words, each of them perhaps as a prefix. The result must not be
// changed.
func (ix *Index) matchWords(wanted *request, allowed *roaring.Bitmap) *roaring.Bitmap {
	if wanted.words == nil && wanted.exact == nil {
		return roaring.New()
	}
	ways := alternatives(wanted.words)
	found := ix.matchAll(ways[0], allowed)
	for _, way := range ways[1:] {
		found = roaring.Or(found, ix.matchAll(way, allowed))
	}
	return found
}

// matchAll returns the allowed entries that have all words that are required.
func (ix *Index) matchAll(words []typedWord, allowed *roaring.Bitmap) *roaring.Bitmap {
	words = required(words)
	parts := append(make([]*roaring.Bitmap, 0, 1+len(words)), allowed)
	for i := range words {
		one := ix.matchWord(&words[i])
		if one.IsEmpty() {
			return one
		}
		parts = append(parts, one)
	}
	return intersect(parts)
}

// matchWord returns the entries with a word that begins with the typed one or has the same stem, or with all of its
// parts. The result must not be changed.
func (ix *Index) matchWord(typed *typedWord) *roaring.Bitmap {
	begins := beginning(typed.text)
	found := ix.withPrefix(begins)
	var related []*set
	for number := range ix.withStem(typed.text) {
		if one := &ix.terms[number]; !strings.HasPrefix(one.text, begins) {
			related = append(related, &one.all)
		}
	}
	if related != nil {
		found = roaring.Or(found, union(related))
	}
	if last := len(typed.parts) - 1; typed.splits() {
		found = roaring.Or(found, ix.withParts(typed.parts[:last], typed.parts[last]))
	}
	return found
}

// withParts returns the entries that have the words and one that begins with the last, or is it if that is short: most
// words begin with the d of "3d".
func (ix *Index) withParts(words []string, last string) *roaring.Bitmap {
	parts := make([]*roaring.Bitmap, 0, len(words)+1)
	for _, word := range words {
		parts = append(parts, ix.withWord(word))
	}
	if len(last) >= shortestPart {
		parts = append(parts, ix.withPrefix(last))
	} else {
		parts = append(parts, ix.withWord(last))
	}
	return intersect(parts)
}

// shortestPart is the minimum length of a part of a typed word that may be a prefix.
const shortestPart = 3

// withAnyForm returns the entries with all words of one of the forms.
func (ix *Index) withAnyForm(forms [][]string) *roaring.Bitmap {
	found := roaring.New()
	for _, words := range forms {
		parts := make([]*roaring.Bitmap, len(words))
		for i, word := range words {
			parts[i] = ix.withWord(word)
		}
		found.Or(intersect(parts))
	}
	return found
}

func (ix *Index) withWord(word string) *roaring.Bitmap {
	if number, known := ix.termByText[word]; known {
		return ix.terms[number].all.bitmap()
	}
	return roaring.New()
}

func (ix *Index) withPrefix(prefix string) *roaring.Bitmap {
	if found := ix.prefixes[prefix]; found != nil && found.all != nil {
		return found.all.bitmap()
	}
	var sets []*set
	ix.eachTerm(prefix, func(number uint32) bool {
		sets = append(sets, &ix.terms[number].all)
		return true
	})
	return union(sets)
}

// eachTerm yields the words that begin with a prefix, by text, until yield returns false.
func (ix *Index) eachTerm(prefix string, yield func(number uint32) bool) {
	scanned := int64(0)
	ix.sorted.Ascend(prefix, func(text string, number uint32) bool {
		scanned++
		return strings.HasPrefix(text, prefix) && yield(number)
	})
	ix.scanned.Add(scanned)
}

// addPartsOfNames adds the entries whose name contains the text. The result must not be changed.
func (ix *Index) addPartsOfNames(wanted *request, found, allowed *roaring.Bitmap) *roaring.Bitmap {
	typed := wanted.typed
	letters := []rune(typed)
	inOrder := strings.FieldsFunc(typed, separates)
	segments := slices.SortedStableFunc(slices.Values(inOrder), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	isLong := func(segment string) bool { return utf8.RuneCountInString(segment) >= wordGramLength }
	var left *roaring.Bitmap
	switch {
	case len(segments) > 0 && isLong(inOrder[0]) && slices.EqualFunc(inOrder, wanted.words, func(a string, b typedWord) bool { return a == b.text }):
		// Names in which the text begins with a word have all the words, so they were found.
		part := insideWord
		if len(inOrder) > 1 {
			part = endOfWord
		}
		left = ix.withWordPart(inOrder[0], part)
		left.And(allowed)
	case len(segments) > 0 && isLong(segments[0]):
		left = ix.withWordPart(segments[0], strings.Contains)
		left.And(allowed)
	default:
		parts := []*roaring.Bitmap{allowed}
		length := min(len(letters), gramLength)
		for i := range len(letters) - length + 1 {
			parts = append(parts, ix.grams[packGram(letters[i:i+length])].bitmap())
		}
		left = intersect(parts) // a union of at least two, so nobody else has it
	}
	left.AndNot(found)
	if len(letters) > gramLength && !slices.Contains(segments, typed) {
		for _, segment := range segments {
			if left.GetCardinality() > verified && isLong(segment) {
				left.And(ix.withWordPart(segment, strings.Contains))
			}
		}
		part := []byte(typed)
		left = ix.keep(left, func(d *document) bool { return bytes.Contains(ix.textsOf(d).typed, part) })
	}
	if left.IsEmpty() {
		return found
	}
	left.Or(found)
	return left
}

// insideWord reports whether a word contains letters after its first byte.
func insideWord(word, letters string) bool { return strings.Contains(word[1:], letters) }

// endOfWord reports whether a longer word ends with letters.
func endOfWord(word, letters string) bool {
	return len(word) > len(letters) && strings.HasSuffix(word, letters)
}

// verified is the maximum number of names that are checked one by one before the other words of the text are used.
const verified = 1000

// withWordPart returns the entries with a word in their name that has the letters, at least three, as a part of some kind.
func (ix *Index) withWordPart(letters string, isPart func(word, letters string) bool) *roaring.Bitmap {
	var parts []*roaring.Bitmap
	for _, part := range grams(letters, wordGramLength, wordGramLength) {
		parts = append(parts, ix.wordsOfNames[part].bitmap())
	}
	var sets []*set
	having := intersect(parts)
	ix.scanned.Add(int64(having.GetCardinality()))
	each := having.Iterator()
	for each.HasNext() {
		if one := &ix.terms[each.Next()]; isPart(one.text, letters) {
			sets = append(sets, &one.inName)
		}
	}
	return union(sets)
}

// keep returns the members that meet a condition.
func (ix *Index) keep(bitmap *roaring.Bitmap, condition func(*document) bool) *roaring.Bitmap {
	var kept []uint32
	each := bitmap.Iterator()
	for each.HasNext() {
		if ordinal := each.Next(); condition(&ix.documents[ordinal]) {
			kept = append(kept, ordinal)
		}
	}
	return roaring.BitmapOf(kept...)
}

// exactly returns a condition: words are adjacent in an entry, in one of their forms.
func (ix *Index) exactly(forms [][]string) func(*document) bool {
	var known [][]uint32
	longest := 0
	for _, words := range forms {
		terms := make([]uint32, 0, len(words))
		for _, word := range words {
			if number, ok := ix.termByText[word]; ok {
				terms = append(terms, number)
			}
		}
		if len(terms) == len(words) {
			known = append(known, terms)
			longest = max(longest, len(terms))
		}
	}
	matched := make([]bool, longest)
	return func(d *document) bool {
		written := ix.textsOf(d).record
		return slices.ContainsFunc(known, func(terms []uint32) bool {
			// A camelCase word is either read as a whole or by its parts.
			return sideBySide(written, terms, part, matched[:len(terms)]) || sideBySide(written, terms, whole, matched[:len(terms)])
		})
	}
}

// sideBySide finds adjacent terms while ignoring words of one form. In matched, which is as long as the terms, it
// notes which of their beginnings end at a word.
func sideBySide(r record, terms []uint32, without form, matched []bool) bool {
	clear(matched)
	for reader := newWordReader(r); reader.next(); {
		word := &reader.word
		if word.first {
			clear(matched)
		}
		if word.form == without || word.form == joined {
			continue
		}
		for i := len(terms) - 1; i >= 0; i-- {
			matched[i] = word.term == terms[i] && (i == 0 || matched[i-1])
		}
		if matched[len(terms)-1] {
			return true
		}
	}
	return false
}
