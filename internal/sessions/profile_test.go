package sessions

import (
	"context"
	"slices"
	"sync"
	"testing"

	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sessions/engine"
)

// askedEngine remembers what it was asked to start.
type askedEngine struct {
	engine.Engine

	mutex *sync.Mutex
	specs map[string]engine.Spec
}

func (e askedEngine) Start(ctx context.Context, spec engine.Spec) error {
	e.mutex.Lock()
	e.specs[spec.ID] = spec
	e.mutex.Unlock()
	return e.Engine.Start(ctx, spec)
}

// sizes are those that the engine of the tests offers.
var sizes = []Profile{
	{Name: "small", Label: "Small", Limits: Limits{MemoryBytes: 2 << 30, CPUs: 1, DiskBytes: 10 << 30}},
	{Name: "large", Label: "Large", Limits: Limits{MemoryBytes: 16 << 30, CPUs: 4, DiskBytes: 10 << 30}, GPUs: 1, Image: "example/gpu:1", For: Audience{Domains: []string{"example.org"}}},
	{Name: "elsewhere", Label: "Elsewhere", For: Audience{Domains: []string{"example.edu"}}},
	{Name: "huge", Label: "Huge", Limits: Limits{MemoryBytes: 64 << 30}, For: Audience{Operators: true}},
}

func withSizes(t *testing.T) (w *world, asked askedEngine) {
	t.Helper()
	w = newWorld(t)
	asked = askedEngine{w.service.Engines[0].Engine, &sync.Mutex{}, map[string]engine.Spec{}}
	w.service.Engines[0].Engine, w.service.Engines[0].Profiles = asked, sizes
	return w, asked
}

func TestSizesAreChosenAtTheStart(t *testing.T) {
	t.Parallel()
	w, asked := withSizes(t)
	operator := w.ann
	operator.Operator = true
	for _, one := range []struct {
		caller     identity.Caller
		name, want string
		code       fault.Code
	}{
		{w.ann, "", "small", ""},
		{w.ann, "large", "large", ""},
		{w.ann, "elsewhere", "", fault.ProfileUnknown},
		{w.ann, "huge", "", fault.ProfileUnknown},
		{w.ann, "none", "", fault.ProfileUnknown},
		{operator, "huge", "huge", ""},
	} {
		w.service.Limit++
		for _, start := range []func() (Session, error){
			func() (Session, error) {
				return w.service.Start(w.as(one.caller), w.projects["notes"], "Session "+one.name+one.want, "", one.name, "")
			},
			func() (Session, error) {
				w.service.Limit++
				return w.service.StartFrom(w.as(one.caller), Wish{ResourceID: w.id("tools"), Profile: one.name})
			},
		} {
			session, err := start()
			if (err == nil) != (one.code == "") || err != nil && fault.CodeOf(err) != one.code {
				t.Errorf("%q: %v, want the code %q", one.name, err, one.code)
			}
			if err != nil {
				continue
			}
			if at := slices.IndexFunc(sizes, func(size Profile) bool { return size.Name == one.want }); session.Profile == nil || session.Profile.Name != one.want || session.Limits != sizes[at].Limits {
				t.Errorf("%q: the session has %+v, %+v", one.name, session.Profile, session.Limits)
			}
		}
	}
	large, err := w.service.StartFrom(w.as(w.ann), Wish{ResourceID: w.id("tools"), Profile: "large"})
	check(t, err)
	w.run(w.service)
	w.launched(large.ID)
	want := engine.Profile{Name: "large", Memory: 16 << 30, CPU: 4, Disk: 10 << 30, GPUs: 1, Image: "example/gpu:1"}
	asked.mutex.Lock()
	defer asked.mutex.Unlock()
	if got := asked.specs[large.ID].Profile; got != want {
		t.Errorf("the engine was asked for %+v", got)
	}
}

