package catalog

import (
	"context"

	"cairn/internal/foundation/sqldb"
)

// RecordRun records what an active entry shows of its runs; nil removes it.
func RecordRun(ctx context.Context, tx *sqldb.Tx, id string, last *LastRun) error {
	if err := serializeWrites(ctx, tx); err != nil {
		return err
	}
	text := storedLastRun(last)
	result, err := tx.ExecContext(ctx, `UPDATE resource SET last_run = $1 WHERE id = $2 AND state = $3 AND last_run <> $1`, text, id, StateActive)
	if err != nil {
		return err
	}
	if count, err := result.RowsAffected(); err != nil || count == 0 {
		return err
	}
	tx.Changed(id)
	return nil
}
