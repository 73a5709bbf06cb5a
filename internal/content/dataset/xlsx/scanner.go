package xlsx

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"cairn/internal/content/dataset/bounded"
)

// scanner reads the XML of a part. It knows elements by their local names: the namespaces of strict and transitional files
// differ, and so do prefixes.
type scanner struct {
	io.Closer

	xml  *xml.Decoder
	from *tokens
}

// tokenBytes is the most that a token takes: the longest text of a cell, 32,767 characters, is shorter.
const tokenBytes = 512 << 10

// tokens bounds each token: the decoder keeps one whole, and a tag's attributes take ten times their size.
type tokens struct {
	from io.Reader
	left int
}

func (t *tokens) Read(into []byte) (int, error) {
	if t.left <= 0 {
		return 0, bounded.ErrLimit
	}
	read, err := t.from.Read(into)
	t.left -= read
	return read, err
}

func newScanner(unpacked io.ReadCloser, limit int64) *scanner {
	from := &tokens{from: bounded.Stream(unpacked, limit)}
	return &scanner{unpacked, xml.NewDecoder(from), from}
}

// next returns the next token. Raw ones: the decoder would keep a list of all open elements, which may be millions.
func (s *scanner) next() (xml.Token, error) {
	s.from.left = tokenBytes
	token, err := s.xml.RawToken()
	if _, isSyntax := errors.AsType[*xml.SyntaxError](err); isSyntax {
		return nil, errDamaged
	}
	return token, err
}

// text returns the text up to the end of an element, without phonetic hints, cut to a length.
func (s *scanner) text(end string) (string, error) {
	var text strings.Builder
	wanted, phonetic := false, false
	for {
		token, err := s.next()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			wanted = token.Name.Local == "t" && !phonetic
			phonetic = phonetic || token.Name.Local == "rPh"
		case xml.EndElement:
			if token.Name.Local == end {
				return cut(text.String()), nil
			}
			wanted = false
			phonetic = phonetic && token.Name.Local != "rPh"
		case xml.CharData:
			if (wanted || end == "v") && text.Len() < longestText {
				text.Write(token)
			}
		}
	}
}

// cut shortens a text to what is kept of a cell.
func cut(text string) string {
	if len(text) <= longestText {
		return text
	}
	end := longestText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end])
}
