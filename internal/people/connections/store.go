package connections

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// Store stores connections.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db} }

// row is a connection as it is stored.
type row struct {
	accountID string
	host      string
	kept      bool
	login     string
	granted   []Right
	scopes    []string
	way       Way
	sealed    string
	refused   bool
	expiresAt time.Time // zero: never, as far as is known
	createdAt time.Time
	keptAt    time.Time
}

const selectRow = `SELECT c.account_id, c.host, c.kept, c.login, c.granted, c.scopes, c.way, c.sealed, c.refused, c.expires_at, c.created_at, c.kept_at FROM connection c`

func scanRow(from interface{ Scan(...any) error }) (one row, err error) {
	var granted, scopes string
	var expires, created, kept int64
	err = from.Scan(&one.accountID, &one.host, &one.kept, &one.login, &granted, &scopes, &one.way, &one.sealed, &one.refused, &expires, &created, &kept)
	if err != nil {
		return row{}, err
	}
	one.createdAt, one.keptAt = sqldb.Time(created), sqldb.Time(kept)
	if expires != 0 {
		one.expiresAt = sqldb.Time(expires)
	}
	return one, errors.Join(json.Unmarshal([]byte(granted), &one.granted), json.Unmarshal([]byte(scopes), &one.scopes))
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sqldb.Rows, error)
}

func list(ctx context.Context, from querier, condition string, arguments ...any) (found []row, err error) {
	rows, err := from.QueryContext(ctx, selectRow+` `+condition, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scanRow(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, rows.Err()
}

// of returns the connections of an account, also those that wait.
func (s *Store) of(ctx context.Context, accountID string) ([]row, error) {
	return list(ctx, s.db, `WHERE c.account_id = $1 ORDER BY c.host`, accountID)
}

// kept returns a connection that was kept; NotFound without one.
func (s *Store) kept(ctx context.Context, accountID, host string) (row, error) {
	one, err := scanRow(s.db.QueryRowContext(ctx, selectRow+` WHERE c.account_id = $1 AND c.host = $2 AND c.kept`, accountID, host))
	if errors.Is(err, sql.ErrNoRows) {
		err = fault.New(fault.NotFound, "There is no connection.")
	}
	return one, err
}

// Connected returns the names of the services with which an account has a connection that may work.
func (s *Store) Connected(ctx context.Context, accountID string) (hosts []string, err error) {
	rows, err := list(ctx, s.db, `WHERE c.account_id = $1 AND c.kept AND NOT c.refused ORDER BY c.host`, accountID)
	for _, one := range rows {
		hosts = append(hosts, one.host)
	}
	return hosts, err
}

// putWaiting stores a connection that waits, and returns the one that waited before.
func (s *Store) putWaiting(ctx context.Context, one row) (before []row, err error) {
	granted, err := json.Marshal(inOrder(one.granted))
	if err != nil {
		return nil, err
	}
	scopes, err := json.Marshal(one.scopes)
	if err != nil {
		return nil, err
	}
	expires := int64(0)
	if !one.expiresAt.IsZero() {
		expires = sqldb.Micros(one.expiresAt)
	}
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if before, err = list(ctx, tx, `WHERE c.account_id = $1 AND c.host = $2 AND NOT c.kept`, one.accountID, one.host); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO connection (account_id, host, kept, login, granted, scopes, way, sealed, expires_at, created_at)
			VALUES ($1, $2, FALSE, $3, $4, $5, $6, $7, $8, $9)
			ON CONFLICT (account_id, host, kept) DO UPDATE SET login = excluded.login, granted = excluded.granted, scopes = excluded.scopes, way = excluded.way,
				sealed = excluded.sealed, expires_at = excluded.expires_at, created_at = excluded.created_at`,
			one.accountID, one.host, one.login, string(granted), string(scopes), string(one.way), one.sealed, expires, sqldb.Micros(one.createdAt))
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, eventOf(audit.TryConnection, one))
	})
	return before, err
}

// keep keeps the connection that waits since a time at most, and returns the one that it replaces.
func (s *Store) keep(ctx context.Context, accountID, host string, since time.Time) (kept row, before []row, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		waiting, err := list(ctx, tx, `WHERE c.account_id = $1 AND c.host = $2 AND NOT c.kept AND c.created_at > $3`, accountID, host, sqldb.Micros(since))
		if err != nil {
			return err
		}
		if len(waiting) == 0 {
			return fault.Wrap(errGone, fault.NotFound, "No connection waits to be kept: it's forgotten after ten minutes. Connect again.")
		}
		if before, err = list(ctx, tx, `WHERE c.account_id = $1 AND c.host = $2 AND c.kept`, accountID, host); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM connection WHERE account_id = $1 AND host = $2 AND kept`, accountID, host); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE connection SET kept = TRUE, kept_at = $3 WHERE account_id = $1 AND host = $2 AND NOT kept`,
			accountID, host, sqldb.Micros(tx.Now))
		kept = waiting[0]
		kept.kept, kept.keptAt = true, tx.Now
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, eventOf(audit.AddConnection, kept))
	})
	return kept, before, err
}

// eventOf is what is recorded of a connection.
func eventOf(action audit.Action, of row) audit.Event {
	return audit.Event{Action: action, Object: audit.Object{Type: audit.Connection, ID: of.host, Name: of.host, Private: true}, Changes: []audit.Change{
		{Column: "connection.granted", New: of.granted}, {Column: "connection.way", New: string(of.way)},
	}}
}

// remove deletes the connections of an account with a service, and returns them.
func (s *Store) remove(ctx context.Context, accountID, host string) (removed []row, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if removed, err = list(ctx, tx, `WHERE c.account_id = $1 AND c.host = $2`, accountID, host); err != nil || len(removed) == 0 {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM connection WHERE account_id = $1 AND host = $2`, accountID, host); err != nil {
			return err
		}
		return audit.Record(ctx, tx, eventOf(audit.DeleteConnection, removed[0]))
	})
	return removed, err
}

