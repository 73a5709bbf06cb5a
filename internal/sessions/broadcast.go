package sessions

import "sync"

// broadcast wakes everybody who waits for an event. The zero value is ready to use.
type broadcast struct {
	mutex   sync.Mutex
	waiting chan struct{}
}

// notify closes all channels that next has returned.
func (b *broadcast) notify() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.waiting != nil {
		close(b.waiting)
		b.waiting = nil
	}
}

// next returns a channel that is closed at the next notify.
func (b *broadcast) next() <-chan struct{} {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.waiting == nil {
		b.waiting = make(chan struct{})
	}
	return b.waiting
}
