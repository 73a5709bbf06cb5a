package notebook

import (
	"crypto/rand"
	"strconv"
	"strings"
)

// held keeps pieces of HTML that this package made from checked parts, while the text around them passes the sanitizer.
// In the text a mark stands for each. Its name is drawn anew for each rendering, so no notebook can hold it.
type held struct {
	name   string
	pieces []string
}

func newHeld() *held { return &held{name: "held" + rand.Text()} }

// mark keeps a piece and gives what stands for it: letters, digits and a full stop.
func (h *held) mark(piece string) string {
	h.pieces = append(h.pieces, piece)
	return h.name + strconv.Itoa(len(h.pieces)-1) + "."
}

// has reports whether a text holds a mark.
func (h *held) has(text string) bool { return strings.Contains(text, h.name) }

// split calls plain for what lies between the marks of a text and piece for what they stand for, in order.
func (h *held) split(text string, plain, piece func(string)) {
	for {
		before, after, found := strings.Cut(text, h.name)
		if before != "" {
			plain(before)
		}
		if !found {
			return
		}
		number, rest, _ := strings.Cut(after, ".")
		if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < len(h.pieces) {
			piece(h.pieces[i])
		}
		text = rest
	}
}
