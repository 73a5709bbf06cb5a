// Package corpus generates the benchmark's entries and searches: any number of them, deterministically from a seed, and
// each entry from its number, so that nothing is kept in memory. Words, tags and authors follow Zipf's law, which makes
// searching them as hard as searching real texts: some words are everywhere.
package corpus

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parameters determine every byte of a corpus.
type Parameters struct {
	Entries int    `json:"entries"`
	Seed    uint64 `json:"seed"`
	Words   int    `json:"words"`   // different ones
	Tags    int    `json:"tags"`    // different ones
	Authors int    `json:"authors"` // different ones
}

// Default returns the parameters for a number of entries.
func Default(entries int) Parameters {
	return Parameters{Entries: entries, Seed: 20260101, Words: 100_000, Tags: 5_000, Authors: 50_000}
}

// Corpus is a generated catalog.
type Corpus struct {
	Parameters

	words, tags, authors []string

	inText, inName, tagUse, authorUse zipf
}

// New returns the corpus with these parameters.
func New(parameters Parameters) *Corpus {
	random := rand.New(rand.NewPCG(parameters.Seed, 0))
	c := &Corpus{
		Parameters: parameters,
		words:      vocabulary(random, parameters.Words),
		inText:     newZipf(parameters.Words, 1, 0),
		inName:     newZipf(parameters.Words, 0.85, 30), // names have fewer of the most common words
		tagUse:     newZipf(parameters.Tags, 1, 0),
		authorUse:  newZipf(parameters.Authors, 0.7, 5),
	}
	c.tags = different(parameters.Tags, func() string {
		tag := c.words[c.inName.draw(random)]
		if random.IntN(3) == 0 {
			tag += []string{" ", "-"}[random.IntN(2)] + c.words[c.inName.draw(random)]
		}
		return tag
	})
	hosts := different(max(1, parameters.Authors/100), func() string {
		return Fold(c.words[random.IntN(len(c.words))]) + []string{".example.org", ".example.edu"}[random.IntN(2)]
	})
	c.authors = different(parameters.Authors, func() string {
		first, last := c.words[random.IntN(len(c.words))], c.words[random.IntN(len(c.words))]
		return Fold(first) + "." + Fold(last) + "@" + hosts[random.IntN(len(hosts))]
	})
	return c
}

func different(count int, next func() string) []string {
	var result []string
	seen := map[string]bool{}
	for len(result) < count {
		if text := next(); !seen[text] {
			seen[text] = true
			result = append(result, text)
		}
	}
	return result
}

// Entry is a line of an import file.
type Entry struct {
	Kind        string   `json:"kind"`
	ExternalID  string   `json:"externalId"`
	Type        string   `json:"type"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Authors     []string `json:"authors"`
	Tags        []string `json:"tags"`
	Privacy     string   `json:"privacy"`

	RepositoryURL          string `json:"repositoryUrl,omitempty"`
	DatasetURL             string `json:"datasetUrl,omitempty"`
	NotebookPath           string `json:"notebookPath,omitempty"`
	ApplicationInterfaceID string `json:"applicationInterfaceId,omitempty"`
	Version                string `json:"version,omitempty"`

	Content string `json:"content,omitempty"` // of one entry in ten
}

// random returns the random numbers for one entry or search.
func (c *Corpus) random(stream string, number int) *rand.Rand {
	seed := c.Seed
	for _, letter := range []byte(stream) {
		seed = seed*1099511628211 + uint64(letter)
	}
	return rand.New(rand.NewPCG(seed, uint64(number)*0x9E3779B97F4A7C15+1))
}

// Entry returns an entry by its number, from 0.
func (c *Corpus) Entry(number int) Entry {
	random := c.random("entry", number)
	entry := Entry{Kind: "resource", ExternalID: "e" + strconv.Itoa(number), Privacy: "PUBLIC", Tags: []string{}}
	if random.IntN(100) < 3 {
		entry.Privacy = "PRIVATE"
	}
	entry.Name = c.name(random)
	entry.Description = c.description(random)
	for range 1 + random.IntN(3) {
		entry.Authors = addOnce(entry.Authors, c.authors[c.authorUse.draw(random)])
	}
	for range random.IntN(7) {
		entry.Tags = addOnce(entry.Tags, c.tags[c.tagUse.draw(random)])
	}
	if own := c.random("content", number); own.IntN(10) == 0 {
		entry.Content = c.content(own)
	}
	path := fmt.Sprintf("%s/%s-%d", Fold(c.words[random.IntN(len(c.words))]), Fold(c.words[random.IntN(len(c.words))]), number)
	switch kind := random.IntN(100); {
	case kind < 45:
		entry.Type = "DATASET"
	case kind < 70:
		entry.Type = "NOTEBOOK"
	case kind < 90:
		entry.Type = "REPOSITORY"
	default:
		entry.Type, entry.Version = "MODEL", fmt.Sprintf("%d.%d", random.IntN(5), random.IntN(10))
	}
	entry.Place(path)
	return entry
}

// Place sets where an entry is from, as its type needs it.
func (e *Entry) Place(path string) {
	switch e.Type {
	case "DATASET":
		e.DatasetURL = path
	case "NOTEBOOK":
		e.NotebookPath = "https://github.com/" + path + "/blob/main/analysis.ipynb"
	case "REPOSITORY":
		e.RepositoryURL = "https://github.com/" + path
	default:
		e.ApplicationInterfaceID = path
	}
}

func addOnce(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// name returns two to six words; some names look like programs, with camelCase, underscores or a version.
func (c *Corpus) name(random *rand.Rand) string {
	word := func() string { return c.words[c.inName.draw(random)] }
	parts := make([]string, 2+random.IntN(5))
	for i := range parts {
		parts[i] = word()
	}
	switch style := random.IntN(100); {
	case style < 8:
		parts[0] = capital(word()) + capital(word())
	case style < 12:
		parts[0] = word() + "_" + word()
	case style < 16:
		parts[len(parts)-1] += "-" + word()
	default:
		parts[0] = capital(parts[0])
	}
	if random.IntN(10) == 0 {
		parts = append(parts, "v"+strconv.Itoa(1+random.IntN(9)))
	}
	return strings.Join(parts, " ")
}

// description returns sentences of 25 to 65 words in total.
func (c *Corpus) description(random *rand.Rand) string {
	var text strings.Builder
	left := 0
	count := 25 + random.IntN(41)
	for i := range count {
		word := c.words[c.inText.draw(random)]
		if left == 0 {
			left = 6 + random.IntN(9)
			word = capital(word)
		}
		if random.IntN(200) == 0 {
			word = "**" + word + "**"
		}
		text.WriteString(word)
		left--
		switch {
		case left == 0 || i == count-1:
			text.WriteString(". ")
			left = 0
		case random.IntN(12) == 0:
			text.WriteString(", ")
		default:
			text.WriteByte(' ')
		}
	}
	return strings.TrimSuffix(text.String(), " ")
}

// content returns 100 to 600 words, as of a README: about 256 different ones.
func (c *Corpus) content(random *rand.Rand) string {
	words := make([]string, 100+random.IntN(501))
	for i := range words {
		words[i] = c.words[c.inText.draw(random)]
	}
	return strings.Join(words, " ")
}

func capital(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// Write writes all entries as an import file: one JSON object per line.
func (c *Corpus) Write(ctx context.Context, out io.Writer) error {
	buffer := bufio.NewWriterSize(out, 1<<20)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	for number := range c.Entries {
		if number%10_000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := encoder.Encode(c.Entry(number)); err != nil {
			return err
		}
	}
	return buffer.Flush()
}
