package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// HealthCheck is a condition for taking requests. Run returns within a second or so.
type HealthCheck struct {
	Name string
	Run  func(ctx context.Context) error
}

// Health answers /healthz and /readyz.
type Health struct {
	checks []HealthCheck
	now    func() time.Time

	serving atomic.Pointer[healthState]

	mu     sync.Mutex
	asked  time.Time
	states []healthState
}

// healthState is everything that /readyz says about a check: strangers may read it.
type healthState struct {
	Name  string    `json:"name"`
	OK    bool      `json:"ok"`
	Since time.Time `json:"since"`
}

const (
	// healthCheckTime is how long a check may take.
	healthCheckTime = time.Second
	// healthKept is how long an answer is reused.
	healthKept = time.Second
)

// NewHealth returns a Health for a server that is ready while all checks pass and until Drain.
func NewHealth(now func() time.Time, checks ...HealthCheck) *Health {
	h := &Health{checks: checks, now: now}
	h.serving.Store(&healthState{Name: "serving", OK: true, Since: now().UTC()})
	return h
}

// Drain makes the server not ready at once and for good: it is going to end.
func (h *Health) Drain() {
	h.serving.Store(&healthState{Name: "serving", Since: h.now().UTC()})
}

// Handler answers the two addresses under any host and leaves other requests to next.
func (h *Health) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		healthy := r.URL.Path == "/healthz"
		switch {
		case (!healthy && r.URL.Path != "/readyz") || (r.Method != http.MethodGet && r.Method != http.MethodHead):
			next.ServeHTTP(w, r)
		case healthy:
			NameRoute(r.Context(), r.URL.Path)
			answerHealth(w, http.StatusOK, map[string]any{})
		default:
			NameRoute(r.Context(), r.URL.Path)
			h.answerReady(w, r)
		}
	})
}

// Checks returns which conditions for taking requests hold.
func (h *Health) Checks(ctx context.Context) map[string]bool {
	found := map[string]bool{}
	for _, state := range append(slices.Clone(h.look(ctx)), *h.serving.Load()) {
		found[state.Name] = state.OK
	}
	return found
}

func (h *Health) answerReady(w http.ResponseWriter, r *http.Request) {
	states := append(slices.Clone(h.look(r.Context())), *h.serving.Load())
	status := http.StatusOK
	for _, state := range states {
		if !state.OK {
			status = http.StatusServiceUnavailable
		}
	}
	answerHealth(w, status, map[string]any{"checks": states})
}

func answerHealth(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// look returns the state of every check. Concurrent calls share one run of the checks.
func (h *Health) look(ctx context.Context) []healthState {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now().UTC()
	if h.states != nil && now.Sub(h.asked) < healthKept {
		return h.states
	}
	ctx = context.WithoutCancel(ctx) // the answer is also for the next callers
	states := make([]healthState, len(h.checks))
	for i, check := range h.checks {
		bounded, cancel := context.WithTimeout(ctx, healthCheckTime)
		state := healthState{Name: check.Name, OK: check.Run(bounded) == nil, Since: now}
		cancel()
		if h.states != nil && h.states[i].OK == state.OK {
			state.Since = h.states[i].Since
		}
		states[i] = state
	}
	h.states, h.asked = states, now
	return states
}
