package sessions

import (
	"context"
	"time"
)

// LaunchesKept is launchesKept.
const LaunchesKept = launchesKept

// DeclaredLimit is declaredLimit.
const DeclaredLimit = declaredLimit

// Without is without.
func (h Holds) Without(ids []string) Holds { return h.without(ids) }

// ErrNoSession is errNoSession.
var ErrNoSession = errNoSession

// TrustLists has the numbers of lists trusted from now on, as after a look at the database.
func (s *Store) TrustLists() {
	s.lists.mu.Lock()
	defer s.lists.mu.Unlock()
	s.lists.trusted = time.Now()
}

// Contents is addEntry on a new session.
func (r *Resolver) Contents(ctx context.Context, asked StartRequest) (made Session, err error) {
	_, err = r.addEntry(ctx, &made, asked)
	return made, err
}
