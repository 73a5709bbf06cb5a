package app

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"cairn/internal/app/doctor"
	"cairn/internal/foundation/fault"
	"cairn/internal/operations/overview"
	"cairn/internal/runs"
	"cairn/internal/sessions/sizes"
)

// newOverview returns what operators see of the server.
func (p *program) newOverview(parts features) *overview.Service {
	options := overview.Options{
		Version: p.version, StartedAt: time.Now().UTC(), Now: time.Now, Capacity: p.config.Sessions.TotalCapacity(),
		Accounts: parts.accounts, Sessions: parts.sessions.Store,
		Disks: func() []overview.Disk {
			disks := []overview.Disk{}
			for _, one := range p.disks() {
				disks = append(disks, overview.Disk{Name: one.Name, FreeBytes: one.Free, SizeBytes: one.Size})
			}
			return disks
		},
		Machine: func() overview.Machine { return overview.ReadMachine(os.DirFS("/")) },
		Runs:    countRuns(runs.NewStore(p.db)),
		Checks: []overview.Check{
			{Name: "database", Run: p.checkDatabase},
			{Name: "search", Run: func(ctx context.Context) overview.Result {
				if err := parts.entries.Searchable(ctx); err != nil {
					return overview.Result{Fixes: []string{fault.MessageOf(err)}}
				}
				entries, lag := parts.entries.IndexState()
				return overview.Result{Saw: fmt.Sprintf("%d entries indexed, updated %.1f s ago", entries, lag.Seconds())}
			}},
			{Name: "background work", Run: p.tasks.check},
		},
	}
	for _, engine := range p.engines {
		options.Engines = append(options.Engines, overview.Engine{Name: engine.Name, Label: engine.Label})
		options.Checks = append(options.Checks, overview.Check{Name: "engine " + engine.Name, Run: checkOf(engine)})
	}
	options.Checks = append(options.Checks, doctor.ServerChecks(p.config)...)
	return overview.New(options)
}

// countRuns returns what counts runs for operators.
func countRuns(store *runs.Store) func(ctx context.Context, since time.Time) (overview.Runs, error) {
	return func(ctx context.Context, since time.Time) (found overview.Runs, err error) {
		counts, err := store.Count(ctx, since)
		for _, one := range counts {
			switch {
			case one.State == runs.Queued:
				found.Waiting += one.Count
			case one.State == runs.Running:
				found.Running += one.Count
			case one.Verdict == runs.Clean:
				found.Clean += one.Count
			case one.Verdict == runs.NothingToCompare:
				found.Nothing += one.Count
			case one.Verdict == runs.Differs:
				found.Differs += one.Count
			case one.Verdict == runs.Fails:
				found.Failed += one.Count
			case one.Verdict == runs.Needs:
				found.Needs += one.Count
			}
		}
		return found, err
	}
}

func (p *program) checkDatabase(ctx context.Context) overview.Result {
	began := time.Now()
	if err := p.readDatabase(ctx); err != nil {
		return overview.Result{Fixes: []string{fault.MessageOf(err)}}
	}
	return overview.Result{Saw: "answers in " + time.Since(began).Round(100*time.Microsecond).String()}
}

func checkOf(engine sizes.Engine) func(ctx context.Context) overview.Result {
	return func(ctx context.Context) overview.Result {
		if err := engine.Check(ctx); err != nil {
			return overview.Result{Fixes: []string{fault.MessageOf(err) + " cairn engine check " + engine.Name + " tells more."}}
		}
		return overview.Result{Saw: "can start sessions"}
	}
}

// The work in the background, and how long it may go without a success.
const (
	taskAudit    = "audit"    // seals records
	taskChanges  = "changes"  // follows what other processes change
	taskRuns     = "runs"     // looks after runs
	taskStarters = "starters" // counts the uses of entries

	oftenLate  = 5 * time.Minute
	seldomLate = 3 * time.Hour
)

// taskDeadlines is how long each may go without a success.
var taskDeadlines = map[string]time.Duration{taskAudit: oftenLate, taskChanges: oftenLate, taskRuns: seldomLate, taskStarters: seldomLate}

// tasks knows when work in the background last succeeded.
type tasks struct {
	mu   sync.Mutex
	done map[string]time.Time
}

func (t *tasks) succeeded(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done == nil {
		t.done = map[string]time.Time{}
	}
	t.done[name] = time.Now()
}

// check names the work that hasn't succeeded for long; what never succeeded is late too, once something else has.
func (t *tasks) check(context.Context) overview.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	var fixes []string
	for name, at := range t.done {
		if since := time.Since(at); since > taskDeadlines[name] {
			fixes = append(fixes, fmt.Sprintf("The work %s hasn't succeeded for %s. The log says why.", name, since.Round(time.Minute)))
		}
	}
	slices.Sort(fixes)
	return overview.Result{Saw: "running normally", Fixes: fixes}
}
