package sessions

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cairn/internal/foundation/sqldb"
)

// Admit admits the first sessions in the queue of some engines as far as their capacity allows, and updates the places
// of the others. Only one process at a time decides, so that several on one database never admit too many.
func (s *Store) Admit(ctx context.Context, engines []string, capacity int) error {
	return s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		if err := decideAlone(ctx, tx); err != nil {
			return err
		}
		live, err := liveOn(ctx, tx, engines)
		if err != nil {
			return err
		}
		batch, err := batchSlots(ctx, tx, engines)
		if err != nil {
			return err
		}
		freed, err := s.freedAt(ctx, tx, engines, live)
		if err != nil {
			return err
		}
		reserved, err := Reservations(ctx, tx, engines, tx.Now, tx.Now)
		if err != nil {
			return err
		}
		admitted := admitAll(live, batch, capacity, reserved, freed, tx.Now)
		slices.SortFunc(admitted, func(a, b Session) int { return cmp.Compare(a.ID, b.ID) })
		for _, session := range admitted {
			_, err := tx.ExecContext(ctx, `UPDATE session SET admitted_at = $1, queue_position = $2 WHERE id = $3 AND requested = ''`,
				stored(session.AdmittedAt), session.QueuePosition, session.ID)
			if err != nil {
				return err
			}
			changed.of(session.AccountID)
		}
		for _, id := range preempted(batch, waiting(outside(live, reserved))-admittedOf(outside(admitted, reserved))) {
			if _, err := tx.ExecContext(ctx, `UPDATE batch_place SET yields = $1 WHERE id = $2`, true, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// WouldAdmit reports from sessions that were just read whether Admit would change anything: most looks need no transaction.
func (s *Store) WouldAdmit(ctx context.Context, engines []string, capacity int, sessions []Session, now time.Time) (bool, error) {
	live := slices.DeleteFunc(slices.Clone(sessions), func(session Session) bool { return !slices.Contains(engines, session.Engine) })
	freed, err := s.freedAt(ctx, s.db, engines, live)
	if err != nil {
		return false, err
	}
	batch, err := batchSlots(ctx, s.db, engines)
	if err != nil {
		return false, err
	}
	reserved, err := Reservations(ctx, s.db, engines, now, now)
	return len(admitAll(live, batch, capacity, reserved, freed, now)) > 0, err
}

// Requeue puts a session back into the queue because its engine has no room for it, and notes why, unless only a place
// is lacking.
func (s *Store) Requeue(ctx context.Context, session Session, why string) (bool, error) {
	return s.update(ctx, session, func(now int64) (string, []any) {
		return `refused_at = $5, admitted_at = 0, launched_at = 0, step = '', updated_at = $5, warning = $6`, []any{now, why}
	})
}

// freedAt returns when a session on these engines last made room, if that matters: if one of the live ones was refused.
func (s *Store) freedAt(ctx context.Context, db reader, engines []string, live []Session) (freed time.Time, err error) {
	if !slices.ContainsFunc(live, func(session Session) bool { return session.Status == Created && !session.RefusedAt.IsZero() }) {
		return freed, nil
	}
	rows, err := db.QueryContext(ctx, `SELECT COALESCE(max(updated_at), 0) FROM session WHERE status NOT IN ($1, $2)
		AND engine IN (`+sqldb.Placeholders(3, len(engines))+`)`, append([]any{Created, Running}, sqldb.Arguments(engines)...)...)
	if err != nil {
		return freed, err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(storedTime{&freed}); err != nil {
			return freed, err
		}
	}
	return freed, rows.Err()
}
