package sqldbtest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync/atomic"
	"testing"

	"cairn/internal/sqldb"
)

// Reads are how a database was read outside of write transactions.
type Reads struct {
	Statements atomic.Int64
	Rows       atomic.Int64
}

// CountReads counts how a database is read from now on. Call it while nothing else uses the database.
func CountReads(t *testing.T, db *sqldb.DB) *Reads {
	t.Helper()
	pool, reads := db.DB, &Reads{}
	counting := sql.OpenDB(connector{pool: pool, reads: reads})
	db.DB = counting
	t.Cleanup(func() {
		_ = counting.Close()
		_ = pool.Close()
	})
	return reads
}

// connector makes connections that count out of those of a pool.
type connector struct {
	pool  *sql.DB
	reads *Reads
}

func (c connector) Driver() driver.Driver { return c.pool.Driver() }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	borrowed, err := c.pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	made := &connection{borrowed: borrowed, reads: c.reads}
	err = borrowed.Raw(func(raw any) error {
		made.Conn = raw.(driver.Conn) //nolint:errcheck // a driver gives nothing else
		return nil
	})
	return made, err
}

type connection struct {
	driver.Conn

	borrowed *sql.Conn
	reads    *Reads
}

func (c *connection) Close() error { return c.borrowed.Close() }

func (c *connection) QueryContext(ctx context.Context, query string, arguments []driver.NamedValue) (driver.Rows, error) {
	c.reads.Statements.Add(1)
	found, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, query, arguments) //nolint:errcheck // both drivers can
	if err != nil {
		return nil, err
	}
	return rows{found, c.reads}, nil
}

type rows struct {
	driver.Rows

	reads *Reads
}

func (r rows) Next(into []driver.Value) error {
	err := r.Rows.Next(into)
	if err == nil {
		r.reads.Rows.Add(1)
	}
	return err
}

func (c *connection) CheckNamedValue(value *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}
	return driver.ErrSkip
}
