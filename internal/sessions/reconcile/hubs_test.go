package reconcile_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/jupyterhub"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
	"cairn/internal/sessions/engine/jupyterhub/realhub"
	"cairn/internal/sessions/records"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

// TestMain lets the hubs of these tests start this program as their agent.
func TestMain(m *testing.M) {
	realhub.BeAgent()
	os.Exit(m.Run())
}

// hubServers are several of our servers on one database and one hub.
type hubServers struct {
	*world

	services []*sessionstest.Server
	engines  []*jupyterhub.Engine
}

// serveOnHub opens servers whose sessions run on the hub at this address.
func (w *world) serveOnHub(count int, options jupyterhub.Options) *hubServers {
	w.T.Helper()
	s := &hubServers{world: w}
	for range count {
		options.Token, options.Records = realhub.Token, records.New(w.Database, "hub")
		opened, err := jupyterhub.New(options)
		sessionstest.Check(w.T, err)
		w.T.Cleanup(func() { sessionstest.Check(w.T, opened.Close()) })
		w.Options.Engines.All = []sizes.Engine{{Engine: opened, Name: "hub", Label: "The hub"}}
		service := w.Open(w.Options)
		s.services, s.engines = append(s.services, service), append(s.engines, opened)
	}
	w.Server = s.services[0]
	return s
}

// launch asks the servers in turn for sessions, and waits until all run. At that moment each server leads into each session,
// and shows the steps of its launch.
func (s *hubServers) launch(count int) {
	s.T.Helper()
	var ids []string
	for i := range count {
		session, err := s.services[i%len(s.services)].Start(s.As(s.Ann), s.Projects["bare"], fmt.Sprint("session ", i), "", "", "")
		sessionstest.Check(s.T, err)
		ids = append(ids, session.ID)
	}
	for _, id := range ids {
		var session sessions.Session
		sessionstest.Eventually(s.T, "the session runs", func() bool {
			if session = s.Row(id); session.Status != sessions.Created && session.Status != sessions.Running {
				s.T.Fatalf("%s became %s: %q", session.SessionName, session.Status, session.StatusReason)
			}
			return session.Status == sessions.Running
		})
		for i, opened := range s.engines {
			if _, err := opened.Target(s.T.Context(), id); err != nil {
				s.T.Errorf("server %d does not lead into the session %s that runs: %v", i, session.SessionName, err)
			}
			_, report, err := s.services[i].Look(s.As(s.Ann), id)
			sessionstest.Check(s.T, err)
			for _, step := range report.Steps {
				if step.State != engine.Done {
					s.T.Errorf("server %d shows the step %s of a session that runs as %s", i, step.Name, step.State)
				}
			}
		}
	}
}

func (w *world) runAll(services []*sessionstest.Server) {
	for _, service := range services {
		w.Run(service)
	}
}

// quickHub is a stand-in of a hub.
func quickHub(t *testing.T, spawnTime time.Duration) (hub *hubtest.Hub, address string) {
	t.Helper()
	hub = hubtest.New(realhub.Token, spawnTime)
	server := httptest.NewServer(hub)
	t.Cleanup(server.Close)
	return hub, server.URL
}

// What one server launches, the others neither take for lost nor keep people out of.
func TestServersThatShareOneHub(t *testing.T) {
	t.Parallel()
	for _, count := range []int{2, 3} {
		t.Run(fmt.Sprint(count, " servers"), func(t *testing.T) {
			t.Parallel()
			eachWorld(t, func(t *testing.T, w *world) {
				const launches = 12
				hub, address := quickHub(t, 20*time.Millisecond)
				w.Options.Limit = launches
				s := w.serveOnHub(count, jupyterhub.Options{URL: address})
				w.runAll(s.services)
				s.launch(launches)
				if calls, _ := hub.Calls(); calls["POST users servers"] != launches || hub.Active() != launches {
					t.Errorf("the hub was asked for %d servers and has %d", calls["POST users servers"], hub.Active())
				}
			})
		})
	}
}

