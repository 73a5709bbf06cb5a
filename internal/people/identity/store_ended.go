package identity

import (
	"cmp"
	"context"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
)

// endedKept is how long a sign-in that ended is remembered at least: other tokens of it may expire later than the one that
// ended it.
const endedKept = 24 * time.Hour

func (s *Store) endSignIn(ctx context.Context, accountID string, one signIn) error {
	return s.writeAccounts(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM ended_sign_in WHERE expires_at < $1`, sqldb.Micros(tx.Now)); err != nil {
			return err
		}
		// Providers count in seconds, and their clocks may be ahead. A sign-in that follows in the same second, which keeps its
		// id where the provider wasn't signed out of, isn't refused.
		before, expires := tx.Now.Truncate(time.Second), tx.Now.Add(endedKept)
		if !one.issued.Before(before) {
			before = one.issued.Add(time.Second)
		}
		if one.expires.After(expires) {
			expires = one.expires
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO ended_sign_in (account_id, digest, issued_before, expires_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (account_id, digest) DO UPDATE SET issued_before = excluded.issued_before, expires_at = excluded.expires_at`,
			accountID, one.digest, sqldb.Micros(before), sqldb.Micros(expires))
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Event{Action: audit.SignOut, Object: audit.Object{Type: audit.Account, ID: cmp.Or(Email(ctx), accountID), Name: Email(ctx)}})
	})
}

// ended returns the sign-ins of a subject that ended.
func (s *Store) ended(ctx context.Context, who subjectKey) (ended, error) {
	found, generation, ok := recall(s.seen, s.seen.ended, who)
	if ok {
		return found, nil
	}
	found, err := s.readEnded(ctx, who)
	if err == nil {
		s.seen.ended.Put(who, found, time.Now().Add(seenTime), generation)
	}
	return found, err
}

func (s *Store) readEnded(ctx context.Context, who subjectKey) (ended, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT e.digest, e.issued_before FROM account a JOIN ended_sign_in e ON e.account_id = a.id
		WHERE a.issuer = $1 AND a.subject = $2`, who.issuer, who.subject)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found ended
	for rows.Next() {
		var digest string
		var before int64
		if err := rows.Scan(&digest, &before); err != nil {
			return nil, err
		}
		if found == nil {
			found = ended{}
		}
		found[digest] = sqldb.Time(before)
	}
	return found, rows.Err()
}
