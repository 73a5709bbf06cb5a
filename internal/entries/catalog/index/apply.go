package index

import (
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/google/uuid"
)

// documentsPerLock limits how long searches wait while many entries are applied: about a millisecond.
const documentsPerLock = 32

// Apply replaces the entries with these ids by the documents and removes ids without a document. When it returns,
// searches find the new state. It returns the rows that no entry has anymore.
func (ix *Index) Apply(ids []string, documents []Document) (replaced []uint64) {
	fresh := make(map[string]*prepared, len(documents))
	for i := range documents {
		fresh[documents[i].ID] = ix.prepare(&documents[i])
	}
	for part := range slices.Chunk(ids, documentsPerLock) {
		ix.mu.Lock()
		ix.version++
		for _, id := range part {
			if row := ix.replace(id, fresh[id]); row > 0 {
				replaced = append(replaced, row)
			}
		}
		ix.mu.Unlock()
	}
	return replaced
}

// prepared is a document whose terms and texts were computed outside the lock.
type prepared struct {
	*Document

	kind   uint8
	name   string // see texts
	typed  string
	fields [5][][]token // by field: the name, each tag, the description, each author, the content
	digest uint64
}

func (ix *Index) prepare(document *Document) *prepared {
	p := &prepared{Document: document, name: FoldName(document.Name), typed: Fold(document.Name)}
	p.kind = uint8(slices.Index(ix.types, document.Type))
	p.fields[inName] = [][]token{tokens(document.Name)}
	p.fields[inDescription] = [][]token{tokens(document.Description)}
	p.fields[inContent] = [][]token{contentTokens(document.Content)}
	digest := xxhash.New()
	write := func(text string) { _, _ = digest.WriteString(text); _, _ = digest.Write([]byte{0}) }
	for _, text := range []string{document.Type, document.Name, document.Description, document.Content} {
		write(text)
	}
	for _, tag := range document.Tags {
		p.fields[inTags] = append(p.fields[inTags], tokens(tag.Value))
		write(tag.Value)
	}
	for _, email := range document.Authors {
		p.fields[inAuthors] = append(p.fields[inAuthors], tokens(email))
		write("by " + email)
	}
	for _, name := range document.Names {
		p.fields[inAuthors] = append(p.fields[inAuthors], tokens(name))
		write("named " + name)
	}
	for _, person := range document.People {
		write("crediting " + person)
	}
	if document.Private {
		write("private")
	}
	p.digest = digest.Sum64()
	return p
}

// replace replaces an entry; nil removes it. It returns the row that the entry no longer has, if any.
func (ix *Index) replace(id string, fresh *prepared) (row uint64) {
	key, err := uuid.Parse(id)
	if err != nil {
		return 0 // the id isn't an entry's
	}
	ordinal, known := ix.ordinals[key]
	if known && (fresh == nil || !fresh.Counted) {
		row = ix.documents[ordinal].row
	}
	switch {
	case known && fresh != nil && (fresh.Counted || ix.documents[ordinal].digest == fresh.digest &&
		ix.documents[ordinal].created == fresh.CreatedAt.UnixMicro()):
		ix.setUse(ordinal, fresh)
		if !fresh.Counted {
			ix.documents[ordinal].row = fresh.Row
		}
		return row
	case known:
		ix.remove(ordinal)
		delete(ix.ordinals, key)
		ix.free = append(ix.free, ordinal)
	}
	if fresh == nil || fresh.Counted {
		return row
	}
	if last := len(ix.free) - 1; last >= 0 {
		ordinal, ix.free = ix.free[last], ix.free[:last]
	} else {
		ordinal = uint32(len(ix.documents))
		ix.documents = append(ix.documents, document{})
	}
	ix.ordinals[key] = ordinal
	ix.add(ordinal, key, fresh)
	return row
}

