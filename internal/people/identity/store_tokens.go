package identity

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// tokenUseInterval is how often a store records that a token was used.
const tokenUseInterval = time.Hour

// heldToken is an access token with its account.
type heldToken struct {
	AccessToken

	account Account
}

const selectToken = `SELECT t.id, t.name, t.scopes, t.created_at, t.expires_at, t.last_used_at FROM access_token t` //nolint:gosec // no secret

// addToken stores a token that lasts some days from now: Conflict when the account has too many.
func (s *Store) addToken(ctx context.Context, accountID, digest string, token AccessToken, days int) (AccessToken, error) {
	err := s.db.Write(ctx, func(tx *sqldb.Tx) error {
		token.ID = sqldb.NewID()
		token.CreatedAt = tx.Now.Truncate(time.Microsecond)
		token.ExpiresAt = token.CreatedAt.AddDate(0, 0, days)
		// Others that create tokens of this account at the same time wait here.
		if _, err := tx.ExecContext(ctx, `UPDATE account SET updated_at = updated_at WHERE id = $1`, accountID); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM access_token WHERE account_id = $1 AND expires_at < $2`, accountID, sqldb.Micros(tx.Now.Add(-expiredShown)))
		if err != nil {
			return err
		}
		var count int
		err = tx.QueryRowContext(ctx, `SELECT count(*) FROM access_token WHERE account_id = $1 AND expires_at > $2`, accountID, sqldb.Micros(tx.Now)).Scan(&count)
		if err != nil {
			return err
		}
		if count >= tokensLimit {
			return fault.New(fault.Conflict, "You already have %d access tokens, and an account can't have more. Revoke one that you no longer need.", count)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO access_token (id, account_id, digest, name, scopes, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			token.ID, accountID, digest, token.Name, joinScopes(token.Scopes), sqldb.Micros(token.CreatedAt), sqldb.Micros(token.ExpiresAt))
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, tokenEvent(audit.CreateToken, token.ID, []audit.Change{
			{Column: "access_token.name", New: token.Name}, {Column: "access_token.scopes", New: token.Scopes}, {Column: "access_token.expires_at", New: token.ExpiresAt},
		}))
	})
	return token, err
}

func tokenEvent(action audit.Action, id string, changes []audit.Change) audit.Event {
	return audit.Event{Action: action, Object: audit.Object{Type: audit.Token, ID: id, Private: true}, Changes: changes}
}

// tokens returns some of an account's tokens, newest first, and how many there are.
func (s *Store) tokens(ctx context.Context, accountID string, offset, limit int) (found []AccessToken, total int, err error) {
	shown := sqldb.Micros(s.db.Now().Add(-expiredShown))
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM access_token WHERE account_id = $1 AND expires_at >= $2`, accountID, shown).Scan(&total)
	if err != nil {
		return nil, 0, err
	}
	rows, err := s.db.QueryContext(ctx, selectToken+` WHERE t.account_id = $1 AND t.expires_at >= $2 ORDER BY t.created_at DESC, t.id LIMIT $3 OFFSET $4`,
		accountID, shown, limit, offset)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	found = []AccessToken{}
	for rows.Next() {
		token, err := scanToken(rows)
		if err != nil {
			return nil, 0, err
		}
		token.Expired = !s.db.Now().Before(token.ExpiresAt)
		found = append(found, token)
	}
	return found, total, rows.Err()
}

// removeToken ends a token of an account: NotFound when it has none with this id.
func (s *Store) removeToken(ctx context.Context, accountID, id string) error {
	return s.writeAccounts(ctx, func(tx *sqldb.Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM access_token WHERE account_id = $1 AND id = $2`, accountID, id)
		if err != nil {
			return err
		}
		removed, err := result.RowsAffected()
		if err != nil {
			return err
		}
		if removed == 0 {
			return fault.New(fault.NotFound, "You have no such access token. It may be revoked already.")
		}
		return audit.Record(ctx, tx, tokenEvent(audit.RevokeToken, id, nil))
	})
}

// hasToken reports whether an account has a token that hasn't expired.
func (s *Store) hasToken(ctx context.Context, accountID, id string) (found bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM access_token WHERE account_id = $1 AND id = $2 AND expires_at > $3)`,
		accountID, id, sqldb.Micros(s.db.Now())).Scan(&found)
	return found, err
}

// heldToken returns the token with a digest and its account; NotFound when there is none.
func (s *Store) heldToken(ctx context.Context, digest string) (heldToken, error) {
	found, generation, ok := recall(s.seen, s.seen.tokens, digest)
	if ok {
		return found, nil
	}
	found, err := s.readHeldToken(ctx, digest)
	if err == nil {
		s.seen.tokens.Put(digest, found, time.Now().Add(seenTime), generation)
	}
	return found, err
}

func (s *Store) readHeldToken(ctx context.Context, digest string) (found heldToken, err error) {
	var accountID string
	err = s.db.QueryRowContext(ctx, `SELECT account_id FROM access_token WHERE digest = $1`, digest).Scan(&accountID)
	if err == nil {
		found.AccessToken, err = scanToken(s.db.QueryRowContext(ctx, selectToken+` WHERE t.digest = $1`, digest))
	}
	if errors.Is(err, sql.ErrNoRows) {
		return found, fault.New(fault.NotFound, "There is no such access token.")
	}
	if err == nil {
		found.account, err = s.Account(ctx, accountID)
	}
	return found, err
}

// markTokenUsed records that a token was used, once in tokenUseInterval for all servers on a database.
func (s *Store) markTokenUsed(ctx context.Context, id string) error {
	_, generation, marked := s.marked.Get(id)
	if marked {
		return nil
	}
	_, err, _ := s.marking.Do(id, func() (any, error) {
		ctx := context.WithoutCancel(ctx) // others may wait for the same
		now := s.db.Now()
		err := s.db.Write(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(ctx, `UPDATE access_token SET last_used_at = $1 WHERE id = $2 AND last_used_at < $1`,
				sqldb.Micros(now.Truncate(tokenUseInterval)), id)
			return err
		})
		if err == nil {
			s.marked.Put(id, struct{}{}, now.Add(tokenUseInterval), generation)
		}
		return nil, err
	})
	return err
}

func joinScopes(scopes []Scope) string {
	words := make([]string, len(scopes))
	for i, one := range scopes {
		words[i] = string(one)
	}
	return strings.Join(words, " ")
}

func scanToken(row interface{ Scan(...any) error }) (AccessToken, error) {
	var token AccessToken
	var scopes string
	var created, expires, used int64
	err := row.Scan(&token.ID, &token.Name, &scopes, &created, &expires, &used)
	token.CreatedAt, token.ExpiresAt = sqldb.Time(created), sqldb.Time(expires)
	for word := range strings.FieldsSeq(scopes) {
		token.Scopes = append(token.Scopes, Scope(word))
	}
	if used != 0 {
		at := sqldb.Time(used)
		token.LastUsedAt = &at
	}
	return token, err
}
