package httpapi

import (
	"context"
	"sync"
)

// Turns gives each of many keys, such as accounts, one turn at a time. The zero value is ready. It is safe for concurrent use.
type Turns struct {
	// mu guards the field below.
	mu    sync.Mutex
	taken map[string]chan struct{} // closed at the end of the turn
}

// Take waits until nobody else has the key's turn, which ends with done; ok is false if the context ends before.
func (t *Turns) Take(ctx context.Context, key string) (done func(), ok bool) {
	mine := make(chan struct{})
	for {
		t.mu.Lock()
		other := t.taken[key]
		if other == nil {
			if t.taken == nil {
				t.taken = map[string]chan struct{}{}
			}
			t.taken[key] = mine
		}
		t.mu.Unlock()
		if other == nil {
			return func() { t.end(key) }, true
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, false
		}
	}
}

func (t *Turns) end(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.taken[key])
	delete(t.taken, key)
}
