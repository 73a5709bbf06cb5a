package load_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/bench/load"
)

func TestRunCountsAnswersAndWrongOnes(t *testing.T) {
	var asked, connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/bad" {
			http.Error(w, "no", http.StatusTeapot)
			return
		}
		_, _ = w.Write([]byte(strings.Repeat("long enough to come in pieces ", 10_000)))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	check := func(status int, body []byte, _ bool) error {
		if status != http.StatusOK || len(body) != 300_000 {
			return errors.New("wrong")
		}
		return nil
	}
	result, err := load.Run(context.Background(), load.Plan{
		Address: address, Clients: 4, Time: time.Minute, Limit: 40,
		Requests: []load.Request{
			{Bytes: load.Encode("GET", address, "/good", ""), Check: check},
			{Bytes: load.Encode("GET", address, "/bad", ""), Check: check},
		},
	})
	if err != nil || len(result.Latencies) != 40 || result.Wrong != 20 || asked.Load() != 40 {
		t.Fatalf("%d answers, %d wrong, %d asked, %v", len(result.Latencies), result.Wrong, asked.Load(), err)
	}
	if connections.Load() != 4 {
		t.Errorf("%d connections for 4 clients", connections.Load())
	}
	if result.PerSecond() <= 0 || result.Quantile(0.5) <= 0 || result.Quantile(0.5) > result.Quantile(0.99) {
		t.Errorf("%v/s, p50 %v, p99 %v", result.PerSecond(), result.Quantile(0.5), result.Quantile(0.99))
	}
}
