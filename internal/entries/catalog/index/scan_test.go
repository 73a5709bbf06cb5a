package index

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Scan is what a search must find, written down as plainly as can be: a look at every entry. The text rules (folding,
// words, camelCase) are shared with the index and have tests of their own; matching is not.
type Scan struct {
	types   []string
	entries map[string]*scanned
}

type scanned struct {
	Document

	name   string
	typed  string
	fields [5][][]token
	stems  map[string]bool // of all words
}

// NewScan returns an empty scan.
func NewScan(types []string) *Scan { return &Scan{types: types, entries: map[string]*scanned{}} }

// Put adds or replaces an entry.
func (s *Scan) Put(document Document) {
	entry := &scanned{Document: document, name: FoldName(document.Name), typed: Fold(document.Name)}
	entry.fields[inName] = [][]token{tokens(document.Name)}
	entry.fields[inDescription] = [][]token{tokens(document.Description)}
	entry.fields[inContent] = [][]token{contentTokens(document.Content)}
	for _, tag := range document.Tags {
		entry.fields[inTags] = append(entry.fields[inTags], tokens(tag.Value))
	}
	for _, email := range document.Authors {
		entry.fields[inAuthors] = append(entry.fields[inAuthors], tokens(email))
	}
	entry.stems = map[string]bool{}
	for _, text := range entry.texts() {
		for _, one := range text {
			entry.stems[stem(one.text)] = true
		}
	}
	s.entries[document.ID] = entry
}

// Remove takes an entry out.
func (s *Scan) Remove(id string) { delete(s.entries, id) }

func (e *scanned) visible(email string) bool { return !e.Private || slices.Contains(e.Authors, email) }

func (e *scanned) hasTag(value string) bool {
	return slices.ContainsFunc(e.Tags, func(tag Tag) bool { return tag.Value == value })
}

// texts returns the words of every name, tag, description, author and content.
func (e *scanned) texts() [][]token { return slices.Concat(e.fields[:]...) }

func hasWord(texts [][]token, matches func(string) bool) bool {
	return slices.ContainsFunc(texts, func(text []token) bool {
		return slices.ContainsFunc(text, func(one token) bool { return matches(one.text) })
	})
}

// hasWord reports whether a typed word, one that begins with it or one of its stem is in an entry, or all of its parts.
func (e *scanned) hasTyped(typed typedWord) bool {
	is := func(word string) func(string) bool { return func(text string) bool { return text == word } }
	begins := func(word string) func(string) bool {
		return func(text string) bool { return strings.HasPrefix(text, word) }
	}
	if wanted := stem(typed.text); wanted != "" && e.stems[wanted] || hasWord(e.texts(), begins(beginning(typed.text))) {
		return true
	}
	if slices.Equal(typed.parts, []string{typed.text}) {
		return false
	}
	for i, one := range typed.parts {
		matches := is(one)
		if i == len(typed.parts)-1 && len(one) >= 3 {
			matches = begins(one)
		}
		if !hasWord(e.texts(), matches) {
			return false
		}
	}
	return true
}

func (e *scanned) hasAll(words []typedWord) bool {
	return !slices.ContainsFunc(required(words), func(one typedWord) bool { return !e.hasTyped(one) })
}

// hasInName reports whether a text is in the name or, if it is long and doesn't separate, in a word of it.
func (e *scanned) hasInName(typed string) bool {
	inWord := func(text string) bool {
		return strings.IndexFunc(typed, separates) < 0 && len([]rune(typed)) >= wordGramLength && strings.Contains(text, typed)
	}
	return strings.Contains(e.typed, typed) || hasWord(e.fields[inName], inWord)
}

// hasExactly reports whether words follow each other in one text, camelCase words being read whole or by their parts.
func (e *scanned) hasExactly(words []string) bool {
	for _, text := range e.texts() {
		for _, without := range []form{whole, part} {
			var read []string
			for _, one := range text {
				if one.form != without && one.form != joined {
					read = append(read, one.text)
				}
			}
			for i := 0; i+len(words) <= len(read); i++ {
				if slices.Equal(read[i:i+len(words)], words) {
					return true
				}
			}
		}
	}
	return false
}

// condition is one thing that must hold for an entry.
type condition func(*scanned) bool

// read splits a text into conditions of its fields, what is quoted, its other words, and the text without fields. A text
// that only excludes is words.
func (s *Scan) read(text, email string) scannedText {
	read := s.readFields(text, email)
	if !read.asks && strings.TrimSpace(read.rest) == "" {
		read = scannedText{words: text, rest: text, unread: read.unread}
	}
	read.ways, read.typed = alternatives(typedWords(read.words)), Fold(strings.TrimSpace(read.rest))
	return read
}

// scannedText is a search text by its parts.
type scannedText struct {
	fields, quoted []condition
	words, rest    string
	ways           [][]typedWord // of the words, see alternatives
	typed          string        // the rest, folded
	asks           bool          // it has a field
	unread         bool          // it has a field with a value that nobody has
}

func (s *Scan) readFields(text, email string) (read scannedText) {
	for text != "" {
		blank := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
		before, after := text[:blank], text[blank:]
		end := strings.IndexFunc(after, unicode.IsSpace)
		if end < 0 {
			end = len(after)
		}
		if value, length := quotedAtStart(after); length > 0 {
			if exact := forms(value); exact != nil {
				read.quoted = append(read.quoted, func(e *scanned) bool { return slices.ContainsFunc(exact, e.hasExactly) })
			}
			read.rest += before + after[:length]
			read.words += before
			text = after[length:]
			continue
		}
		if length, excluded := excludedAtStart(after); excluded != nil {
			read.fields = append(read.fields, func(e *scanned) bool { return !slices.ContainsFunc(excluded, e.hasExactly) })
			text = after[length:]
			continue
		}
		one := after[:end]
		name, value, isField := strings.Cut(one, ":")
		if quotedValue, length := quotedAtStart(value + after[end:]); isField && length > 0 {
			value, end = quotedValue, len(name)+1+length
			one = after[:end]
		} else if strings.Contains(value, `"`) || value == "" {
			isField = false
		}
		if isField {
			if field := s.field(strings.ToLower(name), value, email); field != nil {
				read.fields, read.asks = append(read.fields, field), true
				text = after[end:]
				continue
			}
			read.unread = read.unread || slices.Contains([]string{"tag", "type", "author"}, strings.ToLower(name))
		}
		read.rest += before + one
		read.words += before + one
		text = after[end:]
	}
	return read
}

// excludedAtStart returns the words after a hyphen at the start of a text; nil when there are none.
func excludedAtStart(text string) (length int, words [][]string) {
	if !strings.HasPrefix(text, "-") {
		return 0, nil
	}
	if value, length := quotedAtStart(text[1:]); length > 0 {
		return 1 + length, forms(value)
	}
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	if strings.Contains(text[:end], `"`) {
		return 0, nil
	}
	return end, forms(text[1:end])
}

// quotedAtStart returns what stands in quotes at the start of a text, when a blank or the end follows.
func quotedAtStart(text string) (value string, length int) {
	if !strings.HasPrefix(text, `"`) {
		return "", 0
	}
	end := strings.IndexByte(text[1:], '"')
	if end < 0 {
		return "", 0
	}
	length = end + 2
	if length < len(text) && strings.IndexFunc(text[length:], unicode.IsSpace) != 0 {
		return "", 0
	}
	return text[1 : length-1], length
}

// field returns the condition of a field, nil when no visible entry meets it.
func (s *Scan) field(name, value, email string) condition {
	var meets condition
	switch name {
	case "type":
		if !slices.Contains(s.types, strings.ToUpper(value)) {
			return nil
		}
		return func(e *scanned) bool { return e.Type == strings.ToUpper(value) }
	case "tag":
		meets = func(e *scanned) bool {
			return slices.ContainsFunc(e.Tags, func(tag Tag) bool { return Fold(tag.Value) == Fold(value) })
		}
		if s.nobody(email, meets) {
			return nil
		}
	case "author":
		words := tokens(value)
		hasIt := func(word string) condition {
			return func(e *scanned) bool {
				return hasWord(e.fields[inAuthors], func(text string) bool { return text == word })
			}
		}
		for _, word := range words {
			if s.nobody(email, hasIt(word.text)) {
				return nil
			}
		}
		if len(words) == 0 {
			return nil
		}
		meets = func(e *scanned) bool {
			return !slices.ContainsFunc(words, func(word token) bool { return !hasIt(word.text)(e) })
		}
	}
	return meets
}

func (s *Scan) nobody(email string, meets condition) bool {
	for _, entry := range s.entries {
		if entry.visible(email) && meets(entry) {
			return false
		}
	}
	return true
}

// meets reports whether an entry has what a search filters by, except its types.
func (e *scanned) meets(query Query, fields []condition) bool {
	return e.visible(query.Email) &&
		!slices.ContainsFunc(query.Tags, func(value string) bool { return !e.hasTag(value) }) &&
		!slices.ContainsFunc(fields, func(meets condition) bool { return !meets(e) })
}

// matches reports whether an entry has everything that a text asks for, except its fields.
func (e *scanned) matches(text *scannedText) bool {
	asked := len(text.ways[0]) > 0
	byWords := (asked || text.quoted != nil) && (!asked || slices.ContainsFunc(text.ways, e.hasAll)) && e.hasQuoted(text)
	return text.typed == "" || byWords || e.hasInName(text.typed) && e.hasQuoted(text)
}

func (e *scanned) hasQuoted(text *scannedText) bool {
	return !slices.ContainsFunc(text.quoted, func(meets condition) bool { return !meets(e) })
}

// mostOf returns a condition: an entry has most of the words of a text; nil where such entries aren't listed.
func (s *Scan) mostOf(query Query, text *scannedText) condition {
	words := required(text.ways[0])
	if text.unread || len(words) < 2 || len(words) > mostRelaxed {
		return nil
	}
	var under, whole, named int // entries with everything: under the tags, and without them; with the text in their name
	for _, entry := range s.entries {
		if !entry.meets(Query{Email: query.Email}, text.fields) || !entry.matches(text) {
			continue
		}
		whole++
		if entry.meets(query, nil) {
			under++
		}
		if strings.Contains(entry.typed, text.typed) {
			named++
		}
	}
	if under > 0 && (whole >= enough || named > 0 || len(words) < sentence || text.quoted != nil) {
		return nil
	}
	visible, sizes := 0, make([]int, len(words))
	for _, entry := range s.entries {
		if entry.visible(query.Email) {
			visible++
			for i := range words {
				if entry.hasTyped(words[i]) {
					sizes[i]++
				}
			}
		}
	}
	parts := weigh(sizes, visible)
	return func(e *scanned) bool {
		has, all := 0, 0
		for i := range words {
			if all += parts[i]; e.hasTyped(words[i]) {
				has += parts[i]
			}
		}
		return 2*has >= all && e.hasQuoted(text)
	}
}

// The groups of results by relevance: of exactly the typed name, beginning with it, others, and those with only most of
// the words, which come last in every order.
const (
	groupExact = iota
	groupBegins
	groupWhole
	groupMost
)

// Search finds all entries of a query, in the order asked for; those of a text that is to be sorted by relevance come in
// groups alone.
func (s *Scan) Search(query Query) (found []Document, groups []int, facets Facets) {
	text := s.read(query.Text, query.Email)
	hasMost := s.mostOf(query, &text)
	typed, name := text.typed, FoldName(text.rest)
	type hit struct {
		*scanned
		group int
	}
	var hits []hit
	facets.Types = map[string]int{}
	tags, runs := map[string]int{}, map[Outcome]int{}
	for _, value := range s.types {
		facets.Types[value] = 0
	}
	for _, entry := range s.entries {
		if !entry.meets(query, text.fields) {
			continue
		}
		group := groupWhole
		switch {
		case !entry.matches(&text):
			if hasMost == nil || !hasMost(entry) {
				continue
			}
			group = groupMost
		case typed == "":
		case (name != "" && entry.name == name) || entry.typed == typed:
			group = groupExact
		case name != "" && strings.HasPrefix(entry.name, name):
			group = groupBegins
		}
		ofTypes := len(query.Types) == 0 || slices.Contains(query.Types, entry.Type)
		ofOutcomes := len(query.Runs) == 0 || slices.Contains(query.Runs, entry.Outcome)
		if ofOutcomes {
			facets.Types[entry.Type]++
		}
		if ofTypes {
			runs[entry.Outcome]++
		}
		if !ofTypes || !ofOutcomes {
			continue
		}
		for _, tag := range entry.Tags {
			if strings.Contains(Fold(tag.Value), Fold(query.FacetText)) {
				tags[tag.Value]++
			}
		}
		hits = append(hits, hit{entry, group})
	}
	slices.SortFunc(hits, func(a, b hit) int {
		byName := cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.ID, b.ID))
		switch {
		case (a.group == groupMost) != (b.group == groupMost):
			return cmp.Compare(a.group, b.group)
		case query.Sort == SortNewest:
			return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), byName)
		case query.Sort == SortStars:
			return cmp.Or(cmp.Compare(b.Stars, a.Stars), byName)
		case query.Sort == SortUsed:
			return cmp.Or(cmp.Compare(3*b.Stars+b.Starters, 3*a.Stars+a.Starters), b.CreatedAt.Compare(a.CreatedAt), byName)
		case query.Sort == SortRuns:
			if cleanA, cleanB := a.Outcome == OutcomeClean, b.Outcome == OutcomeClean; cleanA != cleanB {
				return map[bool]int{true: -1, false: 1}[cleanA]
			} else if byRun := b.Ran.Compare(a.Ran); cleanA && byRun != 0 {
				return byRun
			}
			return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), byName)
		case query.Sort == SortName || typed == "":
			return byName
		}
		return cmp.Or(cmp.Compare(a.group, b.group), byName)
	})
	for _, hit := range hits {
		found, groups = append(found, hit.Document), append(groups, hit.group)
	}
	facets.Runs = RunsFacet{Clean: runs[OutcomeClean], Differs: runs[OutcomeDiffers], Fails: runs[OutcomeFails], Needs: runs[OutcomeNeeds], Nothing: runs[OutcomeNothing], Never: runs[OutcomeNever]}
	for value, count := range tags {
		facets.Tags = append(facets.Tags, TagFacet{value, count})
	}
	slices.SortFunc(facets.Tags, func(a, b TagFacet) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	facets.Tags = facets.Tags[:min(len(facets.Tags), TagFacets)]
	return found, groups, facets
}
