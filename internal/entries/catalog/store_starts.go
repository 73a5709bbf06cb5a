package catalog

import (
	"context"
	"time"

	"cairn/internal/foundation/sqldb"
)

// startsCount is how long a start of a session counts for its entries.
const startsCount = 90 * 24 * time.Hour

// RecordStart records that an account starts a session with some entries.
func RecordStart(ctx context.Context, tx *sqldb.Tx, accountID string, ids []string) error {
	rows := make([][]any, len(ids))
	for i, id := range ids {
		rows[i] = []any{id, accountID, sqldb.Micros(tx.Now)}
	}
	return tx.InsertRows(ctx, "entry_start", []string{"resource_id", "account_id", "started_at"}, rows,
		`ON CONFLICT (resource_id, account_id) DO UPDATE SET started_at = excluded.started_at`)
}

// CountStarters counts for every entry the accounts that started it in the last 90 days. Counting twice, or in two
// processes, changes nothing.
func (s *Store) CountStarters(ctx context.Context) (Changes, error) {
	return s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM entry_start WHERE started_at <= $1`, sqldb.Micros(tx.Now.Add(-startsCount))); err != nil {
			return err
		}
		counts := map[string]int{}
		err := forEachRow(ctx, tx, func(rows *sqldb.Rows) error {
			var id string
			var count int
			err := rows.Scan(&id, &count)
			counts[id] = count
			return err
		}, `SELECT r.id, count(*) FROM entry_start e JOIN resource r ON r.id = e.resource_id GROUP BY r.id, r.starters HAVING count(*) <> r.starters
			UNION ALL SELECT r.id, 0 FROM resource r WHERE r.starters > 0 AND NOT EXISTS (SELECT 1 FROM entry_start e WHERE e.resource_id = r.id)`)
		if err != nil {
			return err
		}
		for id, count := range counts {
			if _, err := tx.ExecContext(ctx, `UPDATE resource SET starters = $1 WHERE id = $2`, count, id); err != nil {
				return err
			}
			tx.Changed(id)
		}
		return nil
	})
}

// CountStarters counts once and then at every tick, until ctx ends or the ticks do.
func (s *Service) CountStarters(ctx context.Context, ticks <-chan time.Time) {
	for {
		changes, err := s.store.CountStarters(ctx)
		switch {
		case err == nil:
			s.searchIndex.changed(ctx, changes, s.searchIndex.loadCounted)
			if s.counted != nil {
				s.counted()
			}
		case ctx.Err() == nil:
			s.searchIndex.logger.WarnContext(ctx, "the uses of entries can't be counted; trying again later", "error", err)
		}
		select {
		case _, more := <-ticks:
			if !more {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
