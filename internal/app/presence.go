package app

import (
	"errors"
	"sync"
	"time"

	"cairn/internal/entries/catalog"
)

const (
	presenceTime  = 30 * time.Second // how long an answer is kept
	presencePause = 2 * time.Second  // how long a list of entries waits for the file system
	presenceLimit = 100_000          // answers kept
)

// datasetPresence knows which datasets have their data on this server. Lists of entries ask it for every dataset, so answers
// are kept for a while, and a file system that hangs, as network mounts do, delays at most one of them.
type datasetPresence struct {
	find  func(address string) (string, error) // errNotHere when the data isn't on this server
	pause time.Duration
	now   func() time.Time

	mu    sync.Mutex
	known map[string]presenceAnswer
	until time.Time // nothing is asked before this time, because an earlier question has no answer yet
}

type presenceAnswer struct {
	missing bool
	until   time.Time
}

func newDatasetPresence(content sources, now func() time.Time) *datasetPresence {
	return &datasetPresence{find: content.DatasetPath, pause: presencePause, now: now, known: map[string]presenceAnswer{}}
}

// Link marks datasets whose data isn't on this server.
func (p *datasetPresence) Link() catalog.Link {
	return catalog.Link{Add: func(entry *catalog.Resource, _ catalog.Reader) {
		entry.DataMissing = entry.Type == catalog.Dataset && catalog.DataAddress(entry.DatasetURL) == "" && p.missing(entry.DatasetURL)
	}}
}

// missing returns false while the file system doesn't answer.
func (p *datasetPresence) missing(address string) bool {
	p.mu.Lock()
	answer, now := p.known[address], p.now()
	asked := now.Before(answer.until) || now.Before(p.until)
	p.mu.Unlock()
	if asked {
		return answer.missing
	}
	found := make(chan bool, 1)
	go func() {
		_, err := p.find(address)
		found <- p.keep(address, errors.Is(err, errNotHere))
	}()
	select {
	case missing := <-found:
		return missing
	case <-time.After(p.pause):
		p.mu.Lock()
		defer p.mu.Unlock()
		p.until = now.Add(presenceTime)
		return answer.missing
	}
}

func (p *datasetPresence) keep(address string, missing bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= presenceLimit {
		clear(p.known)
	}
	p.known[address] = presenceAnswer{missing, p.now().Add(presenceTime)}
	return missing
}
