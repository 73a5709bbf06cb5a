package sessions

import "sync"

// bell wakes everybody who waits for something to happen. The zero value is ready to use.
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

// next returns a channel that is closed at the next ring.
func (b *bell) next() <-chan struct{} {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.rung == nil {
		b.rung = make(chan struct{})
	}
	return b.rung
}
