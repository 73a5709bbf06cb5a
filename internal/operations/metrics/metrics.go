// Package metrics counts what the server does, in the form that Prometheus reads. The slices know nothing of it: each has a
// small interface or function for whoever counts, and internal/app connects them. No label has a value that people or
// clients choose, so the number of series doesn't grow with accounts, entries or addresses.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"cairn/internal/foundation/httpapi"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Known are the values of labels that are known at the start, whose counters begin with 0: a counter that appears with its
// first event hides that event from alerts.
type Known struct {
	Version string
	Commit  string
	Go      string
	Engines []string
	Tasks   []string // in the background
}

// Metrics holds everything that is counted. All methods may be called concurrently.
type Metrics struct {
	registry *prometheus.Registry

	inFlight    prometheus.Gauge
	requests    *prometheus.CounterVec
	durations   *prometheus.HistogramVec
	limited     *prometheus.CounterVec
	searches    *prometheus.HistogramVec
	launches    *prometheus.CounterVec
	ready       *prometheus.HistogramVec
	steps       *prometheus.HistogramVec
	stops       *prometheus.CounterVec
	reconciled  *prometheus.HistogramVec
	corrections *prometheus.CounterVec
	codehost    *prometheus.CounterVec
	budget      *prometheus.GaugeVec
	tasks       *prometheus.GaugeVec
	signIns     *prometheus.CounterVec
}

// The values of labels that exist from the start.
var (
	limits      = []string{"anonymous", "sign_in", "additions", "runs", "codehost", "sources", "launch_pages", "work_downloads"}
	outcomes    = []string{"ready", "failed", "stopped"}
	causes      = []string{"user", "operators", "idle", "ended", "failed", "disabled", "deleted"}
	corrections = []string{"lost", "requeued", "stray", "timeout"}
	answers     = []string{"ok", "unchanged", "missing", "limited", "refused", "unreachable"}
	signIns     = []string{"ok", "wrong", "limited"}
	searchKinds = []string{"text", "list"}
)

// The buckets of answers are few, because there is a set of them for each route.
var (
	requestBuckets = []float64{0.005, 0.025, 0.1, 0.5, 2.5, 10}
	searchBuckets  = []float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5}
	launchBuckets  = []float64{0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600}
	passBuckets    = []float64{0.005, 0.025, 0.1, 0.5, 2.5, 10}
)

// New returns metrics with all counters at 0.
func New(known Known) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		made := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(made)
		return made
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		made := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(made)
		return made
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		made := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
		m.registry.MustRegister(made)
		return made
	}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge("cairn_build_info", "The program that runs; always 1.", "version", "commit", "go").WithLabelValues(known.Version, known.Commit, known.Go).Set(1)

	m.inFlight = gauge("cairn_http_in_flight_requests", "Requests that are being answered, with open streams and websockets.").WithLabelValues()
	m.requests = counter("cairn_http_requests_total", "Requests, by the template of their address.", "route", "method", "code")
	m.durations = histogram("cairn_http_request_duration_seconds", "How long answers took, without streams and websockets.", requestBuckets, "route")
	m.limited = counter("cairn_rate_limited_total", "Requests that a limit refused, by the name of the limit.", "rule")
	m.searches = histogram("cairn_search_duration_seconds", "How long searches took: with a text, or a list without one.", searchBuckets, "kind")
	m.launches = counter("cairn_session_launches_total", "Launches that ended. A failed one has a reason: the code of its cause, or unknown.", "engine", "outcome", "reason")
	m.ready = histogram("cairn_session_ready_duration_seconds", "From the request for a session until it ran, with its time in the queue.", launchBuckets, "engine")
	m.steps = histogram("cairn_session_step_duration_seconds", "How long the steps of successful launches took.", launchBuckets, "engine", "step")
	m.stops = counter("cairn_session_stops_total", "Running sessions that ended, by who or what ended them.", "cause")
	m.reconciled = histogram("cairn_reconcile_duration_seconds", "How long a pass over the sessions of an engine took, if it succeeded.", passBuckets, "engine")
	m.corrections = counter("cairn_reconcile_corrections_total", "What the passes put right: sessions that the engine lost, that had no room, that ran without being meant to, that made no progress.", "what")
	m.codehost = counter("cairn_codehost_requests_total", "Questions to code hosts, by how they ended.", "host", "outcome")
	m.budget = gauge("cairn_codehost_budget_remaining", "Questions that a code host said it still answers until its limit is reset.", "host")
	m.tasks = gauge("cairn_jobs_last_success_timestamp_seconds", "When work in the background last succeeded; the start of the server until then.", "task")
	m.signIns = counter("cairn_signins_total", "Attempts to sign in at the embedded identity provider.", "outcome") //nolint:misspell // one word, as in names of metrics elsewhere
	m.begin(known)
	return m
}

