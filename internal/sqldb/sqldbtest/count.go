package sqldbtest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync/atomic"
	"testing"

	"cairn/internal/sqldb"
)

// CountReads counts the statements with which a database is read from now on, those of write transactions left out.
// Call it before anything else uses the database.
func CountReads(t *testing.T, db *sqldb.DB) *atomic.Int64 {
	t.Helper()
	pool, count := db.DB, &atomic.Int64{}
	counting := sql.OpenDB(connector{pool: pool, count: count})
	db.DB = counting
	t.Cleanup(func() {
		_ = counting.Close()
		_ = pool.Close()
	})
	return count
}

// connector makes connections that count out of those of a pool.
type connector struct {
	pool  *sql.DB
	count *atomic.Int64
}

func (c connector) Driver() driver.Driver { return c.pool.Driver() }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	borrowed, err := c.pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	made := &connection{borrowed: borrowed, count: c.count}
	err = borrowed.Raw(func(raw any) error {
		made.Conn = raw.(driver.Conn)
		return nil
	})
	return made, err
}

type connection struct {
	driver.Conn

	borrowed *sql.Conn
	count    *atomic.Int64
}

func (c *connection) Close() error { return c.borrowed.Close() }

func (c *connection) QueryContext(ctx context.Context, query string, arguments []driver.NamedValue) (driver.Rows, error) {
	c.count.Add(1)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, arguments)
}

func (c *connection) CheckNamedValue(value *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}
	return driver.ErrSkip
}
