package jupyterhub_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
	"cairn/internal/sessions/engine/jupyterhub/realhub"
)

const hubToken = realhub.Token

// standIn is an engine on a stand-in of a hub.
type standIn struct {
	*testing.T

	hub     *hubtest.Hub
	looks   *atomic.Int64 // at all servers; each takes a page or more
	options jupyterhub.Options
	engine  *jupyterhub.Engine
}

func newStandIn(t *testing.T, spawnTime time.Duration, change ...func(*standIn)) *standIn {
	t.Helper()
	s := &standIn{T: t, hub: hubtest.New(hubToken, spawnTime), looks: &atomic.Int64{}}
	var said logged
	t.Cleanup(func() { said.expectNoSecrets(t) }) // once all engines are closed
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hub/api/users" && r.URL.Query().Get("offset") == "0" {
			s.looks.Add(1)
		}
		s.hub.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.options = jupyterhub.Options{
		URL: server.URL, Token: hubToken, Records: engine.NewMemory(), WatchEvery: 50 * time.Millisecond, ActivityEvery: 50 * time.Millisecond,
		Lease: time.Second, CallTime: time.Hour, // so that no call is made twice
		Logger: slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, alter := range change {
		alter(s)
	}
	s.engine = s.open(s.options)
	return s
}

func (s *standIn) open(options jupyterhub.Options) *jupyterhub.Engine {
	s.Helper()
	opened, err := jupyterhub.New(options)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = opened.Close() })
	return opened
}

func (s *standIn) start(owner string) engine.Spec {
	s.Helper()
	spec := engine.Spec{
		ID: uuid.Must(uuid.NewV7()).String(), Owner: owner,
		Repository: engine.Repository{URL: "https://example.org/ann/notes", Folder: "notes"},
	}
	if err := s.engine.Start(s.Context(), spec); err != nil {
		s.Fatal(err)
	}
	return spec
}

// phases counts the sessions in each phase.
func (s *standIn) phases() map[engine.Phase]int {
	s.Helper()
	all, err := s.engine.List(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	counts := map[engine.Phase]int{}
	for _, one := range all {
		counts[one.Phase]++
	}
	return counts
}

func (s *standIn) eventually(what string, holds func() bool) {
	s.Helper()
	late := time.After(3 * time.Minute)
	for !holds() {
		select {
		case <-s.engine.Changed():
		case <-time.After(20 * time.Millisecond):
		case <-late:
			s.Fatalf("%s: not after three minutes", what)
		}
	}
}

// logged is what engines log.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) expectNoSecrets(t *testing.T) {
	t.Helper()
	for _, secret := range []string{hubToken, "token-of-one-server"} {
		if strings.Contains(l.text.String(), secret) {
			t.Errorf("%q is in the log:\n%s", secret, l.text.String())
		}
	}
}

func TestHundredsOfSessionsAreFollowedByFewCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	t.Parallel()
	const sessions, users = 500, 250
	s := newStandIn(t, 50*time.Millisecond, func(s *standIn) { s.options.ActivityEvery = time.Hour })
	var specs []engine.Spec
	for i := range sessions {
		specs = append(specs, s.start(fmt.Sprintf("user-%d@example.org", i%users)))
	}
	s.eventually("all run", func() bool { return s.phases()[engine.Running] == sessions })
	calls, most := s.hub.Calls()
	if most > 16 {
		t.Errorf("%d calls were under way at once", most)
	}
	if got := calls["POST users servers"]; got != sessions {
		t.Errorf("%d servers were asked for", got)
	}
	if got := calls["POST users"]; got > sessions || got < users {
		t.Errorf("%d users were made", got)
	}

	// One look is two pages of 200 users, whatever the number of sessions; nothing else is asked.
	s.hub.Calls()
	before := s.looks.Load()
	seen := map[string]int{}
	s.eventually("it looks again and again", func() bool {
		calls, _ := s.hub.Calls()
		for kind, count := range calls {
			seen[kind] += count
		}
		return seen["GET users"] >= 6
	})
	looks := int(s.looks.Load()-before) + 1 // one may have been under way
	for kind, count := range seen {
		most := 2 * looks
		if kind == "work" { // what keeps the files is asked now and then whether it has become an agent, however slowly the hub answers
			most = sessions / 10
		}
		if kind != "GET users" && kind != "work" || count > most {
			t.Errorf("%d calls of %q in %d looks", count, kind, looks)
		}
	}

	s.hub.End(specs[7].ID, 0)
	s.hub.End(specs[8].ID, 3)
	s.eventually("those that ended are known", func() bool { p := s.phases(); return p[engine.Ended] == 1 && p[engine.Failed] == 1 })
	if got := s.hub.Tokens(); got != sessions-2 {
		t.Errorf("%d tokens are good while %d sessions run", got, sessions-2)
	}
	if calls, _ = s.hub.Calls(); calls["GET users"] > 200 {
		t.Errorf("%d calls for two that ended", calls["GET users"])
	}
}

