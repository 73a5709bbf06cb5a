package identity

import (
	"context"
	"sync"
	"time"

	"cairn/internal/memory"
	"cairn/internal/sqldb"
)

// seen remembers accounts, so that a page that polls costs no query. Every decision of operators and every change of an
// account raises a counter in the database; Follow reads it, and forgets all accounts when it moved. While nobody
// follows, nothing is remembered: a right that ended would live on.
type seen struct {
	accounts *memory.Cache[subjectKey, Account]

	mutex   sync.Mutex
	changes int64     // the counter as Follow read it last
	trusted time.Time // until when no change can have been missed for too long; by the system's clock
}

type subjectKey struct{ issuer, subject string }

const (
	followInterval = 500 * time.Millisecond
	followTrust    = 2 * time.Second // how long another process's decision may stay unseen
	seenKept       = 100_000
	seenTime       = time.Hour
)

func newSeen() *seen { return &seen{accounts: memory.New[subjectKey, Account](seenKept, time.Now)} }

// get returns an account, and the generation that put needs.
func (s *seen) get(key subjectKey) (account Account, generation uint64, ok bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	account, generation, ok = s.accounts.Get(key)
	return account, generation, ok && time.Now().Before(s.trusted)
}

func (s *seen) put(key subjectKey, account Account, generation uint64) {
	s.accounts.Put(key, account, time.Now().Add(seenTime), generation)
}

// writeAccounts is a transaction that changes what is true of accounts that were seen before.
func (s *Store) writeAccounts(ctx context.Context, fn func(tx *sqldb.Tx) error) error {
	defer s.seen.accounts.Forget()
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
			s.seen.notice(changes, asked)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// notice forgets all accounts when any changed since it was called last. What is read after that is as new as the
// counter was when it was asked for.
func (s *seen) notice(changes int64, asked time.Time) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if changes != s.changes {
		s.accounts.Forget()
	}
	s.changes, s.trusted = changes, asked.Add(followTrust)
}
