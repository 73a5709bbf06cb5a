package sessions

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"cairn/internal/audit"
	"cairn/internal/sqldb"
)

// saving is what the row of a session says of its versions.
type saving struct {
	at       time.Time
	versions int
	stopped  string
}

// Savings returns what is stored of the versions of all sessions on an engine, by their ids.
func (s *Store) Savings(ctx context.Context, engine string) (map[string]saving, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, saved_at, versions, saving_stopped FROM session WHERE engine = $1`, engine)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]saving{}
	for rows.Next() {
		var id string
		var one saving
		if err := rows.Scan(&id, micros{&one.at}, &one.versions, &one.stopped); err != nil {
			return nil, err
		}
		found[id] = one
	}
	return found, rows.Err()
}

// rowsAtOnce is how many rows a transaction changes.
const rowsAtOnce = 200

// Saved records what is known of the versions of sessions. Unknown sessions are passed over.
func (s *Store) Saved(ctx context.Context, savings map[string]saving) error {
	ids := make([]string, 0, len(savings))
	for id := range savings {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, strings.Compare) // in the same order in every transaction that locks several
	for part := range slices.Chunk(ids, rowsAtOnce) {
		err := s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
			for _, id := range part {
				one, owner := savings[id], ""
				err := tx.QueryRowContext(ctx, `UPDATE session SET saved_at = $1, versions = $2, saving_stopped = $3 WHERE id = $4 RETURNING account_id`,
					stored(one.at), one.versions, one.stopped, id).Scan(&owner)
				if errors.Is(err, sql.ErrNoRows) {
					continue
				}
				if err != nil {
					return err
				}
				changed.of(owner)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Did records what somebody did to the work of a session, which an engine keeps.
func (s *Store) Did(ctx context.Context, id string, action audit.Action) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error { return audit.Record(ctx, tx, eventOf(action, []string{id})) })
}
