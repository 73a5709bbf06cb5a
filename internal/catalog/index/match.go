package index

import (
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// visible gives the entries that an e-mail may see.
func (ix *Index) visible(email string) *roaring.Bitmap {
	public := ix.public.bitmap()
	if number, ok := ix.authorByEmail[email]; ok {
		return roaring.Or(public, ix.authors[number].all.bitmap())
	}
	return public
}

// match gives the entries among those allowed that a request finds. The result must not be changed.
func (ix *Index) match(wanted *request, allowed *roaring.Bitmap) *roaring.Bitmap {
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
	allowed = intersect(parts)
	if wanted.typed == "" || allowed.IsEmpty() {
		return allowed
	}
	byWords := ix.matchWords(wanted, allowed)
	return ix.addPartsOfNames(wanted.typed, byWords, allowed)
}

// matchWords gives the entries that have all words, the last one as a prefix, and all that is quoted.
func (ix *Index) matchWords(wanted *request, allowed *roaring.Bitmap) *roaring.Bitmap {
	if wanted.words == nil && wanted.exact == nil {
		return roaring.New()
	}
	parts := []*roaring.Bitmap{allowed}
	if wanted.words != nil {
		parts = append(parts, ix.matchAnyForm(wanted.words, true))
	}
	for _, exact := range wanted.exact {
		parts = append(parts, ix.matchAnyForm(exact, false))
	}
	found := intersect(parts)
	for _, exact := range wanted.exact {
		found = ix.keep(found, func(d *document) bool { return ix.hasExact(d, exact) })
	}
	return found
}

func (ix *Index) matchAnyForm(forms [][]string, lastIsPrefix bool) *roaring.Bitmap {
	found := ix.matchForm(forms[0], lastIsPrefix)
	for _, form := range forms[1:] {
		found = roaring.Or(found, ix.matchForm(form, lastIsPrefix))
	}
	return found
}

func (ix *Index) matchForm(words []string, lastIsPrefix bool) *roaring.Bitmap {
	parts := make([]*roaring.Bitmap, 0, len(words))
	for i, word := range words {
		var one *roaring.Bitmap
		if lastIsPrefix && i == len(words)-1 {
			one = ix.withPrefix(word)
		} else {
			one = ix.withWord(word)
		}
		if one.IsEmpty() {
			return one
		}
		parts = append(parts, one)
	}
	return intersect(parts)
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

// eachTerm gives the words that begin with a prefix, by text, until yield is false.
func (ix *Index) eachTerm(prefix string, yield func(number uint32) bool) {
	ix.sorted.Ascend(prefix, func(text string, number uint32) bool {
		return strings.HasPrefix(text, prefix) && yield(number)
	})
}

// addPartsOfNames adds the entries whose name holds the text. The result must not be changed.
func (ix *Index) addPartsOfNames(typed string, found, allowed *roaring.Bitmap) *roaring.Bitmap {
	runes := []rune(typed)
	length := min(len(runes), gramLength)
	parts := []*roaring.Bitmap{allowed}
	for i := 0; i+length <= len(runes); i++ {
		one := ix.grams[packGram(runes[i:i+length])]
		if one == nil {
			return found
		}
		parts = append(parts, one.bitmap())
	}
	more := intersect(parts) // of at least two, so it is nobody else's
	more.AndNot(found)
	if len(runes) > gramLength {
		more = ix.keep(more, func(d *document) bool { return strings.Contains(d.typed, typed) })
	}
	if more.IsEmpty() {
		return found
	}
	more.Or(found)
	return more
}

// keep gives the members that a condition holds for.
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

// hasExact tells whether words stand side by side in an entry, in one of their forms.
func (ix *Index) hasExact(d *document, forms [][]string) bool {
	for _, words := range forms {
		terms := make([]uint32, len(words))
		for i, word := range words {
			number, known := ix.termByText[word]
			if !known {
				terms = nil
				break
			}
			terms[i] = number
		}
		// A camelCase word is either read as a whole or by its parts.
		if terms != nil && (sideBySide(d.record, terms, part) || sideBySide(d.record, terms, whole)) {
			return true
		}
	}
	return false
}

// sideBySide looks for terms that follow each other when words of one form are passed over.
func sideBySide(r record, terms []uint32, without form) bool {
	matched := make([]bool, len(terms)) // matched[i]: the words up to here end with terms[:i+1]
	for word := range r.words() {
		if word.first {
			clear(matched)
		}
		if word.form == without {
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