func TestBrokenHubIsLeftAloneAndItsSessionsGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	t.Parallel()
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusNotFound} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			s := newStandIn(t, 0, func(s *standIn) { s.options.Now = newClock().now }) // the last look stays a recent one
			spec := s.start("ann@example.org")
			s.eventually("it runs", func() bool { return s.phases()[engine.Running] == 1 })
			s.hub.Fail(status)
			s.eventually("the failure is noticed", func() bool { return fault.KindOf(s.engine.Check(t.Context())) == fault.Unavailable })
			s.start("bob@example.org")
			if p := s.phases(); p[engine.Running] != 1 || p[engine.Starting] != 1 {
				t.Errorf("the sessions became %v", p)
			}
			if _, err := s.engine.Target(t.Context(), spec.ID); err != nil {
				t.Errorf("no way into a session that runs: %v", err)
			}
			s.hub.Fail(0)
			s.eventually("the hub is trusted again", func() bool { return s.engine.Check(t.Context()) == nil })
			s.eventually("what waited runs", func() bool { return s.phases()[engine.Starting] == 0 })
		})
	}
}

func TestSlowHubHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	s := newStandIn(t, 0)
	s.start("ann@example.org")
	s.eventually("it runs", func() bool { return s.phases()[engine.Running] == 1 })
	s.hub.Slow(time.Hour) // whoever waits for the hub now is not back in time for the test
	waits := s.start("bob@example.org")
	s.phases()
	if _, err := s.engine.Status(t.Context(), waits.ID); err != nil {
		t.Error(err)
	}
	if err := s.engine.Check(t.Context()); err != nil {
		t.Error(err)
	}
	s.hub.Slow(300 * time.Millisecond)
	s.eventually("it runs too", func() bool { return s.phases()[engine.Running] == 2 })
}

func TestTokenThatIsRefusedIsReplaced(t *testing.T) {
	t.Parallel()
	s := newStandIn(t, 0)
	spec := s.start("ann@example.org")
	s.eventually("it runs", func() bool { return s.phases()[engine.Running] == 1 })
	before, _ := s.engine.Token(spec.ID)
	s.hub.RevokeAll()
	s.eventually("it has another token", func() bool { now, _ := s.engine.Token(spec.ID); return now != before })
	if err := s.engine.Stop(t.Context(), spec.ID); err != nil || s.hub.Tokens() != 0 || s.hub.Active() != 0 {
		t.Errorf("after the stop %d tokens and %d servers are left, %v", s.hub.Tokens(), s.hub.Active(), err)
	}
}

// Two of our servers share a hub and what is known of it: what one began the other shows, stops, and goes on with.
func TestTwoServersShareOneHub(t *testing.T) {
	t.Parallel()
	s := newStandIn(t, 300*time.Millisecond)
	other := s.open(s.options)
	spec := s.start("ann@example.org")
	if status, err := other.Status(t.Context(), spec.ID); err != nil || status.Phase != engine.Starting {
		t.Errorf("the other server knows %+v, %v", status, err)
	}
	s.engine.Abandon() // it dies in the middle of the launch
	s.engine = other
	s.eventually("the other one brings it up", func() bool { return s.phases()[engine.Running] == 1 })
	if calls, _ := s.hub.Calls(); calls["POST users servers"] != 1 || s.hub.Tokens() != 1 {
		t.Errorf("the hub was asked for %d servers and has %d tokens", calls["POST users servers"], s.hub.Tokens())
	}
	third := s.open(s.options)
	const many = 40
	for range many {
		s.start("bob@example.org")
	}
	s.eventually("all run", func() bool { return s.phases()[engine.Running] == many+1 })
	if calls, _ := s.hub.Calls(); calls["POST users servers"] != many || s.hub.Tokens() != many+1 {
		t.Errorf("the hub was asked for %d servers and has %d tokens", calls["POST users servers"], s.hub.Tokens())
	}
	if all, err := third.List(t.Context()); err != nil || len(all) != many+1 {
		t.Errorf("the third server knows %d sessions, %v", len(all), err)
	}
	if err := third.Remove(t.Context(), spec.ID); err != nil {
		t.Fatal(err)
	}
	s.eventually("it is gone everywhere", func() bool { return s.phases()[engine.Running] == many })
	if s.hub.Tokens() != many || s.hub.Active() != many {
		t.Errorf("%d tokens and %d servers are left", s.hub.Tokens(), s.hub.Active())
	}
}

func TestRightsThatAreMissingAreNamed(t *testing.T) {
	t.Parallel()
	s := newStandIn(t, 0)
	options := s.options
	options.Token = "another"
	if err := s.open(options).Check(t.Context()); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("with a wrong token: %v", err)
	}
	for _, bad := range []jupyterhub.Options{{URL: "hub", Token: "x"}, {URL: "ftp://hub", Token: "x"}, {URL: "http://hub"}} {
		if _, err := jupyterhub.New(bad); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
