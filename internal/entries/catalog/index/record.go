package index

import "iter"

// A record is everything that the index stores of an entry besides its name: the numbers of its tags and authors, then
// its words in order. It's needed to remove the entry, to match exact phrases, and to count how often a word occurs in
// each field. Numbers take seven bits per byte, because the common ones are small.
//
// Layout: count and numbers of tags; count and numbers of authors; then the words of the name, the tags, the
// description, the authors and the content, the five separated by zeros. A word is (number+1)<<2 | form.

type recordWriter []byte

func (w *recordWriter) number(value uint32) {
	for value >= 0x80 {
		*w = append(*w, byte(value)|0x80)
		value >>= 7
	}
	*w = append(*w, byte(value))
}

func (w *recordWriter) numbers(values []uint32) {
	w.number(uint32(len(values)))
	for _, value := range values {
		w.number(value)
	}
}

func (w *recordWriter) word(term uint32, form form) { w.number((term+1)<<2 | uint32(form)) }

func (w *recordWriter) separator() { w.number(0) }

// record is read sequentially; reading advances it.
type record []byte

func (r *record) number() uint32 {
	var value uint32
	for i := 0; i < len(*r); i++ {
		one := (*r)[i]
		value |= uint32(one&0x7f) << (7 * i)
		if one < 0x80 {
			*r = (*r)[i+1:]
			return value
		}
	}
	return 0
}

func (r *record) numbers() []uint32 {
	values := make([]uint32, r.number())
	for i := range values {
		values[i] = r.number()
	}
	return values
}

func (r *record) skipNumbers() {
	for range r.number() {
		r.number()
	}
}

// tags and authors return the numbers of an entry's tags and authors.
func (r record) tags() []uint32 { return r.numbers() }

func (r record) authors() []uint32 {
	r.skipNumbers()
	return r.numbers()
}

// field is a part of an entry.
type field int

const (
	inName field = iota
	inTags
	inDescription
	inAuthors
	inContent
)

// word is a word of an entry with its position.
type word struct {
	term  uint32
	form  form
	field field
	first bool // the first of a name, a tag, a description, an author or a content: phrases don't match across it
}

// words returns all words of a record in order.
func (r record) words() iter.Seq[word] {
	return func(yield func(word) bool) {
		for reader := newWordReader(r); reader.next(); {
			if !yield(reader.word) {
				return
			}
		}
	}
}

// wordReader reads the words of a record one by one. Ranking reads hundreds of records for a search, so this allocates
// nothing.
type wordReader struct {
	word

	rest  []byte
	begun bool // a word of the same text was read before
}

func newWordReader(r record) wordReader {
	rest := []byte(r)
	for range 2 { // the numbers of tags, and those of authors
		count, used := shortUvarint(rest)
		for rest = rest[used:]; count > 0; count-- {
			_, used = shortUvarint(rest)
			rest = rest[used:]
		}
	}
	return wordReader{rest: rest}
}

// next reads the next word; false after the last.
func (r *wordReader) next() bool {
	for len(r.rest) > 0 {
		number, used := shortUvarint(r.rest)
		r.rest = r.rest[used:]
		switch number {
		case 0:
			r.field, r.begun = r.field+1, false
		case edge:
			r.begun = false
		default:
			r.term, r.form, r.first = number>>2-1, form(number&3), !r.begun
			r.begun = true
			return true
		}
	}
	return false
}

// shortUvarint reads a number; most have a byte or two.
func shortUvarint(from []byte) (value uint32, used int) {
	for shift := 0; used < len(from); shift += 7 {
		one := from[used]
		used++
		value |= uint32(one&0x7f) << shift
		if one < 0x80 {
			break
		}
	}
	return value, used
}

// edge separates two tags or two authors.
const edge = 3