// copying starts every session on one repository.
type copying struct {
	engine.Engine

	repository engine.Repository
}

func (c copying) Start(ctx context.Context, spec engine.Spec) error {
	spec.Repository = c.repository
	return c.Engine.Start(ctx, spec)
}

// TestThoroughServersThatShareOneRealHub is the same on a real hub with real Jupyter servers.
func TestThoroughServersThatShareOneRealHub(t *testing.T) {
	hub := realhub.New(t)
	repositories := enginetest.ServeRepositories(t, t.TempDir())
	repositories.Make("working.git", nil)
	const launches = 30
	w := newWorld(t)
	w.Options.Limit = launches
	s := w.serveOnHub(3, jupyterhub.Options{URL: hub.URL()})
	for i, opened := range s.engines {
		w.Options.Engines.All = []sizes.Engine{{Engine: copying{Engine: opened, repository: repositories.Repository("working.git")}, Name: "hub", Label: "The hub"}}
		s.services[i] = w.Open(w.Options)
	}
	w.Server = s.services[0]
	w.runAll(s.services)
	s.launch(launches)
	list, err := w.Server.List(w.As(w.Ann), sessions.Filter{})
	sessionstest.Check(t, err)
	var ids []string
	for _, session := range list {
		ids = append(ids, session.ID)
	}
	sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), ids, false))
	hub.Eventually("nothing is left", func() bool {
		left, err := w.Store.ByID(t.Context(), ids...)
		return err == nil && len(left) == 0
	})
}

// One server remembers an ending; the session that another one started again goes on.
func TestRestartOutlivesAnEndingThatAnotherServerRemembers(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		hub, address := quickHub(t, 0)
		s := w.serveOnHub(2, jupyterhub.Options{URL: address, WatchEvery: 20 * time.Millisecond, TakeOverEvery: time.Hour})
		stop := w.Run(s.services[0])
		stopOther := w.Run(s.services[1])
		s.launch(1)
		id := w.Only()
		w.Clock.Advance(time.Second)
		hub.End(hub.Servers()[0], 3)
		w.WaitFor(id, sessions.Failed)
		if seen, err := s.engines[1].Status(t.Context(), id); err != nil || seen.Phase != engine.Failed {
			t.Fatalf("the other server knows %+v, %v", seen, err)
		}
		stopOther()
		if _, err := w.Server.Restart(w.As(w.Ann), id); err != nil {
			t.Fatal(err)
		}
		w.WaitFor(id, sessions.Running)
		stop()
		sessionstest.Check(t, s.services[1].Pass(t.Context()))
		if got := w.Row(id); got.Status != sessions.Running {
			t.Errorf("the restart became %s: %q", got.Status, got.StatusReason)
		}
	})
}

// lateStop is an engine of a server that is slow: something happens after it decided to stop a session.
type lateStop struct {
	engine.LaunchStopper

	meanwhile func()
}

func (l lateStop) Stop(ctx context.Context, id string) error {
	l.meanwhile()
	return l.LaunchStopper.Stop(ctx, id)
}

func (l lateStop) StopLaunch(ctx context.Context, id string, launch int64, cause engine.VersionCause) error {
	l.meanwhile()
	return l.LaunchStopper.StopLaunch(ctx, id, launch, cause)
}

