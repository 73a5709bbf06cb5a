package sessions_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

// askedEngine remembers what it was asked to start.
type askedEngine struct {
	engine.Versioner

	mu    *sync.Mutex
	specs map[string]engine.Spec
}

func (e askedEngine) Start(ctx context.Context, spec engine.Spec) error {
	e.mu.Lock()
	e.specs[spec.ID] = spec
	e.mu.Unlock()
	return e.Versioner.Start(ctx, spec)
}

// offered are the sizes that the engine of the tests offers.
var offered = []sizes.Profile{
	{Name: "small", Label: "Small", Limits: sizes.Limits{MemoryBytes: 2 << 30, CPUs: 1, DiskBytes: 10 << 30}},
	{Name: "large", Label: "Large", Limits: sizes.Limits{MemoryBytes: 16 << 30, CPUs: 4, DiskBytes: 10 << 30}, GPUs: 1, Image: "example/gpu:1", For: sizes.Audience{Domains: []string{"example.org"}}},
	{Name: "elsewhere", Label: "Elsewhere", For: sizes.Audience{Domains: []string{"example.edu"}}},
	{Name: "huge", Label: "Huge", Limits: sizes.Limits{MemoryBytes: 64 << 30}, For: sizes.Audience{Operators: true}},
}

func withSizes(t *testing.T) (w *world, asked askedEngine) {
	t.Helper()
	w = newWorld(t)
	asked = askedEngine{w.Options.Engines.All[0].Engine.(engine.Versioner), &sync.Mutex{}, map[string]engine.Spec{}}
	w.Options.Engines.All[0].Engine = asked
	w.offer(offered...)
	return w, asked
}

func TestSizesAreChosenAtTheStart(t *testing.T) {
	t.Parallel()
	w, asked := withSizes(t)
	operator := w.Ann
	operator.Operator = true
	for _, one := range []struct {
		caller     identity.Caller
		name, want string
		code       fault.Code
	}{
		{w.Ann, "", "small", ""},
		{w.Ann, "large", "large", ""},
		{w.Ann, "elsewhere", "", fault.ProfileUnknown},
		{w.Ann, "huge", "", fault.ProfileUnknown},
		{w.Ann, "none", "", fault.ProfileUnknown},
		{operator, "huge", "huge", ""},
	} {
		w.Server.Limit++
		for _, start := range []func() (sessions.Session, error){
			func() (sessions.Session, error) {
				return w.Server.Start(w.As(one.caller), w.Projects["notes"], "Session "+one.name+one.want, "", one.name, "")
			},
			func() (sessions.Session, error) {
				w.Server.Limit++
				return w.Server.StartFrom(w.As(one.caller), sessions.StartRequest{ResourceID: w.ID("tools"), Profile: one.name})
			},
		} {
			session, err := start()
			if (err == nil) != (one.code == "") || err != nil && fault.CodeOf(err) != one.code {
				t.Errorf("%q: %v, want the code %q", one.name, err, one.code)
			}
			if err != nil {
				continue
			}
			if at := slices.IndexFunc(offered, func(size sizes.Profile) bool { return size.Name == one.want }); session.Profile == nil || session.Profile.Name != one.want || session.Limits != offered[at].Limits {
				t.Errorf("%q: the session has %+v, %+v", one.name, session.Profile, session.Limits)
			}
		}
	}
	large, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: w.ID("tools"), Profile: "large"})
	sessionstest.Check(t, err)
	w.Run(w.Server)
	w.Launched(large.ID)
	want := engine.Profile{Name: "large", Memory: 16 << 30, CPU: 4, Disk: 10 << 30, GPUs: 1, Image: "example/gpu:1"}
	asked.mu.Lock()
	defer asked.mu.Unlock()
	if got := asked.specs[large.ID].Profile; got != want {
		t.Errorf("the engine was asked for %+v", got)
	}
}

