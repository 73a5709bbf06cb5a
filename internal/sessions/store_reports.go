package sessions

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
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

// SavedState is what the row of a session says of its versions.
type SavedState struct {
	At       time.Time // of the last one
	Versions int       // how many there are
	Stopped  string    // why none are made at the moment: a sentence
}

// SavedStates returns what is stored of the versions of all sessions on an engine, by their ids.
func (s *Store) SavedStates(ctx context.Context, engine string) (map[string]SavedState, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, saved_at, versions, saving_stopped FROM session WHERE engine = $1`, engine)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]SavedState{}
	for rows.Next() {
		var id string
		var one SavedState
		if err := rows.Scan(&id, storedTime{&one.At}, &one.Versions, &one.Stopped); err != nil {
			return nil, err
		}
		found[id] = one
	}
	return found, rows.Err()
}

// rowsAtOnce is how many rows a transaction changes.
const rowsAtOnce = 200

// RecordSaved records what is known of the versions of sessions. Unknown sessions are passed over.
func (s *Store) RecordSaved(ctx context.Context, states map[string]SavedState) error {
	ids := make([]string, 0, len(states))
	for id := range states {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, strings.Compare) // in the same order in every transaction that locks several
	for part := range slices.Chunk(ids, rowsAtOnce) {
		err := s.change(ctx, func(tx *sqldb.Tx, changed *changes) error {
			for _, id := range part {
				one, owner := states[id], ""
				err := tx.QueryRowContext(ctx, `UPDATE session SET saved_at = $1, versions = $2, saving_stopped = $3 WHERE id = $4 RETURNING account_id`,
					stored(one.At), one.Versions, one.Stopped, id).Scan(&owner)
				if errors.Is(err, sql.ErrNoRows) {
					continue
				}
				if err != nil {
					return err
				}
				changed.of(owner)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// RecordAction records what somebody did to the work of a session, which an engine keeps.
func (s *Store) RecordAction(ctx context.Context, id string, action audit.Action) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error { return audit.Record(ctx, tx, AuditEvent(action, []string{id})) })
}
