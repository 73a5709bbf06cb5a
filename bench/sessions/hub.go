package sessions

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/bench/report"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
)

const (
	perAccount  = 2    // sessions
	hubSpawn    = 1.5  // seconds that the hub takes to start a server
	hubCallsAim = 2.0  // per second, for all sessions together, once they run
	atOnceAim   = 16   // calls to the hub
	growthAim   = 1.25 // of memory, from when all sessions run until the end: what is garbage at that moment differs by a fifth
	lookAim     = 100 * time.Millisecond
	ownAim      = 1.15 // a launch's time, times that of the hub's own start
)

// looks is a stand-in hub that notes how long looks at all its servers take: from the first page that is asked for until the
// last one is sent, and how much of that it takes itself.
type looks struct {
	*hubtest.Hub

	mu          sync.Mutex
	began, last time.Time
	answering   time.Duration // since began
	took, own   []time.Duration
}

func (l *looks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	offset := r.URL.Query().Get("offset")
	if r.URL.Path != "/hub/api/users" || offset == "" {
		l.Hub.ServeHTTP(w, r)
		return
	}
	asked := time.Now()
	l.mu.Lock()
	if offset == "0" {
		l.note()
		l.began = asked
	}
	l.mu.Unlock()
	l.Hub.ServeHTTP(w, r)
	l.mu.Lock()
	l.last = time.Now()
	l.answering += l.last.Sub(asked)
	l.mu.Unlock()
}

// note needs the lock.
func (l *looks) note() {
	if l.last.After(l.began) && !l.began.IsZero() {
		l.took, l.own = append(l.took, l.last.Sub(l.began)), append(l.own, l.answering)
	}
	l.began, l.answering = time.Time{}, 0
}

// median returns how long looks took since the last call, and how much of that the hub took to answer.
func (l *looks) median() (took, own time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note()
	took, own = middle(l.took), middle(l.own)
	l.took, l.own = nil, nil
	return took, own
}

