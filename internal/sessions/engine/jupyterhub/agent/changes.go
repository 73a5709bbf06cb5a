package agent

import (
	"context"
	"crypto/rand"
	"reflect"
	"sync"
	"time"

	"cairn/internal/sessions/engine/jupyterhub/agentapi"
)

// changes numbers what changed in what servers know of sessions, and lets them wait for more.
type changes struct {
	epoch string

	// mu guards the fields below.
	mu     sync.Mutex
	last   int64
	states map[string]agentapi.State
	gone   map[string]int64 // by id of a removed session: the number of its removal
	news   chan struct{}    // closed at the next change
}

func newChanges() *changes {
	return &changes{epoch: rand.Text(), states: map[string]agentapi.State{}, gone: map[string]int64{}, news: make(chan struct{})}
}

// note takes the state of a session.
func (c *changes) note(id string, state agentapi.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, there := c.states[id]
	state.Number = known.Number
	if there && reflect.DeepEqual(known, state) {
		return
	}
	state.Number = c.next()
	c.states[id] = state
	delete(c.gone, id)
}

// told returns the state of a session; false if it has none.
func (c *changes) told(id string) (agentapi.Told, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	state, there := c.states[id]
	return agentapi.Told{Session: id, Epoch: c.epoch, State: state}, there
}

// remove takes that a session is gone.
func (c *changes) remove(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.states[id]; there {
		delete(c.states, id)
		c.gone[id] = c.next()
	}
}

// next numbers a change. c.mu must be held.
func (c *changes) next() int64 {
	c.last++
	close(c.news)
	c.news = make(chan struct{})
	return c.last
}

// after returns what changed after a number, and waits for it until the context ends or as long as agentapi.PollTime. Everything is
// returned to who knows another epoch.
func (c *changes) after(ctx context.Context, epoch string, number int64) agentapi.States {
	late := time.NewTimer(agentapi.PollTime)
	defer late.Stop()
	if epoch != c.epoch {
		number = -1
	}
	for {
		c.mu.Lock()
		found := agentapi.States{Epoch: c.epoch, Last: c.last, Sessions: map[string]agentapi.State{}}
		for id, one := range c.states {
			if one.Number > number {
				found.Sessions[id] = one
			}
		}
		for id, removed := range c.gone {
			if removed > number {
				found.Gone = append(found.Gone, id)
			}
		}
		news, current := c.news, c.last <= number
		c.mu.Unlock()
		if !current {
			return found
		}
		select {
		case <-news:
		case <-late.C:
			return found
		case <-ctx.Done():
			return found
		}
	}
}
