// Package sessions measures what sessions cost the gateway: dashboards that poll, and the way through the proxy to a
// real Jupyter. It runs the real binary on a SQLite database.
package sessions

import (
	"bufio"
	"context"
	"errors"
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
)

const (
	interval    = 2 * time.Second // between two requests of a dashboard
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

	all := make([]*dashboard, *dashboards)
	for i := range all {
		user := server.users[i%len(server.users)]
		all[i] = &dashboard{address: server.address, token: user.token, phase: interval * time.Duration(i) / time.Duration(len(all))}
		if i < len(server.users) && i%changeEvery == 0 {
			all[i].remove = user.session
		}
	}
	before := server.processor()
	result := poll(ctx, all, *length)
	spent := server.processor() - before
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, _ = fmt.Fprintf(out, "%d dashboards, one question in %s each: %d answers in %s, %d of them 304, %d changes\n"+
		"p50 %s  p90 %s  p99 %s  longest %s  (aim: p99 < %s)\nthe server used %s of a processor for each answer\n",
		*dashboards, interval, len(result.times), *length, result.unchanged, result.changes,
		result.quantile(50), result.quantile(90), result.quantile(99), result.quantile(100), aim,
		(spent / time.Duration(max(1, result.asked))).Round(time.Microsecond))
	if len(result.wrong) > 0 {
		return fmt.Errorf("%d wrong answers, the first: %s", len(result.wrong), result.wrong[0])
	}
	if result.quantile(99) >= aim {
		return errors.New("the aim was missed")
	}
	return nil
}

// dashboard is one browser tab: a connection, the ETag of the list it shows, and its offset in each interval.
type dashboard struct {
	address, token string
	phase          time.Duration
	remove         string // a session that it deletes once

	conn   net.Conn
	reader *bufio.Reader
	tag    string
}

type result struct {
	times              []time.Duration
	unchanged, changes int
	asked              int // including the warm-up and the changes
	wrong              []string
}

func (r *result) quantile(percent int) time.Duration {
	if len(r.times) == 0 {
		return 0
	}
	return r.times[(len(r.times)*percent+99)/100-1].Round(10 * time.Microsecond)
}

// poll lets all dashboards poll at a page's interval. Latency is measured from when the request was due, so that a slow
// answer doesn't hide the wait of those behind it.
func poll(ctx context.Context, all []*dashboard, length time.Duration) *result {
	var (
		asking sync.WaitGroup
		mutex  sync.Mutex
		total  result
	)
	first := time.Now()
	counting := first.Add(2 * interval)
	end := counting.Add(length)
	for _, one := range all {
		asking.Go(func() {
			own := one.run(ctx, first, counting, end)
			mutex.Lock()
			defer mutex.Unlock()
			total.times = append(total.times, own.times...)
			total.wrong = append(total.wrong, own.wrong...)
			total.unchanged += own.unchanged
			total.changes += own.changes
			total.asked += own.asked
		})
	}
	asking.Wait()
	slices.Sort(total.times)
	return &total
}

func (d *dashboard) run(ctx context.Context, first, counting, end time.Time) (own result) {
	defer d.close()
	timer := time.NewTimer(time.Until(first.Add(d.phase)))
	defer timer.Stop()
	for due := first.Add(d.phase); due.Before(end); due = due.Add(interval) {
		timer.Reset(time.Until(due))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return own
		}
		own.asked++
		status, tag, err := d.exchange(ctx, http.MethodGet, "/sessions/")
		answered := time.Now()
		switch {
		case err != nil:
			own.wrong = append(own.wrong, err.Error())
			d.close()
			continue
		case status == http.StatusNotModified && tag == d.tag && d.tag != "":
		case status == http.StatusOK && tag != "" && tag != d.tag:
			d.tag = tag
		default:
			own.wrong = append(own.wrong, fmt.Sprintf("status %d, tag %q after %q", status, tag, d.tag))
		}
		if due.Before(counting) {
			continue
		}
		own.times = append(own.times, answered.Sub(due))
		if status == http.StatusNotModified {
			own.unchanged++
		}
		if d.remove != "" {
			if status, _, err := d.exchange(ctx, http.MethodDelete, "/sessions/"+d.remove); err != nil || status != http.StatusOK {
				own.wrong = append(own.wrong, fmt.Sprintf("delete: %d, %v", status, err))
			}
			d.remove = ""
			own.changes++
		}
	}
	return own
}

const answerTime = 30 * time.Second

func (d *dashboard) exchange(ctx context.Context, method, path string) (status int, tag string, err error) {
	if d.conn == nil {
		if d.conn, err = (&net.Dialer{Timeout: answerTime}).DialContext(ctx, "tcp", d.address); err != nil {
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
		method, path, d.address, d.token, known)
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

func (d *dashboard) close() {
	if d.conn != nil {
		_ = d.conn.Close()
		d.conn = nil
	}
}

// configFile writes the configuration for the server and the tokens; sessions is the value of that key.
func configFile(folder string, accounts int, sessions string) (string, error) {
	var text strings.Builder
	text.WriteString("accounts: {enable: auto}\nsessions: " + sessions + "\nidp:\n  accounts:\n")
	for i := range accounts {
		// No known password matches; the benchmark creates its tokens as `cairn token` does.
		fmt.Fprintf(&text, "    - {email: %s, name: Bench, password_hash: \"$2a$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde\"}\n", email(i))
	}
	path := filepath.Join(folder, "cairn.yaml")
	return path, os.WriteFile(path, []byte(text.String()), 0o600)
}

func email(i int) string { return fmt.Sprintf("bench-%d@example.org", i) }
