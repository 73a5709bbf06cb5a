package sessions

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"cairn/internal/sqldb"
)

// sighting is what was seen of a running session.
type sighting struct {
	session Session
	observation
	warning string
}

// news reports whether people would see a difference.
func (n sighting) news() bool {
	same := func(shown *time.Time, now time.Time) bool {
		return (shown == nil) == now.IsZero() && (shown == nil || shown.Equal(now))
	}
	return !same(n.session.LastActivityAt, n.lastAt.Truncate(time.Minute)) || !same(n.session.StopsAt, n.stopsAt) || n.session.Warning != n.warning
}

// Observe records what was seen of running sessions that are still as they were read, where people would see a difference; it
// reports whether they do.
func (s *Store) Observe(ctx context.Context, seen ...sighting) (changed bool, err error) {
	news := slices.DeleteFunc(slices.Clone(seen), func(one sighting) bool { return !one.news() })
	slices.SortFunc(news, func(one, other sighting) int { return strings.Compare(one.session.ID, other.session.ID) }) // as in every transaction that locks several
	for part := range slices.Chunk(news, rowsAtOnce) {
		err = errors.Join(err, s.change(ctx, func(tx *sqldb.Tx, accounts *changes) error {
			for _, one := range part {
				updated, err := updateIn(ctx, tx, one.session, `last_activity_at = $5, stops_at = $6, warning = $7`,
					stored(one.lastAt), stored(one.stopsAt), one.warning)
				if err != nil {
					return err
				}
				if updated {
					accounts.of(one.session.accountID)
					changed = true
				}
			}
			return nil
		}))
	}
	return changed, err
}
