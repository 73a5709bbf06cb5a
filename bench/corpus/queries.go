package corpus

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Class is a kind of search that people make.
type Class string

// The classes.
const (
	Words     Class = "words with filters" // one or two words, with a type or a tag or both
	Prefix    Class = "while typing"       // the first letters of a word, perhaps after another word
	Common    Class = "very common word"   // one that most entries have
	Substring Class = "part of a name"     // letters from inside a word in a name
	Exact     Class = "exact name"
	TagOnly   Class = "tag only"
	Sorted    Class = "other orders" // words by name, newest or stars
	Facets    Class = "facets"       // a very common word, with counts per type and tag: ten different searches, so an index may cache them
	NewFacets Class = "new facets"   // two common words, with counts: hardly ever the same twice
)

// Classes lists all classes with their share of the mix in percent.
var Classes = []struct {
	Class Class
	Share int
}{{Words, 30}, {Prefix, 25}, {Common, 8}, {Substring, 7}, {Exact, 5}, {TagOnly, 10}, {Sorted, 7}, {Facets, 4}, {NewFacets, 4}}

// Query is a search that finds at least one entry.
type Query struct {
	Class  Class
	Text   string   // as typed
	Words  []string // of the text, folded; the last may be a prefix
	Type   string
	Tag    string
	Sort   string
	Facets bool
}

// PageSize is the number of entries that a search requests.
const PageSize = 24

// Path returns the path and query of the search, as the page sends it.
func (q Query) Path() string {
	values := url.Values{"view": {"card"}, "pageSize": {"24"}, "pageNumber": {"0"}}
	for name, value := range map[string]string{"nameSearch": q.Text, "type": q.Type, "tag": q.Tag, "sort": q.Sort} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if q.Facets {
		values.Set("facets", "types,tags")
	}
	return "/api/v1/rf/resources/public?" + values.Encode()
}

// Queries returns searches of one class.
func (c *Corpus) Queries(class Class, count int) []Query {
	result := make([]Query, count)
	for i := range result {
		result[i] = c.query(c.random(string(class), i), class)
	}
	return result
}

// Mix returns searches of all classes by their shares.
func (c *Corpus) Mix(count int) []Query {
	result := make([]Query, count)
	for i := range result {
		random := c.random("mix", i)
		draw := random.IntN(100)
		for _, one := range Classes {
			if draw -= one.Share; draw < 0 {
				result[i] = c.query(random, one.Class)
				break
			}
		}
	}
	return result
}

// query picks a public entry that suits the class, and a search that finds it.
func (c *Corpus) query(random *rand.Rand, class Class) Query {
	for {
		entry := c.Entry(random.IntN(c.Entries))
		if entry.Privacy != "PUBLIC" {
			continue
		}
		query := Query{Class: class}
		inName := long(split(entry.Name), 3)
		switch class {
		case Words:
			query.Words = someWords(random, entry)
			filters := 1 + random.IntN(3)
			if filters&1 > 0 {
				query.Type = entry.Type
			}
			if filters&2 > 0 && len(entry.Tags) > 0 {
				query.Tag = entry.Tags[random.IntN(len(entry.Tags))]
			}
			query.Text = strings.Join(query.Words, " ")
		case Sorted:
			query.Words = someWords(random, entry)
			query.Text = strings.Join(query.Words, " ")
			query.Sort = []string{"name", "newest", "stars"}[random.IntN(3)]
		case Prefix:
			if len(inName) < 2 {
				continue
			}
			at := random.IntN(len(inName))
			query.Words = []string{Fold(head(inName[at], 2+random.IntN(4)))}
			if random.IntN(3) == 0 {
				query.Words = slices.Insert(query.Words, 0, Fold(inName[(at+1)%len(inName)]))
			}
			query.Text = strings.Join(query.Words, " ")
		case Common, Facets:
			query.Text = c.words[random.IntN(min(10, len(c.words)))]
			query.Words = []string{Fold(query.Text)}
			if !strings.Contains(" "+strings.ToLower(entry.Description), " "+query.Text) {
				continue
			}
			query.Facets = class == Facets
		case NewFacets:
			common := slices.DeleteFunc(split(entry.Description), func(word string) bool {
				return !slices.Contains(c.words[:min(100, len(c.words))], word)
			})
			if len(common) < 2 {
				continue
			}
			for range 2 {
				query.Words = append(query.Words, Fold(common[random.IntN(len(common))]))
			}
			query.Text, query.Facets = strings.Join(query.Words, " "), true
		case Substring:
			inside := long(inName, 8)
			if len(inside) == 0 {
				continue
			}
			letters := []rune(Fold(inside[random.IntN(len(inside))]))
			from := 1 + random.IntN(2)
			query.Text = string(letters[from : from+4+random.IntN(2)])
			query.Words = []string{query.Text}
		case Exact:
			query.Text = entry.Name
			for _, word := range split(entry.Name) {
				query.Words = append(query.Words, Fold(word))
			}
		case TagOnly:
			if len(entry.Tags) == 0 {
				continue
			}
			query.Tag = entry.Tags[random.IntN(len(entry.Tags))]
		}
		return query
	}
}

// someWords returns one or two words of an entry, more often from its name than from its description.
func someWords(random *rand.Rand, entry Entry) []string {
	words := long(split(entry.Name), 3)
	if random.IntN(10) < 4 || len(words) == 0 {
		words = split(entry.Description)
		if longer := long(words, 5); len(longer) > 0 {
			words = longer
		}
	}
	result := make([]string, 1+random.IntN(2))
	for i := range result {
		result[i] = Fold(words[random.IntN(len(words))])
	}
	return result
}

func split(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func long(words []string, letters int) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return utf8.RuneCountInString(word) < letters })
}

func head(word string, letters int) string {
	runes := []rune(word)
	return string(runes[:min(letters, len(runes))])
}
