package shares

import (
	"cmp"
	"context"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
)

// Limits of requests that nobody has answered yet.
const (
	openOfAccount = 20
	openOfSession = 50
)

// listRequests returns the requests that fulfill a condition, the newest first.
func listRequests(ctx context.Context, db querier, condition string, arguments ...any) ([]Request, error) {
	rows, err := db.QueryContext(ctx, `SELECT r.id, r.session_id, s.name, r.kind, r.account_id, a.email, a.name, r.can, r.message, r.created_at, r.answered_at, r.answered_by, r.granted
		FROM session_request r JOIN session s ON s.id = r.session_id JOIN account a ON a.id = r.account_id
		WHERE s.requested NOT IN ('DELETED', 'ERASED') AND s.status <> 'DELETED' AND (`+condition+`) ORDER BY r.created_at DESC, r.id LIMIT 200`, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Request{}
	for rows.Next() {
		var one Request
		var created, answered int64
		if err := rows.Scan(&one.ID, &one.SessionID, &one.SessionName, &one.Kind, &one.accountID, &one.By, &one.Name, &one.Can, &one.Message, &created, &answered,
			&one.AnsweredBy, &one.Granted); err != nil {
			return nil, err
		}
		one.Name, one.CreatedAt = cmp.Or(one.Name, one.By), sqldb.Time(created)
		if answered != 0 {
			one.AnsweredAt = new(sqldb.Time(answered))
		}
		found = append(found, one)
	}
	return found, rows.Err()
}

// ask stores a request, in place of an earlier one of the same kind by the same account for the same session that nobody has answered.
func (s *Store) ask(ctx context.Context, session sessions.Session, made Request, event audit.Event) error {
	return s.sessions.ChangeListOf(ctx, session.AccountID, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM session_request WHERE session_id = $1 AND account_id = $2 AND kind = $3 AND answered_at = 0`, session.ID, made.accountID, made.Kind)
		if err != nil {
			return err
		}
		var mine, others int
		err = tx.QueryRowContext(ctx, `SELECT COALESCE(SUM(CASE WHEN account_id = $1 THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN session_id = $2 THEN 1 ELSE 0 END), 0)
			FROM session_request WHERE answered_at = 0 AND (account_id = $1 OR session_id = $2)`, made.accountID, session.ID).Scan(&mine, &others)
		switch {
		case err != nil:
			return err
		case mine >= openOfAccount || others >= openOfSession:
			return fault.New(fault.Conflict, "Too many requests wait for an answer. Try again when some of them have been answered.")
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO session_request (id, session_id, kind, account_id, can, message, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			made.ID, session.ID, made.Kind, made.accountID, made.Can, made.Message, sqldb.Micros(tx.Now))
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, event)
	})
}

// answeredKept is how many answered requests of a session are kept, the last ones.
const answeredKept = 50

// answer stores the answer to a request, and the share that grants it unless that is nil; Conflict if somebody was faster. A request that
// was taken back is deleted.
func (s *Store) answer(ctx context.Context, session sessions.Session, asked Request, granted *Share, event audit.Event) error {
	return s.sessions.ChangeListOf(ctx, session.AccountID, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE session_request SET answered_at = $1, answered_by = $2, granted = $3 WHERE id = $4 AND answered_at = 0`,
			sqldb.Micros(tx.Now), asked.AnsweredBy, asked.Granted, asked.ID)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM session_request WHERE session_id = $1 AND answered_at <> 0 AND (id = $2 OR id NOT IN (
				SELECT id FROM session_request WHERE session_id = $1 AND answered_at <> 0 ORDER BY answered_at DESC, id DESC LIMIT $3))`,
			session.ID, map[bool]string{true: asked.ID}[asked.AnsweredBy == asked.By], answeredKept); err != nil {
			return err
		}
		count, err := result.RowsAffected()
		switch {
		case err != nil:
			return err
		case count == 0:
			return fault.New(fault.Conflict, "Somebody has answered this request already.")
		case granted != nil:
			if err := addIn(ctx, tx, session, *granted, false); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, event)
	})
}
