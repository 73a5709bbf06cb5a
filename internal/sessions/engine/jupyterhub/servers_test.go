package jupyterhub_test

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
)

// clock stands still until it is moved.
type clock struct{ nanoseconds atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.nanoseconds.Store(time.Now().UnixNano())
	return c
}

func (c *clock) now() time.Time          { return time.Unix(0, c.nanoseconds.Load()) }
func (c *clock) advance(d time.Duration) { c.nanoseconds.Add(int64(d)) }

// counted counts how often all records are read.
type counted struct {
	engine.Records

	loads atomic.Int64
}

func (c *counted) Load(ctx context.Context, known map[string]int64) (map[string]int64, map[string][]byte, error) {
	c.loads.Add(1)
	return c.Records.Load(ctx, known)
}

func TestKilledServersAreFollowedWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	if within := jupyterhub.Lease + jupyterhub.TakeOverEvery; within > 5*time.Second {
		t.Errorf("a launch is taken over after %s", within)
	}
	now := newClock()
	s := newStandIn(t, 0, func(options *jupyterhub.Options) {
		options.Now, options.Lease, options.TakeOverEvery = now.now, jupyterhub.Lease, 5*time.Millisecond
	})
	released := make(chan struct{})
	s.hub.Machine = &hubtest.Machine{Folder: t.TempDir(), Clone: func(_ context.Context, _, to string) error {
		<-released
		return os.Mkdir(to, 0o700)
	}}
	looks := &counted{Records: s.options.Records}
	options := s.options
	options.Records = looks
	other := s.open(options)
	spec := s.start("ann@example.org")
	s.eventually("the hub is asked", func() bool { return s.hub.Active() == 1 })
	s.engine.Abandon()
	s.engine = other
	now.advance(jupyterhub.Lease - time.Millisecond)
	before := looks.loads.Load()
	s.eventually("the other server looked a few times", func() bool { return looks.loads.Load() > before+3 })
	if other.Holds(spec.ID) {
		t.Error("the other server took the launch over while its own server may have been alive")
	}
	now.advance(time.Millisecond)
	s.eventually("the other server goes on with it", func() bool { return other.Holds(spec.ID) })
	close(released)
	s.eventually("it runs", func() bool { return s.phases()[engine.Running] == 1 })
	if calls, _ := s.hub.Calls(); calls["POST users servers"] != 1 || s.hub.Tokens() != 1 {
		t.Errorf("the hub was asked for %d servers and has %d tokens", calls["POST users servers"], s.hub.Tokens())
	}
}
