package catalog

import (
	"context"
	"crypto/rand"
	"encoding/base64"

	"cairn/internal/sqldb"
)

// signingKey gives the secret of a name, made at the first question; all servers on this database share it.
func (s *Store) signingKey(ctx context.Context, name string) ([]byte, error) {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	var text string
	err := s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING`,
			name, base64.StdEncoding.EncodeToString(key))
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = $1`, name).Scan(&text)
	})
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(text)
}