// clean deletes connections that nobody kept and attempts that nobody came back from since some times, and all connections of accounts that
// operators disabled. It returns the connections.
func (s *Store) clean(ctx context.Context, waitingSince, begunSince time.Time) (gone []row, err error) {
	const disabled = `EXISTS (SELECT 1 FROM account a LEFT JOIN account_grant g ON g.email = a.email AND a.email <> ''
		WHERE a.id = c.account_id AND (a.disabled_as <> '' OR g.enabled = FALSE))`
	found, err := list(ctx, s.db, `WHERE (NOT c.kept AND c.created_at <= $1) OR `+disabled, sqldb.Micros(waitingSince))
	if err != nil {
		return nil, err
	}
	var attempts int
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM connection_attempt WHERE created_at <= $1`, sqldb.Micros(begunSince)).Scan(&attempts); err != nil {
		return nil, err
	}
	if len(found) == 0 && attempts == 0 {
		return nil, nil
	}
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		for _, one := range found {
			result, err := tx.ExecContext(ctx, `DELETE FROM connection WHERE account_id = $1 AND host = $2 AND sealed = $3`, one.accountID, one.host, one.sealed)
			if err != nil {
				return err
			}
			deleted, err := result.RowsAffected()
			if err != nil {
				return err
			}
			if deleted == 0 {
				continue
			}
			gone = append(gone, one)
			if one.kept {
				if err := audit.Record(audit.As(ctx, audit.Actor{AccountID: one.accountID}), tx, eventOf(audit.DeleteConnection, one)); err != nil {
					return err
				}
			}
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM connection_attempt WHERE created_at <= $1`, sqldb.Micros(begunSince))
		return err
	})
	return gone, err
}

// markRefused notes that the service no longer takes the token of a row, unless it has another one by now.
func (s *Store) markRefused(ctx context.Context, one row) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE connection SET refused = TRUE, refreshing_until = 0 WHERE account_id = $1 AND host = $2 AND kept AND sealed = $3`,
			one.accountID, one.host, one.sealed)
		return err
	})
}

// beginRefresh reports whether the caller is who fetches a new token until a time; false if another one does, or has.
func (s *Store) beginRefresh(ctx context.Context, one row, now, until time.Time) (mine bool, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE connection SET refreshing_until = $4 WHERE account_id = $1 AND host = $2 AND kept AND sealed = $3 AND refreshing_until <= $5`,
			one.accountID, one.host, one.sealed, sqldb.Micros(until), sqldb.Micros(now))
		if err != nil {
			return err
		}
		count, err := result.RowsAffected()
		mine = count > 0
		return err
	})
	return mine, err
}

// endRefresh lets another one try.
func (s *Store) endRefresh(ctx context.Context, one row) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE connection SET refreshing_until = 0 WHERE account_id = $1 AND host = $2 AND kept AND sealed = $3`, one.accountID, one.host, one.sealed)
		return err
	})
}

// sealAgain replaces how the tokens of a row are encrypted, unless somebody is fetching others.
func (s *Store) sealAgain(ctx context.Context, one row, sealed string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE connection SET sealed = $4 WHERE account_id = $1 AND host = $2 AND kept AND sealed = $3 AND refreshing_until <= $5`,
			one.accountID, one.host, one.sealed, sealed, sqldb.Micros(tx.Now))
		return err
	})
}

// saveRefreshed replaces the tokens of a row, unless it has others by now.
func (s *Store) saveRefreshed(ctx context.Context, one row, sealed string, expiresAt time.Time) error {
	expires := int64(0)
	if !expiresAt.IsZero() {
		expires = sqldb.Micros(expiresAt)
	}
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE connection SET sealed = $4, expires_at = $5, refreshing_until = 0 WHERE account_id = $1 AND host = $2 AND kept AND sealed = $3`,
			one.accountID, one.host, one.sealed, sealed, expires)
		return err
	})
}

// attempt is a browser that was sent to a service.
type attempt struct {
	digest    string // of the state
	accountID string
	host      string
	verifier  string // encrypted
	createdAt time.Time
}

func (s *Store) addAttempt(ctx context.Context, one attempt) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO connection_attempt (digest, account_id, host, verifier, created_at) VALUES ($1, $2, $3, $4, $5)`,
			one.digest, one.accountID, one.host, one.verifier, sqldb.Micros(one.createdAt))
		return err
	})
}

// takeAttempt deletes an attempt and returns it; the zero value if there is none, or it was taken before.
func (s *Store) takeAttempt(ctx context.Context, digest string) (one attempt, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		var created int64
		err := tx.QueryRowContext(ctx, `DELETE FROM connection_attempt WHERE digest = $1 RETURNING account_id, host, verifier, created_at`, digest).
			Scan(&one.accountID, &one.host, &one.verifier, &created)
		one.createdAt = sqldb.Time(created)
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return err
	})
	return one, err
}
