package shares

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
)

// visitsKept is how many visits of a session are kept, the last ones.
const visitsKept = 200

// beginVisit stores that somebody has come, with an event unless they were there until a moment ago; it returns the id of the visit.
func (s *Store) beginVisit(ctx context.Context, ownerID string, at place, people int, event *audit.Event) (id string, err error) {
	err = s.sessions.ChangeListOf(ctx, ownerID, func(tx *sqldb.Tx) error {
		now := sqldb.Micros(tx.Now)
		err := tx.QueryRowContext(ctx, `UPDATE session_visit SET ended_at = 0, seen_at = $1, people = $2 WHERE id = (SELECT id FROM session_visit
			WHERE session_id = $3 AND account_id = $4 AND can = $5 AND (ended_at = 0 OR ended_at > $6) ORDER BY began_at DESC LIMIT 1) RETURNING id`,
			now, people, at.session, at.account, at.as, now-sameVisit.Microseconds()).Scan(&id)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		id = newID()
		if _, err := tx.ExecContext(ctx, `INSERT INTO session_visit (id, session_id, account_id, can, people, began_at, seen_at) VALUES ($1, $2, $3, $4, $5, $6, $6)`,
			id, at.session, at.account, at.as, people, now); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM session_visit WHERE session_id = $1 AND id NOT IN (
			SELECT id FROM session_visit WHERE session_id = $1 ORDER BY began_at DESC, id DESC LIMIT $2)`, at.session, visitsKept); err != nil {
			return err
		}
		if event == nil {
			return nil
		}
		return audit.Record(ctx, tx, *event)
	})
	return id, err
}

// endVisit stores that somebody has gone.
func (s *Store) endVisit(ctx context.Context, ownerID, id string) error {
	return s.sessions.ChangeListOf(ctx, ownerID, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE session_visit SET ended_at = $1 WHERE id = $2 AND ended_at = 0`, sqldb.Micros(tx.Now), id)
		return err
	})
}

// confirmVisits stores that visits go on, which another server may have ended, and how many people take part in some.
func (s *Store) confirmVisits(ctx context.Context, ids []string, people map[string]int) error {
	if len(ids)+len(people) == 0 {
		return nil
	}
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		err := sqldb.Chunks(ids, func(part []string) error {
			_, err := tx.ExecContext(ctx, `UPDATE session_visit SET seen_at = $1, ended_at = 0 WHERE id IN (`+sqldb.Placeholders(2, len(part))+`)`,
				append([]any{sqldb.Micros(tx.Now)}, sqldb.Arguments(part)...)...)
			return err
		})
		for id, count := range people {
			if _, failed := tx.ExecContext(ctx, `UPDATE session_visit SET people = $1 WHERE id = $2`, count, id); failed != nil {
				return errors.Join(err, failed)
			}
		}
		return err
	})
}

// endStale ends the visits that no server has confirmed lately.
func (s *Store) endStale(ctx context.Context) error {
	before := sqldb.Micros(s.db.Now().Add(-staleAfter))
	rows, err := s.db.QueryContext(ctx, `SELECT v.id, s.account_id FROM session_visit v JOIN session s ON s.id = v.session_id WHERE v.ended_at = 0 AND v.seen_at < $1`, before)
	if err != nil {
		return err
	}
	stale := map[string]string{}
	defer rows.Close()
	for rows.Next() {
		var id, owner string
		if err := rows.Scan(&id, &owner); err != nil {
			return err
		}
		stale[id] = owner
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for id, owner := range stale {
		if err := s.endVisit(ctx, owner, id); err != nil {
			return err
		}
	}
	return nil
}

// sharedAmong reports which of these sessions are shared in some way, which may have ended.
func (s *Store) sharedAmong(ctx context.Context, ids []string) (map[string]bool, error) {
	shared := map[string]bool{}
	slices.Sort(ids)
	err := sqldb.Chunks(slices.Compact(ids), func(part []string) error {
		rows, err := s.db.QueryContext(ctx, `SELECT DISTINCT session_id FROM session_share WHERE session_id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			shared[id] = true
		}
		return rows.Err()
	})
	return shared, err
}

// visit is a stored visit with its session and account.
type visit struct {
	sessions.Visit

	session, account string
}

// visitsShown is how many visits a session's card is told of.
const visitsShown = 10

// visits returns the last visits of sessions, those that go on first, then the newest.
func (s *Store) visits(ctx context.Context, ids []string) (found []visit, err error) {
	err = sqldb.Chunks(ids, func(part []string) error {
		rows, err := s.db.QueryContext(ctx, `SELECT v.session_id, v.account_id, COALESCE(a.name, ''), COALESCE(a.email, ''), v.can, v.people, v.began_at, v.ended_at
			FROM session_visit v LEFT JOIN account a ON a.id = v.account_id WHERE v.session_id IN (`+sqldb.Placeholders(1, len(part))+`)
			ORDER BY CASE WHEN v.ended_at = 0 THEN 0 ELSE 1 END, v.began_at DESC, v.id`, sqldb.Arguments(part)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var one visit
			var name, email string
			var began, ended int64
			if err := rows.Scan(&one.session, &one.account, &name, &email, &one.As, &one.People, &began, &ended); err != nil {
				return err
			}
			one.Name, one.Since = cmp.Or(name, email), sqldb.Time(began)
			if ended != 0 {
				one.Until = new(sqldb.Time(ended))
			}
			found = append(found, one)
		}
		return rows.Err()
	})
	return found, err
}

// guests returns who is in sessions and who was, by session, without an account itself, and how the sessions are shared.
func (s *Store) guests(ctx context.Context, accountID string, of []sessions.Session) (map[string]sessions.Guests, error) {
	by, ids := map[string]sessions.Guests{}, make([]string, len(of))
	for i, session := range of {
		ids[i] = session.ID
	}
	found, err := s.visits(ctx, ids)
	if err != nil {
		return nil, err
	}
	err = sqldb.Chunks(of, func(part []sessions.Session) error {
		known := map[string]sessions.Session{}
		for _, session := range part {
			known[session.ID] = session
		}
		shares, err := list(ctx, s.db, `s.session_id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(slices.Collect(maps.Keys(known)))...)
		for _, share := range shares {
			if guests := by[share.sessionID]; share.holds(known[share.sessionID], s.db.Now()) {
				guests.Shares++
				by[share.sessionID] = guests
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, one := range found {
		if one.account == accountID && one.account != "" {
			continue
		}
		guests := by[one.session]
		switch {
		case one.Until == nil:
			guests.Present = append(guests.Present, one.Visit)
		case len(guests.Visits) < visitsShown:
			guests.Visits = append(guests.Visits, one.Visit)
		}
		by[one.session] = guests
	}
	return by, nil
}
