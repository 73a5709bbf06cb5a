package sessions

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/identity"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/warm"
)

// keepsWarm opens a service that keeps sessions warm, on a machine where every launch succeeds at once.
func (w *world) keepsWarm(wants ...warm.Want) *Service {
	w.machine = fake.NewStore(func(engine.Spec) fake.Outcome { return fake.Outcome{Ready: true, Shows: engine.Lab} }, nil, w.clock.Now)
	w.options.Warm = wants
	w.service = w.newService()
	return w.service
}

// warmOnes returns the warm sessions in a phase.
func (w *world) warmOnes(phase warm.Phase) (found []warm.Session) {
	w.t.Helper()
	all, err := w.service.warm.store.All(w.t.Context())
	check(w.t, err)
	return slices.DeleteFunc(all, func(one warm.Session) bool { return one.Phase != phase })
}

// warmUp waits until so many warm sessions are ready, and no others are there.
func (w *world) warmUp(count int) (ready []warm.Session) {
	w.t.Helper()
	eventually(w.t, fmt.Sprint("warm sessions: ", count), func() bool {
		ready = w.warmOnes(warm.Ready)
		all, err := w.service.warm.store.All(w.t.Context())
		check(w.t, err)
		return len(ready) == count && len(all) == count
	})
	return ready
}

func (w *world) startFrom(wish Wish) Session {
	w.t.Helper()
	session, err := w.service.StartFrom(w.as(w.ann), wish)
	check(w.t, err)
	return session
}

func TestWarmSessionIsClaimedByTheNextStart(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.options.Limit = 10
		w.run(w.keepsWarm(warm.Want{Entry: w.id("tools"), Count: 1}, warm.Want{Entry: w.projects["shared"], Count: 1}))
		ready := w.warmUp(2)
		tools, shared := ready[0].ID, ready[1].ID
		if ready[0].Entry != w.id("tools") {
			tools, shared = shared, tools
		}
		if mine, err := w.service.List(w.as(w.ann), Filter{}); len(mine) != 0 || err != nil {
			t.Errorf("she sees %+v, %v before she has started anything", mine, err)
		}
		if _, err := w.service.Own(w.as(w.ann), tools); err == nil {
			t.Error("a warm session belongs to somebody")
		}
		page, err := w.service.All(w.as(w.operator()), AllQuery{Live: true, Size: 10})
		if err != nil || page.TotalElements != 0 || len(page.Warm) != 2 || page.Warm[0].Phase != warm.Ready {
			t.Errorf("operators see %+v, %v", page, err)
		}
		for _, wish := range []Wish{
			{ResourceID: w.id("tools"), Ref: "main"}, {ResourceID: w.id("tools"), File: "a.ipynb"}, {ResourceID: w.id("spikes")}, {ProjectID: w.projects["bare"]},
		} {
			if session := w.startFrom(wish); session.ID == tools || session.ID == shared {
				t.Errorf("%+v claimed a warm session of something else", wish)
			}
		}

		w.clock.advance(10 * time.Minute)
		claimed := w.startFrom(Wish{ResourceID: w.id("tools"), Name: "Mine", Key: "once"})
		if claimed.ID != tools || claimed.Status != Running || claimed.SessionName != "Mine" || claimed.UserID != "ann@example.org" || claimed.Opens != "tools/README.md" || claimed.shows != engine.Lab {
			t.Errorf("the claimed session is %+v", claimed)
		}
		if !claimed.CreatedAt.Equal(w.clock.Now()) || !claimed.lastActivityAt.Equal(w.clock.Now()) {
			t.Errorf("it began %s and something last happened %s, now is %s", claimed.CreatedAt, claimed.lastActivityAt, w.clock.Now())
		}
		if again := w.startFrom(Wish{ResourceID: w.id("tools"), Name: "Mine", Key: "once"}); again.ID != claimed.ID {
			t.Errorf("the same request made %s as well", again.ID)
		}
		older, err := w.service.Start(w.as(w.ann), w.projects["shared"], "Older", "", "", "")
		if check(t, err); older.ID != shared || older.Status != Running || older.Project.ID != w.projects["shared"] {
			t.Errorf("the start of a project made %+v", older)
		}
		if got := w.machine.Launches(tools); got != 1 {
			t.Errorf("it was launched %d times", got)
		}
		if len(w.warmOnes(warm.Starting)) != 0 {
			t.Error("the next one starts beside the kernel of whoever has just claimed one")
		}
		w.clock.advance(refillPause)
		w.warmUp(2)
		if got := w.row(claimed.ID); got.Status != Running || w.phase(claimed.ID) != engine.Running {
			t.Errorf("the claimed session became %+v", got)
		}
	})
}

func TestEachWarmSessionIsClaimedOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const count, asked = 3, 10
		w.options.Limit = asked
		services := []*Service{w.keepsWarm(warm.Want{Entry: w.id("tools"), Count: count}), w.newService()}
		for _, service := range services {
			w.run(service)
		}
		ready := w.warmUp(count)
		var starting sync.WaitGroup
		made := make([]Session, asked)
		for i := range made {
			starting.Go(func() {
				session, err := services[i%2].StartFrom(w.as([]identity.Caller{w.ann, w.bob}[i/2%2]), Wish{ResourceID: w.id("tools"), Name: fmt.Sprint("session ", i)})
				if err != nil {
					t.Error(err)
				}
				made[i] = session
			})
		}
		starting.Wait()
		claimed := map[string]bool{}
		for _, session := range made {
			if claimed[session.ID] {
				t.Errorf("%s was started twice", session.ID)
			}
			claimed[session.ID] = true
			w.waitFor(session.ID, Running)
			if got := w.machine.Launches(session.ID); got != 1 {
				t.Errorf("%s was launched %d times", session.ID, got)
			}
		}
		for _, one := range ready {
			if !claimed[one.ID] {
				t.Errorf("%s was ready, and nobody claimed it", one.ID)
			}
		}
	})
}

// A start that hasn't been admitted yet takes one place like any other; only one that the engine had no room for ends all
// warm sessions.
func TestRoomForWarmSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.service.Engines[0]
	queued := Session{Engine: one.Name, Status: Created}
	refused := queued
	refused.refusedAt = w.clock.Now()
	for _, c := range []struct {
		capacity int
		people   []Session
		room     int
		busy     bool
	}{
		{3, nil, 3, false},
		{3, []Session{{Engine: one.Name, Status: Running}}, 2, false},
		{3, []Session{queued}, 2, true},
		{1, []Session{queued, queued}, 0, true},
		{3, []Session{refused}, 0, true},
		{3, []Session{{Engine: one.Name, Status: Terminated}}, 3, false},
		{0, []Session{queued}, math.MaxInt - 1, true},
	} {
		w.service.Capacity = c.capacity
		if room, busy := w.service.roomForWarm(one, c.people, 0); room != c.room || busy != c.busy {
			t.Errorf("%d places, %d sessions: room for %d, busy %t; want %d, %t", c.capacity, len(c.people), room, busy, c.room, c.busy)
		}
	}
}

func TestWarmSessionsNeverMakeAnybodyWait(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.options.Capacity, w.options.Limit = 2, 10
		w.run(w.keepsWarm(warm.Want{Entry: w.id("tools"), Count: 2}))
		w.warmUp(2)
		first := w.startFrom(Wish{ResourceID: w.id("spikes")})
		w.waitFor(first.ID, Running)
		w.warmUp(1)
		second := w.startFrom(Wish{ResourceID: w.id("more")})
		w.waitFor(second.ID, Running)
		w.warmUp(0)
		waiting := w.startFrom(Wish{ResourceID: w.id("tools")})
		if waiting.Status != Created {
			t.Errorf("there is room for two, and the third is %s", waiting.Status)
		}
		w.machine.End(first.ID, true, "")
		w.waitFor(waiting.ID, Running)
		w.machine.End(second.ID, true, "")
		w.warmUp(1)
	})
}

func TestWarmSessionsEndWithTheirEntry(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		kill := w.run(w.keepsWarm(warm.Want{Entry: w.id("tools"), Count: 1}, warm.Want{Entry: w.id("spikes"), Count: 1}))
		ready := w.warmUp(2)
		w.addEntries(catalog.Resource{ExternalID: "spikes", Type: catalog.Dataset, DatasetURL: "a/spikes", Privacy: catalog.PrivacyPrivate})
		w.service.lookAtWarm(t.Context())
		left := w.warmUp(1)
		if left[0].Entry != w.id("tools") {
			t.Errorf("%+v is left", left)
		}
		w.addEntries(catalog.Resource{ExternalID: "tools", Type: catalog.Repository, RepositoryURL: "https://github.com/example/moved.git"})
		w.service.lookAtWarm(t.Context())
		eventually(t, "it is replaced", func() bool {
			now := w.warmOnes(warm.Ready)
			return len(now) == 1 && now[0].ID != left[0].ID
		})
		kill()
		w.options.Warm = nil
		w.service = w.newService()
		w.run(w.service)
		w.warmUp(0)
		for _, one := range ready {
			eventually(t, "the engine has removed it", func() bool { return w.phase(one.ID) == "" })
		}
	})
}

func TestWarmSessionsAreRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.keepsWarm(warm.Want{Entry: w.id("tools"), Count: 1}))
	before := w.warmUp(1)
	w.clock.advance(time.Hour)
	eventually(t, "another one is there", func() bool {
		now := w.warmOnes(warm.Ready)
		return len(now) == 1 && now[0].ID != before[0].ID
	})
}

// A server that is killed at any moment leaves the next one a row to go on from.
func TestWarmSessionsSurviveTheServer(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		kill := w.run(w.keepsWarm(warm.Want{Entry: w.id("tools"), Count: 2}))
		ready := w.warmUp(2)
		kill()
		check(t, w.service.warm.store.End(t.Context(), ready[0].ID)) // killed before it could remove it
		lost := ready[1]
		check(t, w.service.Engines[0].Remove(t.Context(), lost.ID)) // as if the machine had been set up anew
		w.service = w.newService()
		w.service.lookAtWarm(t.Context())
		_, err := w.service.keepWarm(t.Context(), w.service.Engines[0], nil, nil) // killed after it had asked for a start
		check(t, err)
		w.service = w.newService()
		kill = w.run(w.service)
		next := w.warmUp(2)
		kill()
		for _, one := range next {
			if one.ID == ready[0].ID || one.ID == lost.ID || w.machine.Launches(one.ID) != 1 {
				t.Errorf("%s is warm, launched %d times", one.ID, w.machine.Launches(one.ID))
			}
		}
		w.service = w.newService()
		if claimed := w.startFrom(Wish{ResourceID: w.id("tools")}); claimed.Status != Running || !slices.ContainsFunc(next, func(one warm.Session) bool { return one.ID == claimed.ID }) {
			t.Errorf("the next server started %+v", claimed)
		}
	})
}

func TestWarmSessionThatIsDeadIsNotClaimed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kill := w.run(w.keepsWarm(warm.Want{Entry: w.id("tools"), Count: 1}))
	ready := w.warmUp(1)
	kill()
	w.machine.End(ready[0].ID, false, "It was killed.")
	if session := w.startFrom(Wish{ResourceID: w.id("tools")}); session.ID == ready[0].ID || session.Status != Created {
		t.Errorf("a dead session was claimed: %+v", session)
	}
}

func TestWarmSessionThatFailsPauses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keepsWarm(warm.Want{Entry: w.id("tools"), Count: 1})
	var mutex sync.Mutex
	launches := 0
	count := func() int {
		mutex.Lock()
		defer mutex.Unlock()
		return launches
	}
	w.machine = fake.NewStore(func(engine.Spec) fake.Outcome {
		mutex.Lock()
		defer mutex.Unlock()
		launches++
		return fake.Outcome{Broken: "No."}
	}, nil, w.clock.Now)
	w.service = w.newService()
	w.service.lookAtWarm(t.Context())
	one := w.service.Engines[0]
	pass := func() {
		reported := map[string]*engine.Status{}
		reports, err := one.List(t.Context())
		check(t, err)
		for _, report := range reports {
			reported[report.ID] = &report
		}
		_, err = w.service.keepWarm(t.Context(), one, nil, reported)
		check(t, err)
	}
	for range 4 {
		pass()
	}
	if count() != 1 {
		t.Errorf("it was launched %d times without a pause", count())
	}
	w.clock.advance(warmPause)
	for range 4 {
		pass()
	}
	if count() != 2 {
		t.Errorf("it was launched %d times after the pause, want 2", count())
	}
}

// What Jupyter loads for its first page takes longer than the page itself.
func TestWarmSessionHasShownItsPageBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keepsWarm(warm.Want{Entry: w.id("tools"), Count: 1})
	var mutex sync.Mutex
	var asked []string
	w.machine = fake.NewStore(func(engine.Spec) fake.Outcome { return fake.Outcome{Ready: true} }, func(string) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mutex.Lock()
			defer mutex.Unlock()
			asked = append(asked, r.Method+" "+r.URL.Path)
		})
	}, w.clock.Now)
	w.service = w.newService()
	w.run(w.service)
	ready := w.warmUp(1)
	mutex.Lock()
	defer mutex.Unlock()
	if want := []string{"GET /s/" + ready[0].ID + "/edit/tools/README.md"}; !slices.Equal(asked, want) {
		t.Errorf("it was asked for %q before it was ready, want %q", asked, want)
	}
}
