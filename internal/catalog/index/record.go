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
	r.skipNumbers()
	r.skipNumbers()
	return func(yield func(word) bool) {
		at := word{first: true}
		for i := 0; i < len(r); {
			number, shift := uint32(0), 0
			for ; r[i] >= 0x80; i++ {
				number |= uint32(r[i]&0x7f) << shift
				shift += 7
			}
			number |= uint32(r[i]) << shift
			i++
			switch number {
			case 0:
				at.field, at.first = at.field+1, true
			case edge:
				at.first = true
			default:
				at.term, at.form = number>>2-1, form(number&3)
				if !yield(at) {
					return
				}
				at.first = false
			}
		}
	}
}

// edge separates two tags or two authors.
const edge = 3
