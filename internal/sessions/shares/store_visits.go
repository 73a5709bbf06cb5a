package shares

import (
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

// beginVisit stores that somebody has come, with an event unless they were there until a moment ago; it returns the id of the visit. Those
// without an account have one for each server, which knows it as the one before; the others have one for all.
func (s *Store) beginVisit(ctx context.Context, ownerID string, at place, people int, before string, event *audit.Event) (id string, err error) {
	err = s.sessions.ChangeListOf(ctx, ownerID, func(tx *sqldb.Tx) error {
		now := sqldb.Micros(tx.Now)
		err := tx.QueryRowContext(ctx, `UPDATE session_visit SET ended_at = 0, seen_at = $1, people = $2 WHERE id = (SELECT id FROM session_visit
			WHERE session_id = $3 AND account_id = $4 AND can = $5 AND (ended_at = 0 OR ended_at > $6) AND ($4 <> '' OR id = $7) ORDER BY began_at DESC LIMIT 1) RETURNING id`,
			now, people, at.session, at.account, at.as, now-sameVisit.Microseconds(), before).Scan(&id)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		id = newID()
		if _, err := tx.ExecContext(ctx, `INSERT INTO session_visit (id, session_id, account_id, can, people, began_at, seen_at) VALUES ($1, $2, $3, $4, $5, $6, $6)`,
			id, at.session, at.account, at.as, people, now); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM session_visit WHERE session_id = $1 AND ended_at <> 0 AND id NOT IN (
			SELECT id FROM session_visit WHERE session_id = $1 AND ended_at <> 0 ORDER BY began_at DESC, id DESC LIMIT $2)`, at.session, visitsKept); err != nil {
			return err
		}
		if event == nil {
			return nil
		}
		return audit.Record(ctx, tx, *event)
	})
	return id, err
}

// endVisits stores that people have gone from the sessions of an owner.
func (s *Store) endVisits(ctx context.Context, ownerID string, ids []string) error {
	return s.sessions.ChangeListOf(ctx, ownerID, func(tx *sqldb.Tx) error {
		return sqldb.Chunks(ids, func(part []string) error {
			_, err := tx.ExecContext(ctx, `UPDATE session_visit SET ended_at = $1 WHERE ended_at = 0 AND id IN (`+sqldb.Placeholders(2, len(part))+`)`,
				append([]any{sqldb.Micros(tx.Now)}, sqldb.Arguments(part)...)...)
			return err
		})
	})
}

// confirmVisits stores that visits go on, which another server may have ended, and how many people take part in each.
func (s *Store) confirmVisits(ctx context.Context, people map[string]int) error {
	if len(people) == 0 {
		return nil
	}
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		for _, id := range slices.Sorted(maps.Keys(people)) { // in the same order in every transaction
			if _, err := tx.ExecContext(ctx, `UPDATE session_visit SET seen_at = $1, ended_at = 0, people = $2 WHERE id = $3`, sqldb.Micros(tx.Now), people[id], id); err != nil {
				return err
			}
		}
		return nil
	})
}

// endStale ends the visits that no server has confirmed lately, and deletes the shares whose time is over, so that the lists of their
// owners change.
func (s *Store) endStale(ctx context.Context) error {
	now := s.db.Now()
	stale, err := s.ofOwners(ctx, `SELECT v.id, s.account_id FROM session_visit v JOIN session s ON s.id = v.session_id WHERE v.ended_at = 0 AND v.seen_at < $1`, sqldb.Micros(now.Add(-staleAfter)))
	if err != nil {
		return err
	}
	for owner, ids := range stale {
		if err := s.endVisits(ctx, owner, ids); err != nil {
			return err
		}
	}
	over, err := s.ofOwners(ctx, `SELECT h.id, s.account_id FROM session_share h JOIN session s ON s.id = h.session_id WHERE h.until_at <> 0 AND h.until_at <= $1`, sqldb.Micros(now))
	if err != nil {
		return err
	}
	for owner, ids := range over {
		err := s.sessions.ChangeListOf(ctx, owner, func(tx *sqldb.Tx) error {
			return sqldb.Chunks(ids, func(part []string) error {
				_, err := tx.ExecContext(ctx, `DELETE FROM session_share WHERE id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ofOwners reads ids by the accounts to which they belong.
func (s *Store) ofOwners(ctx context.Context, query string, argument any) (map[string][]string, error) {
	rows, err := s.db.QueryContext(ctx, query, argument)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string][]string{}
	for rows.Next() {
		var id, owner string
		if err := rows.Scan(&id, &owner); err != nil {
			return nil, err
		}
		found[owner] = append(found[owner], id)
	}
	return found, rows.Err()
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

// How many visits a session's card is told of, and how many people who are there are named.
const (
	visitsShown = 10
	namedShown  = 50
)

// visits returns the last visits of sessions, those that go on first, then the newest.
func (s *Store) visits(ctx context.Context, ids []string) (found []visit, err error) {
	err = sqldb.Chunks(ids, func(part []string) error {
		rows, err := s.db.QueryContext(ctx, `SELECT v.session_id, v.account_id, COALESCE(a.name, ''), COALESCE(a.email, ''), v.can, v.people, v.began_at, v.ended_at
			FROM session_visit v LEFT JOIN account a ON a.id = v.account_id WHERE v.session_id IN (`+sqldb.Placeholders(1, len(part))+`)
			ORDER BY CASE WHEN v.ended_at <> 0 THEN 2 WHEN v.can = 'see' THEN 1 ELSE 0 END, v.began_at DESC, v.id`, sqldb.Arguments(part)...)
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
			one.Name, one.Email, one.Since = name, email, sqldb.Time(began)
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
	more := map[string]sessions.Visit{} // of those who look without being named
	for _, one := range found {
		if one.account == accountID && one.account != "" {
			continue
		}
		guests := by[one.session]
		switch {
		case one.Until == nil && one.As == string(See) && (one.account == "" || len(guests.Present) >= namedShown):
			all := more[one.session]
			if all.People == 0 || one.Since.Before(all.Since) {
				all.Since = one.Since
			}
			all.As, all.People = one.As, all.People+one.People
			more[one.session] = all
		case one.Until == nil:
			guests.Present = append(guests.Present, one.Visit)
		case len(guests.Visits) < visitsShown:
			guests.Visits = append(guests.Visits, one.Visit)
		}
		by[one.session] = guests
	}
	for session, all := range more {
		guests := by[session]
		guests.Present = append(guests.Present, all)
		by[session] = guests
	}
	return by, nil
}
