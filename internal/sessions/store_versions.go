package sessions

import (
	"context"
	"maps"
	"sync"
	"time"

	"cairn/internal/sqldb"
)

// versions knows the number of the last commit that changed what an account's list of sessions shows. It is kept up by
// this process's own writes, and by Follow for those of others; so an unchanged list costs no query.
type versions struct {
	reading sync.Mutex // one reads at a time what others changed
	mutex   sync.Mutex
	seq     int64            // up to which Follow has read
	known   map[string]int64 // by account
	trusted time.Time        // until when no commit of another process can have been missed for too long; by the system's clock
}

const (
	followInterval = 500 * time.Millisecond
	followTrust    = 2 * time.Second // how long a change by another process may stay unseen
)

// changes collects the accounts whose lists a transaction changes.
type changes struct{ accounts map[string]struct{} }

func (c *changes) of(accountID string) { c.accounts[accountID] = struct{}{} }

// change runs a transaction and numbers it for the accounts whose lists it changes. The counter's row is locked last and
// until the commit, so the numbers rise in the order of commit.
func (s *Store) change(ctx context.Context, fn func(tx *sqldb.Tx, changed *changes) error) error {
	changed := &changes{accounts: map[string]struct{}{}}
	var seq int64
	err := s.db.Write(ctx, func(tx *sqldb.Tx) error {
		clear(changed.accounts)
		if err := fn(tx, changed); err != nil || len(changed.accounts) == 0 {
			return err
		}
		err := tx.QueryRowContext(ctx, `UPDATE counter SET seq = seq + 1 WHERE name = 'sessions' RETURNING seq`).Scan(&seq)
		if err != nil {
			return err
		}
		var rows [][]any
		for id := range changed.accounts {
			rows = append(rows, []any{id, seq})
		}
		return tx.InsertRows(ctx, "session_version", []string{"account_id", "seq"}, rows,
			"ON CONFLICT (account_id) DO UPDATE SET seq = excluded.seq")
	})
	if err == nil {
		for id := range changed.accounts {
			s.versions.note(id, seq)
		}
	}
	return err
}

// note never takes a number back: a late reader may come with an older one.
func (v *versions) note(accountID string, seq int64) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if v.known == nil {
		v.known = map[string]int64{}
	}
	v.known[accountID] = max(v.known[accountID], seq)
}

// Version returns the number of an account's list. It asks the database only when nobody followed it lately, once for all
// who wait; false when that fails.
func (s *Store) Version(ctx context.Context, accountID string) (seq int64, ok bool) {
	if seq, ok = s.remembered(accountID); ok {
		return seq, true
	}
	s.versions.reading.Lock()
	defer s.versions.reading.Unlock()
	if seq, ok = s.remembered(accountID); ok { // another one has just asked
		return seq, true
	}
	if _, err := s.Follow(ctx); err != nil {
		return 0, false
	}
	return s.remembered(accountID)
}

func (s *Store) remembered(accountID string) (seq int64, ok bool) {
	s.versions.mutex.Lock()
	defer s.versions.mutex.Unlock()
	return s.versions.known[accountID], time.Now().Before(s.versions.trusted)
}

// Follow reads what changed since it was called last; it reports whether anything did.
func (s *Store) Follow(ctx context.Context) (changed bool, err error) {
	asked := time.Now()
	s.versions.mutex.Lock()
	after := s.versions.seq
	s.versions.mutex.Unlock()
	found, err := s.versionsAfter(ctx, after)
	if err != nil {
		return false, err
	}
	for id, seq := range found {
		s.versions.note(id, seq)
	}
	s.versions.mutex.Lock()
	defer s.versions.mutex.Unlock()
	for seq := range maps.Values(found) {
		s.versions.seq = max(s.versions.seq, seq)
	}
	s.versions.trusted = asked.Add(followTrust)
	return len(found) > 0, nil
}

func (s *Store) versionsAfter(ctx context.Context, after int64) (map[string]int64, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT account_id, seq FROM session_version WHERE seq > $1`, after)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]int64{}
	for rows.Next() {
		var id string
		var seq int64
		if err := rows.Scan(&id, &seq); err != nil {
			return nil, err
		}
		found[id] = seq
	}
	return found, rows.Err()
}
