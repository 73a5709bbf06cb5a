package sessions

import (
	"context"
	"database/sql"
	"errors"

	"cairn/internal/foundation/sqldb"
)

// OfWorkshop returns the sessions of a workshop's seats that weren't deleted.
func (s *Store) OfWorkshop(ctx context.Context, workshop string) ([]Session, error) {
	return list(ctx, s.db, `workshop_id = $1 AND `+visible+` ORDER BY created_at, id`, workshop)
}

func (s *Store) endSeats(ctx context.Context, workshop string, ids []string) error {
	return s.changeSeats(ctx, workshop, ids, string(Terminated), `UPDATE session SET requested = $1, queue_position = 0, updated_at = $2
		WHERE id = $3 AND workshop_id = $4 AND status IN ('CREATED', 'RUNNING') AND requested = '' RETURNING account_id`)
}

func (s *Store) eraseSeats(ctx context.Context, workshop string, ids []string) error {
	return s.changeSeats(ctx, workshop, ids, string(Erased), `UPDATE session SET requested = $1, queue_position = 0, updated_at = $2
		WHERE id = $3 AND workshop_id = $4 AND requested <> $1 RETURNING account_id`)
}

func (s *Store) leaveWorkshop(ctx context.Context, workshop string, ids []string) error {
	return s.changeSeats(ctx, workshop, ids, "", `UPDATE session SET workshop_id = $1, updated_at = $2 WHERE id = $3 AND workshop_id = $4 RETURNING account_id`)
}

// changeSeats executes a statement for each of these sessions, which are a workshop's.
func (s *Store) changeSeats(ctx context.Context, workshop string, ids []string, value, statement string) error {
	return s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		for _, id := range ids {
			var owner string
			err := tx.QueryRowContext(ctx, statement, value, sqldb.Micros(tx.Now), id, workshop).Scan(&owner)
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
}
