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
	"sync"
	"syscall"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
	"cairn/bench/sessions"

	"github.com/google/uuid"
)

const (
	disturbEvery = 20 * time.Second // at most this often on average
	fullTime     = 5 * time.Second  // how long a disk is full
	renewEvery   = 20 * time.Minute // tokens

	starRate, projectRate = 16, 4 // writes a second at the two servers
	launchRate            = 4     // calls about their sessions a second
	singleRate            = 2     // stars a second at the single server
	realRate              = 0.3   // calls about real sessions a second
	launchesWanted        = 3     // sessions per account at once
	realWanted            = 2
	writers, searchers    = 16, 32 // goroutines
	starred               = 40     // entries that are starred
)

// rates are how many people do something.
type rates struct{ dashboards, searches, accounts, entries int }

// faults are what must not happen.
type faults struct {
	mu    sync.Mutex
	texts []string
}

func (f *faults) add(format string, values ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.texts = append(f.texts, fmt.Sprintf(format, values...))
}

// run is one run.
type run struct {
	*report.Setup
	installation

	rates  rates
	seed   uint64
	length time.Duration
	began  time.Time

	searches   tally
	dashboards *sessions.Result
	happened   []disturbance
	verified   verified
	faults     faults
}

// ownMounts is a variable of the process that has its own mounts.
const ownMounts = "BENCH_OWN_MOUNTS"

// Run disturbs the servers under load. Its error names what was lost, orphaned, duplicated or answered wrongly. As root, it runs in
// a process with its own mounts, so that its small disks disappear with it.
func Run(ctx context.Context, arguments []string, out io.Writer) (err error) {
	if os.Geteuid() == 0 && os.Getenv(ownMounts) == "" {
		command := exec.CommandContext(ctx, "/proc/self/exe", append([]string{"chaos"}, arguments...)...)
		command.Env = append(os.Environ(), ownMounts+"=1")
		command.Stdout, command.Stderr = out, os.Stderr
		command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
		command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Unshareflags: syscall.CLONE_NEWNS}
		return command.Run()
	}
	return report.Run(ctx, "chaos", "bench/SOAK.md", arguments, out, func(flags *flag.FlagSet) report.Measure {
		r := &run{searches: tally{name: "searches"}}
		flags.DurationVar(&r.length, "time", 10*time.Minute, "how long is disturbed")
		flags.Uint64Var(&r.seed, "seed", rand.Uint64()>>32, "repeats a run's choices")
		flags.IntVar(&r.rates.dashboards, "dashboards", 2000, "how many poll")
		flags.IntVar(&r.rates.searches, "searches", 100, "a second")
		flags.IntVar(&r.rates.accounts, "accounts", 100, "whose dashboards and sessions they are")
		flags.IntVar(&r.rates.entries, "entries", 10_000, "of the catalog")
		return r.measure
	})
}

func (r *run) measure(ctx context.Context, with *report.Setup) (part report.Part, err error) {
	r.Setup, r.folder = with, with.Folder
	r.Say("seed %d", r.seed)
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.open(ctx, with.Binary, r.rates); err != nil {
		return part, err
	}
	if err := r.prepare(ctx); err != nil {
		return part, err
	}
	looking, stop := context.WithCancel(ctx)
	defer stop()
	r.balance.look(looking)
	if err := r.disturbed(ctx); err != nil {
		return part, err
	}
	r.Say("comparing")
	if err := r.verify(ctx); err != nil {
		return part, err
	}
	r.judge()
	return r.results(), nil
}

