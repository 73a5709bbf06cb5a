// Package chaos runs two servers on one PostgreSQL behind a balancer, and a third with real sessions. It kills them and
// breaks what they need at random moments, and afterward asks for everything that was acknowledged.
package chaos

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/report"
	"cairn/bench/sessions"

	"github.com/google/uuid"
)

const (
	disturbEvery = 20 * time.Second // at most this often on average
	fullTime     = 5 * time.Second  // how long a disk is full
	renewEvery   = 20 * time.Minute // tokens

	starRate, projectRate     = 16, 4 // writes a second at the two servers
	launchRate                = 4     // calls about their sessions a second
	singleRate                = 2     // stars a second at the single server
	realRate                  = 0.3   // calls about real sessions a second
	launchesWanted            = 3     // sessions per account at once
	realWanted                = 2
	writers, searchers, entry = 16, 32, 40 // goroutines; entries that are starred
)

// run is one run.
type run struct {
	installation

	out    io.Writer
	seed   uint64
	length time.Duration
	began  time.Time
	rates  struct{ dashboards, searches int }

	writes, singleWrites     *ledger
	launches, singleLaunches *launcher
	searches                 tally
	dashboards               *sessions.Result
	happened                 []disturbance

	backupBegan          time.Time
	restored             string // KiB of the restored backup's export
	settled              time.Duration
	running, realRunning int // sessions at the end

	mutex  sync.Mutex
	faults []string
}

func (r *run) say(format string, values ...any) { _, _ = fmt.Fprintf(r.out, format+"\n", values...) }

func (r *run) fault(format string, values ...any) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.faults = append(r.faults, fmt.Sprintf(format, values...))
}

// ownMounts is the last argument of the process that has its own mounts.
const ownMounts = "--own-mounts"

// Run disturbs the servers under load, prints what happened and writes it into a section of a file. Its error names what was
// lost, orphaned, duplicated or answered wrongly. As root, it runs in a process with its own mounts, so that its small disks
// disappear with it.
func Run(ctx context.Context, arguments []string, out io.Writer) (err error) {
	if os.Geteuid() == 0 && (len(arguments) == 0 || arguments[len(arguments)-1] != ownMounts) {
		command := exec.CommandContext(ctx, "/proc/self/exe", append(append([]string{"chaos"}, arguments...), ownMounts)...)
		command.Stdout, command.Stderr = out, os.Stderr
		command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
		command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Unshareflags: syscall.CLONE_NEWNS}
		return command.Run()
	}
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.SetOutput(out)
	_ = flags.Bool(strings.TrimLeft(ownMounts, "-"), false, "set by the program itself")
	binary := flags.String("binary", "bin/cairn", "the program")
	r := &run{out: out, searches: tally{name: "searches"}}
	flags.DurationVar(&r.length, "time", 10*time.Minute, "how long is disturbed")
	flags.Uint64Var(&r.seed, "seed", rand.Uint64()>>32, "repeats a run's choices")
	flags.IntVar(&r.rates.dashboards, "dashboards", 2000, "how many poll")
	flags.IntVar(&r.rates.searches, "searches", 100, "a second")
	accounts := flags.Int("accounts", 100, "whose dashboards and sessions they are")
	entries := flags.Int("entries", 10_000, "of the catalog")
	keep := flags.Bool("keep", false, "keep the folder with data and logs")
	results := flags.String("results", "bench/SOAK.md", "the file that gets the results; empty: none")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if r.folder, err = os.MkdirTemp("", "cairn-chaos-*"); err != nil {
		return err
	}
	if !*keep {
		defer os.RemoveAll(r.folder)
	}
	if err := os.Chmod(r.folder, 0o755); err != nil { //nolint:gosec // accounts of sessions and of PostgreSQL pass through it
		return err
	}
	r.say("seed %d, folder %s", r.seed, r.folder)
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.open(ctx, *binary, *accounts, *entries); err != nil {
		return err
	}
	if err := r.prepare(ctx); err != nil {
		return err
	}
	looking, stop := context.WithCancel(ctx)
	defer stop()
	go r.balance.look(looking)
	if err := r.disturbed(ctx); err != nil {
		return err
	}
	r.say("comparing")
	if err := r.verify(ctx); err != nil {
		return err
	}
	r.judge()
	text := r.String()
	_, _ = io.WriteString(out, text)
	if *results != "" {
		err = report.WritePart(*results, "chaos", text)
	}
	if len(r.faults) > 0 {
		err = errors.Join(err, fmt.Errorf("%d faults, the first: %s", len(r.faults), r.faults[0]))
	}
	return err
}

