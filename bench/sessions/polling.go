// Package sessions measures what sessions cost the gateway: dashboards that poll, the way through the proxy to a real Jupyter,
// and hostile sessions. It runs the real binary on a SQLite database.
package sessions

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
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

// Shared is a project that everybody may start, for an import. Its repository doesn't exist: nothing should run here.
const Shared = `{"kind":"resource","externalId":"tools","type":"REPOSITORY","name":"tools","authors":["bench-0@example.org"],"privacy":"PUBLIC","repositoryUrl":"https://github.invalid/o/n"}
{"kind":"project","externalId":"shared","name":"Spike sorting","ownerId":"bench-0@example.org","repository":"tools","published":true}
`

// Emails returns the addresses of so many accounts.
func Emails(accounts int) []string {
	emails := make([]string, accounts)
	for i := range emails {
		emails[i] = fmt.Sprintf("bench-%d@example.org", i)
	}
	return emails
}

// RunPolling measures idle dashboards that poll: each asks for its list every two seconds and gets a 304. Its error says that the
// aim was missed or that an answer was wrong.
func RunPolling(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "polling", "", arguments, out, func(flags *flag.FlagSet) report.Measure {
		dashboards := flags.Int("dashboards", 10_000, "how many poll")
		accounts := flags.Int("accounts", 1000, "whose dashboards they are")
		length := flags.Duration("time", 30*time.Second, "how long is measured, after a warm-up of two rounds")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) {
			return poll(ctx, with, *dashboards, *accounts, *length)
		}
	})
}

func poll(ctx context.Context, with *report.Setup, dashboards, accounts int, length time.Duration) (part report.Part, err error) {
	emails := Emails(accounts)
	cairn := program.Program{
		Binary: with.Binary, Data: filepath.Join(with.Folder, "data"), Config: program.Config(emails, "runs: {every: never}\nsessions: {capacity: 1}\n"),
	}
	if _, err := cairn.Import(ctx, func(file io.Writer) error { _, err := io.WriteString(file, Shared); return err }); err != nil {
		return part, err
	}
	server, err := cairn.Start(ctx, program.AnySearch)
	if err != nil {
		return part, err
	}
	defer func() { _ = server.Stop() }()
	tokens, err := cairn.Tokens(ctx, emails...)
	if err != nil {
		return part, err
	}
	all := make([]*Dashboard, dashboards)
	for i := range all {
		all[i] = &Dashboard{Address: server.Address, Token: func() string { return tokens[i%accounts] }, Phase: Interval * time.Duration(i) / time.Duration(dashboards)}
	}
	if err := program.Each(accounts, func(i int) error {
		id, err := endedSession(ctx, program.Person{Address: server.Address, Token: func() string { return tokens[i] }})
		if i < dashboards && i%changeEvery == 0 {
			all[i].remove = id
		}
		return err
	}); err != nil {
		return part, err
	}
	with.Say("%d accounts have a session each", accounts)
	before := server.Processor()
	result := Poll(ctx, all, length)
	spent := server.Processor() - before
	if len(result.Wrong) > 0 {
		return part, fmt.Errorf("%d wrong answers, the first: %s", len(result.Wrong), result.Wrong[0])
	}
	table := report.Table{Columns: []string{"answers", "of them 304", "p50 ms", "p90 ms", "p99 ms", "longest ms", "processor µs"}}
	table.Add(slices.Concat([]string{report.Whole(len(result.Times)), report.Whole(result.unchanged)}, report.Quantiles(result.Times, 0.5, 0.9, 0.99, 1),
		[]string{report.Number(float64(spent.Microseconds()) / float64(max(1, result.asked)))})...)
	return report.Part{
		Name: "polling", Title: "What dashboards that poll cost", Text: table.String(),
		About: []string{fmt.Sprintf("%s dashboards of %s accounts with a session each, which ask every %s, for %s; %d sessions change meanwhile; the processor time is the server's for each answer",
			report.Whole(dashboards), report.Whole(accounts), Interval, length, result.changes)},
		Aims: []report.Aim{{Text: "p99 of an answer", Limit: float64(aim) / 1e6, Measured: float64(report.Quantile(result.Times, 0.99)) / 1e6, Unit: "ms"}},
	}, ctx.Err()
}

