// Package sessions measures what sessions cost the gateway: dashboards that poll, and the way through the proxy to a
// real Jupyter. It runs the real binary on a SQLite database.
package sessions

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/bench/report"
)

// Interval is the time between two requests of a dashboard, and RetryAfter how long a patient one waits before it asks again.
const (
	Interval   = 2 * time.Second
	RetryAfter = time.Second
)

const (
	aim         = 50 * time.Millisecond
	changeEvery = 50 // one in this many accounts deletes its session during the measurement
)

// RunPolling measures idle dashboards that poll: each asks for its list every two seconds and gets a 304. It prints how
// long answers took; its error says that the aim was missed or that an answer was wrong. It speaks HTTP/1.1 over its
// own connections, because it shares the processors with the server.
func RunPolling(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("polling", flag.ContinueOnError)
	flags.SetOutput(out)
	binary := flags.String("binary", "bin/cairn", "the program to measure")
	dashboards := flags.Int("dashboards", 10_000, "how many poll")
	accounts := flags.Int("accounts", 1000, "whose dashboards they are")
	length := flags.Duration("time", 30*time.Second, "how long is measured, after a warm-up of two rounds")
	results := flags.String("results", "", "the file whose part the report replaces; empty: none")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "cairn-polling-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file, err := configFile(folder, *accounts, "{capacity: 1}")
	if err != nil {
		return err
	}
	server, err := start(ctx, *binary, folder, "--config", file)
	if err != nil {
		return err
	}
	defer server.stop()
	began := time.Now()
	if err := server.fill(ctx, *binary, file, *accounts); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%d accounts with a session each (%s)\n", *accounts, time.Since(began).Round(time.Second))

	all := make([]*Dashboard, *dashboards)
	for i := range all {
		user := server.users[i%len(server.users)]
		all[i] = newDashboard(server.address, user.token, i, len(all))
		if i < len(server.users) && i%changeEvery == 0 {
			all[i].remove = user.session
		}
	}
	before := server.processor()
	result := Poll(ctx, all, *length)
	spent := server.processor() - before
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(result.Wrong) > 0 {
		return fmt.Errorf("%d wrong answers, the first: %s", len(result.Wrong), result.Wrong[0])
	}
	table := report.Table{Columns: []string{"answers", "of them 304", "p50 ms", "p90 ms", "p99 ms", "longest ms", "processor µs"}}
	row := []string{report.Whole(len(result.Times)), report.Whole(result.unchanged)}
	for _, percent := range []int{50, 90, 99, 100} {
		row = append(row, report.Milliseconds(result.quantile(percent)))
	}
	table.Add(append(row, report.Number(float64(spent.Microseconds())/float64(max(1, result.asked))))...)
	return publish(out, *results, part{
		name: "polling", title: "What dashboards that poll cost",
		about: []string{
			fmt.Sprintf("%s dashboards of %s accounts with a session each, which ask every %s, for %s, over connections of their own; %d sessions change meanwhile",
				report.Whole(*dashboards), report.Whole(*accounts), Interval, *length, result.changes),
			"the processor time is the server's for each answer; whoever asks shares its cores",
		},
		table: table,
		aims: []report.Aim{{
			Text: "p99 of an answer", Limit: float64(aim), Measured: float64(result.quantile(99)),
			Format: func(value float64) string { return report.Milliseconds(time.Duration(value)) + " ms" },
		}},
	})
}

// Dashboard is one browser tab: a connection, the ETag of the list it shows, and its offset in each interval.
type Dashboard struct {
	Address string
	Token   func() string
	Phase   time.Duration
	Patient bool // it asks once more, after RetryAfter, when the connection breaks or the answer is 503

	remove string // a session that it deletes once

	conn   net.Conn
	reader *bufio.Reader
	tag    string
}

// newDashboard returns one of so many that ask evenly.
func newDashboard(address string, token func() string, number, of int) *Dashboard {
	return &Dashboard{Address: address, Token: token, Phase: Interval * time.Duration(number) / time.Duration(of)}
}

// Result is what dashboards were answered. Times are in order.
type Result struct {
	Times       []time.Duration // of answers to the first request
	Retried     []time.Duration // of answers to the second request of patient dashboards, since the first was due
	Unavailable []time.Time     // when patient dashboards had no answer to the second request either
	Wrong       []string

	unchanged, changes int
	asked              int // including the warm-up and the changes
}

func (r *Result) quantile(percent int) time.Duration {
	if len(r.Times) == 0 {
		return 0
	}
	return r.Times[(len(r.Times)*percent+99)/100-1].Round(10 * time.Microsecond)
}

