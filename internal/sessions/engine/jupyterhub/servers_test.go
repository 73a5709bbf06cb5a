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

// newHeldUp is an engine whose launches wait on the hub until released is closed.
func newHeldUp(t *testing.T, c *clock, lease time.Duration) (s *standIn, released chan struct{}) {
	t.Helper()
	released = make(chan struct{})
	return newStandIn(t, 0, func(s *standIn) {
		s.options.Now, s.options.Lease, s.options.TakeOverEvery = c.now, lease, 5*time.Millisecond
		s.hub.Machine = &hubtest.Machine{Folder: t.TempDir(), Clone: func(_ context.Context, _, to string) error {
			<-released
			return os.Mkdir(to, 0o700)
		}}
	}), released
}

func TestKilledServersAreFollowedWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	if within := jupyterhub.Lease + jupyterhub.TakeOverEvery; within > 5*time.Second {
		t.Errorf("a launch is taken over after %s", within)
	}
	now := newClock()
	s, released := newHeldUp(t, now, jupyterhub.Lease)
	looks := &counted{Records: s.options.Records}
	options := s.options
	options.Records = looks
	spec := s.start("ann@example.org")
	s.eventually("the hub is asked", func() bool { return s.hub.Active() == 1 }) // so this server holds the launch
	other := s.open(options)
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

// racing lets something happen while all records are read: after they were read, and before that is known.
type racing struct {
	engine.Records

	meanwhile atomic.Pointer[func(known map[string]int64)] // once
}

func (r *racing) Load(ctx context.Context, known map[string]int64) (map[string]int64, map[string][]byte, error) {
	versions, contents, err := r.Records.Load(ctx, known)
	if happens := r.meanwhile.Swap(nil); happens != nil {
		(*happens)(known)
	}
	return versions, contents, err
}

// Several goroutines read the records. One of them may drop a session whose record is gone before another, which found the same,
// comes to it.
func TestASessionIsForgottenTwice(t *testing.T) {
	t.Parallel()
	records := &racing{Records: engine.NewMemory()}
	s := newStandIn(t, 0, func(s *standIn) { s.options.Records, s.options.TakeOverEvery = records, time.Hour })
	s.start("ann@example.org")
	s.eventually("it runs", func() bool { return s.phases()[engine.Running] == 1 })
	spec := s.start("ann@example.org")
	s.eventually("the other one runs too", func() bool { return s.phases()[engine.Running] == 2 })
	inner := records.Records
	version, _, err := inner.Read(t.Context(), spec.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inner.Save(t.Context(), spec.ID, version, nil); err != nil { // by another server
		t.Fatal(err)
	}
	happens := func(known map[string]int64) {
		if known[spec.ID] == 0 {
			t.Error("the session is dropped already")
		}
		if err := s.engine.LookAtRecords(t.Context()); err != nil {
			t.Error(err)
		}
	}
	records.meanwhile.Store(&happens)
	if err := s.engine.LookAtRecords(t.Context()); err != nil {
		t.Fatal(err)
	}
	if records.meanwhile.Load() != nil || s.phases()[engine.Running] != 1 {
		t.Errorf("after both looks: %v", s.phases())
	}
}

// Servers may disagree about the time, and the clock of one may be set. A launch is then taken over too early, or from a server
// that was killed and had written a time far ahead, and still there is one server of the hub for it.
func TestClockStepsLeaveNoLaunchBehindAndDoubleNone(t *testing.T) {
	t.Parallel()
	for what, step := range map[string]struct {
		first, second time.Duration // of the clocks of both servers, while the launch is under way
		kill          bool
	}{
		"the other server's clock steps forward":              {second: time.Hour},
		"the other server's clock steps back":                 {second: -time.Hour},
		"the server's own clock steps back":                   {first: -time.Hour},
		"the other server's clock steps back, after a kill":   {second: -time.Hour, kill: true},
		"the server's own clock stepped forward, then a kill": {first: time.Hour, kill: true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			own, others := newClock(), newClock()
			s, released := newHeldUp(t, own, 30*time.Millisecond)
			looks := &counted{Records: s.options.Records}
			options := s.options
			options.Now, options.Records = others.now, looks
			other := s.open(options)
			spec := s.start("ann@example.org")
			s.eventually("the hub is asked", func() bool { return s.hub.Active() == 1 })
			looked := func() {
				before := looks.loads.Load()
				s.eventually("the other server looked a few times", func() bool { return looks.loads.Load() > before+3 })
			}
			version := func() int64 {
				now, _, err := s.options.Records.Read(t.Context(), spec.ID, 0)
				if err != nil {
					t.Error(err)
				}
				return now
			}
			own.advance(step.first)
			others.advance(step.second)
			stepped := version()
			s.eventually("the launch is held anew", func() bool { return version() > stepped })
			looked() // what it saw before has an age that only the test's clock gets wrong: real ones are monotonic
			if step.kill {
				s.engine.Abandon()
				s.engine = other
				s.eventually("the other server goes on with it", func() bool {
					others.advance(time.Millisecond)
					return other.Holds(spec.ID)
				})
			}
			looked()
			close(released)
			s.eventually("it runs", func() bool { return s.phases()[engine.Running] == 1 })
			if calls, _ := s.hub.Calls(); calls["POST users servers"] != 1 || s.hub.Sessions()[spec.ID] != 1 || s.hub.Tokens() != 1 {
				t.Errorf("the hub was asked for %d servers, runs %d and has %d tokens", calls["POST users servers"], s.hub.Sessions()[spec.ID], s.hub.Tokens())
			}
		})
	}
}