func (m *Metrics) begin(known Known) {
	each := func(vector *prometheus.CounterVec, values []string) {
		for _, value := range values {
			vector.WithLabelValues(value)
		}
	}
	each(m.limited, limits)
	each(m.stops, causes)
	each(m.corrections, corrections)
	each(m.signIns, signIns)
	for _, kind := range searchKinds {
		m.searches.WithLabelValues(kind)
	}
	for _, engine := range known.Engines {
		for _, outcome := range outcomes {
			m.launches.WithLabelValues(engine, outcome, "")
		}
		m.ready.WithLabelValues(engine)
		m.reconciled.WithLabelValues(engine)
	}
	for _, name := range known.Tasks {
		m.TaskSucceeded(name)
	}
}

// KnowHosts lets the counters of the services of code hosts begin with 0.
func (m *Metrics) KnowHosts(hosts ...string) {
	for _, host := range hosts {
		for _, answer := range answers {
			m.codehost.WithLabelValues(host, answer)
		}
	}
}

// Handler answers with everything, as text 0.0.4 or in the form of OpenMetrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// RequestBegins implements httpapi.Counter.
func (m *Metrics) RequestBegins() { m.inFlight.Inc() }

// RequestEnds implements httpapi.Counter.
func (m *Metrics) RequestEnds(answered httpapi.Answered) {
	m.inFlight.Dec()
	m.requests.WithLabelValues(answered.Route, answered.Method, strconv.Itoa(answered.Status)).Inc()
	if !answered.Lasting {
		m.durations.WithLabelValues(answered.Route).Observe(answered.Took.Seconds())
	}
	if answered.Limit != "" {
		m.limited.WithLabelValues(answered.Limit).Inc()
	}
}

// Searched counts a search: with a text, or a list without one.
func (m *Metrics) Searched(withText bool, took time.Duration) {
	kind := searchKinds[1]
	if withText {
		kind = searchKinds[0]
	}
	m.searches.WithLabelValues(kind).Observe(took.Seconds())
}

// LaunchReady counts a successful launch, with the durations of its steps.
func (m *Metrics) LaunchReady(engine string, total time.Duration, steps map[string]time.Duration) {
	m.launches.WithLabelValues(engine, "ready", "").Inc()
	m.ready.WithLabelValues(engine).Observe(total.Seconds())
	for step, took := range steps {
		m.steps.WithLabelValues(engine, step).Observe(took.Seconds())
	}
}

// LaunchFailed counts a failed launch.
func (m *Metrics) LaunchFailed(engine, reason string) {
	m.launches.WithLabelValues(engine, "failed", reason).Inc()
}

// LaunchStopped counts a launch that somebody stopped.
func (m *Metrics) LaunchStopped(engine string) {
	m.launches.WithLabelValues(engine, "stopped", "").Inc()
}

// Stopped counts the end of a running session.
func (m *Metrics) Stopped(cause string) { m.stops.WithLabelValues(cause).Inc() }

// Reconciled counts a pass over the sessions of an engine.
func (m *Metrics) Reconciled(engine string, took time.Duration) {
	m.reconciled.WithLabelValues(engine).Observe(took.Seconds())
}

// Corrected counts what a pass put right.
func (m *Metrics) Corrected(what string) { m.corrections.WithLabelValues(what).Inc() }

// Asked counts a question to a code host.
func (m *Metrics) Asked(host, outcome string) { m.codehost.WithLabelValues(host, outcome).Inc() }

// Remaining notes how many questions a code host still answers.
func (m *Metrics) Remaining(host string, questions int) {
	m.budget.WithLabelValues(host).Set(float64(questions))
}

// TaskSucceeded notes that work in the background has succeeded.
func (m *Metrics) TaskSucceeded(name string) { m.tasks.WithLabelValues(name).SetToCurrentTime() }

// SignedIn counts an attempt to sign in.
func (m *Metrics) SignedIn(outcome string) { m.signIns.WithLabelValues(outcome).Inc() }
