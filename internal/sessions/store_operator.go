package sessions

import (
	"context"
	"database/sql"
	"errors"

	"cairn/internal/audit"
	"cairn/internal/sqldb"
)

// All returns sessions of all accounts, newest first, and their number; live: only those that run or start.
func (s *Store) All(ctx context.Context, live bool, offset, size int) (found []Session, total int, err error) {
	condition, arguments := visible, []any{}
	if live {
		condition, arguments = visible+` AND status IN ($1, $2)`, []any{Created, Running}
	}
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM session WHERE `+condition, arguments...).Scan(&total); err != nil {
		return nil, 0, err
	}
	from := len(arguments) + 1
	found, err = list(ctx, s.db, condition+` ORDER BY created_at DESC, id LIMIT `+sqldb.Placeholders(from, 1)+` OFFSET `+sqldb.Placeholders(from+1, 1),
		append(arguments, size, offset)...)
	return found, total, err
}

// Counts returns how many sessions there are on each engine in each state; those that wait for room count as QUEUED.
func (s *Store) Counts(ctx context.Context) (counts []StateCount, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT engine, CASE WHEN status = 'CREATED' AND admitted_at = 0 THEN 'QUEUED' ELSE status END AS state, count(*)
		FROM session WHERE `+visible+` GROUP BY 1, 2 ORDER BY 1, 2`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one StateCount
		if err := rows.Scan(&one.Engine, &one.State, &one.Count); err != nil {
			return nil, err
		}
		counts = append(counts, one)
	}
	return counts, rows.Err()
}

// RequestStop records that a live session should be terminated for a reason, and returns it; NotFound when there is
// none.
func (s *Store) RequestStop(ctx context.Context, id, reason string) (Session, error) {
	err := s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		var owner, email string
		err := tx.QueryRowContext(ctx, `UPDATE session SET requested = $1, status_reason = $2, queue_position = 0, updated_at = $3
			WHERE id = $4 AND requested = '' AND status IN ($5, $6) RETURNING account_id, owner_email`,
			Terminated, reason, sqldb.Micros(tx.Now), id, Created, Running).Scan(&owner, &email)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		changed.of(owner)
		event := eventOf(audit.StopSession, []string{id}, audit.Change{Column: "session.status_reason", New: reason})
		event.Concerns = []string{email}
		return audit.Record(ctx, tx, event)
	})
	if err != nil {
		return Session{}, err
	}
	found, err := s.ByID(ctx, id)
	if err == nil && (len(found) == 0 || found[0].gone()) {
		return Session{}, errNoSuchSession
	}
	if err != nil {
		return Session{}, err
	}
	return found[0], nil
}
