package index

import (
	"slices"
	"strings"
)

// Mark is a part of a text that matches a search: where it begins and ends, in UTF-16 code units.
type Mark [2]int

// Matcher finds what a search was made for in the texts of its results.
type Matcher struct {
	typed string // a part of a name
	words []typedWord
	begin []string // what each of the words begins with in what it finds
	stems []string // of the words
}

// matcher returns the matcher of a request.
func (r *request) matcher() *Matcher {
	m := &Matcher{typed: r.typed}
	for _, way := range alternatives(r.words) {
		m.words = append(m.words, required(way)...)
	}
	for _, forms := range r.exact {
		for _, word := range slices.Concat(forms...) {
			m.words = append(m.words, typedWord{word, []string{word}})
		}
	}
	for _, word := range m.words {
		m.begin = append(m.begin, beginning(word.text))
		m.stems = append(m.stems, stem(word.text))
	}
	return m
}

// Marks returns the words of a text that match, in order: whole words, or those parts of split words that do.
func (m *Matcher) Marks(text string) []Mark {
	var spans []span
	var chain span // of linked words
	linked, joinedText := 0, ""
	endChain := func() {
		if linked > 1 && linked <= mostJoined && m.matchesWord(joinedText) {
			spans = append(spans, chain)
		}
	}
	eachSpan(text, func(begin, end int, afterHyphen bool) {
		folded := Fold(text[begin:end])
		if afterHyphen {
			linked++
			chain.end = end
			joinedText += folded
		} else {
			endChain()
			chain, linked, joinedText = span{begin, end}, 1, folded
		}
		if m.matchesWord(folded) || m.isPart(folded) {
			spans = append(spans, span{begin, end})
			return
		}
		for _, one := range splitWord(text[begin:end]) {
			if part := foldPart(one); m.matchesWord(part) || m.isPart(part) {
				spans = append(spans, span{begin, begin + len(one)})
			}
			begin += len(one)
		}
	})
	endChain()
	return inUTF16(text, spans)
}

// NameMarks returns the marks of a name. If none of its words match, it is the typed text as a part of it.
func (m *Matcher) NameMarks(name string) []Mark {
	marks := m.Marks(name)
	if marks != nil || m.typed == "" || !isASCII(name) {
		return marks
	}
	if begin := strings.Index(Fold(name), m.typed); begin >= 0 {
		return []Mark{{begin, begin + len(m.typed)}}
	}
	return nil
}

func (m *Matcher) matchesWord(folded string) bool {
	own := ""
	for i := range m.words {
		if strings.HasPrefix(folded, m.begin[i]) {
			return true
		}
		if m.stems[i] == "" {
			continue
		}
		if own == "" {
			own = stem(folded)
		}
		if own == m.stems[i] {
			return true
		}
	}
	return false
}

// isPart reports whether a folded word is a part of a typed one.
func (m *Matcher) isPart(folded string) bool {
	return slices.ContainsFunc(m.words, func(word typedWord) bool { return word.splits() && slices.Contains(word.parts, folded) })
}

// span is a part of a text, in bytes.
type span struct{ begin, end int }

// inUTF16 returns spans, which may overlap, as marks.
func inUTF16(text string, spans []span) []Mark {
	if spans == nil {
		return nil
	}
	slices.SortFunc(spans, func(a, b span) int { return a.begin - b.begin })
	var marks []Mark
	units, at := 0, 0
	offset := func(until int) int {
		for _, r := range text[at:max(at, until)] {
			units++
			if r > 0xffff {
				units++
			}
		}
		at = max(at, until)
		return units
	}
	reached := 0
	for i := 0; i < len(spans); {
		one := spans[i]
		for i++; i < len(spans) && spans[i].begin <= one.end; i++ {
			one.end = max(one.end, spans[i].end)
		}
		if one.end > reached {
			marks = append(marks, Mark{offset(one.begin), offset(one.end)})
			reached = one.end
		}
	}
	return marks
}
