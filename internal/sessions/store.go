package sessions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sqldb"
)

// Store keeps sessions and the ways into them.
type Store struct{ db *sqldb.DB }

// NewStore makes a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

const sessionColumns = `id, name, account_id, owner_email, holds, engine, status, status_reason, requested, launched_at,
	created_at, updated_at`

// Of gives an account's sessions, newest first.
func (s *Store) Of(ctx context.Context, accountID string) ([]Session, error) {
	return s.list(ctx, `account_id = $1 AND requested <> $2 ORDER BY created_at DESC, id`, accountID, deleted)
}

// ByID gives those of the ids that are sessions, also those that are being deleted. Any text may be asked for.
func (s *Store) ByID(ctx context.Context, ids ...string) (found []Session, err error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !sqldb.IsID(id) })
	err = sqldb.Chunks(ids, func(part []string) error {
		next, err := s.list(ctx, `id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
		found = append(found, next...)
		return err
	})
	return found, err
}

// Unsettled gives the sessions about which something may have to be done.
func (s *Store) Unsettled(ctx context.Context) ([]Session, error) {
	return s.list(ctx, `status IN ($1, $2) OR requested <> ''`, Created, Running)
}

func (s *Store) list(ctx context.Context, condition string, arguments ...any) ([]Session, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+sessionColumns+` FROM session WHERE `+condition, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	result := []Session{}
	for rows.Next() {
		var next Session
		var holds string
		var launched, created, updated int64
		err := rows.Scan(&next.ID, &next.SessionName, &next.accountID, &next.UserID, &holds, &next.Engine, &next.Status,
			&next.StatusReason, &next.RequestedStatus, &launched, &created, &updated)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(holds), &next.Project); err != nil {
			return nil, err
		}
		if launched != 0 {
			next.launchedAt = sqldb.Time(launched)
		}
		next.CreatedAt, next.UpdatedAt = sqldb.Time(created), sqldb.Time(updated)
		result = append(result, next)
	}
	return result, rows.Err()
}

// repeatWindow is the time in which the same project and name ask for the same session.
const repeatWindow = 5 * time.Second

// Create writes a new session down and makes its id, unless the same was asked for just before: with the same idempotency
// key, or the same project and name within repeatWindow. It gives the id that counts. Conflict over the limit.
func (s *Store) Create(ctx context.Context, session Session, key string, limit int) (id string, err error) {
	holds, err := json.Marshal(session.Project)
	if err != nil {
		return "", err
	}
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := lockAccount(ctx, tx, session.accountID); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, `SELECT id FROM session WHERE account_id = $1 AND requested <> $2 AND (
				(idempotency_key = $3 AND $3 <> '') OR (project_id = $4 AND name = $5 AND created_at > $6))`,
			session.accountID, deleted, key, session.Project.ID, session.SessionName,
			sqldb.Micros(tx.Now.Add(-repeatWindow))).Scan(&id)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := checkLimit(ctx, tx, session.accountID, limit); err != nil {
			return err
		}
		id = sqldb.NewID()
		_, err = tx.ExecContext(ctx, `INSERT INTO session (id, name, account_id, owner_email, project_id, holds, engine, status,
				status_reason, requested, idempotency_key, launched_at, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '', '', $9, 0, $10, $10)`,
			id, session.SessionName, session.accountID, session.UserID, session.Project.ID, string(holds),
			session.Engine, Created, key, sqldb.Micros(tx.Now))
		return err
	})
	return id, err
}

// lockAccount lets changes that count an account's sessions pass one by one.
func lockAccount(ctx context.Context, tx *sqldb.Tx, accountID string) error {
	_, err := tx.ExecContext(ctx, `UPDATE account SET id = id WHERE id = $1`, accountID)
	return err
}

func checkLimit(ctx context.Context, tx *sqldb.Tx, accountID string, limit int) error {
	var live int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM session WHERE account_id = $1 AND status IN ($2, $3) AND requested <> $4`,
		accountID, Created, Running, deleted).Scan(&live)
	if err == nil && live >= limit {
		return fault.New(fault.Conflict, "You have %d sessions that run or are starting, and %d is the limit. "+
			"Terminate one of them first; its work is kept.", live, limit)
	}
	return err
}

var errNoSession = fault.New(fault.NotFound, "There is no such session, or it is not yours.")

// Relaunch makes a session that has ended start again. Conflict over the limit, and while a stop is under way; NotFound
// when it is gone.
func (s *Store) Relaunch(ctx context.Context, session Session, limit int) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := lockAccount(ctx, tx, session.accountID); err != nil {
			return err
		}
		var status, requested Status
		err := tx.QueryRowContext(ctx, `SELECT status, requested FROM session WHERE id = $1`, session.ID).Scan(&status, &requested)
		switch {
		case errors.Is(err, sql.ErrNoRows), requested == deleted:
			return errNoSession
		case err != nil:
			return err
		case requested != "":
			return fault.New(fault.Conflict, "This session is just being stopped. Try again in a moment.")
		case status.Live():
			return nil
		}
		if err := checkLimit(ctx, tx, session.accountID, limit); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE session SET status = $1, status_reason = '', launched_at = 0, updated_at = $2
			WHERE id = $3`, Created, sqldb.Micros(tx.Now), session.ID)
		return err
	})
}

// Request writes down that sessions are to be terminated or deleted. A deletion is never taken back.
func (s *Store) Request(ctx context.Context, ids []string, wish Status) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		for _, id := range ids {
			_, err := tx.ExecContext(ctx, `UPDATE session SET requested = $1, updated_at = $2 WHERE id = $3 AND requested <> $4`,
				wish, sqldb.Micros(tx.Now), id, deleted)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Settle writes a status down if nobody changed the session since it was read; it tells whether it did.
func (s *Store) Settle(ctx context.Context, session Session, status Status, reason string) (bool, error) {
	return s.update(ctx, session, `status = $1, status_reason = $2, requested = ''`, status, reason)
}

// Launched notes that the engine was asked to start the session, unless it changed since it was read.
func (s *Store) Launched(ctx context.Context, session Session, at time.Time) error {
	_, err := s.update(ctx, session, `launched_at = $1, status = $2`, sqldb.Micros(at), Created)
	return err
}

// update sets two columns of a session that is still as it was read.
func (s *Store) update(ctx context.Context, session Session, assignments string, first, second any) (changed bool, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, fmt.Sprintf(`UPDATE session SET %s, updated_at = $3
			WHERE id = $4 AND status = $5 AND requested = $6`, assignments),
			first, second, sqldb.Micros(tx.Now), session.ID, session.Status, session.RequestedStatus)
		if err != nil {
			return err
		}
		count, err := result.RowsAffected()
		changed = count > 0
		return err
	})
	return changed, err
}

// Forget deletes a session's row and the ways into it.
func (s *Store) Forget(ctx context.Context, id string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM session WHERE id = $1`, id)
		return err
	})
}
