package identity

import (
	"context"
	"sync"
	"time"

	"cairn/internal/sqldb"
)

// seen remembers accounts, so that a page that polls costs no query. Every decision of operators and every change of an
// account raises a counter in the database; Follow reads it, and forgets all accounts when it moved. While nobody
// follows, nothing is remembered: a right that ended would live on.
type seen struct {
	mutex    sync.Mutex
	accounts map[subjectKey]Account
	changes  int64     // the counter as Follow read it last
	age      int64     // how often everything was forgotten
	trusted  time.Time // until when no change can have been missed for too long; by the system's clock
}

type subjectKey struct{ issuer, subject string }

const (
	followInterval = 500 * time.Millisecond
	followTrust    = 2 * time.Second // how long another process's decision may stay unseen
	seenLimit      = 100_000
)

func (s *seen) get(key subjectKey) (account Account, age int64, ok bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	account, ok = s.accounts[key]
	return account, s.age, ok && time.Now().Before(s.trusted)
}

// put remembers what was read when the memory had this age: since then it may have become wrong.
func (s *seen) put(key subjectKey, account Account, age int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if age != s.age {
		return
	}
	if s.accounts == nil || len(s.accounts) >= seenLimit {
		s.accounts = map[subjectKey]Account{}
	}
	s.accounts[key] = account
}

func (s *seen) forget() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.age++
	s.accounts = nil
}

// writeAccounts is a transaction that changes what is true of accounts that were seen before.
func (s *Store) writeAccounts(ctx context.Context, fn func(tx *sqldb.Tx) error) error {
	defer s.seen.forget()
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE counter SET seq = seq + 1 WHERE name = 'accounts'`)
		return err
	})
}

// Follow notices decisions and changes by other processes until ctx ends.
func (s *Store) Follow(ctx context.Context) {
	ticker := time.NewTicker(followInterval)
	defer ticker.Stop()
	for {
		asked := time.Now()
		var changes int64
		if err := s.db.QueryRowContext(ctx, `SELECT seq FROM counter WHERE name = 'accounts'`).Scan(&changes); err == nil {
			s.notice(changes, asked)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Store) notice(changes int64, asked time.Time) {
	if s.seen.moved(changes, asked.Add(followTrust)) {
		s.seen.forget()
	}
}

func (s *seen) moved(changes int64, trusted time.Time) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	before := s.changes
	s.changes = changes
	if changes == before {
		s.trusted = trusted
	}
	return changes != before
}