func TestEnginesWithoutSizes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Engines.All[0].Limits = sizes.Limits{MemoryBytes: 1 << 30}
	_, err := w.Server.Start(w.As(w.Ann), w.Projects["notes"], "Session", "", "large", "")
	if fault.CodeOf(err) != fault.ProfileUnknown {
		t.Errorf("a size that isn't offered: %v", err)
	}
	if session := w.Start("Session"); session.Profile != nil || session.Limits.MemoryBytes != 1<<30 {
		t.Errorf("the session has %+v, %+v", session.Profile, session.Limits)
	}
	w.Server.Engines.All[0].Profiles = offered[2:]
	if _, err := w.Server.Start(w.As(w.Ann), w.Projects["notes"], "Another", "", "", ""); fault.CodeOf(err) != fault.ProfileUnknown {
		t.Errorf("no size is for this account: %v", err)
	}
}

// A size that operators have removed, or don't offer to its user any more.
func TestSizesThatAreGone(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	waits, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: w.ID("tools"), Profile: "large"})
	sessionstest.Check(t, err)
	w.offer(offered[:1]...)
	w.Run(w.Server)
	failed := w.WaitFor(waits.ID, sessions.Failed)
	if failed.StatusReason != fault.MessageOf(sizes.ErrGone) {
		t.Errorf("it failed because %q", failed.StatusReason)
	}
	if _, err := w.Server.Restart(w.As(w.Ann), waits.ID); fault.CodeOf(err) != fault.ProfileUnknown {
		t.Errorf("it starts again: %v", err)
	}
	for _, audience := range []sizes.Audience{{Operators: true}, {Domains: []string{"example.edu"}}} {
		large := offered[1]
		large.For = audience
		w.offer(offered[0], large)
		if _, err := w.Server.Restart(w.As(w.Ann), waits.ID); fault.CodeOf(err) != fault.ProfileUnknown {
			t.Errorf("it starts again for %+v: %v", audience, err)
		}
	}
	w.offer(offered...)
	if session, err := w.Server.Restart(w.As(w.Ann), waits.ID); err != nil || session.Profile.Name != "large" {
		t.Errorf("it doesn't start again: %+v %v", session.Profile, err)
	}
}

func TestSizesSayHowManyWait(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	w.Options.Engines.Capacity, w.Options.Limit = 2, 10
	w.Server = w.Open(w.Options)
	for range 2 {
		_, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: w.ID("tools")})
		sessionstest.Check(t, err)
	}
	kill := w.Run(w.Server)
	sessionstest.Eventually(t, "two are launched", func() bool {
		free := w.profiles(w.Ann)[0].Free
		return free != nil && *free == 0
	})
	for range 3 {
		_, err := w.Server.StartFrom(w.As(w.Bob), sessions.StartRequest{ResourceID: w.ID("tools"), Profile: "large"})
		sessionstest.Check(t, err)
	}
	offered := w.profiles(w.Ann)
	if len(offered) != 2 || offered[0].Waiting != 0 || offered[1].Waiting != 3 || *offered[1].Free != 0 || offered[1].GPUs != 1 {
		t.Errorf("ann is offered %+v", offered)
	}
	kill()
	w.Server.Engines.All[0].Local = false
	if offered = w.profiles(w.Ann); offered[0].Free != nil {
		t.Errorf("a hub says that it has %d places", *offered[0].Free)
	}
	if _, err := w.Server.Profiles(t.Context(), "", ""); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("for a stranger: %v", err)
	}
}

func (w *world) profiles(caller identity.Caller) []sessions.ProfileState {
	w.T.Helper()
	found, err := w.Server.Profiles(w.As(caller), "", "")
	sessionstest.Check(w.T, err)
	if len(found) != 1 || found[0].Engine != "local" {
		w.T.Fatalf("the engines are %+v", found)
	}
	return found[0].Profiles
}

// A list that was read before the sizes changed isn't the same list.
func TestListsChangeWithSizes(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	w.Start("Session")
	before := w.Server.ListTag(w.As(w.Ann), sessions.Filter{})
	renamed := slices.Clone(offered)
	renamed[0].Label = "Little"
	w.offer(renamed...)
	if after := w.Server.ListTag(w.As(w.Ann), sessions.Filter{}); before == "" || after == before {
		t.Errorf("the tags are %q and %q", before, after)
	}
}

// offer has the first engine offer these sizes.
func (w *world) offer(profiles ...sizes.Profile) {
	limit := w.Server.Limit
	w.Options.Engines.All = slices.Clone(w.Options.Engines.All)
	w.Options.Engines.All[0].Profiles = profiles
	w.Server = w.Open(w.Options)
	w.Server.Limit = limit
}