// setUse stores and sorts in what changes without the entry's own text.
func (ix *Index) setUse(ordinal uint32, fresh *prepared) {
	ix.dropUse(ordinal)
	stored := &ix.documents[ordinal]
	stored.setUse(fresh)
	if of := ix.sameOutcome(stored); of != nil {
		of.add(ordinal)
	}
	ix.orderUse(ordinal)
}

// setUse stores what changes without the entry's own text.
func (d *document) setUse(fresh *prepared) {
	d.stars, d.used = uint32(min(max(fresh.Stars, 0), math.MaxUint32)), fresh.used()
	d.outcome, d.ran = uint8(1+slices.Index(Outcomes[:], fresh.Outcome)), 0
	if d.outcome > 0 && !fresh.Ran.IsZero() {
		d.ran = fresh.Ran.UnixMicro()
	}
}

// dropUse removes an entry from the orders and sets that setUse adds it to.
func (ix *Index) dropUse(ordinal uint32) {
	ix.starred.Delete(ordinal)
	ix.used.Delete(ordinal)
	ix.clean.Delete(ordinal)
	if of := ix.sameOutcome(&ix.documents[ordinal]); of != nil {
		of.remove(ordinal)
	}
}

// sameOutcome returns the set of the entries with the same outcome; nil if it has none.
func (ix *Index) sameOutcome(stored *document) *set {
	if stored.outcome == 0 {
		return nil
	}
	return &ix.outcomes[stored.outcome-1]
}

// orderUse adds an entry to the orders that have only some of them.
func (ix *Index) orderUse(ordinal uint32) {
	if ix.documents[ordinal].stars > 0 {
		ix.starred.Set(ordinal)
	}
	if ix.documents[ordinal].used > 0 {
		ix.used.Set(ordinal)
	}
	if of := ix.documents[ordinal].outcome; of == 1+clean {
		ix.clean.Set(ordinal)
	}
}

// store stores an entry, without adding it to sets and orders.
func (ix *Index) store(ordinal uint32, id uuid.UUID, fresh *prepared) *document {
	var written recordWriter
	tags := make([]uint32, len(fresh.Tags))
	for i, one := range fresh.Tags {
		tags[i] = ix.tagNumber(one)
	}
	written.numbers(tags)
	authors := make([]uint32, 0, len(fresh.Authors)+len(fresh.People))
	for _, email := range fresh.Authors {
		authors = append(authors, ix.authorNumber(email))
	}
	for _, person := range fresh.People {
		authors = append(authors, ix.authorNumber(personMark+person))
	}
	written.numbers(authors)
	for field, texts := range fresh.fields {
		if field > 0 {
			written.separator()
		}
		for i, text := range texts {
			if i > 0 {
				written.number(edge)
			}
			for _, one := range text {
				number := ix.termNumber(one.text)
				if field == int(inName) && !ix.building {
					ix.nameWord(number)
				}
				written.word(number, one.form)
			}
		}
	}
	packed := texts{typed: []byte(fresh.typed), name: []byte(fresh.name), record: record(written)}.pack(nil)
	stored := &ix.documents[ordinal]
	*stored = document{
		id: id, location: ix.texts.put(ordinal, packed), created: fresh.CreatedAt.UnixMicro(),
		digest: fresh.digest, row: fresh.Row, length: uint32(len(fresh.fields[inDescription][0])), kind: fresh.kind, private: fresh.Private,
	}
	ix.words += int(stored.length)
	ix.tagsOf.put(ordinal, tags)
	return stored
}

func (ix *Index) add(ordinal uint32, id uuid.UUID, fresh *prepared) {
	stored := ix.store(ordinal, id, fresh)
	ix.eachSet(stored, func(s *set) { s.add(ordinal) })
	for _, one := range grams(fresh.typed, 1, gramLength) {
		setOf(ix.grams, one).add(ordinal)
	}
	for _, number := range ix.tagsOf.of(ordinal) {
		ix.countTag(number, ordinal, stored.private, 1)
	}
	ix.byName.Set(ordinal)
	ix.byNewest.Set(ordinal)
	ix.setUse(ordinal, fresh)
}

