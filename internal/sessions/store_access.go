package sessions

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"cairn/internal/audit"
	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sqldb"
)

const (
	ticketLifetime = 60 * time.Second // a ticket is part of an address, so it lives just long enough to be followed
	cookieLifetime = 8 * time.Hour
	cookieRenewal  = cookieLifetime / 8 // a cookie in use is renewed after this time
)

// The kinds of secrets that open a session: a ticket becomes a cookie once; a work ticket becomes a download once.
const (
	ticketKind = "ticket"
	workKind   = "work"
	cookieKind = "cookie"
)

// pass is a secret's row.
type pass struct {
	sessionID string
	accountID string
	login     string
	expiresAt time.Time
}

// Issue creates a secret of a kind, keeps its digest, and records the events with it.
func (s *Store) Issue(ctx context.Context, kind string, holder pass, events ...audit.Event) (secret string, err error) {
	secret = rand.Text() + rand.Text()
	return secret, s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM session_access WHERE expires_at < $1`, sqldb.Micros(tx.Now)); err != nil {
			return err
		}
		lifetime := ticketLifetime
		if kind == cookieKind {
			lifetime = cookieLifetime
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO session_access (digest, kind, session_id, account_id, login, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6)`,
			digest(secret), kind, holder.sessionID, holder.accountID, holder.login, sqldb.Micros(tx.Now.Add(lifetime)))
		if err != nil {
			return err
		}
		return audit.RecordAll(ctx, tx, events)
	})
}

var errNoPass = fault.New(fault.Unauthenticated, "This link was already used or has expired. Open the session again from your sessions.")

// Redeem uses a ticket of a kind for a session: it works once.
func (s *Store) Redeem(ctx context.Context, kind, ticket, sessionID string) (holder pass, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		err := tx.QueryRowContext(ctx, `DELETE FROM session_access WHERE digest = $1 AND kind = $2 AND session_id = $3
			RETURNING session_id, account_id, login, expires_at`, digest(ticket), kind, sessionID).Scan(holder.scan()...)
		if errors.Is(err, sql.ErrNoRows) || (err == nil && holder.expiresAt.Before(tx.Now)) {
			return errNoPass
		}
		return err
	})
	return holder, err
}

// Cookie returns the pass that a cookie of a session stands for.
func (s *Store) Cookie(ctx context.Context, secret, sessionID string, now time.Time) (holder pass, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT session_id, account_id, login, expires_at FROM session_access
		WHERE digest = $1 AND kind = $2 AND session_id = $3`, digest(secret), cookieKind, sessionID).Scan(holder.scan()...)
	if errors.Is(err, sql.ErrNoRows) || (err == nil && holder.expiresAt.Before(now)) {
		return pass{}, errNoPass
	}
	return holder, err
}

// Renew makes a cookie last a whole lifetime from now on.
func (s *Store) Renew(ctx context.Context, secret string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE session_access SET expires_at = $1 WHERE digest = $2`,
			sqldb.Micros(tx.Now.Add(cookieLifetime)), digest(secret))
		return err
	})
}

// Withdraw revokes the passes that a login opened; if the provider doesn't name logins, all of the account's.
func (s *Store) Withdraw(ctx context.Context, caller identity.Caller) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM session_access WHERE account_id = $1 AND (login = $2 OR $2 = '')`,
			caller.AccountID, caller.Login)
		return err
	})
}

func (p *pass) scan() []any { return []any{&p.sessionID, &p.accountID, &p.login, micros{&p.expiresAt}} }

// micros scans a stored number into a time; 0 is the zero time.
type micros struct{ time *time.Time }

// Scan implements sql.Scanner.
func (m micros) Scan(value any) error {
	number, ok := value.(int64)
	if !ok {
		return errors.New("a time is stored as a number")
	}
	if *m.time = (time.Time{}); number != 0 {
		*m.time = sqldb.Time(number)
	}
	return nil
}

// stored returns a time as the number that micros scans.
func stored(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return sqldb.Micros(t)
}

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
