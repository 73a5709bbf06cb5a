package identity

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"time"

	"cairn/internal/foundation/sqldb"
)

// guestIssuer stands where the accounts of people have their provider.
const guestIssuer = "workshop"

// Guest is somebody without an account, in a seat of a workshop.
type Guest struct {
	Label string    // stands for an e-mail address wherever one is needed, and says nothing of the person; no two guests have the same
	Name  string    // likewise, for others to read, such as "Seat 7"
	Until time.Time // until when they may work
}

// AddGuest adds the account of a guest to a transaction. It is recorded by what happens to the workshop.
func AddGuest(ctx context.Context, tx *sqldb.Tx, guest Guest) (Caller, error) {
	id := sqldb.NewID()
	_, err := tx.ExecContext(ctx, `INSERT INTO account (id, issuer, subject, email, name, created_at, updated_at, seen_at, guest_until) VALUES ($1, $2, $3, '', $4, $5, $5, $5, $6)`,
		id, guestIssuer, guest.Label, guest.Name, sqldb.Micros(tx.Now), sqldb.Micros(guest.Until))
	return Caller{AccountID: id, Email: guest.Label, Name: guest.Name, SeenAt: tx.Now, Guest: true, Enabled: true}, err
}

// AddGuestToken adds an access token of a guest to a transaction, and returns its secret.
func AddGuestToken(ctx context.Context, tx *sqldb.Tx, guest Caller, expires time.Time) (secret string, err error) {
	random := make([]byte, tokenBytes)
	_, _ = rand.Read(random) // never fails
	if err := forgetGuestTokens(ctx, tx, guest); err != nil {
		return "", err
	}
	secret = tokenPrefix + base64.RawURLEncoding.EncodeToString(random)
	_, err = tx.ExecContext(ctx, `INSERT INTO access_token (id, account_id, digest, name, scopes, created_at, expires_at) VALUES ($1, $2, $3, $4, '', $5, $6)`,
		sqldb.NewID(), guest.AccountID, tokenDigest(secret), guest.Name, sqldb.Micros(tx.Now), sqldb.Micros(expires))
	return secret, err
}

// guestTokens is how many tokens a guest has at most, in as many browsers.
const guestTokens = 3

// forgetGuestTokens leaves room for one more token of a guest.
func forgetGuestTokens(ctx context.Context, tx *sqldb.Tx, guest Caller) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM access_token WHERE account_id = $1 AND id NOT IN (
		SELECT id FROM access_token WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2)`, guest.AccountID, guestTokens-1)
	return err
}

// EndGuestsAt sets until when guests may work, and until when their tokens lead to what they made.
func EndGuestsAt(ctx context.Context, tx *sqldb.Tx, accountIDs []string, until, tokens time.Time) error {
	return sqldb.Chunks(accountIDs, func(part []string) error {
		in := ` IN (` + sqldb.Placeholders(2, len(part)) + `)`
		if _, err := tx.ExecContext(ctx, `UPDATE account SET guest_until = $1 WHERE guest_until <> 0 AND id`+in, append([]any{sqldb.Micros(until)}, sqldb.Arguments(part)...)...); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE access_token SET expires_at = $1 WHERE account_id`+in, append([]any{sqldb.Micros(tokens)}, sqldb.Arguments(part)...)...)
		return err
	})
}
