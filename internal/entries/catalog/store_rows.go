package catalog

import (
	"context"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// reader runs queries: the database, or a transaction.
type reader interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
	QueryRowContext(ctx context.Context, query string, arguments ...any) *sqldb.Row
}

// notFound is the fault for entries that a caller must not tell from those that don't exist.
func notFound() error {
	return fault.New(fault.NotFound, "This entry doesn't exist, or you don't have access to it.")
}

func forEachRow(ctx context.Context, db reader, scan func(*sqldb.Rows) error, query string, arguments ...any) error {
	rows, err := db.QueryContext(ctx, query, arguments...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func texts(ctx context.Context, db reader, query string, arguments ...any) ([]string, error) {
	var result []string
	err := forEachRow(ctx, db, func(rows *sqldb.Rows) error {
		var text string
		err := rows.Scan(&text)
		result = append(result, text)
		return err
	}, query, arguments...)
	return result, err
}

// serializeWrites serializes transactions that write entries: concurrent imports would create an entry twice, and others would
// wait for each other's tags.
func serializeWrites(ctx context.Context, tx *sqldb.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE change_counter SET seq = seq`)
	return err
}