// One server is about to stop a session; before it does, another one has stopped it and started it again.
func TestRestartOutlivesAStopThatAnotherServerIsAboutToMake(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		_, address := quickHub(t, 0)
		s := w.serveOnHub(2, jupyterhub.Options{URL: address, WatchEvery: 20 * time.Millisecond})
		stop := w.Run(s.services[0])
		s.launch(1)
		id := w.Only()
		stop()
		w.Clock.Advance(time.Second)
		w.Server.Settle = 0 // nobody stops it yet
		if _, err := w.Server.Terminate(w.As(w.Ann), id); err != nil {
			t.Fatal(err)
		}
		slow, arrived, goOn := s.services[1], make(chan struct{}), make(chan struct{})
		resume := sync.OnceFunc(func() { close(goOn) })
		defer resume()
		late := lateStop{s.engines[1], sync.OnceFunc(func() { close(arrived); <-goOn })}
		sessionstest.Check(t, slow.Reconciler.PassOver(t.Context(), sizes.Engine{Engine: late, Name: "hub", Label: "The hub"}))
		<-arrived
		w.Run(s.services[0])
		w.WaitFor(id, sessions.Terminated)
		w.Clock.Advance(time.Second)
		if _, err := w.Server.Restart(w.As(w.Ann), id); err != nil {
			t.Fatal(err)
		}
		w.WaitFor(id, sessions.Running)
		resume()
		sessionstest.Eventually(t, "the slow server is done", func() bool { return !slow.Reconciler.IsBusy(id) })
		if _, err := s.engines[0].Target(t.Context(), id); err != nil {
			t.Errorf("the restart was stopped: %v", err)
		}
	})
}

// The hub is asked before a session counts as lost.
func TestSessionWithoutARecordIsFoundOnTheHub(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		hub, address := quickHub(t, 0)
		s := w.serveOnHub(2, jupyterhub.Options{URL: address, WatchEvery: 20 * time.Millisecond})
		kill := w.Run(s.services[0])
		s.launch(1)
		kill()
		id := w.Only()
		records := records.New(w.Database, "hub")
		version, _, err := records.Read(t.Context(), id, 0)
		sessionstest.Check(t, err)
		if _, err := records.Save(t.Context(), id, version, nil); err != nil {
			t.Fatal(err)
		}
		w.Run(s.services[1])
		sessionstest.Eventually(t, "the session can be entered again", func() bool {
			_, err := s.engines[1].Target(t.Context(), id)
			return err == nil
		})
		if got := w.Row(id); got.Status != sessions.Running {
			t.Errorf("it became %s: %q", got.Status, got.StatusReason)
		}
		if calls, _ := hub.Calls(); calls["POST users servers"] != 1 {
			t.Errorf("the hub was asked for %d servers", calls["POST users servers"])
		}
		hub.End(hub.Servers()[0], 0)
		w.Clock.Advance(time.Second)
		w.WaitFor(id, sessions.Finished)
	})
}

// A hub that has no room fails nobody: who comes then waits in the queue, and starts when there is room.
func TestThoroughFullHubLetsPeopleWait(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const room, asked = 2, 5
		hub, address := quickHub(t, 0)
		hub.Limit(room)
		w.Options.Limit = asked
		s := w.serveOnHub(2, jupyterhub.Options{URL: address, WatchEvery: 20 * time.Millisecond})
		w.runAll(s.services)
		var ids []string
		for i := range asked {
			session, err := s.services[i%2].Start(w.As(w.Ann), w.Projects["bare"], fmt.Sprint("session ", i), "", "", "")
			sessionstest.Check(t, err)
			ids = append(ids, session.ID)
			w.Clock.Advance(time.Second)
		}
		for waiting := asked - room; waiting >= 0; waiting-- {
			var running, places []string
			sessionstest.Eventually(t, "the others wait at their places", func() bool {
				w.Clock.Advance(time.Millisecond) // what happens one after the other has different times
				running, places = nil, nil
				for _, id := range ids {
					switch session := w.Row(id); {
					case session.Status == sessions.Running:
						running = append(running, id)
					case session.Status == sessions.Failed:
						t.Fatalf("it failed: %q", session.StatusReason)
					case session.QueuePosition > 0:
						places = append(places, fmt.Sprint(session.QueuePosition))
					}
				}
				return len(running) == min(room, waiting+room) && len(places) == waiting
			})
			for i, place := range places {
				if place != fmt.Sprint(i+1) {
					t.Errorf("the places are %v", places)
				}
			}
			if err := s.services[0].Engines.All[0].Check(t.Context()); err != nil {
				t.Errorf("a full hub counts as broken: %v", err)
			}
			w.Clock.Advance(time.Second)
			if _, err := w.Server.Terminate(w.As(w.Ann), running[0]); err != nil {
				t.Fatal(err)
			}
		}
	})
}
