package sessions

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

// streamsPerCookie is the maximum number of open event streams per cookie.
const streamsPerCookie = 10

// openStream counts a stream of a session's cookie until the returned function is called; TooMany over the limit.
func (g *gateway) openStream(secret, id string) (closed func(), err error) {
	key := id + secret
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.streams[key] >= streamsPerCookie {
		tooMany := fault.New(fault.TooMany, "This session's launch page is open in too many tabs. Close some of them.")
		tooMany.RetryAfter, tooMany.Limit = 5*time.Second, "launch_pages"
		return nil, tooMany
	}
	g.streams[key]++
	return func() {
		g.mutex.Lock()
		defer g.mutex.Unlock()
		if g.streams[key]--; g.streams[key] == 0 {
			delete(g.streams, key)
		}
	}, nil
}

// The pages of a server that ends come back at random moments between these times after it told them, so that they don't
// reach the next server all at once.
const (
	soonestReturn = time.Second
	latestReturn  = 6 * time.Second
)

// EndStreams ends all event streams, also those that open later, and tells each page when to come back.
func (s *Service) EndStreams() { s.leave() }

// comeBack tells the reader of an event stream how many milliseconds to wait before it connects again.
func comeBack() string {
	wait := soonestReturn + rand.N(latestReturn-soonestReturn) //nolint:gosec // nobody gains by guessing it
	return fmt.Sprintf("retry: %d\n\n", wait.Milliseconds())
}

// looked is the result of a look at a session.
type looked struct {
	session Session
	report  engine.Status
	err     error
}

// sharedLook looks at a session for all of its event streams: at each change, and every second for changes elsewhere.
type sharedLook struct {
	renewed broadcast // there is a new look
	latest  *looked   // nil before the first one
	streams int
	end     context.CancelFunc
}

// shareLook returns the look that all streams of a session share, and a function to call when the stream ends.
func (g *gateway) shareLook(ctx context.Context, id string) (shared *sharedLook, leave func()) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if shared = g.looks[id]; shared == nil {
		shared = &sharedLook{}
		ctx, shared.end = context.WithCancel(context.WithoutCancel(ctx)) // others may outlive the first stream
		g.looks[id] = shared
		go g.keepLooking(ctx, shared, id)
	}
	shared.streams++
	return shared, func() {
		g.mutex.Lock()
		defer g.mutex.Unlock()
		if shared.streams--; shared.streams == 0 {
			shared.end()
			g.forgetLook(shared, id)
		}
	}
}

func (g *gateway) forgetLook(shared *sharedLook, id string) {
	if g.looks[id] == shared {
		delete(g.looks, id)
	}
}

// keepLooking looks until ctx ends or a look fails.
func (g *gateway) keepLooking(ctx context.Context, shared *sharedLook, id string) {
	for {
		change := g.changed.next()
		var now looked
		now.session, now.report, now.err = g.look(ctx, id)
		g.mutex.Lock()
		shared.latest = &now
		if now.err != nil {
			g.forgetLook(shared, id) // the next connection starts a new one
		}
		g.mutex.Unlock()
		shared.renewed.notify()
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

// latestLook returns the latest look, and a channel that is closed at the next one. It waits for the first, and returns
// nil if ctx ends before.
func (g *gateway) latestLook(ctx context.Context, shared *sharedLook) (latest *looked, renewed <-chan struct{}) {
	for {
		renewed = shared.renewed.next()
		g.mutex.Lock()
		latest = shared.latest
		g.mutex.Unlock()
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
