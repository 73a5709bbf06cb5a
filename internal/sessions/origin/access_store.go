package origin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
)

const (
	ticketLifetime = 60 * time.Second // a ticket is part of an address, so it lives just long enough to be followed
	cookieLifetime = 8 * time.Hour

	shellTicketLifetime = 30 * time.Second // a program uses it at once

	cookieRenewal = cookieLifetime / 8 // a cookie in use is renewed after this time
)

// The kinds of secrets that open a session: a ticket becomes a cookie once; a work ticket becomes a download once, and a shell
// ticket a connection.
const (
	ticketKind = "ticket"
	workKind   = "work"
	shellKind  = "shell"
	cookieKind = "cookie"
)

// accessGrant is what a secret stands for.
type accessGrant struct {
	sessionID string
	accountID string
	login     string
	expiresAt time.Time
}

// accessStore stores the secrets that open sessions, as digests.
type accessStore struct{ db *sqldb.DB }

// issue creates a secret of a kind, keeps its digest, and records the events with it.
func (s *accessStore) issue(ctx context.Context, kind string, holder accessGrant, events ...audit.Event) (secret string, err error) {
	secret = rand.Text() + rand.Text()
	return secret, s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM session_access WHERE expires_at < $1`, sqldb.Micros(tx.Now)); err != nil {
			return err
		}
		lifetime := ticketLifetime
		switch kind {
		case cookieKind:
			lifetime = cookieLifetime
		case shellKind:
			lifetime = shellTicketLifetime
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

var errNoAccess = fault.New(fault.Unauthenticated, "This link was already used or has expired. Open the session again from your sessions.")

// redeem uses a ticket of a kind for a session: it works once.
func (s *accessStore) redeem(ctx context.Context, kind, ticket, sessionID string) (holder accessGrant, err error) {
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		var err error
		holder, err = scanGrant(tx.QueryRowContext(ctx, `DELETE FROM session_access WHERE digest = $1 AND kind = $2 AND session_id = $3
			RETURNING session_id, account_id, login, expires_at`, digest(ticket), kind, sessionID), tx.Now)
		return err
	})
	return holder, err
}

// cookie returns the grant that a cookie of a session stands for.
func (s *accessStore) cookie(ctx context.Context, secret, sessionID string, now time.Time) (accessGrant, error) {
	return scanGrant(s.db.QueryRowContext(ctx, `SELECT session_id, account_id, login, expires_at FROM session_access
		WHERE digest = $1 AND kind = $2 AND session_id = $3`, digest(secret), cookieKind, sessionID), now)
}

// scanGrant reads a row; errNoAccess if there is none, or if it has expired.
func scanGrant(row interface{ Scan(into ...any) error }, now time.Time) (found accessGrant, err error) {
	var expires int64
	err = row.Scan(&found.sessionID, &found.accountID, &found.login, &expires)
	found.expiresAt = sqldb.Time(expires)
	if errors.Is(err, sql.ErrNoRows) || (err == nil && found.expiresAt.Before(now)) {
		return accessGrant{}, errNoAccess
	}
	return found, err
}

// renew makes a cookie last a whole lifetime from now on.
func (s *accessStore) renew(ctx context.Context, secret string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE session_access SET expires_at = $1 WHERE digest = $2`,
			sqldb.Micros(tx.Now.Add(cookieLifetime)), digest(secret))
		return err
	})
}

// forget deletes a secret.
func (s *accessStore) forget(ctx context.Context, secret string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM session_access WHERE digest = $1`, digest(secret))
		return err
	})
}

// revoke deletes the grants that a login opened; if the provider doesn't name logins, all of the account's.
func (s *accessStore) revoke(ctx context.Context, caller identity.Caller) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM session_access WHERE account_id = $1 AND (login = $2 OR $2 = '')`,
			caller.AccountID, caller.Login)
		return err
	})
}

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// NewLinks returns links to sessions whose secrets are stored in an open database.
func NewLinks(db *sqldb.DB, address AddressTemplate) *Links {
	return &Links{store: &accessStore{db: db}, address: address}
}
