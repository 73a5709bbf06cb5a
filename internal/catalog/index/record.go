package index

import "iter"

// A record is what the index keeps of an entry beside its name: the numbers of its tags and authors, then its words in
// their order, so that an entry can be taken out again, exact words can be looked for, and how often a word stands where
// is known. Numbers take seven bits a byte, the common ones being small.
//
// Layout: count and numbers of tags; count and numbers of authors; then the words of the name, the tags, the
// description and the authors, the four separated by zeros. A word is (number+1)<<2 | form.

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

// record is read from its beginning; reading moves it on.
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

// tags and authors give the numbers of an entry's.
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
)

// word is a word of an entry and where it stands.
type word struct {
	term  uint32
	form  form
	field field
	first bool // the first of a name, a tag, a description or an author: exact words do not reach over it
}

// words returns all words of a record in their order.
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

// edge stands between two tags or two authors.
const edge = 3
