package sessions

import (
	"context"
	"sync"
	"time"
)

// Changes wakes everybody who waits for a change of a session, whichever session it is. The zero value is ready to use.
type Changes struct {
	shown Broadcast

	mu    sync.Mutex
	hooks []func() // protected by mu
}

// OnAnnounce has a function called at each announcement, before anybody is woken. The function must not block.
func (c *Changes) OnAnnounce(hook func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hooks = append(c.hooks, hook)
}

// Announce says that a session was changed in the database, so that reconcilers look too.
func (c *Changes) Announce() {
	c.mu.Lock()
	hooks := c.hooks // which only grows
	c.mu.Unlock()
	for _, hook := range hooks {
		hook()
	}
	c.shown.Notify()
}

// Notify says that what people see of a session changed, of which reconcilers know already.
func (c *Changes) Notify() { c.shown.Notify() }

// Next returns a channel that is closed at the next change.
func (c *Changes) Next() <-chan struct{} { return c.shown.Next() }

// Await calls done at every change, and every second for changes by other processes, until it returns true, fails, or
// the time is up.
func (c *Changes) Await(ctx context.Context, most time.Duration, done func() (bool, error)) error {
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	for {
		change := c.Next()
		if settled, err := done(); settled || err != nil {
			return err
		}
		select {
		case <-change:
		case <-time.After(time.Second):
		case <-deadline.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Broadcast wakes everybody who waits for an event. The zero value is ready to use.
type Broadcast struct {
	mu      sync.Mutex
	waiting chan struct{} // protected by mu; nil while nobody waits
}

// Notify closes all channels that Next has returned.
func (b *Broadcast) Notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting != nil {
		close(b.waiting)
		b.waiting = nil
	}
}

// Next returns a channel that is closed at the next Notify.
func (b *Broadcast) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(chan struct{})
	}
	return b.waiting
}
