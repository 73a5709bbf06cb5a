package hubtest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Hub is the stand-in. Its levers may be moved while it serves.
type Hub struct {
	Token     string
	SpawnTime time.Duration // from the wish for a server until it is ready
	Machine   *Machine      // that runs the servers; without one they hold nothing
	Agent     http.Handler  // does what has to do with files; nil: the hub has the service of an earlier release

	mu      sync.Mutex
	users   map[string]*user
	tokens  map[string]string // the server that a token opens, by token
	last    int
	delay   time.Duration
	hurry   chan struct{} // closed when the delay changes
	failing int
	lacks   []string
	limit   int // of servers that are up or on their way; 0: none
	six     bool
	silent  bool
	calls   map[string]int // by method and first words of the path
	open    atomic.Int64   // calls under way
	most    atomic.Int64
}

type user struct {
	servers map[string]*server
	tokens  map[string]string // by id
	notes   map[string]string // likewise
}

type server struct {
	options map[string]any
	since   time.Time // of the wish
	ready   bool
	stopped bool
	exit    *int
	reason  string // of the exit, with its code
	code    string
	warning string
	machine *launch // nil without a machine

	installs bool // packages
}

// New makes a hub without users whose only service has the token.
func New(token string, spawnTime time.Duration) *Hub {
	return &Hub{
		Token: token, SpawnTime: spawnTime, users: map[string]*user{}, tokens: map[string]string{}, calls: map[string]int{}, hurry: make(chan struct{}),
	}
}

// Slow makes every answer of the hub's API take a time; those that are under way come at once.
func (h *Hub) Slow(delay time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.delay = delay
	close(h.hurry)
	h.hurry = make(chan struct{})
}

// Fail makes the hub's API answer a status, as the proxy does for a hub that is down, or (404) that it does not know yet; 0 ends that.
func (h *Hub) Fail(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failing = status
}

// Upgrade gives the hub the rules of JupyterHub 6 for the names of new servers and for their options.
func (h *Hub) Upgrade() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.six = true
}

// Silence gives the hub a hook of before, which doesn't report what repositories ask for.
func (h *Hub) Silence() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.silent = true
}

// Limit lets the hub have this many servers at once, and none more; 0: no limit.
func (h *Hub) Limit(servers int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limit = servers
}

// Lack takes rights from our service; none gives them all back.
func (h *Hub) Lack(scopes ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lacks = scopes
}

// End ends a running server on its own. It may be named by its session.
func (h *Hub) End(name string, exit int) {
	h.each(name, func(one *server) { one.end(exit) })
}

// Evict ends a running server as the hook of a cluster tells it. It may be named by its session.
func (h *Hub) Evict(name, reason, code string) {
	h.each(name, func(one *server) {
		one.reason, one.code = reason, code
		one.end(137)
	})
}

// each holds h.mu and calls do for the servers of a name or a session.
func (h *Hub) each(name string, do func(one *server)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, one := range h.users {
		for own, found := range one.servers {
			if own == name || permitOf(found).Session == name {
				do(found)
			}
		}
	}
}

// end needs the hub's lock.
func (s *server) end(exit int) {
	s.ready, s.stopped, s.exit = false, true, &exit
	if s.machine != nil {
		s.machine.end()
	}
}

// Warn lets the hub tell of the running server of a session what will end it soon; "" takes it back.
func (h *Hub) Warn(session, warning string) {
	h.each(session, func(one *server) { one.warning = warning })
}

// RevokeAll takes every token back, as operators can.
func (h *Hub) RevokeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.tokens)
	for _, one := range h.users {
		clear(one.tokens)
	}
}

// Tokens counts those that are good.
func (h *Hub) Tokens() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.tokens)
}

// Active counts the servers that are up or on their way.
func (h *Hub) Active() int {
	return len(h.Servers())
}

// Servers returns the names of the servers that are up or on their way.
func (h *Hub) Servers() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.servers()
}

// Sessions returns how many servers each session has that are up or on their way.
func (h *Hub) Sessions() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	counts := map[string]int{}
	for _, one := range h.users {
		for _, each := range one.servers {
			if !each.stopped {
				counts[permitOf(each).Session]++
			}
		}
	}
	return counts
}

// servers returns the names of the servers that weren't stopped, sorted. h.mu must be held.
func (h *Hub) servers() []string {
	names := []string{}
	for _, one := range h.users {
		for name, each := range one.servers {
			if !each.stopped {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Calls returns how many calls came in since it was asked last, by kind, and the most that were under way at once.
func (h *Hub) Calls() (calls map[string]int, most int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	calls, h.calls = h.calls, map[string]int{}
	return calls, h.most.Swap(0)
}

// ServeHTTP implements http.Handler.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.EscapedPath(); {
	case strings.HasPrefix(path, "/user/"):
		h.count("server")
		h.serveServer(w, r)
	case strings.HasPrefix(path, "/services/cairn-work/"):
		h.count("work")
		h.serveWork(w, r)
	case strings.HasPrefix(path, "/hub/api/"):
		h.serveAPI(w, r)
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

func (h *Hub) count(kind string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls[kind]++
}

// settled returns a server of a user as it is now; nil when there is none. The lock is held.
func (h *Hub) settled(of *user, name string) *server {
	if of == nil {
		return nil
	}
	one := of.servers[name]
	if one != nil && one.machine == nil && !one.stopped && !one.ready && time.Since(one.since) >= h.SpawnTime {
		one.ready = true
	}
	return one
}

func sortedUsers(users map[string]*user) []string { return slices.Sorted(maps.Keys(users)) }
