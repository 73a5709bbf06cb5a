package reconcile_test

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/operators"
	"cairn/internal/sessions/reconcile"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/warm"
)

func TestWarmSessionIsClaimedByTheNextStart(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Options.Limit = 10
		w.Run(w.KeepsWarm(warm.Want{Entry: w.ID("tools"), Count: 1}, warm.Want{Entry: w.Projects["shared"], Count: 1}))
		ready := w.WarmUp(2)
		tools, shared := ready[0].ID, ready[1].ID
		if ready[0].Entry != w.ID("tools") {
			tools, shared = shared, tools
		}
		if mine, err := w.Server.List(w.As(w.Ann), sessions.Filter{}); len(mine) != 0 || err != nil {
			t.Errorf("she sees %+v, %v before she has started anything", mine, err)
		}
		if _, err := w.Server.Own(w.As(w.Ann), tools); err == nil {
			t.Error("a warm session belongs to somebody")
		}
		page, err := w.Server.Operators.All(w.As(w.Operator()), sessions.AllQuery{Live: true, Size: 10}, operators.Newest)
		if err != nil || page.TotalElements != 0 || len(page.Warm) != 2 || page.Warm[0].Phase != warm.Ready {
			t.Errorf("operators see %+v, %v", page, err)
		}
		for _, wish := range []sessions.StartRequest{
			{ResourceID: w.ID("tools"), Ref: "main"}, {ResourceID: w.ID("tools"), File: "a.ipynb"}, {ResourceID: w.ID("spikes")}, {ProjectID: w.Projects["bare"]},
		} {
			if session := w.StartFrom(wish); session.ID == tools || session.ID == shared {
				t.Errorf("%+v claimed a warm session of something else", wish)
			}
		}

		w.Clock.Advance(10 * time.Minute)
		claimed := w.StartFrom(sessions.StartRequest{ResourceID: w.ID("tools"), Name: "Mine", Key: "once"})
		if claimed.ID != tools || claimed.Status != sessions.Running || claimed.SessionName != "Mine" || claimed.UserID != "ann@example.org" || claimed.Opens != "tools/README.md" || claimed.Interface != engine.Lab {
			t.Errorf("the claimed session is %+v", claimed)
		}
		if !claimed.CreatedAt.Equal(w.Clock.Now()) || !claimed.ActiveAt.Equal(w.Clock.Now()) {
			t.Errorf("it began %s and something last happened %s, now is %s", claimed.CreatedAt, claimed.ActiveAt, w.Clock.Now())
		}
		if again := w.StartFrom(sessions.StartRequest{ResourceID: w.ID("tools"), Name: "Mine", Key: "once"}); again.ID != claimed.ID {
			t.Errorf("the same request made %s as well", again.ID)
		}
		older, err := w.Server.Start(w.As(w.Ann), w.Projects["shared"], "Older", "", "", "")
		if sessionstest.Check(t, err); older.ID != shared || older.Status != sessions.Running || older.Project.ID != w.Projects["shared"] {
			t.Errorf("the start of a project made %+v", older)
		}
		if got := w.Machine.Launches(tools); got != 1 {
			t.Errorf("it was launched %d times", got)
		}
		if len(w.WarmOnes(warm.Starting)) != 0 {
			t.Error("the next one starts beside the kernel of whoever has just claimed one")
		}
		w.Clock.Advance(reconcile.RefillPause)
		w.WarmUp(2)
		if got := w.Row(claimed.ID); got.Status != sessions.Running || w.Phase(claimed.ID) != engine.Running {
			t.Errorf("the claimed session became %+v", got)
		}
	})
}

func TestEachWarmSessionIsClaimedOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const count, asked = 3, 10
		w.Options.Limit = asked
		services := []*sessionstest.Server{w.KeepsWarm(warm.Want{Entry: w.ID("tools"), Count: count}), w.NewService()}
		for _, service := range services {
			w.Run(service)
		}
		ready := w.WarmUp(count)
		var starting sync.WaitGroup
		made := make([]sessions.Session, asked)
		for i := range made {
			starting.Go(func() {
				session, err := services[i%2].StartFrom(w.As([]identity.Caller{w.Ann, w.Bob}[i/2%2]), sessions.StartRequest{ResourceID: w.ID("tools"), Name: fmt.Sprint("session ", i)})
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
			w.WaitFor(session.ID, sessions.Running)
			if got := w.Machine.Launches(session.ID); got != 1 {
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
	one := w.Server.Engines.All[0]
	queued := sessions.Session{Engine: one.Name, Status: sessions.Created}
	refused := queued
	refused.RefusedAt = w.Clock.Now()
	for _, c := range []struct {
		capacity int
		people   []sessions.Session
		room     int
		busy     bool
	}{
		{3, nil, 3, false},
		{3, []sessions.Session{{Engine: one.Name, Status: sessions.Running}}, 2, false},
		{3, []sessions.Session{queued}, 2, true},
		{1, []sessions.Session{queued, queued}, 0, true},
		{3, []sessions.Session{refused}, 0, true},
		{3, []sessions.Session{{Engine: one.Name, Status: sessions.Terminated}}, 3, false},
		{0, []sessions.Session{queued}, math.MaxInt - 1, true},
	} {
		w.Options.Engines.Capacity = c.capacity
		if room, busy := w.NewService().Reconciler.RoomForWarm(one, c.people); room != c.room || busy != c.busy {
			t.Errorf("%d places, %d sessions: room for %d, busy %t; want %d, %t", c.capacity, len(c.people), room, busy, c.room, c.busy)
		}
	}
}

func TestWarmSessionsNeverMakeAnybodyWait(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Options.Engines.Capacity, w.Options.Limit = 2, 10
		w.Run(w.KeepsWarm(warm.Want{Entry: w.ID("tools"), Count: 2}))
		w.WarmUp(2)
		first := w.StartFrom(sessions.StartRequest{ResourceID: w.ID("spikes")})
		w.WaitFor(first.ID, sessions.Running)
		w.WarmUp(1)
		second := w.StartFrom(sessions.StartRequest{ResourceID: w.ID("more")})
		w.WaitFor(second.ID, sessions.Running)
		w.WarmUp(0)
		waiting := w.StartFrom(sessions.StartRequest{ResourceID: w.ID("tools")})
		if waiting.Status != sessions.Created {
			t.Errorf("there is room for two, and the third is %s", waiting.Status)
		}
		w.Machine.End(first.ID, true, "")
		w.WaitFor(waiting.ID, sessions.Running)
		w.Machine.End(second.ID, true, "")
		w.WarmUp(1)
	})
}

func TestWarmSessionsEndWithTheirEntry(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		kill := w.Run(w.KeepsWarm(warm.Want{Entry: w.ID("tools"), Count: 1}, warm.Want{Entry: w.ID("spikes"), Count: 1}))
		ready := w.WarmUp(2)
		w.AddEntries(catalog.Entry{ExternalID: "spikes", Type: catalog.Dataset, DatasetURL: "a/spikes", Privacy: catalog.PrivacyPrivate})
		w.Server.Reconciler.RefreshWarm(t.Context())
		left := w.WarmUp(1)
		if left[0].Entry != w.ID("tools") {
			t.Errorf("%+v is left", left)
		}
		w.AddEntries(catalog.Entry{ExternalID: "tools", Type: catalog.Repository, RepositoryURL: "https://github.com/example/moved.git"})
		w.Server.Reconciler.RefreshWarm(t.Context())
		sessionstest.Eventually(t, "it is replaced", func() bool {
			now := w.WarmOnes(warm.Ready)
			return len(now) == 1 && now[0].ID != left[0].ID
		})
		kill()
		w.Options.Warm = nil
		w.Server = w.NewService()
		w.Run(w.Server)
		w.WarmUp(0)
		for _, one := range ready {
			sessionstest.Eventually(t, "the engine has removed it", func() bool { return w.Phase(one.ID) == "" })
		}
	})
}

func TestWarmSessionsAreRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.KeepsWarm(warm.Want{Entry: w.ID("tools"), Count: 1}))
	before := w.WarmUp(1)
	w.Clock.Advance(time.Hour)
	sessionstest.Eventually(t, "another one is there", func() bool {
		now := w.WarmOnes(warm.Ready)
		return len(now) == 1 && now[0].ID != before[0].ID
	})
}

// A server that is killed at any moment leaves the next one a row to go on from.
func TestWarmSessionsSurviveTheServer(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		kill := w.Run(w.KeepsWarm(warm.Want{Entry: w.ID("tools"), Count: 2}))
		ready := w.WarmUp(2)
		kill()
		sessionstest.Check(t, w.WarmStore().End(t.Context(), ready[0].ID)) // killed before it could remove it
		lost := ready[1]
		sessionstest.Check(t, w.Server.Engines.All[0].Remove(t.Context(), lost.ID)) // as if the machine had been set up anew
		w.Server = w.NewService()
		w.Server.Reconciler.RefreshWarm(t.Context())
		_, err := w.Server.Reconciler.KeepWarm(t.Context(), w.Server.Engines.All[0], nil) // killed after it had asked for a start
		sessionstest.Check(t, err)
		w.Server = w.NewService()
		kill = w.Run(w.Server)
		next := w.WarmUp(2)
		kill()
		for _, one := range next {
			if one.ID == ready[0].ID || one.ID == lost.ID || w.Machine.Launches(one.ID) != 1 {
				t.Errorf("%s is warm, launched %d times", one.ID, w.Machine.Launches(one.ID))
			}
		}
		w.Server = w.NewService()
		if claimed := w.StartFrom(sessions.StartRequest{ResourceID: w.ID("tools")}); claimed.Status != sessions.Running || !slices.ContainsFunc(next, func(one warm.Session) bool { return one.ID == claimed.ID }) {
			t.Errorf("the next server started %+v", claimed)
		}
	})
}

func TestWarmSessionThatIsDeadIsNotClaimed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kill := w.Run(w.KeepsWarm(warm.Want{Entry: w.ID("tools"), Count: 1}))
	ready := w.WarmUp(1)
	kill()
	w.Machine.End(ready[0].ID, false, "It was killed.")
	if session := w.StartFrom(sessions.StartRequest{ResourceID: w.ID("tools")}); session.ID == ready[0].ID || session.Status != sessions.Created {
		t.Errorf("a dead session was claimed: %+v", session)
	}
}

func TestWarmSessionThatFailsPauses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.KeepsWarm(warm.Want{Entry: w.ID("tools"), Count: 1})
	var mu sync.Mutex
	launches := 0
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return launches
	}
	w.Machine = fake.NewStore(func(engine.Spec) fake.Outcome {
		mu.Lock()
		defer mu.Unlock()
		launches++
		return fake.Outcome{Broken: "No."}
	}, nil, w.Clock.Now)
	w.Server = w.NewService()
	w.Server.Reconciler.RefreshWarm(t.Context())
	one := w.Server.Engines.All[0]
	pass := func() {
		reported := map[string]*engine.Status{}
		reports, err := one.List(t.Context())
		sessionstest.Check(t, err)
		for _, report := range reports {
			reported[report.ID] = &report
		}
		_, err = w.Server.Reconciler.KeepWarm(t.Context(), one, reported)
		sessionstest.Check(t, err)
	}
	for range 4 {
		pass()
	}
	if count() != 1 {
		t.Errorf("it was launched %d times without a pause", count())
	}
	w.Clock.Advance(reconcile.WarmPause)
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
	w.KeepsWarm(warm.Want{Entry: w.ID("tools"), Count: 1})
	var mu sync.Mutex
	var asked []string
	w.Machine = fake.NewStore(func(engine.Spec) fake.Outcome { return fake.Outcome{Ready: true} }, func(string) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, r.Method+" "+r.URL.Path)
		})
	}, w.Clock.Now)
	w.Server = w.NewService()
	w.Run(w.Server)
	ready := w.WarmUp(1)
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"GET /s/" + ready[0].ID + "/edit/tools/README.md"}; !slices.Equal(asked, want) {
		t.Errorf("it was asked for %q before it was ready, want %q", asked, want)
	}
}
