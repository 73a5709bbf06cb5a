package notebook

import (
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

// pieces caches what is slow to render: formulas and highlighted code. Its memory is bounded by the number of pieces
// and the size of each.
type pieces struct {
	cache *lru.Cache[pieceKey, string]
}

// pieceKey is the input of a piece.
type pieceKey struct{ kind, variant, source string }

const (
	piecesKept = 2_000
	pieceBytes = 32_000 // including its source; so at most 64 MB
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
