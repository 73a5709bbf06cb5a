package index

import (
	"regexp"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// request is a search text prepared for matching.
type request struct {
	typed    string       // folded with its punctuation: a part of a name; empty when only fields were typed
	name     string       // as it would be in a name
	words    []typedWord  // those outside quotes
	exact    [][][]string // the words of each "..."
	excluded [][][]string // of each -word and -"..."
	tags     [][]uint32   // tag:x; each contains the tags whose folded value is x
	authors  []uint32     // author:x: words of addresses and names
	types    []int        // type:x
	unread   bool         // it has a field with a value that no visible entry has
}

// positive reports whether the request asks for anything.
func (r *request) positive() bool {
	return r.typed != "" || len(r.tags)+len(r.authors)+len(r.types) > 0
}

// withText returns the request for another text with the same fields and quoted parts.
func (r *request) withText(text string) request {
	other := *r
	other.typed, other.name, other.words = Fold(text), FoldName(text), typedWords(text)
	return other
}

// fieldPattern matches tag:x, tag:"x y", type:x, author:x, "x y", -x and -"x y" between blanks.
var fieldPattern = regexp.MustCompile(`(?i)(?:^|\s)(?:(tag|type|author):("[^"]*"|[^\s"]+)|("[^"]*")|-("[^"]*"|[^\s"]+))(?:\s|$)`)

// parse parses a search text. A field with a value that no visible entry has isn't treated as a field: its words are
// searched as they are, and so is a text that only excludes: no text is invalid.
func (ix *Index) parse(text string, visible *roaring.Bitmap) request {
	wanted := ix.parseFields(text, visible)
	if !wanted.positive() {
		return (&request{unread: wanted.unread}).withText(strings.TrimSpace(text))
	}
	return wanted
}

func (ix *Index) parseFields(text string, visible *roaring.Bitmap) request {
	var wanted request
	var rest, words strings.Builder // the text without fields, and also without quoted parts
	for strings.ContainsAny(text, `:"-`) {
		at := fieldPattern.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		next := at[1]
		if next < len(text) && strings.TrimSpace(text[next-1:next]) == "" {
			next-- // the blank after it may be the blank before the next one
		}
		rest.WriteString(text[:at[0]])
		words.WriteString(text[:at[0]])
		matched := text[at[0]:next]
		switch {
		case at[6] >= 0: // quoted
			rest.WriteString(matched)
			if exact := forms(text[at[6]:at[7]]); exact != nil {
				wanted.exact = addOnce(wanted.exact, exact)
			}
		case at[8] >= 0: // excluded
			if excluded := forms(text[at[8]:at[9]]); excluded != nil {
				wanted.excluded = addOnce(wanted.excluded, excluded)
				break
			}
			rest.WriteString(matched)
		case ix.readField(&wanted, strings.ToLower(text[at[2]:at[3]]), strings.Trim(text[at[4]:at[5]], `"`), visible):
		default:
			wanted.unread = true
			rest.WriteString(matched)
			words.WriteString(matched)
		}
		text = text[next:]
	}
	rest.WriteString(text)
	words.WriteString(text)
	wanted.typed = Fold(strings.TrimSpace(rest.String()))
	wanted.name = FoldName(rest.String())
	wanted.words = typedWords(words.String())
	return wanted
}

// addOnce adds the forms of a text to a list unless it has them: each costs a look at every entry with its words.
func addOnce(list [][][]string, fresh [][]string) [][][]string {
	if slices.ContainsFunc(list, func(one [][]string) bool { return slices.EqualFunc(one, fresh, slices.Equal) }) {
		return list
	}
	return append(list, fresh)
}

// readField adds a field to the request. It reports whether a visible entry has the value: the values of hidden entries
// must not be revealed.
func (ix *Index) readField(wanted *request, field, value string, visible *roaring.Bitmap) bool {
	switch field {
	case "tag":
		numbers := slices.DeleteFunc(slices.Clone(ix.tagsByFold[Fold(value)]), func(number uint32) bool {
			return ix.tags[number].all.sizeWithin(visible) == 0
		})
		if len(numbers) > 0 {
			wanted.tags = append(wanted.tags, numbers)
		}
		return len(numbers) > 0
	case "type":
		kind := slices.Index(ix.types, strings.ToUpper(value))
		if kind >= 0 {
			wanted.types = append(wanted.types, kind)
		}
		return kind >= 0
	default:
		var numbers []uint32
		for _, one := range tokens(value) {
			number, known := ix.termByText[one.text]
			if !known || ix.terms[number].inAuthor.sizeWithin(visible) == 0 {
				return false
			}
			numbers = append(numbers, number)
		}
		wanted.authors = append(wanted.authors, numbers...)
		return len(numbers) > 0
	}
}
