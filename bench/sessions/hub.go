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
	"strconv"
	"strings"
	"time"

	"cairn/internal/sessions/engine/jupyterhub/hubtest"
)

const (
	perAccount  = 10   // sessions, the maximum per account
	hubSpawn    = 1.5  // seconds that the hub takes to start a server
	hubCallsAim = 2.0  // per second, for all sessions together, once they run
	atOnceAim   = 16   // calls to the hub
	growthAim   = 1.10 // of memory, from when all sessions run until the end
)

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
// slow and broken. It prints how long answers took, the calls to the hub, and the server's memory; its error says which
// aim was missed.
func RunHub(ctx context.Context, arguments []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("hub", flag.ContinueOnError)
	flags.SetOutput(out)
	binary := flags.String("binary", "bin/cairn", "the program to measure")
	accounts := flags.Int("accounts", 50, fmt.Sprintf("who have %d sessions each", perAccount))
	dashboards := flags.Int("dashboards", 500, "how many poll")
	length := flags.Duration("time", 20*time.Second, "how long each state of the hub is measured")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "cairn-hub-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	hub := hubtest.New("the-token-of-the-bench", time.Duration(hubSpawn*float64(time.Second)))
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
	var first int
	for i, one := range troubles {
		one.begin(hub)
		all := make([]*Dashboard, *dashboards)
		for i := range all {
			all[i] = newDashboard(server.address, server.users[i%len(server.users)].token, i, len(all))
		}
		hub.Calls()
		from := time.Now()
		result := Poll(ctx, all, *length)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		calls, most := hub.Calls()
		perSecond := float64(apiCalls(calls)) / time.Since(from).Seconds()
		memory := server.memory()
		if i == 0 {
			first = memory
		}
		_, _ = fmt.Fprintf(out, "%-26s  p50 %s  p99 %s  %.2f calls a second to the hub (%d at once)  %d MiB\n",
			one.name, result.quantile(50), result.quantile(99), perSecond, most, memory>>20)
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
	_, _ = fmt.Fprintf(out, "all sessions still run; aims: p99 < %s, at most %.0f calls a second and %d at once, memory at most %.0f %% of the first\n",
		aim, hubCallsAim, atOnceAim, 100*growthAim)
	return errors.Join(missed...)
}

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