func TestEnginesWithoutSizes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.Engines[0].Limits = Limits{MemoryBytes: 1 << 30}
	_, err := w.service.Start(w.as(w.ann), w.projects["notes"], "Session", "", "large", "")
	if fault.CodeOf(err) != fault.ProfileUnknown {
		t.Errorf("a size that isn't offered: %v", err)
	}
	if session := w.start("Session"); session.Profile != nil || session.Limits.MemoryBytes != 1<<30 {
		t.Errorf("the session has %+v, %+v", session.Profile, session.Limits)
	}
	w.service.Engines[0].Profiles = sizes[2:]
	if _, err := w.service.Start(w.as(w.ann), w.projects["notes"], "Another", "", "", ""); fault.CodeOf(err) != fault.ProfileUnknown {
		t.Errorf("no size is for this account: %v", err)
	}
}

// A size that operators have removed, or don't offer to its user any more.
func TestSizesThatAreGone(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	waits, err := w.service.StartFrom(w.as(w.ann), Wish{ResourceID: w.id("tools"), Profile: "large"})
	check(t, err)
	w.service.Engines[0].Profiles = sizes[:1]
	w.run(w.service)
	failed := w.waitFor(waits.ID, Failed)
	if failed.StatusReason != fault.MessageOf(errProfileGone) {
		t.Errorf("it failed because %q", failed.StatusReason)
	}
	if _, err := w.service.Restart(w.as(w.ann), waits.ID); fault.CodeOf(err) != fault.ProfileUnknown {
		t.Errorf("it starts again: %v", err)
	}
	for _, offered := range []Audience{{Operators: true}, {Domains: []string{"example.edu"}}} {
		large := sizes[1]
		large.For = offered
		w.service.Engines[0].Profiles = []Profile{sizes[0], large}
		if _, err := w.service.Restart(w.as(w.ann), waits.ID); fault.CodeOf(err) != fault.ProfileUnknown {
			t.Errorf("it starts again for %+v: %v", offered, err)
		}
	}
	w.service.Engines[0].Profiles = sizes
	if session, err := w.service.Restart(w.as(w.ann), waits.ID); err != nil || session.Profile.Name != "large" {
		t.Errorf("it doesn't start again: %+v %v", session.Profile, err)
	}
}

func TestSizesSayHowManyWait(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	w.service.Capacity, w.service.Limit = 2, 10
	for range 2 {
		_, err := w.service.StartFrom(w.as(w.ann), Wish{ResourceID: w.id("tools")})
		check(t, err)
	}
	kill := w.run(w.service)
	eventually(t, "two are launched", func() bool {
		free := w.profiles(w.ann)[0].Free
		return free != nil && *free == 0
	})
	for range 3 {
		_, err := w.service.StartFrom(w.as(w.bob), Wish{ResourceID: w.id("tools"), Profile: "large"})
		check(t, err)
	}
	offered := w.profiles(w.ann)
	if len(offered) != 2 || offered[0].Waiting != 0 || offered[1].Waiting != 3 || *offered[1].Free != 0 || offered[1].GPUs != 1 {
		t.Errorf("ann is offered %+v", offered)
	}
	kill()
	w.service.Engines[0].Local = false
	if offered = w.profiles(w.ann); offered[0].Free != nil {
		t.Errorf("a hub says that it has %d places", *offered[0].Free)
	}
	if _, err := w.service.Profiles(t.Context(), "", ""); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("for a stranger: %v", err)
	}
}

func (w *world) profiles(caller identity.Caller) []ProfileState {
	w.t.Helper()
	found, err := w.service.Profiles(w.as(caller), "", "")
	check(w.t, err)
	if len(found) != 1 || found[0].Engine != "local" {
		w.t.Fatalf("the engines are %+v", found)
	}
	return found[0].Profiles
}

// A list that was read before the sizes changed isn't the same list.
func TestListsChangeWithSizes(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	w.start("Session")
	before := w.service.ListTag(w.as(w.ann), Filter{})
	w.service.Engines[0].Profiles = slices.Clone(sizes)
	w.service.Engines[0].Profiles[0].Label = "Little"
	if after := w.service.ListTag(w.as(w.ann), Filter{}); before == "" || after == before {
		t.Errorf("the tags are %q and %q", before, after)
	}
}
