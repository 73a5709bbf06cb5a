package notebook

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	lru "github.com/hashicorp/golang-lru/v2"
)

// Highlight is a run of a text in one color.
type Highlight struct {
	Length int    `json:"length" doc:"In UTF-16 code units"`
	Kind   string `json:"kind,omitempty" enum:"keyword,builtin,name,decorator,literal,string,comment,deleted,inserted" doc:"Absent: no color"`
}

// kinds are the names that highlights give the classes of notebooks.
var kinds = map[string]string{
	"k": "keyword", "b": "builtin", "f": "name", "d": "decorator", "m": "literal", "s": "string", "c": "comment", "r": "deleted", "i": "inserted",
}

const (
	highlightedText    = 100_000 // bytes; longer texts have no colors
	highlightedTexts   = 64      // kept; at most about 100 MB, a few in practice
	highlightedAtATime = 2       // so that highlighting leaves processors for other requests
	highlightTimeout   = time.Second
)

type textKey [sha256.Size]byte

// Highlighter finds the colors of code by its file's name. It is safe for concurrent use.
type Highlighter struct {
	made  *lru.Cache[textKey, []Highlight]
	turns chan struct{}
}

// NewHighlighter returns a Highlighter with an empty cache.
func NewHighlighter() (*Highlighter, error) {
	made, err := lru.New[textKey, []Highlight](highlightedTexts)
	return &Highlighter{made, make(chan struct{}, highlightedAtATime)}, err
}

// Highlights returns the runs of a text from its beginning; what is behind the last one has no color. None for long
// texts, for Markdown, and when the file's name tells no language.
func (h *Highlighter) Highlights(ctx context.Context, name, text string) []Highlight {
	if len(text) > highlightedText {
		return nil
	}
	lexer := lexers.Match(name)
	if lexer == nil || strings.EqualFold(lexer.Config().Name, "markdown") {
		return nil
	}
	digest := sha256.New()
	digest.Write([]byte(lexer.Config().Name + "\x00" + text))
	key := textKey(digest.Sum(nil))
	if made, ok := h.made.Get(key); ok {
		return made
	}
	select {
	case h.turns <- struct{}{}:
		defer func() { <-h.turns }()
	case <-ctx.Done():
		return nil
	}
	made := highlights(lexer, text, time.Now().Add(highlightTimeout))
	h.made.Add(key, made)
	return made
}

// highlights joins neighbors of one kind.
func highlights(lexer chroma.Lexer, text string, until time.Time) []Highlight {
	runs, _ := runsOf(lexer, text, until)
	made := make([]Highlight, 0, len(runs))
	for _, run := range runs {
		length, kind := units(text[:run.bytes]), kinds[run.class]
		text = text[run.bytes:]
		if last := len(made) - 1; last >= 0 && made[last].Kind == kind {
			made[last].Length += length
		} else {
			made = append(made, Highlight{length, kind})
		}
	}
	if last := len(made) - 1; last >= 0 && made[last].Kind == "" {
		made = made[:last]
	}
	return slices.Clip(made)
}

// units counts UTF-16 code units.
func units(text string) (count int) {
	for _, letter := range text {
		count += utf16.RuneLen(letter)
	}
	return count
}
