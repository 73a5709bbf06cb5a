package metrics_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/operations/metrics"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.yaml.in/yaml/v3"
)

var madeAt = time.Date(2027, 3, 3, 9, 0, 0, 0, time.UTC)

// used returns metrics of a server in which each thing has happened once.
func used() *metrics.Metrics {
	m := fresh(nil)
	m.KnowHosts("api.github.com")
	m.RequestBegins()
	m.RequestEnds(httpapi.Answered{Route: "/projects/{id}", Method: "GET", Status: 429, Took: time.Second, Limit: "anonymous"})
	m.Searched(true, time.Millisecond)
	m.LaunchReady("local", 3*time.Second, map[string]time.Duration{"server": time.Second})
	m.LaunchFailed("local", "memory")
	m.LaunchStopped("local")
	m.Stopped("idle")
	m.Reconciled("local", time.Millisecond)
	m.Corrected("stray")
	m.Asked("api.github.com", "ok")
	m.Remaining("api.github.com", 59)
	m.TaskSucceeded("audit")
	m.SignedIn("wrong")
	return m
}

// fresh returns metrics of a server that has just started; the error is that of the database.
func fresh(lost error) *metrics.Metrics {
	m := metrics.New(metrics.Known{Version: "1", Commit: "abc", Go: "go1.26", Engines: []string{"local"}, Tasks: []string{"audit"}})
	m.Watch(metrics.State{
		Pools: func() []metrics.Pool {
			return []metrics.Pool{{Name: "read", InUse: 2, Idle: 1, Waited: 1500 * time.Millisecond}}
		},
		Busy:  func() int64 { return 3 },
		Index: func() (int, time.Duration) { return 42, 250 * time.Millisecond },
		Sessions: func(context.Context) ([]metrics.Sessions, error) {
			return []metrics.Sessions{{Engine: "local", State: "running", Count: 7}, {Engine: "removed", State: "error", Count: 1}}, lost
		},
		Connections: func() map[string]int { return map[string]int{"http": 1, "ws": 2, "events": 3} },
		Disks:       func() []metrics.Disk { return []metrics.Disk{{Name: "data", Free: 1 << 30, Size: 1 << 32}} },
		Backup:      func() (time.Time, int64) { return madeAt, 5000 },
		Checks:      func(context.Context) map[string]bool { return map[string]bool{"database": true, "search": false} },
	}, []string{"local"})
	return m
}

func text(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	if kind := answer.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Error(kind)
	}
	return answer.Body.String()
}

