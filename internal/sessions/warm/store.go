package warm

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"cairn/internal/foundation/sqldb"
)

// Store stores warm sessions. Several processes may work on one database.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

// reader is the database, or a transaction on it.
type reader interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
}

const (
	columns = `id, entry, name, engine, held, phase, opens, open_note, interface, left_out, created_at`
	ofOne   = ` WHERE engine = $1 ORDER BY created_at, id`
)

func list(ctx context.Context, db reader, condition string, arguments ...any) ([]Session, error) {
	rows, err := db.QueryContext(ctx, `SELECT `+columns+` FROM warm_session`+condition, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []Session
	for rows.Next() {
		var next Session
		var created int64
		err := rows.Scan(&next.ID, &next.Entry, &next.Name, &next.Engine, &next.Held, &next.Phase,
			&next.Opened.File, &next.Opened.Note, &next.Opened.Shows, &next.Opened.LeftOut, &created)
		if err != nil {
			return nil, err
		}
		next.CreatedAt = time.UnixMicro(created).UTC()
		found = append(found, next)
	}
	return found, rows.Err()
}

// All returns all warm sessions, newest first.
func (s *Store) All(ctx context.Context) ([]Session, error) {
	return list(ctx, s.db, ` ORDER BY created_at DESC, id`)
}

// On returns the warm sessions of an engine, oldest first.
func (s *Store) On(ctx context.Context, engine string) ([]Session, error) {
	return list(ctx, s.db, ofOne, engine)
}

// Ready returns the ids of an engine's sessions that hold this and can be claimed, oldest first.
func (s *Store) Ready(ctx context.Context, engine, held string) (ids []string, err error) {
	found, err := list(ctx, s.db, ` WHERE engine = $1 AND held = $2 AND phase = $3 ORDER BY created_at, id`, engine, held, Ready)
	for _, session := range found {
		ids = append(ids, session.ID)
	}
	return ids, err
}

// Known reports whether a session is one of the warm ones.
func (s *Store) Known(ctx context.Context, id string) (bool, error) {
	found, err := list(ctx, s.db, ` WHERE id = $1`, id)
	return len(found) > 0, err
}

// Follow carries out a Plan for an engine, in one transaction. Only one process at a time decides, so that several never
// start too many.
func (s *Store) Follow(ctx context.Context, engine string, plan func(all []Session, now time.Time) (end []Session, add []Target)) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE counter SET seq = seq + 1 WHERE name = 'queue'`); err != nil {
			return err
		}
		all, err := list(ctx, tx, ofOne, engine)
		if err != nil {
			return err
		}
		end, add := plan(all, tx.Now)
		for _, session := range end {
			if _, err := tx.ExecContext(ctx, `UPDATE warm_session SET phase = $1 WHERE id = $2`, Ending, session.ID); err != nil {
				return err
			}
		}
		for _, one := range add {
			_, err = tx.ExecContext(ctx, `INSERT INTO warm_session (id, entry, name, engine, held, phase, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
				sqldb.NewID(), one.Entry, one.Name, engine, one.Held, Starting, sqldb.Micros(tx.Now))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Open records that a session can be claimed.
func (s *Store) Open(ctx context.Context, id string, opened Opened) error {
	return s.write(ctx, `UPDATE warm_session SET phase = $1, opens = $2, open_note = $3, interface = $4, left_out = $5 WHERE id = $6 AND phase = $7`,
		Ready, opened.File, opened.Note, opened.Shows, opened.LeftOut, id, Starting)
}

// End records that a session has to be removed, unless it has been claimed.
func (s *Store) End(ctx context.Context, id string) error {
	return s.write(ctx, `UPDATE warm_session SET phase = $1 WHERE id = $2`, Ending, id)
}

// Forget deletes the row of a session that its engine has removed.
func (s *Store) Forget(ctx context.Context, id string) error {
	return s.write(ctx, `DELETE FROM warm_session WHERE id = $1 AND phase = $2`, id, Ending)
}

func (s *Store) write(ctx context.Context, text string, arguments ...any) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, text, arguments...)
		return err
	})
}

// Claim takes the first of these sessions that is still ready, as part of a transaction that gives it to an account; "" if
// others have claimed them all.
func Claim(ctx context.Context, tx *sqldb.Tx, ids []string) (id string, opened Opened, err error) {
	for _, id := range ids {
		err = tx.QueryRowContext(ctx, `DELETE FROM warm_session WHERE id = $1 AND phase = $2 RETURNING opens, open_note, interface, left_out`, id, Ready).
			Scan(&opened.File, &opened.Note, &opened.Shows, &opened.LeftOut)
		if !errors.Is(err, sql.ErrNoRows) {
			return id, opened, err
		}
	}
	return "", opened, nil
}