// Poll lets all dashboards poll at a page's interval. Latency is measured from when the request was due, so that a slow
// answer doesn't hide the wait of those behind it.
func Poll(ctx context.Context, all []*Dashboard, length time.Duration) *Result {
	var (
		asking sync.WaitGroup
		mutex  sync.Mutex
		total  Result
	)
	first := time.Now()
	counting := first.Add(2 * Interval)
	end := counting.Add(length)
	for _, one := range all {
		asking.Go(func() {
			own := one.run(ctx, first, counting, end)
			mutex.Lock()
			defer mutex.Unlock()
			total.Times = append(total.Times, own.Times...)
			total.Retried = append(total.Retried, own.Retried...)
			total.Unavailable = append(total.Unavailable, own.Unavailable...)
			total.Wrong = append(total.Wrong, own.Wrong...)
			total.unchanged += own.unchanged
			total.changes += own.changes
			total.asked += own.asked
		})
	}
	asking.Wait()
	slices.Sort(total.Times)
	slices.Sort(total.Retried)
	return &total
}

func (d *Dashboard) run(ctx context.Context, first, counting, end time.Time) (own Result) {
	defer d.close()
	timer := time.NewTimer(time.Until(first.Add(d.Phase)))
	defer timer.Stop()
	for due := first.Add(d.Phase); due.Before(end); due = due.Add(Interval) {
		timer.Reset(time.Until(due))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return own
		}
		own.asked++
		status, tag, err := d.exchange(ctx, http.MethodGet, "/sessions/")
		retried := d.Patient && (err != nil || status == http.StatusServiceUnavailable)
		if retried {
			d.close()
			pause(ctx, RetryAfter)
			status, tag, err = d.exchange(ctx, http.MethodGet, "/sessions/")
		}
		answered := time.Now()
		switch {
		case ctx.Err() != nil:
			return own
		case retried && (err != nil || status == http.StatusServiceUnavailable):
			own.Unavailable = append(own.Unavailable, answered)
			d.close()
			continue
		case err != nil:
			own.Wrong = append(own.Wrong, err.Error())
			d.close()
			continue
		case status == http.StatusNotModified && tag == d.tag && d.tag != "":
		case status == http.StatusOK && tag != "" && tag != d.tag:
			d.tag = tag
		default:
			own.Wrong = append(own.Wrong, fmt.Sprintf("%s status %d, tag %q after %q", answered.UTC().Format(time.TimeOnly), status, tag, d.tag))
		}
		if due.Before(counting) {
			continue
		}
		if retried {
			own.Retried = append(own.Retried, answered.Sub(due))
			continue
		}
		own.Times = append(own.Times, answered.Sub(due))
		if status == http.StatusNotModified {
			own.unchanged++
		}
		if d.remove != "" {
			if status, _, err := d.exchange(ctx, http.MethodDelete, "/sessions/"+d.remove); err != nil || status != http.StatusOK {
				own.Wrong = append(own.Wrong, fmt.Sprintf("delete: %d, %v", status, err))
			}
			d.remove = ""
			own.changes++
		}
	}
	return own
}

const answerTime = 30 * time.Second

func (d *Dashboard) exchange(ctx context.Context, method, path string) (status int, tag string, err error) {
	if d.conn == nil {
		if d.conn, err = (&net.Dialer{Timeout: answerTime}).DialContext(ctx, "tcp", d.Address); err != nil {
			return 0, "", err
		}
		d.reader = bufio.NewReaderSize(d.conn, 2<<10)
	}
	if err := d.conn.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return 0, "", err
	}
	known := ""
	if d.tag != "" && method == http.MethodGet {
		known = "If-None-Match: " + d.tag + "\r\n"
	}
	_, err = fmt.Fprintf(d.conn, "%s /api/v1/rf%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nCache-Control: no-cache\r\n%sContent-Length: 0\r\n\r\n",
		method, path, d.Address, d.Token(), known)
	if err != nil {
		return 0, "", err
	}
	answer, err := http.ReadResponse(d.reader, nil)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, answer.Header.Get("ETag"), err
}

func (d *Dashboard) close() {
	if d.conn != nil {
		_ = d.conn.Close()
		d.conn = nil
	}
}

// configFile writes the configuration for the server and the tokens; sessions is the value of that key.
func configFile(folder string, accounts int, sessions string) (string, error) {
	var text strings.Builder
	text.WriteString("accounts: {enable: auto}\nruns: {every: never}\nsessions: " + sessions + "\nidp:\n  accounts:\n")
	for i := range accounts {
		// No known password matches; the benchmark creates its tokens as `cairn token` does.
		fmt.Fprintf(&text, "    - {email: %s, name: Bench, password_hash: \"$2a$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde\"}\n", email(i))
	}
	path := filepath.Join(folder, "cairn.yaml")
	return path, os.WriteFile(path, []byte(text.String()), 0o600)
}

func email(i int) string { return fmt.Sprintf("bench-%d@example.org", i) }
