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

// leaveWorkshop makes the sessions of a workshop that aren't a guest's ordinary ones of their owners, also those that were deleted; account
// chooses those of one, and "" all.
func (s *Store) leaveWorkshop(ctx context.Context, workshop, account string) error {
	return s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		found, err := list(ctx, tx, `workshop_id = $1 AND ($2 = '' OR account_id = $2) AND account_id NOT IN (SELECT id FROM account WHERE guest_until <> 0)`, workshop, account)
		if err != nil {
			return err
		}
		for _, session := range found {
			if _, err := tx.ExecContext(ctx, `UPDATE session SET workshop_id = '' WHERE id = $1`, session.ID); err != nil {
				return err
			}
			changed.of(session.AccountID)
		}
		return nil
	})
}

// ofGuests returns the sessions of a workshop's guests, also those that were deleted.
func (s *Store) ofGuests(ctx context.Context, workshop string) ([]Session, error) {
	return list(ctx, s.db, `workshop_id = $1 AND account_id IN (SELECT id FROM account WHERE guest_until <> 0)`, workshop)
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
