package cache

import (
	"maps"
	"sync"
)

// Pins are the keys of the entries that a session uses, which stay in their caches for that time. The zero value is empty.
type Pins struct {
	// mu guards the fields below.
	mu   sync.Mutex
	keys map[string]bool
}

// Pin adds a key.
func (p *Pins) Pin(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keys == nil {
		p.keys = map[string]bool{}
	}
	p.keys[key] = true
}

// Unpin removes a key.
func (p *Pins) Unpin(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.keys, key)
}

// IsPinned reports whether a key was added.
func (p *Pins) IsPinned(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keys[key]
}

// Pinned returns a copy of all keys; nil if there are none.
func (p *Pins) Pinned() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.keys)
}

// SetPinned replaces all keys.
func (p *Pins) SetPinned(keys map[string]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = maps.Clone(keys)
}
