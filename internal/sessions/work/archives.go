package work

import (
	"context"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
)

// archivesAtOnce is how many downloads of work a server sends at once. When a room full of people fetches its work, the others wait.
const archivesAtOnce = 4

// archiveWait is how long a download waits for others: proxies give up on a silent server after some 60 seconds.
const archiveWait = 30 * time.Second

// archives counts the downloads of work that are under way.
type archives struct {
	places chan struct{} // one for each that is being sent
	wait   time.Duration

	mu    sync.Mutex
	asked map[string]bool // protected by mu; ids of sessions whose downloads wait or are being sent
}

func newArchives(wait time.Duration) *archives {
	return &archives{places: make(chan struct{}, archivesAtOnce), wait: wait, asked: map[string]bool{}}
}

// begin waits for a place for a download of a session's work, which it has until end is called. TooMany if the same work is being downloaded,
// Unavailable if others take too long.
func (a *archives) begin(ctx context.Context, id string) (end func(), err error) {
	if err := a.claim(id); err != nil {
		return nil, err
	}
	patience := time.NewTimer(a.wait)
	defer patience.Stop()
	select {
	case a.places <- struct{}{}:
		return func() {
			<-a.places
			a.release(id)
		}, nil
	case <-patience.C:
		err = again(fault.New(fault.Unavailable, "This server is already sending %d downloads of work, the maximum at once. Try again in a moment.", archivesAtOnce))
	case <-ctx.Done():
		err = ctx.Err()
	}
	a.release(id)
	return nil, err
}

// check returns TooMany if a session's work is being downloaded.
func (a *archives) check(id string) error {
	err := a.claim(id)
	if err == nil {
		a.release(id)
	}
	return err
}

func (a *archives) claim(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked[id] {
		busy := fault.New(fault.TooMany, "This session's work is already being downloaded. Wait until that's done, or cancel it and try again in a moment.")
		busy.Limit = "work_downloads"
		return again(busy)
	}
	a.asked[id] = true
	return nil
}

func (a *archives) release(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.asked, id)
}

func again(busy *fault.Fault) error {
	busy.RetryAfter = 10 * time.Second
	return busy
}
