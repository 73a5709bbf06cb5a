package notebook

import (
	"crypto/rand"
	"strconv"
	"strings"
)

// held stores pieces of HTML that this package built from checked parts while the surrounding text passes the
// sanitizer. A placeholder represents each in the text. Placeholders have a random prefix for each rendering, so no
// notebook can contain one.
type held struct {
	name   string
	pieces []piece
}

// piece is HTML, and what stands for it where only text can.
type piece struct{ html, text string }

func newHeld() *held { return &held{name: "held" + rand.Text()} }

// placeholder keeps a piece and returns its placeholder: letters, digits and a period.
func (h *held) placeholder(html, text string) string {
	h.pieces = append(h.pieces, piece{html, text})
	return h.name + strconv.Itoa(len(h.pieces)-1) + "."
}

// has reports whether a text contains a placeholder.
func (h *held) has(text string) bool { return strings.Contains(text, h.name) }

// split calls plain for the text between placeholders and piece for each piece, in order.
func (h *held) split(text string, plain func(string), found func(piece)) {
	for {
		before, after, marked := strings.Cut(text, h.name)
		if before != "" {
			plain(before)
		}
		if !marked {
			return
		}
		number, rest, _ := strings.Cut(after, ".")
		if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < len(h.pieces) {
			found(h.pieces[i])
		}
		text = rest
	}
}
