package app

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/discovery"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/site/page/pagetest"
	"cairn/web"
)

// readMetrics returns what a collector reads.
func readMetrics(t *testing.T, p *program) string {
	t.Helper()
	answer := httptest.NewRecorder()
	p.metricsHandler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	if answer.Code != http.StatusOK {
		t.Fatal(answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// seriesOf returns the value of each series.
func seriesOf(t *testing.T, text string) map[string]float64 {
	t.Helper()
	series := map[string]float64{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		name, value, found := strings.Cut(lines.Text(), "} ")
		if found {
			name += "}"
		} else {
			name, value, _ = strings.Cut(lines.Text(), " ")
		}
		if strings.HasPrefix(name, "#") {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		series[name] = number
	}
	return series
}

// addAccounts adds so many accounts and returns an access token of each.
func addAccounts(t *testing.T, db *sqldb.DB, count int) []string {
	t.Helper()
	tokens := make([]string, count)
	err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
		now := sqldb.Micros(tx.Now)
		for i := range tokens {
			secret := sha256.Sum256([]byte(strconv.Itoa(i)))
			tokens[i] = "cairn_pat_" + base64.RawURLEncoding.EncodeToString(secret[:])
			digest := sha256.Sum256([]byte(tokens[i]))
			id := sqldb.NewID()
			_, err := tx.ExecContext(t.Context(), `INSERT INTO account (id, issuer, subject, email, name, created_at, updated_at)
				VALUES ($1, 'https://login.example.org', $2, $3, 'Somebody', $4, $4)`, id, fmt.Sprintf("subject-%d", i), fmt.Sprintf("person-%d@example.org", i), now)
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(t.Context(), `INSERT INTO access_token (id, account_id, digest, name, scopes, created_at, expires_at, last_used_at)
				VALUES ($1, $2, $3, 'Load', 'read run write', $4, $5, $4)`, sqldb.NewID(), id, hex.EncodeToString(digest[:]), now, now+int64(time.Hour/time.Microsecond))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// The totals of the metrics are what was asked, and the number of series grows neither with accounts nor with what clients
// make up.
func TestMetricsCountWhatWasAsked(t *testing.T) {
	sqldbtest.Each(t, metricsCountWhatWasAsked)
}

func metricsCountWhatWasAsked(t *testing.T, db *sqldb.DB) {
	accounts := 10_000
	if testing.Short() {
		accounts = 500
	}
	world := newMatrixWorldOn(t, db)
	p := world.program
	p.discovery = discovery.New(p.issuer, filepath.Join(t.TempDir(), "discovery.json"), &http.Client{}, slog.New(slog.DiscardHandler))
	pages, err := p.newPage(pagetest.Files(t), http.NotFoundHandler(), world.parts.fair)
	if err != nil {
		t.Fatal(err)
	}
	world.mux.Handle("/", pages)
	p.registerMetrics(world.parts, httpapi.NewHealth(time.Now))
	templates := map[string]string{} // by operation
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(Document(), &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		for _, operation := range methods {
			templates[operation.OperationID] = path
		}
	}
	before := seriesOf(t, readMetrics(t, p))

	asked := map[string]float64{}
	limited := 0.0
	ask := func(method, path, token, route string) {
		request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader("{}"))
		request.Host = humanize.Host(p.publicURL)
		request.RemoteAddr = ""
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		answer := httptest.NewRecorder()
		world.server.Config.Handler.ServeHTTP(answer, request)
		if answer.Code == http.StatusTooManyRequests {
			limited++
		}
		if method == "BREW" {
			method = httpapi.OtherMethod
		}
		asked[fmt.Sprintf(`cairn_http_requests_total{code="%d",method="%s",route="%s"}`, answer.Code, method, route)]++
	}
	read := func(row matrixRow) bool { return row.method == http.MethodGet && !strings.Contains(row.path, "/hub/") }
	for i, token := range addAccounts(t, world.db, accounts) {
		row := matrix[i%len(matrix)]
		if i < 3*len(matrix) || read(row) { // the others change something each time, which takes its time
			ask(row.method, httpapi.Base+world.ids.Replace(row.path), token, templates[row.operation])
		} else {
			ask(http.MethodGet, httpapi.Base+"/resources/public/"+sqldb.NewID(), token, httpapi.Base+"/resources/public/{id}")
		}
		if i%10 == 0 {
			ask("BREW", fmt.Sprintf("/api/nothing/%d", i), token, "/api/*")
			ask(http.MethodGet, fmt.Sprintf("/assets/%d.js", i), "", "/assets/*")
			ask(http.MethodGet, fmt.Sprintf("/wp-admin/%d", i), "", "/*")
		}
	}
	var rows []struct{ Path string }
	if err := json.Unmarshal(web.Pages(), &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		ask(http.MethodGet, strings.NewReplacer(":type", "notebook", ":id", "x", "*", "x").Replace(row.Path), "", row.Path)
	}

	after := seriesOf(t, readMetrics(t, p))
	total := 0.0
	for series, value := range after {
		if strings.HasPrefix(series, "cairn_http_requests_total") && !strings.Contains(series, `"/picture"`) { // the server fetches that itself
			if got := value - before[series]; got != asked[series] {
				t.Errorf("%s counts %v, want %v", series, got, asked[series])
			}
			total += value - before[series]
			delete(asked, series)
		}
	}
	if len(asked) > 0 {
		t.Errorf("not counted: %v", asked)
	}
	if got := after[`cairn_rate_limited_total{rule="additions"}`] + after[`cairn_rate_limited_total{rule="runs"}`]; got != limited {
		t.Errorf("%v requests were over a limit, counted are %v", limited, got)
	}
	if after["cairn_http_in_flight_requests"] != 0 {
		t.Error("requests are still in flight:", after["cairn_http_in_flight_requests"])
	}
	t.Logf("%v requests of %d accounts: %d series", total, accounts, len(after))
	if len(after) > 2500 { // each operation has some, and no account
		t.Errorf("%d series, want at most 2500", len(after))
	}
	text := readMetrics(t, p)
	for _, private := range []string{"example.org", "person-1", "wp-admin", "Somebody"} {
		if strings.Contains(text, private) {
			t.Errorf("the metrics have %q in them", private)
		}
	}
}

// Metrics are on a listener of their own, never where people are.
func TestMetricsHaveTheirOwnListener(t *testing.T) {
	for name, listen := range map[string]string{"an address": "127.0.0.1:0", "a socket": "unix:" + filepath.Join(t.TempDir(), "m.sock")} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second server finds the socket of the first
				p := &program{config: config.Default(), logger: slog.New(slog.DiscardHandler)}
				p.config.Metrics.Listen = listen
				p.metrics = newMetrics(p.config, "v1.2.0-3-gabcdef0")
				listener, err := p.listenForMetrics(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if local, ok := listener.(*net.UnixListener); ok {
					local.SetUnlinkOnClose(false) // as after kill -9
				}
				ctx, end := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					p.serveMetrics(ctx, listener)
				}()
				client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, listener.Addr().Network(), listener.Addr().String())
				}}}
				for path, want := range map[string]int{"/metrics": 200, "/": 404, "/debug/pprof/": 404} {
					request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://metrics"+path, http.NoBody)
					if err != nil {
						t.Fatal(err)
					}
					request.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
					answer, err := client.Do(request)
					if err != nil {
						t.Fatal(err)
					}
					if answer.StatusCode != want {
						t.Errorf("%s: %d, want %d", path, answer.StatusCode, want)
					}
					if kind := answer.Header.Get("Content-Type"); path == "/metrics" && !strings.HasPrefix(kind, "application/openmetrics-text") {
						t.Error(kind)
					}
					_ = answer.Body.Close()
				}
				client.CloseIdleConnections()
				end()
				<-ended
			}
		})
	}
}

func TestAUsedMetricsSocketIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.sock")
	used, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	p := &program{config: config.Default()}
	p.config.Metrics.Listen = "unix:" + path
	if _, err := p.listenForMetrics(t.Context()); err == nil || !strings.Contains(err.Error(), "another program uses it") {
		t.Error(err)
	}
}

func TestProfilesAreOnlyThereIfWanted(t *testing.T) {
	t.Parallel()
	for wanted, status := range map[bool]int{false: http.StatusNotFound, true: http.StatusOK} {
		p := &program{config: config.Default()}
		p.config.Metrics.Pprof = wanted
		p.metrics = newMetrics(p.config, "1")
		answer := httptest.NewRecorder()
		p.metricsHandler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/debug/pprof/goroutine", http.NoBody))
		if answer.Code != status {
			t.Errorf("wanted %t: %d", wanted, answer.Code)
		}
	}
}