// prepare finds what will be starred and started.
func (r *run) prepare(ctx context.Context) error {
	r.writes = newLedger("two servers", r.people, r.front.Listener.Addr().String(), r.seed)
	r.singleWrites = newLedger("single server", r.owners, r.single.address, r.seed)
	for _, one := range []struct {
		ledger *ledger
		from   *unit
	}{{r.writes, r.servers[0]}, {r.singleWrites, r.single}} {
		var found []struct{ ID string }
		if err := read(ctx, one.from.address, api+"/resources/search?type=REPOSITORY&name=", one.ledger.people.token(0), &found); err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("%s has no repositories", one.from.name)
		}
		for _, entry := range found[:min(entry, len(found))] {
			one.ledger.entries = append(one.ledger.entries, entry.ID)
		}
	}
	r.launches = newLauncher("two servers", r.people, r.writes.address, launchesWanted, r.seed)
	r.launches.project = r.project
	r.singleLaunches = newLauncher("single server", r.owners, r.single.address, realWanted, r.seed)
	var projects []struct{ ID string }
	if err := read(ctx, r.single.address, api+"/projects", r.owners.token(0), &projects); err != nil {
		return err
	}
	if len(projects) == 0 {
		return errors.New("the demo has no project")
	}
	r.singleLaunches.project = projects[0].ID
	return nil
}

// disturbed carries out the plan under load.
func (r *run) disturbed(ctx context.Context) error {
	loaded, end := context.WithTimeout(ctx, r.length)
	defer end()
	var working sync.WaitGroup
	defer working.Wait()
	for !r.balance.backends[0].ready.Load() || !r.balance.backends[1].ready.Load() {
		pause(ctx, lookEvery)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	random := rand.New(rand.NewPCG(r.seed, 1<<63))
	planned := r.plan(random)
	r.began = time.Now()
	r.load(loaded, &working)
	working.Go(func() { r.measure(loaded) })
	err := r.disturb(ctx, random, planned)
	if err != nil {
		end()
	}
	working.Wait()
	return errors.Join(err, ctx.Err())
}

// load starts everything that people do.
func (r *run) load(ctx context.Context, working *sync.WaitGroup) {
	// Each account's writes come from one goroutine.
	perAccount := func(rate float64, count int, do func(ctx context.Context, who int, due time.Time)) {
		workers := min(writers, count)
		turns := make([]int, workers)
		working.Go(func() {
			everySo(ctx, rate, workers, func(worker int, due time.Time) {
				who := worker + turns[worker]*workers
				if who >= count {
					turns[worker], who = 0, worker
				}
				turns[worker]++
				do(context.WithoutCancel(ctx), who, due) // a call that has begun is answered
			})
		})
	}
	people := len(r.people.emails)
	perAccount(starRate, people, r.writes.star)
	perAccount(projectRate, people, r.writes.project)
	perAccount(launchRate, people, r.launches.step)
	perAccount(singleRate, 1, r.singleWrites.star)
	perAccount(realRate, 1, r.singleLaunches.step)
	queries := r.corpus.Mix(2000)
	working.Go(func() {
		number := make([]int, searchers)
		everySo(ctx, float64(r.rates.searches), searchers, func(worker int, due time.Time) {
			query := queries[(worker+number[worker]*searchers)%len(queries)]
			number[worker]++
			r.search(ctx, query, due)
		})
	})
	all := make([]*sessions.Dashboard, r.rates.dashboards)
	for i := range all {
		all[i] = &sessions.Dashboard{
			Address: r.writes.address, Patient: true, Phase: sessions.Interval * time.Duration(i) / time.Duration(len(all)),
			Token: func() string { return r.people.token(i % people) },
		}
	}
	working.Go(func() { r.dashboards = sessions.Poll(ctx, all, r.length) })
}

func (r *run) search(ctx context.Context, query corpus.Query, due time.Time) {
	came := r.searches.ask(ctx, r.writes.address, asked{method: http.MethodGet, path: query.Path(), due: due})
	if came.status != http.StatusOK && !came.missing() && ctx.Err() == nil {
		r.searches.mistake("%s: %d %.300s", query.Path(), came.status, came.body)
	}
}

// measure notes each server's memory every second and renews the tokens.
func (r *run) measure(ctx context.Context) {
	renewed, down := time.Now(), map[*unit]bool{}
	for ; ctx.Err() == nil; pause(ctx, time.Second) {
		for _, one := range r.units() {
			if !one.measure(time.Since(r.began)) && !down[one] {
				down[one] = true
				r.fault("%s ended by itself at %s", one.name, time.Since(r.began).Round(time.Second))
			}
		}
		for id, count := range r.hub.Sessions() {
			if _, err := uuid.Parse(id); err != nil || count > 1 {
				r.fault("the hub has %d servers for the session %q", count, id)
			}
		}
		if time.Since(renewed) > renewEvery && r.renew(ctx) == nil {
			renewed = time.Now()
		}
	}
}
