package notebook

import (
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

// pieces keeps what is slow to make: formulas and colored code. Its memory is bounded: as many pieces as it may keep, each
// at most as large.
type pieces struct {
	cache *lru.Cache[pieceKey, string]
}

// pieceKey is what a piece is made of.
type pieceKey struct{ kind, variant, source string }

const (
	piecesKept = 2_000
	pieceBytes = 32_000 // with its source; so at most 64 MB
)

func newPieces() (*pieces, error) {
	cache, err := lru.New[pieceKey, string](piecesKept)
	return &pieces{cache}, err
}

func (p *pieces) get(key pieceKey) (string, bool) { return p.cache.Get(key) }

func (p *pieces) put(key pieceKey, piece string) {
	if len(key.source)+len(key.variant)+len(piece) <= pieceBytes {
		key.source = strings.Clone(key.source) // may be a part of a large text
		p.cache.Add(key, piece)
	}
}
