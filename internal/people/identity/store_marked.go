package identity

import (
	"context"
	"time"

	"cairn/internal/foundation/sqldb"
)

// markInterval is how often a store records that an account was seen; so Account.SeenAt may be that much too old.
const markInterval = time.Minute

// MarkSeen records that a valid token of an account was seen, once in markInterval for all servers on a database.
func (s *Store) MarkSeen(ctx context.Context, id string) error {
	_, generation, marked := s.marked.Get(id)
	if marked {
		return nil
	}
	_, err, _ := s.marking.Do(id, func() (any, error) {
		ctx := context.WithoutCancel(ctx) // others may wait for the same
		now := s.db.Now()
		err := s.db.Write(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(ctx, `UPDATE account SET seen_at = $1 WHERE id = $2 AND seen_at <= $3`,
				sqldb.Micros(now), id, sqldb.Micros(now.Add(-markInterval)))
			return err
		})
		if err == nil {
			s.marked.Put(id, struct{}{}, now.Add(markInterval), generation)
		}
		return nil, err
	})
	return err
}
