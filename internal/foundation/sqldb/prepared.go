package sqldb

import (
	"context"
	"database/sql"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// SQLite takes longer to compile most of our queries than to answer them, so those used last stay compiled. PostgreSQL's driver
// does this already.
const (
	preparedQueries   = 200
	preparedQuerySize = 2 << 10 // bytes of a query at most: longer ones have long lists, and hardly come twice
)

// prepared keeps the queries of a pool that were used last. It is safe for concurrent use.
type prepared struct {
	pool *sql.DB

	mu     sync.Mutex
	recent *simplelru.LRU[string, *preparedQuery]
}

// preparedQuery is closed when it has left the cache and nobody is about to use it.
type preparedQuery struct {
	*sql.Stmt

	users int
	left  bool
}

func newPrepared(pool *sql.DB) *prepared {
	p := &prepared{pool: pool}
	recent, err := simplelru.NewLRU(preparedQueries, func(_ string, query *preparedQuery) {
		query.left = true
		p.closeUnused(query)
	})
	if err != nil {
		panic(err) // only for a size below 1
	}
	p.recent = recent
	return p
}

// take returns a query, and a function to call once its rows were asked for; nil if it isn't kept. A query that can't be
// prepared is left to the pool, whose error is the one to show.
func (p *prepared) take(ctx context.Context, text string) (query *preparedQuery, done func()) {
	if len(text) > preparedQuerySize {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	query, found := p.recent.Get(text)
	if !found {
		p.mu.Unlock()
		made, err := p.pool.PrepareContext(ctx, text)
		p.mu.Lock()
		if err != nil {
			return nil, nil
		}
		query = &preparedQuery{Stmt: made}
		p.recent.Remove(text) // somebody else's, prepared in the meantime
		p.recent.Add(text, query)
	}
	query.users++
	return query, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		query.users--
		p.closeUnused(query)
	}
}

// closeUnused closes a query that has left the cache, unless somebody holds it. Rows that are being read keep it open below.
func (p *prepared) closeUnused(query *preparedQuery) {
	if query.left && query.users == 0 {
		_ = query.Close() // it only read
	}
}

// QueryContext is that of the pool.
func (p *prepared) QueryContext(ctx context.Context, text string, arguments ...any) (*sql.Rows, error) {
	query, done := p.take(ctx, text)
	if query == nil {
		return p.pool.QueryContext(ctx, text, arguments...) //nolint:sqlclosecheck // the caller closes the rows
	}
	defer done()
	return query.QueryContext(ctx, arguments...) //nolint:sqlclosecheck // likewise
}

// QueryRowContext is that of the pool.
func (p *prepared) QueryRowContext(ctx context.Context, text string, arguments ...any) *sql.Row {
	query, done := p.take(ctx, text)
	if query == nil {
		return p.pool.QueryRowContext(ctx, text, arguments...)
	}
	defer done()
	return query.QueryRowContext(ctx, arguments...)
}