func (ix *Index) remove(ordinal uint32) {
	stored := &ix.documents[ordinal]
	ix.byName.Delete(ordinal)
	ix.byNewest.Delete(ordinal)
	ix.dropUse(ordinal)
	ix.words -= int(stored.length)
	ix.eachSet(stored, func(s *set) { s.remove(ordinal) })
	for _, one := range grams(string(ix.textsOf(stored).typed), 1, gramLength) {
		setOf(ix.grams, one).remove(ordinal)
	}
	for _, number := range ix.tagsOf.of(ordinal) {
		ix.countTag(number, ordinal, stored.private, -1)
	}
	ix.tagsOf.put(ordinal, nil)
	where := stored.location
	*stored = document{}
	ix.dropTexts(where)
}

// eachSet calls change with every set of words, authors, type and privacy that a document belongs to, sometimes
// repeatedly.
func (ix *Index) eachSet(stored *document, change func(*set)) {
	written := ix.textsOf(stored).record
	for word := range written.words() {
		term := &ix.terms[word.term]
		change(&term.all)
		for _, prefix := range term.prefixes {
			if prefix != nil && prefix.all != nil {
				change(prefix.all)
			}
		}
		switch word.field {
		case inName:
			change(&term.inName)
		case inAuthors:
			change(&term.inAuthor)
		case inTags, inDescription, inContent:
		}
	}
	for _, number := range written.authors() {
		change(&ix.authors[number].all)
	}
	change(&ix.kinds[stored.kind])
	if !stored.private {
		change(&ix.public)
	}
}

func (ix *Index) countTag(number, ordinal uint32, private bool, by int) {
	ix.popular.Delete(number)
	one := &ix.tags[number]
	if by > 0 {
		one.all.add(ordinal)
	} else {
		one.all.remove(ordinal)
	}
	one.count += by
	if !private {
		one.public += by
	}
	ix.popular.Set(number)
}

func (ix *Index) termNumber(text string) uint32 {
	number, known := ix.termByText[text]
	if known {
		return number
	}
	number = uint32(len(ix.terms))
	text = strings.Clone(text) // it may be a piece of a long description
	fresh := term{text: text}
	for i, beginning := range prefixes(text) {
		shared := ix.prefixes[beginning]
		if shared == nil {
			shared = &prefix{}
			ix.prefixes[beginning] = shared
		}
		shared.words++
		if shared.words > fewWords && shared.all == nil && !ix.building {
			shared.all = &set{many: ix.withPrefix(beginning)}
		}
		fresh.prefixes[i] = shared
	}
	ix.terms = append(ix.terms, fresh)
	ix.termByText[text] = number
	ix.sorted.Set(text, number)
	ix.addStem(number)
	return number
}

// nameWord records that a word occurs in names. It stays recorded when no name has it anymore.
func (ix *Index) nameWord(number uint32) {
	one := &ix.terms[number]
	if one.named {
		return
	}
	one.named = true
	for _, part := range grams(one.text, wordGramLength, wordGramLength) {
		setOf(ix.wordsOfNames, part).add(number)
	}
}

func setOf(sets map[gram]*set, key gram) *set {
	found := sets[key]
	if found == nil {
		found = &set{}
		sets[key] = found
	}
	return found
}

func (ix *Index) tagNumber(one Tag) uint32 {
	number, known := ix.tagByValue[one.Value]
	if !known {
		number = uint32(len(ix.tags))
		folded := Fold(one.Value)
		ix.tags = append(ix.tags, tag{id: one.ID, value: one.Value, folded: folded})
		ix.tagByValue[one.Value] = number
		ix.tagsByFold[folded] = append(ix.tagsByFold[folded], number)
		if !ix.building {
			ix.popular.Set(number)
		}
	}
	return number
}

func (ix *Index) authorNumber(email string) uint32 {
	number, known := ix.authorByEmail[email]
	if !known {
		number = uint32(len(ix.authors))
		ix.authors = append(ix.authors, author{email: email})
		ix.authorByEmail[email] = number
	}
	return number
}
