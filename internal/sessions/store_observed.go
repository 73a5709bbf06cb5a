package sessions

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"cairn/internal/sqldb"
)

// Observation is what an engine reported of a running session.
type Observation struct {
	Session Session   // as it was read
	LastAt  time.Time // when something last happened
	StopsAt time.Time // when it will be stopped if nothing happens until then; zero: never
	Warning string
}

// news reports whether people would see a difference.
func (n Observation) news() bool {
	same := func(shown *time.Time, now time.Time) bool {
		return (shown == nil) == now.IsZero() && (shown == nil || shown.Equal(now))
	}
	return !same(n.Session.LastActivityAt, n.LastAt.Truncate(time.Minute)) || !same(n.Session.StopsAt, n.StopsAt) || n.Session.Warning != n.Warning
}

// Observe records what was seen of running sessions that are still as they were read, where people would see a difference; it
// reports whether they do.
func (s *Store) Observe(ctx context.Context, seen ...Observation) (changed bool, err error) {
	news := slices.DeleteFunc(slices.Clone(seen), func(one Observation) bool { return !one.news() })
	slices.SortFunc(news, func(one, other Observation) int { return strings.Compare(one.Session.ID, other.Session.ID) }) // as in every transaction that locks several
	for part := range slices.Chunk(news, rowsAtOnce) {
		err = errors.Join(err, s.change(ctx, func(tx *sqldb.Tx, accounts *changes) error {
			for _, one := range part {
				updated, err := updateIn(ctx, tx, one.Session, `last_activity_at = $5, stops_at = $6, warning = $7`,
					stored(one.LastAt), stored(one.StopsAt), one.Warning)
				if err != nil {
					return err
				}
				if updated {
					accounts.of(one.Session.AccountID)
					changed = true
				}
			}
			return nil
		}))
	}
	return changed, err
}