// endedSession starts a session of the shared project and stops it again, as a user would.
func endedSession(ctx context.Context, who program.Person) (id string, err error) {
	repository, err := who.Repository(ctx, "tools")
	if err != nil {
		return "", err
	}
	var projects []struct{ ID string }
	if err := who.Call(ctx, http.MethodGet, "/resources/public/"+repository+"/projects", nil, &projects); err != nil || len(projects) == 0 {
		return "", fmt.Errorf("there are %d shared projects: %w", len(projects), err)
	}
	var started struct{ SessionID string }
	if err := who.Call(ctx, http.MethodGet, "/hub/start/project/"+projects[0].ID+"?sessionName=Session", nil, &started); err != nil {
		return "", err
	}
	_, err = load.Wait(ctx, program.WaitTime, 0, func() (bool, error) {
		var ended struct{ Status string }
		err := who.Call(ctx, http.MethodPatch, "/sessions/"+started.SessionID+"?status=TERMINATED", nil, &ended)
		return ended.Status == "TERMINATED", err
	})
	return started.SessionID, err
}

// Dashboard is one browser tab: a connection, the ETag of the list it shows, and its offset in each interval.
type Dashboard struct {
	Address string
	Token   func() string
	Phase   time.Duration
	Patient bool // it asks once more, after RetryAfter, when the connection breaks or the answer is 503

	remove     string // a session that it deletes once
	connection *load.Connection
	tag        string
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

// Poll lets all dashboards poll at a page's interval. Latency is measured from when the request was due, so that a slow
// answer doesn't hide the wait of those behind it.
func Poll(ctx context.Context, all []*Dashboard, length time.Duration) *Result {
	var (
		asking sync.WaitGroup
		mu     sync.Mutex
		total  Result
	)
	first := time.Now()
	counting := first.Add(2 * Interval)
	end := counting.Add(length)
	for _, one := range all {
		asking.Go(func() {
			own := one.run(ctx, first, counting, end)
			mu.Lock()
			defer mu.Unlock()
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
	d.connection = load.NewConnection(d.Address)
	d.connection.Buffer = 2 << 10 // of each of thousands
	defer d.connection.Close()
	for due := first.Add(d.Phase); due.Before(end); due = due.Add(Interval) {
		if load.Pause(ctx, time.Until(due)); ctx.Err() != nil {
			return own
		}
		own.asked++
		status, tag, err := d.exchange(ctx, http.MethodGet, "/sessions/")
		retried := d.Patient && (err != nil || status == http.StatusServiceUnavailable)
		if retried {
			d.connection.Close()
			load.Pause(ctx, RetryAfter)
			status, tag, err = d.exchange(ctx, http.MethodGet, "/sessions/")
		}
		answered := time.Now()
		switch {
		case ctx.Err() != nil:
			return own
		case retried && (err != nil || status == http.StatusServiceUnavailable):
			own.Unavailable = append(own.Unavailable, answered)
			d.connection.Close()
			continue
		case err != nil:
			own.Wrong = append(own.Wrong, err.Error())
			continue
		case status == http.StatusNotModified && tag == d.tag && d.tag != "":
		case status == http.StatusOK && tag != "" && tag != d.tag:
			d.tag = tag
		default:
			own.Wrong = append(own.Wrong, fmt.Sprintf("%s status %d, tag %q after %q", answered.UTC().Format(time.TimeOnly), status, tag, d.tag))
		}
		switch {
		case due.Before(counting):
		case retried:
			own.Retried = append(own.Retried, answered.Sub(due))
		default:
			own.Times = append(own.Times, answered.Sub(due))
			if status == http.StatusNotModified {
				own.unchanged++
			}
			d.change(ctx, &own)
		}
	}
	return own
}

// change deletes the session that the dashboard deletes once.
func (d *Dashboard) change(ctx context.Context, own *Result) {
	if d.remove == "" {
		return
	}
	if status, _, err := d.exchange(ctx, http.MethodDelete, "/sessions/"+d.remove); err != nil || status != http.StatusOK {
		own.Wrong = append(own.Wrong, fmt.Sprintf("delete: %d, %v", status, err))
	}
	d.remove = ""
	own.changes++
}

func (d *Dashboard) exchange(ctx context.Context, method, path string) (status int, tag string, err error) {
	headers := []string{"Cache-Control: no-cache"}
	if d.tag != "" && method == http.MethodGet {
		headers = append(headers, "If-None-Match: "+d.tag)
	}
	status, _, err = d.connection.Do(ctx, load.Encode(method, d.Address, program.API+path, d.Token(), headers...))
	return status, d.connection.Tag, err
}
