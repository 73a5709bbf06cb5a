package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"cairn/internal/foundation/fault"
)

// Rows is the result of a query. Its errors are faults if the database is lost.
type Rows struct {
	*sql.Rows

	classify func(error) error
}

// Err returns the error that ended the rows early, if any.
func (r *Rows) Err() error { return r.classify(r.Rows.Err()) }

// Row is the result of a query for one row. Its errors are faults if the database is lost.
type Row struct {
	row      *sql.Row
	classify func(error) error
}

// Scan copies the row; sql.ErrNoRows if there is none.
func (r *Row) Scan(into ...any) error { return r.classify(r.row.Scan(into...)) }

// queryer is the database or a transaction on it.
type queryer interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, arguments ...any) *sql.Row
}

func (d dialect) query(ctx context.Context, on queryer, query string, arguments []any) (*Rows, error) {
	rows, err := on.QueryContext(ctx, query, arguments...) //nolint:rowserrcheck // the caller closes and checks them
	if err != nil {
		return nil, d.classify(err)
	}
	return &Rows{Rows: rows, classify: d.classify}, nil
}

// reads returns what queries go through outside of transactions.
func (db *DB) reads() queryer {
	if db.prepared != nil {
		return db.prepared
	}
	return db.DB
}

// QueryContext queries rows.
func (db *DB) QueryContext(ctx context.Context, query string, arguments ...any) (*Rows, error) {
	return db.dialect.query(ctx, db.reads(), query, arguments)
}

// QueryRowContext queries one row.
func (db *DB) QueryRowContext(ctx context.Context, query string, arguments ...any) *Row {
	return &Row{row: db.reads().QueryRowContext(ctx, query, arguments...), classify: db.dialect.classify}
}

// QueryContext queries rows within the transaction.
func (tx *Tx) QueryContext(ctx context.Context, query string, arguments ...any) (*Rows, error) {
	return tx.dialect.query(ctx, tx.Tx, query, arguments)
}

// QueryRowContext queries one row within the transaction.
func (tx *Tx) QueryRowContext(ctx context.Context, query string, arguments ...any) *Row {
	return &Row{row: tx.Tx.QueryRowContext(ctx, query, arguments...), classify: tx.dialect.classify}
}

// classify turns a lost database, and one whose disk is full, into a fault, so that callers know to retry.
func (d dialect) classify(err error) error {
	if _, known := errors.AsType[*fault.Fault](err); known || err == nil {
		return err
	}
	if d.isFull(err) || d.isUnreachable(err) {
		d.lost.Add(1)
	}
	if d.isFull(err) {
		full := fault.Wrap(err, fault.DatabaseUnavailable, "The disk of the database is full, so nothing was changed. Tell the operators, and try again later.")
		full.RetryAfter = 30 * time.Second
		return full
	}
	if !d.isUnreachable(err) {
		return err
	}
	lost := fault.Wrap(err, fault.DatabaseUnavailable, "The database isn't responding. Try again in a moment.")
	lost.RetryAfter = 2 * time.Second
	return lost
}
