package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// State is what is asked when somebody reads the metrics.
type State struct {
	Pools       func() []Pool
	Busy        func() int64 // how often the database wasn't available
	Index       func() (entries int, lag time.Duration)
	Sessions    func(ctx context.Context) ([]Sessions, error)
	Connections func() map[string]int // to sessions, by kind
	Disks       func() []Disk
	Backup      func() (at time.Time, bytes int64) // the zero time: none
	Checks      func(ctx context.Context) map[string]bool
}

// Pool is a pool of connections to the database.
type Pool struct {
	Name        string
	InUse, Idle int
	Waited      time.Duration // for connections, in all
}

// Sessions is a number of sessions.
type Sessions struct {
	Engine, State string
	Count         int
}

// Disk is a disk of the server.
type Disk struct {
	Name       string
	Free, Size int64 // bytes
}

// askTime limits all questions of one reading.
const askTime = 5 * time.Second

var (
	connections   = describe("cairn_db_connections", "Open connections to the database.", "pool", "state")
	waited        = describe("cairn_db_wait_seconds_total", "Time that was waited for connections to the database.", "pool")
	busy          = describe("cairn_db_busy_total", "How often the database was busy, full or not there.")
	indexEntries  = describe("cairn_search_index_entries", "Entries that can be searched.")
	indexLag      = describe("cairn_search_index_lag_seconds", "How old the state is that searches see.")
	sessions      = describe("cairn_sessions", "Sessions of all servers on the database.", "engine", "state")
	proxied       = describe("cairn_proxy_connections", "Requests to sessions that are open: http, ws (websockets), events (launch pages).", "kind")
	diskFree      = describe("cairn_disk_free_bytes", "Room on the disk that the server may use.", "disk")
	diskSize      = describe("cairn_disk_size_bytes", "Size of the disk.", "disk")
	backupAt      = describe("cairn_backup_last_success_timestamp_seconds", "When the last backup of this data folder was made; 0: never.")
	backupSize    = describe("cairn_backup_size_bytes", "Size of the last backup of this data folder.")
	ready         = describe("cairn_ready", "1 while a condition for taking requests holds.", "check")
	sessionStates = []string{"queued", "starting", "running", "finished", "terminated", "error"}
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// stateCollector asks for the state at each reading.
type stateCollector struct {
	State

	engines []string
}

// Watch adds the state of the server, whose engines have these names.
func (m *Metrics) Watch(state State, engines []string) {
	m.registry.MustRegister(stateCollector{state, engines})
}

// Describe implements prometheus.Collector.
func (stateCollector) Describe(into chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{
		connections, waited, busy, indexEntries, indexLag, sessions, proxied, diskFree, diskSize, backupAt, backupSize, ready,
	} {
		into <- one
	}
}

// Collect implements prometheus.Collector. What can't be asked is left out.
func (s stateCollector) Collect(into chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	send := func(kind prometheus.ValueType, of *prometheus.Desc, value float64, labels ...string) {
		into <- prometheus.MustNewConstMetric(of, kind, value, labels...)
	}
	const gauge, counter = prometheus.GaugeValue, prometheus.CounterValue
	for _, pool := range s.Pools() {
		send(gauge, connections, float64(pool.InUse), pool.Name, "in_use")
		send(gauge, connections, float64(pool.Idle), pool.Name, "idle")
		send(counter, waited, pool.Waited.Seconds(), pool.Name)
	}
	send(counter, busy, float64(s.Busy()))
	entries, lag := s.Index()
	send(gauge, indexEntries, float64(entries))
	send(gauge, indexLag, lag.Seconds())
	s.collectSessions(ctx, send)
	for kind, count := range s.Connections() {
		send(gauge, proxied, float64(count), kind)
	}
	for _, disk := range s.Disks() {
		send(gauge, diskFree, float64(disk.Free), disk.Name)
		send(gauge, diskSize, float64(disk.Size), disk.Name)
	}
	at, size := s.Backup()
	made := float64(0)
	if !at.IsZero() {
		made = float64(at.UnixMilli()) / 1000
	}
	send(gauge, backupAt, made)
	send(gauge, backupSize, float64(size))
	for check, ok := range s.Checks(ctx) {
		value := 0.0
		if ok {
			value = 1
		}
		send(gauge, ready, value, check)
	}
}

// collectSessions sends a number for each engine and state, also 0.
func (s stateCollector) collectSessions(ctx context.Context, send func(prometheus.ValueType, *prometheus.Desc, float64, ...string)) {
	found, err := s.Sessions(ctx)
	if err != nil {
		return
	}
	type key struct{ engine, state string }
	counts := map[key]int{}
	for _, engine := range s.engines {
		for _, state := range sessionStates {
			counts[key{engine, state}] = 0
		}
	}
	for _, one := range found {
		counts[key{one.Engine, one.State}] += one.Count
	}
	for of, count := range counts {
		send(prometheus.GaugeValue, sessions, float64(count), of.engine, of.state)
	}
}