// The rules of promtool check metrics, which is the same code.
func TestNamesFollowTheConventions(t *testing.T) {
	t.Parallel()
	problems, err := promlint.New(strings.NewReader(text(t, used()))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

func TestPromtoolAcceptsAll(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	for _, one := range []struct{ arguments, input string }{
		{"check metrics", text(t, used())},
		{"check metrics", text(t, fresh(nil))},
		{"check rules cairn.rules.yaml", ""},
		{"test rules cairn.rules.test.yaml", ""},
	} {
		command := exec.CommandContext(t.Context(), promtool, strings.Fields(one.arguments)...)
		command.Dir, command.Stdin = deploy("prometheus"), strings.NewReader(one.input)
		if said, err := command.CombinedOutput(); err != nil || (one.input != "" && len(said) > 0) {
			t.Errorf("promtool %s: %v\n%s", one.arguments, err, said)
		}
	}
}

// A counter that appears with its first event hides that event from alerts.
func TestCountersBeginWithZero(t *testing.T) {
	t.Parallel()
	m := fresh(nil)
	m.KnowHosts("api.github.com")
	said := text(t, m)
	for _, series := range []string{
		`cairn_rate_limited_total{rule="anonymous"}`, `cairn_rate_limited_total{rule="sign_in"}`, `cairn_session_launches_total{engine="local",outcome="failed",reason=""}`,
		`cairn_session_launches_total{engine="local",outcome="ready",reason=""}`, `cairn_session_stops_total{cause="idle"}`, `cairn_signins_total{outcome="wrong"}`, //nolint:misspell // the name of a metric
		`cairn_reconcile_corrections_total{what="stray"}`, `cairn_codehost_requests_total{host="api.github.com",outcome="unreachable"}`,
		`cairn_reconcile_duration_seconds_count{engine="local"}`, `cairn_search_duration_seconds_count{kind="text"}`, `cairn_sessions{engine="local",state="queued"}`,
	} {
		if !strings.Contains(said, "\n"+series+" 0\n") {
			t.Errorf("%s isn't 0", series)
		}
	}
}

func TestTheStateIsAskedForAtEachReading(t *testing.T) {
	t.Parallel()
	said := text(t, fresh(nil))
	for _, line := range []string{
		`cairn_db_connections{pool="read",state="in_use"} 2`, `cairn_db_wait_seconds_total{pool="read"} 1.5`, "cairn_db_busy_total 3",
		"cairn_search_index_entries 42", "cairn_search_index_lag_seconds 0.25", `cairn_sessions{engine="local",state="running"} 7`,
		`cairn_sessions{engine="removed",state="error"} 1`, `cairn_proxy_connections{kind="ws"} 2`, `cairn_disk_free_bytes{disk="data"} 1.073741824e+09`,
		fmt.Sprintf("cairn_backup_last_success_timestamp_seconds %v", float64(madeAt.Unix())), "cairn_backup_size_bytes 5000",
		`cairn_ready{check="database"} 1`, `cairn_ready{check="search"} 0`, `cairn_build_info{commit="abc",go="go1.26",version="1"} 1`,
	} {
		if !strings.Contains(said, "\n"+line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
	lost := text(t, fresh(errors.New("the database is away")))
	if strings.Contains(lost, "cairn_sessions{") || !strings.Contains(lost, "cairn_ready{") {
		t.Error("without the database, the number of sessions is left out and the rest is there")
	}
}

func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	m := fresh(nil)
	m.RequestBegins()
	m.RequestBegins()
	m.RequestEnds(httpapi.Answered{Route: "/events", Method: "GET", Status: 200, Took: time.Hour, Lasting: true})
	said := text(t, m)
	for _, line := range []string{"cairn_http_in_flight_requests 1", `cairn_http_requests_total{code="200",method="GET",route="/events"} 1`} {
		if !strings.Contains(said, "\n"+line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
	if strings.Contains(said, "cairn_http_request_duration_seconds_count") {
		t.Error("the time of a stream says nothing about the server")
	}
}

func deploy(folder string) string { return filepath.Join("..", "..", "..", "deploy", folder) }

// exported are the names of all series.
func exported(t *testing.T) []string {
	t.Helper()
	var names []string
	for line := range strings.Lines(text(t, used())) {
		if !strings.HasPrefix(line, "#") {
			names = append(names, line[:strings.IndexAny(line, "{ ")])
		}
	}
	return names
}

var metricName = regexp.MustCompile(`\b(?:cairn|go|process)_[a-z_]+\b`)

// What the dashboard and the alerts name is what the server exports, and what it exports can be looked at.
func TestTheDashboardAndTheAlertsNameWhatIsThere(t *testing.T) {
	t.Parallel()
	names := exported(t)
	rules, err := os.ReadFile(filepath.Join(deploy("prometheus"), "cairn.rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dashboard, err := os.ReadFile(filepath.Join(deploy("grafana"), "cairn.json"))
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(dashboard, &read); err != nil {
		t.Fatal(err)
	}
	var queries []string
	for _, panel := range read.Panels {
		for _, target := range panel.Targets {
			queries = append(queries, target.Expr)
		}
	}
	shown := strings.Join(queries, "\n")
	for _, name := range metricName.FindAllString(shown+string(rules), -1) {
		if !slices.Contains(names, name) {
			t.Errorf("%s isn't exported", name)
		}
	}
	for _, name := range names {
		base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if strings.HasPrefix(name, "cairn_") && !strings.Contains(shown, base) {
			t.Errorf("the dashboard doesn't show %s", base)
		}
	}
	if promtool, err := exec.LookPath("promtool"); err == nil { // the queries can be read
		var group bytes.Buffer
		group.WriteString("groups:\n  - name: dashboard\n    rules:\n")
		for i, query := range queries {
			quoted, err := json.Marshal(strings.ReplaceAll(query, "$instance", ".*"))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&group, "      - record: query_%d\n        expr: %s\n", i, quoted)
		}
		file := filepath.Join(t.TempDir(), "dashboard.yaml")
		if err := os.WriteFile(file, group.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.CommandContext(t.Context(), promtool, "check", "rules", "--lint=none", file).CombinedOutput(); err != nil {
			t.Errorf("%s", said)
		}
	}
}

// Each alert has a test in which it alerts, and one in which it doesn't.
func TestEveryAlertIsTested(t *testing.T) {
	t.Parallel()
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert string }
		}
	}
	var tests struct {
		Tests []struct {
			AlertRuleTest []struct {
				Alertname string
				ExpAlerts []any `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	for name, into := range map[string]any{"cairn.rules.yaml": &rules, "cairn.rules.test.yaml": &tests} {
		content, err := os.ReadFile(filepath.Join(deploy("prometheus"), name))
		if err == nil {
			err = yaml.Unmarshal(content, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	alerting, quiet := map[string]bool{}, map[string]bool{}
	for _, one := range tests.Tests {
		for _, expected := range one.AlertRuleTest {
			if len(expected.ExpAlerts) > 0 {
				alerting[expected.Alertname] = true
			} else {
				quiet[expected.Alertname] = true
			}
		}
	}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			if !alerting[rule.Alert] || !quiet[rule.Alert] {
				t.Errorf("%s: tested alerting %t, quiet %t", rule.Alert, alerting[rule.Alert], quiet[rule.Alert])
			}
		}
	}
	if len(alerting) < 10 {
		t.Error("the alerts weren't read")
	}
}