func middle(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// trouble is what the hub does while dashboards poll.
type trouble struct {
	name  string
	begin func(*hubtest.Hub)
}

var troubles = []trouble{
	{"as it should be", func(*hubtest.Hub) {}},
	{"slow: 2 s for each answer", func(hub *hubtest.Hub) { hub.Slow(2 * time.Second) }},
	{"down: 503 for each call", func(hub *hubtest.Hub) { hub.Slow(0); hub.Fail(http.StatusServiceUnavailable) }},
	{"hanging", func(hub *hubtest.Hub) { hub.Fail(0); hub.Slow(time.Hour) }},
	{"back again", func(hub *hubtest.Hub) { hub.Slow(0) }},
}

// RunHub runs hundreds of sessions on a stand-in for a JupyterHub, with dashboards that poll while the hub is healthy,
// slow and broken; then it launches sessions through a real hub, beside the hub's own starts. It prints how long answers and
// launches took, the calls to the hub, and the server's memory; its error says which aim was missed.
func RunHub(ctx context.Context, arguments []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("hub", flag.ContinueOnError)
	flags.SetOutput(out)
	binary := flags.String("binary", "bin/cairn", "the program to measure")
	results := flags.String("results", "", "file in which the part about hubs is replaced, such as bench/RESULTS.md")
	count := flags.Int("launches", 30, "how many sessions are launched through a real hub, which needs root")
	together := flags.Int("together", 10, "how many of them at once")
	accounts := flags.Int("accounts", 1000, fmt.Sprintf("who have %d sessions each", perAccount))
	dashboards := flags.Int("dashboards", 10_000, "how many poll")
	length := flags.Duration("time", 20*time.Second, "how long each state of the hub is measured")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *count < 1 || *together < 1 {
		return errors.New("at least one session has to be launched")
	}
	folder, err := os.MkdirTemp("", "cairn-hub-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	ours, own, err := launches(ctx, *binary, folder, *count, *together)
	if err != nil {
		return err
	}
	hub := &looks{Hub: hubtest.New("the-token-of-the-bench", time.Duration(hubSpawn*float64(time.Second)))}
	listener := httptest.NewServer(hub)
	defer func() { listener.CloseClientConnections(); listener.Close() }()
	file, err := configFile(folder, *accounts, fmt.Sprintf(`{engines: [{name: hub, label: Hub, kind: jupyterhub, url: "%s", token: %s}]}`, listener.URL, hub.Token))
	if err != nil {
		return err
	}
	server, err := start(ctx, *binary, folder, "--config", file)
	if err != nil {
		return err
	}
	defer server.stop()
	if err := server.enrol(ctx, *binary, file, *accounts); err != nil {
		return err
	}
	began := time.Now()
	if err := server.runAll(ctx); err != nil {
		return err
	}
	calls, most := hub.Calls()
	total := *accounts * perAccount
	_, _ = fmt.Fprintf(out, "%d sessions run after %.1f s (the hub takes %.1f s for a server); %d calls to the hub's API, %d at once at most\n",
		total, time.Since(began).Seconds(), hubSpawn, apiCalls(calls), most)
	var missed []error
	if most > atOnceAim {
		missed = append(missed, fmt.Errorf("%d calls to the hub at once", most))
	}
	hub.median()
	pause(ctx, *length)
	look, ofHub := hub.median()
	if look == 0 {
		missed = append(missed, errors.New("no look at the hub was measured: give it more time"))
	}
	all := make([]*Dashboard, *dashboards)
	for i := range all {
		all[i] = newDashboard(server.address, server.users[i%len(server.users)].token, i, len(all))
	}
	Poll(ctx, all, *length) // they open: each fetches its whole list once
	var first int
	var beside, besideOfHub, answers time.Duration
	table := report.Table{Columns: []string{"the hub is", "p50", "p99", "calls a second to the hub", "memory"}}
	for i, one := range troubles {
		one.begin(hub.Hub)
		hub.Calls()
		hub.median()
		from := time.Now()
		result := Poll(ctx, all, *length)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		calls, most := hub.Calls()
		perSecond := float64(apiCalls(calls)) / time.Since(from).Seconds()
		memory := server.memory()
		if i == 0 {
			first, answers = memory, result.quantile(99)
			beside, besideOfHub = hub.median()
		}
		table.Add(one.name, milliseconds(float64(result.quantile(50))), milliseconds(float64(result.quantile(99))), fmt.Sprintf("%.2f", perSecond), report.Mebibytes(int64(memory)))
		for text, bad := range map[string]bool{
			"wrong answers: " + strings.Join(result.Wrong[:min(1, len(result.Wrong))], ""): len(result.Wrong) > 0,
			"answers took too long":           result.quantile(99) >= aim,
			"the hub was asked too often":     perSecond > hubCallsAim,
			"memory grew":                     float64(memory) > growthAim*float64(first),
			"too many calls at the same time": most > atOnceAim,
		} {
			if bad {
				missed = append(missed, fmt.Errorf("%s: %s", one.name, text))
			}
		}
	}
	if err := server.expectRunning(ctx); err != nil {
		missed = append(missed, err)
	}
	table.Add("a real one: a launch through it", milliseconds(float64(middle(ours))), milliseconds(float64(slices.Max(ours))), "", "")
	table.Add("a real one: its own start", milliseconds(float64(middle(own))), milliseconds(float64(slices.Max(own))), "", "")
	missed = append(missed, publish(out, *results, part{
		name: "hub", title: "What sessions on a JupyterHub cost",
		about: []string{
			fmt.Sprintf("a stand-in for a hub with %d sessions, of %d accounts, and %d dashboards that are open and poll, while the hub is as it should be, slow, down and hanging", total, *accounts, *dashboards),
			fmt.Sprintf("a look lasts from the first page of servers that the hub is asked for until it has sent the last one: %s before the dashboards open, of which the stand-in takes %s, and %s while they poll, of which it takes %s",
				milliseconds(float64(look)), milliseconds(float64(ofHub)), milliseconds(float64(beside)), milliseconds(float64(besideOfHub))),
			fmt.Sprintf("then a real hub: %d launches, %d at once, in turn with the hub's own starts of the same server with nothing in it; of these, the slowest is in the place of p99", *count, *together),
		},
		table: table,
		aims: []report.Aim{
			{Text: "p50 of launches, times the hub's own starts", Limit: ownAim, Measured: float64(middle(ours)) / float64(middle(own)), Format: report.Number},
			{Text: "one look at all sessions, without the hub's answers", Limit: float64(lookAim), Measured: float64(look - ofHub), Format: milliseconds},
			{Text: "p99 of dashboards", Limit: float64(aim), Measured: float64(answers), Format: milliseconds},
		},
	}))
	return errors.Join(missed...)
}

func milliseconds(value float64) string { return report.Milliseconds(time.Duration(value)) + " ms" }

// apiCalls counts the calls to the hub itself, without those to its proxy and servers.
func apiCalls(calls map[string]int) (count int) {
	for kind, number := range calls {
		if kind != "server" && kind != "work" {
			count += number
		}
	}
	return count
}

// runAll starts all sessions of all accounts and waits until they run.
func (s *server) runAll(ctx context.Context) error {
	if err := s.each(func(one *user) error {
		for i := range perAccount {
			if err := one.startSession(ctx, "Session-"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for deadline := time.Now().Add(waitTime); ; {
		err := s.expectRunning(ctx)
		if err == nil || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		<-time.After(200 * time.Millisecond)
	}
}

// expectRunning returns an error unless all sessions of all accounts run.
func (s *server) expectRunning(ctx context.Context) error {
	return s.each(func(one *user) error {
		var list []struct{ Status, StatusReason string }
		if err := one.call(ctx, http.MethodGet, "/sessions/", &list); err != nil {
			return err
		}
		for _, session := range list {
			if session.Status != "RUNNING" {
				return fmt.Errorf("a session is %s: %s", session.Status, session.StatusReason)
			}
		}
		if len(list) != perAccount {
			return fmt.Errorf("an account has %d sessions", len(list))
		}
		return nil
	})
}

// memory returns the server's resident memory, in bytes.
func (s *server) memory() int {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(s.command.Process.Pid) + "/statm")
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}
