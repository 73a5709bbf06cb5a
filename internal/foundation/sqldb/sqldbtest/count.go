package sqldbtest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync/atomic"
	"testing"

	"cairn/internal/foundation/sqldb"
)

// Reads are how a database was read outside of write transactions, and how often it was asked within them.
type Reads struct {
	Statements atomic.Int64
	Rows       atomic.Int64
	Writes     atomic.Int64 // statements in write transactions, without BEGIN, COMMIT and preparing
}

// CountReads counts how a database is used from now on. Call it while nothing else uses the database.
func CountReads(t *testing.T, db *sqldb.DB) *Reads {
	t.Helper()
	reads := &Reads{}
	counted := func(statements, rows *atomic.Int64) func(pool *sql.DB) *sql.DB {
		return func(pool *sql.DB) *sql.DB {
			counting := sql.OpenDB(connector{pool: pool, statements: statements, rows: rows})
			counting.SetMaxOpenConns(pool.Stats().MaxOpenConnections)
			t.Cleanup(func() {
				_ = counting.Close()
				_ = pool.Close()
			})
			return counting
		}
	}
	db.Instrument(counted(&reads.Statements, &reads.Rows), counted(&reads.Writes, new(atomic.Int64)))
	return reads
}

// connector makes connections that count out of those of a pool.
type connector struct {
	pool             *sql.DB
	statements, rows *atomic.Int64
}

func (c connector) Driver() driver.Driver { return c.pool.Driver() }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	borrowed, err := c.pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	made := &connection{borrowed: borrowed, connector: c}
	err = borrowed.Raw(func(raw any) error {
		made.Conn = raw.(driver.Conn) //nolint:errcheck // drivers return nothing else
		return nil
	})
	return made, err
}

type connection struct {
	driver.Conn

	connector

	borrowed *sql.Conn
}

func (c *connection) Close() error { return c.borrowed.Close() }

func (c *connection) QueryContext(ctx context.Context, query string, arguments []driver.NamedValue) (driver.Rows, error) {
	c.statements.Add(1)
	found, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, query, arguments) //nolint:errcheck // both drivers can
	if err != nil {
		return nil, err
	}
	return rows{found, c.rows}, nil
}

// BeginTx begins a transaction, which isn't counted.
func (c *connection) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, options) //nolint:errcheck // both drivers can
}

func (c *connection) ExecContext(ctx context.Context, query string, arguments []driver.NamedValue) (driver.Result, error) {
	c.statements.Add(1)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, arguments) //nolint:errcheck // both drivers can
}

type rows struct {
	driver.Rows

	read *atomic.Int64
}

func (r rows) Next(into []driver.Value) error {
	err := r.Rows.Next(into)
	if err == nil {
		r.read.Add(1)
	}
	return err
}

func (c *connection) CheckNamedValue(value *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}
	return driver.ErrSkip
}
