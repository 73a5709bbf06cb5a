package catalog

import (
	"strings"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Limits of the content of an entry that is searched. The index counts its terms.
const (
	contentLimit   = 8 << 10  // bytes of all its files
	contentRead    = 64 << 10 // bytes of one file that are looked at, which may be pictures in Markdown
	contentSources = 16       // files
	contentWord    = 64       // bytes; longer ones are addresses or data
)

// contents are what this server knows to be noted of entries since they last changed: the texts by file.
type contents = lru.Cache[string, map[string]string]

func newContents() *contents {
	known, err := lru.New[string, map[string]string](contentNoted)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return known
}

// contentOf returns the beginning of a Markdown text as plain text: at most contentLimit bytes, without control characters
// and words that nobody types.
func contentOf(markdown string) string {
	markdown = strings.ToValidUTF8(markdown[:min(len(markdown), contentRead)], "")
	var text strings.Builder
	for word := range strings.FieldsSeq(plainText(markdown, utf8.RuneCountInString(markdown)+1)) {
		word = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return -1
			}
			return r
		}, word)
		switch {
		case word == "" || len(word) > contentWord:
			continue
		case text.Len()+1+len(word) > contentLimit:
			return text.String()
		case text.Len() > 0:
			text.WriteByte(' ')
		}
		text.WriteString(word)
	}
	return text.String()
}

// contentNoted is of how many entries a server remembers what is noted, so that showing a file again asks the database
// nothing.
const contentNoted = 4096