// prepare finds what will be starred and started.
func (r *run) prepare(ctx context.Context) error {
	for _, one := range r.sides() {
		one.writes = newLedger(one.name, one.people, one.address, r.seed)
		var entries, projects []struct{ ID, Name string }
		if err := errors.Join(read(ctx, one.units[0].address, api+"/resources/search?type=REPOSITORY&name=", one.people.token(0), &entries),
			read(ctx, one.units[0].address, api+"/projects", one.people.token(0), &projects)); err != nil {
			return err
		}
		if len(entries) == 0 || len(projects) == 0 {
			return fmt.Errorf("the %s has %d repositories and %d projects", one.name, len(entries), len(projects))
		}
		for _, entry := range entries[:min(starred, len(entries))] {
			one.writes.entries = append(one.writes.entries, entry.ID)
		}
		one.launches = newLauncher(one.name, one.people, one.address, launchesWanted, r.seed)
		one.launches.project = projects[0].ID
	}
	r.single.launches.most = realWanted
	return nil
}

// disturbed carries out the plan under load.
func (r *run) disturbed(ctx context.Context) error {
	loaded, end := context.WithTimeout(ctx, r.length)
	defer end()
	var working sync.WaitGroup
	defer working.Wait()
	if ready, _ := load.Wait(ctx, program.WaitTime, lookEvery, func() (bool, error) {
		return r.balance.backends[0].ready.Load() && r.balance.backends[1].ready.Load(), nil
	}); !ready {
		return errors.Join(errors.New("the balancer finds no servers"), ctx.Err())
	}
	random := rand.New(rand.NewPCG(r.seed, 1<<63))
	planned := r.plan(random)
	r.began = time.Now()
	r.load(loaded, &working)
	working.Go(func() { r.watch(loaded) })
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
			load.Every(ctx, rate, workers, func(worker int, due time.Time) {
				who := worker + turns[worker]*workers
				if who >= count {
					turns[worker], who = 0, worker
				}
				turns[worker]++
				do(context.WithoutCancel(ctx), who, due) // a call that has begun is answered
			})
		})
	}
	perAccount(starRate, r.rates.accounts, r.pair.writes.star)
	perAccount(projectRate, r.rates.accounts, r.pair.writes.project)
	perAccount(launchRate, r.rates.accounts, r.pair.launches.step)
	perAccount(singleRate, 1, r.single.writes.star)
	perAccount(realRate, 1, r.single.launches.step)
	queries := r.corpus.Mix(2000)
	working.Go(func() {
		number := make([]int, searchers)
		load.Every(ctx, float64(r.rates.searches), searchers, func(worker int, due time.Time) {
			path := queries[(worker+number[worker]*searchers)%len(queries)].Path()
			number[worker]++
			came := r.searches.ask(ctx, r.pair.address, due, false, program.Call{Method: http.MethodGet, Path: path})
			if came.status != http.StatusOK && !came.missing() && ctx.Err() == nil {
				r.searches.mistake("%s: %d %.300s", path, came.status, came.body)
			}
		})
	})
	all := make([]*sessions.Dashboard, r.rates.dashboards)
	for i := range all {
		all[i] = &sessions.Dashboard{
			Address: r.pair.address, Patient: true, Phase: sessions.Interval * time.Duration(i) / time.Duration(len(all)),
			Token: func() string { return r.pair.people.token(i % r.rates.accounts) },
		}
	}
	working.Go(func() { r.dashboards = sessions.Poll(ctx, all, r.length) })
}

// watch notes each server's memory every second and renews the tokens.
func (r *run) watch(ctx context.Context) {
	renewed, down := time.Now(), map[*unit]bool{}
	for ; ctx.Err() == nil; load.Pause(ctx, time.Second) {
		since := time.Since(r.began)
		for _, one := range r.units() {
			if !one.measure(min(int(3*since/r.length), 2)) && !down[one] {
				down[one] = true
				r.faults.add("%s ended by itself at %s", one.name, since.Round(time.Second))
			}
		}
		for id, count := range r.hub.Sessions() {
			if _, err := uuid.Parse(id); err != nil || count > 1 {
				r.faults.add("the hub has %d servers for the session %q", count, id)
			}
		}
		if time.Since(renewed) > renewEvery && r.renew(ctx) == nil {
			renewed = time.Now()
		}
	}
}
