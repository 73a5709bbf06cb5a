package identity

import (
	"context"
	"sync"
	"time"

	"cairn/internal/foundation/memory"
	"cairn/internal/foundation/sqldb"
)

// seen remembers accounts, which of their sign-ins ended, and their access tokens, so that a page that polls costs no query. Every
// decision of operators, every sign-out, every revocation and every change of an account raises the number of sqldb.Accounts; when it did, all are forgotten. While the feed brings no news,
// nothing is remembered: a right that ended would live on.
type seen struct {
	accounts *memory.Cache[subjectKey, Account]
	ended    *memory.Cache[subjectKey, ended]
	tokens   *memory.Cache[string, heldToken] // by digest

	mu      sync.Mutex
	number  int64     // of the newest change that was noticed
	trusted time.Time // until when no change can have been missed for too long; by the system's clock
}

type subjectKey struct{ issuer, subject string }

const (
	followTrust = 2 * time.Second // how long another process's decision may stay unseen
	seenKept    = 100_000
	seenTime    = time.Hour
)

func newSeen() *seen {
	return &seen{
		accounts: memory.New[subjectKey, Account](seenKept, time.Now), ended: memory.New[subjectKey, ended](seenKept, time.Now),
		tokens: memory.New[string, heldToken](seenKept, time.Now),
	}
}

// recall returns a value from one of the caches of s, and the generation that putting another one needs.
func recall[K comparable, V any](s *seen, cache *memory.Cache[K, V], key K) (value V, generation uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, generation, ok = cache.Get(key)
	return value, generation, ok && time.Now().Before(s.trusted)
}

func (s *seen) get(key subjectKey) (account Account, generation uint64, ok bool) {
	return recall(s, s.accounts, key)
}

func (s *seen) put(key subjectKey, account Account, generation uint64) {
	s.accounts.Put(key, account, time.Now().Add(seenTime), generation)
}

func (s *seen) forget() {
	s.accounts.Forget()
	s.ended.Forget()
	s.tokens.Forget()
}

// writeAccounts is a transaction that changes what is true of accounts that were seen before.
func (s *Store) writeAccounts(ctx context.Context, fn func(tx *sqldb.Tx) error) error {
	defer s.seen.forget()
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		_, err := tx.Count(ctx, sqldb.Accounts)
		return err
	})
}

// Follow has the feed say when another process changed accounts.
func (s *Store) Follow(feed *sqldb.Feed) { feed.Subscribe(sqldb.Accounts, s.seen.forgetChanged) }

// forgetChanged forgets all accounts when any changed since it was called last. What is read after that is as new as the news.
func (s *seen) forgetChanged(_ context.Context, news sqldb.News) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if news.Number != s.number {
		s.forget()
	}
	s.number, s.trusted = news.Number, news.Asked.Add(followTrust)
}
