package sessions

import (
	"context"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
)

// DeletedOf returns the sessions of an account whose deletion can be undone, the last deleted first.
func (s *Store) DeletedOf(ctx context.Context, accountID string) ([]Session, error) {
	return list(ctx, s.db, `account_id = $1 AND job_id = '' AND (requested = $2 OR status = $2 AND requested = '') ORDER BY deleted_at DESC, id`, accountID, Deleted)
}

// RequestDeletion records that sessions should be deleted: some so that it can be undone, and others, which may be deleted
// already, forever, which can't be withdrawn.
func (s *Store) RequestDeletion(ctx context.Context, kept, forever []string) error {
	return s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
		if err := recordWish(ctx, tx, changed, kept, Deleted); err != nil {
			return err
		}
		return recordWish(ctx, tx, changed, forever, Erased)
	})
}

// Retired records that a session is deleted, if that is still wanted; it reports whether it is.
func (s *Store) Retired(ctx context.Context, session Session) (bool, error) {
	return s.update(ctx, session, func(int64) (string, []any) {
		return `status = $5, requested = '', requested_by = '', status_reason = '', stops_at = 0, warning = '', step = ''`, []any{Deleted}
	})
}

// Undelete withdraws the deletion of a session that is still as it was read. One that may still run is stopped.
func (s *Store) Undelete(ctx context.Context, session Session) (bool, error) {
	requested := Status("")
	if session.Status.Live() {
		requested = Terminated
	}
	return s.update(ctx, session, func(now int64) (string, []any) {
		text := `requested = $5, deleted_at = 0, updated_at = $6`
		if requested == "" {
			return text + `, status = $7`, []any{requested, now, Terminated}
		}
		return text, []any{requested, now}
	}, AuditEvent(audit.UndeleteSession, []string{session.ID}))
}

// Forget deletes a session's row and the secrets that open it.
func (s *Store) Forget(ctx context.Context, id string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM session WHERE id = $1`, id)
		return err
	})
}

// Expired requests the deletion of every session that ended before a time, and returns them, but for those of jobs, which have a time of
// their own. A dry run requests nothing.
func (s *Store) Expired(ctx context.Context, before time.Time, dryRun bool) ([]Session, error) {
	old, err := list(ctx, s.db, `status NOT IN ($1, $2, $3) AND requested = '' AND job_id = '' AND workshop_id = '' AND updated_at < $4 ORDER BY updated_at, id`,
		Created, Running, Deleted, sqldb.Micros(before))
	if err != nil || dryRun {
		return old, err
	}
	var gone []Session
	for _, session := range old { // each only if it is still as it was read: its user may be starting it right now
		changed, err := s.update(ctx, session, func(now int64) (string, []any) {
			return `requested = $5, deleted_at = $6, updated_at = $6`, []any{Deleted, now}
		}, about(session, audit.DeleteSession))
		if err != nil {
			return gone, err
		}
		if changed {
			gone = append(gone, session)
		}
	}
	return gone, nil
}

// Overdue requests the erasure of every session that was deleted before a time; it reports how many.
func (s *Store) Overdue(ctx context.Context, before time.Time) (count int, err error) {
	old, err := list(ctx, s.db, `status = $1 AND requested = '' AND deleted_at < $2 ORDER BY deleted_at, id`, Deleted, sqldb.Micros(before))
	for _, session := range old {
		changed, err := s.Erase(ctx, session)
		if err != nil {
			return count, err
		}
		if changed {
			count++
		}
	}
	return count, err
}

// Erase requests the erasure of a session that is still as it was read, for another reason than its user's wish.
func (s *Store) Erase(ctx context.Context, session Session) (bool, error) {
	return s.update(ctx, session, func(now int64) (string, []any) {
		return `requested = $5, updated_at = $6`, []any{Erased, now}
	}, about(session, audit.EraseSession))
}

// Retirees returns the ids of the deleted sessions on an engine, with the number of their versions.
func (s *Store) Retirees(ctx context.Context, engine string) (map[string]int, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, versions FROM session WHERE status = $1 AND requested = '' AND engine = $2`, Deleted, engine)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]int{}
	for rows.Next() {
		var id string
		var versions int
		if err := rows.Scan(&id, &versions); err != nil {
			return nil, err
		}
		found[id] = versions
	}
	return found, rows.Err()
}
