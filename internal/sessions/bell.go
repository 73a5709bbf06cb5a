package sessions

import "sync"

// bell tells everybody who waits that something happened. The zero value is ready.
type bell struct {
	mutex sync.Mutex
	rung  chan struct{}
}

// ring wakes all who hold a channel of next.
func (b *bell) ring() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.rung != nil {
		close(b.rung)
		b.rung = nil
	}
}

// next gives a channel that is closed at the next ring.
func (b *bell) next() <-chan struct{} {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.rung == nil {
		b.rung = make(chan struct{})
	}
	return b.rung
}
