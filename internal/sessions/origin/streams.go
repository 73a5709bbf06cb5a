package origin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

// streamsPerCookie is the maximum number of open event streams per cookie.
const streamsPerCookie = 10

// Streams are the streams of events that are open, and the looks at sessions that they share.
type Streams struct {
	sessions Sessions
	changes  *sessions.Changes
	leaving  context.Context // ends when all streams have to
	leave    context.CancelFunc

	mu      sync.Mutex
	counts  map[string]int          // protected by mu; by session and cookie
	watches map[string]*sharedWatch // protected by mu; by session
}

func newStreams(service Sessions, changes *sessions.Changes) *Streams {
	s := &Streams{sessions: service, changes: changes, counts: map[string]int{}, watches: map[string]*sharedWatch{}}
	s.leaving, s.leave = context.WithCancel(context.Background())
	return s
}

// open counts a stream of a session's cookie until the returned function is called; TooMany over the limit.
func (s *Streams) open(secret, id string) (closed func(), err error) {
	key := id + secret
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts[key] >= streamsPerCookie {
		tooMany := fault.New(fault.TooMany, "This session's launch page is open in too many tabs. Close some of them.")
		tooMany.RetryAfter, tooMany.Limit = 5*time.Second, "launch_pages"
		return nil, tooMany
	}
	s.counts[key]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.counts[key]--; s.counts[key] == 0 {
			delete(s.counts, key)
		}
	}, nil
}

// count returns how many streams are open.
func (s *Streams) count() (open int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, count := range s.counts {
		open += count
	}
	return open
}

// The pages of a server that ends come back at random moments between these times after it told them, so that they don't
// reach the next server all at once.
const (
	soonestReturn = time.Second
	latestReturn  = 6 * time.Second
)

// End ends all event streams, also those that open later, and tells each page when to come back.
func (s *Streams) End() { s.leave() }

// comeBack tells the reader of an event stream how many milliseconds to wait before it connects again.
func comeBack() string {
	wait := soonestReturn + rand.N(latestReturn-soonestReturn) //nolint:gosec // nobody gains by guessing it
	return fmt.Sprintf("retry: %d\n\n", wait.Milliseconds())
}

// snapshot is a session as it was seen at one moment.
type snapshot struct {
	session sessions.Session
	report  engine.Status
	err     error
}

// sharedWatch looks at a session for all of its event streams: at each change, and every second for changes elsewhere.
type sharedWatch struct {
	renewed sessions.Broadcast // there is a new snapshot
	end     context.CancelFunc

	latest  *snapshot // protected by Streams.mu; nil before the first one
	streams int       // protected by Streams.mu
}

// share returns the watch that all streams of a session share, and a function to call when the stream ends.
func (s *Streams) share(ctx context.Context, id string) (shared *sharedWatch, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shared = s.watches[id]; shared == nil {
		shared = &sharedWatch{}
		ctx, shared.end = context.WithCancel(context.WithoutCancel(ctx)) // others may outlive the first stream
		s.watches[id] = shared
		go s.keepLooking(ctx, shared, id)
	}
	shared.streams++
	return shared, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if shared.streams--; shared.streams == 0 {
			shared.end()
			s.forget(shared, id)
		}
	}
}

// forget has the next stream of a session start another watch. s.mu must be held.
func (s *Streams) forget(shared *sharedWatch, id string) {
	if s.watches[id] == shared {
		delete(s.watches, id)
	}
}

// keepLooking looks until ctx ends or a look fails.
func (s *Streams) keepLooking(ctx context.Context, shared *sharedWatch, id string) {
	for {
		change := s.changes.Next()
		var now snapshot
		now.session, now.report, now.err = s.sessions.Look(ctx, id)
		s.mu.Lock()
		shared.latest = &now
		if now.err != nil {
			s.forget(shared, id)
		}
		s.mu.Unlock()
		shared.renewed.Notify()
		if now.err != nil {
			return
		}
		select {
		case <-change:
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
	}
}

// latest returns the latest snapshot, and a channel that is closed at the next one. It waits for the first, and returns
// nil if ctx ends before.
func (s *Streams) latest(ctx context.Context, shared *sharedWatch) (latest *snapshot, renewed <-chan struct{}) {
	for {
		renewed = shared.renewed.Next()
		s.mu.Lock()
		latest = shared.latest
		s.mu.Unlock()
		if latest != nil {
			return latest, renewed
		}
		select {
		case <-renewed:
		case <-ctx.Done():
			return nil, nil
		}
	}
}
