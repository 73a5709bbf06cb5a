package doctor

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/discovery"
	"cairn/internal/app/installation"
	"cairn/internal/foundation/fault"
	"cairn/internal/operations/overview"
)

// check is one thing that Doctor looks at. Its summary says in a few words what it found in order; its problems are what isn't.
// Both are empty where there is nothing to look at.
type check struct {
	name string
	run  func(ctx context.Context, on *target) (summary string, problems []problem)

	// advise returns what should be set up, though nothing is wrong without it yet: a sentence, or "". It may be nil.
	advise func(on *target) string
}

func (c check) adviceFor(on *target) string {
	if c.advise == nil {
		return ""
	}
	return c.advise(on)
}

// problem is something that an operator should fix: a sentence that says what is wrong, and one that says what to do.
type problem struct{ what, fix string }

func (p problem) String() string { return strings.TrimSpace(p.what + " " + p.fix) }

// target is the installation that is checked.
type target struct {
	config  config.Config // valid, with the path of the data folder
	running bool          // a server runs on the data folder
	now     func() time.Time
	client  *http.Client
	resolve func(ctx context.Context, host string) error
}

// checks are all of them, in the order in which they are printed. They change nothing.
func checks() []check {
	return []check{
		{"start", checkStart, nil},
		{"account", checkAccount, nil},
		{"files", checkFiles, nil},
		{"disk", checkDisk, nil},
		{"open files", checkHandles, nil},
		{"database", checkDatabase, nil},
		{"records", checkRecords, nil},
		{"datasets", checkDatasets, nil},
		{"versions", checkVersions, nil},
		{"backup", checkBackup, adviseBackup},
		{"certificate", checkCertificate, nil},
		{"public address", checkPublicAddress, nil},
		{"names", checkNames, nil},
		{"clock", checkClock, nil},
		{"identity provider", checkProvider, nil},
		{"engines", checkEngines, adviseJupyter},
	}
}

// checkTimeout limits one check.
const checkTimeout = time.Minute

// Run checks an installation and prints one line for each thing: what it is like, or what is wrong and what to do. Its error
// says how much there is to fix. A configuration with faults is reported alone, because all the rest depends on it.
func Run(ctx context.Context, settings config.Config, out io.Writer) error {
	count := 0
	report := func(name, summary string, problems []problem) {
		for _, one := range problems {
			_, _ = fmt.Fprintf(out, "problem  %s: %s\n", name, one)
		}
		if summary != "" && len(problems) == 0 {
			_, _ = fmt.Fprintf(out, "ok       %s: %s\n", name, summary)
		}
		count += len(problems)
	}
	if faults := settings.AllFaults(); len(faults) > 0 {
		report("configuration", "", problemsOf(faults))
	} else {
		report("configuration", "it can be used", nil)
		for _, warning := range settings.Warnings() { // what somebody decided is nothing to fix
			_, _ = fmt.Fprintf(out, "note     configuration: %s\n", warning)
		}
		on := newTarget(settings)
		for _, one := range checks() {
			bounded, cancel := context.WithTimeout(ctx, checkTimeout)
			summary, problems := one.run(bounded, on)
			cancel()
			report(one.name, summary, problems)
			if advice := one.adviceFor(on); advice != "" {
				_, _ = fmt.Fprintf(out, "note     %s: %s\n", one.name, advice)
			}
		}
	}
	switch count {
	case 0:
		return nil
	case 1:
		return fault.New(fault.Conflict, "There is 1 thing to fix.")
	}
	return fault.New(fault.Conflict, "There are %d things to fix.", count)
}

// ServerChecks are those that also make sense within a running server, whose valid configuration names its data folder by an
// absolute path.
func ServerChecks(settings config.Config) []overview.Check {
	var found []overview.Check
	on := newTarget(settings)
	for _, one := range checks() {
		if slices.Contains([]string{"disk", "open files", "datasets", "backup", "certificate"}, one.name) {
			found = append(found, overview.Check{Name: one.name, Run: func(ctx context.Context) overview.Result {
				summary, problems := one.run(ctx, on)
				found := overview.Result{Saw: summary}
				for _, one := range problems {
					found.Fixes = append(found.Fixes, one.String())
				}
				if advice := one.adviceFor(on); advice != "" {
					found.Advice = []string{advice}
				}
				return found
			}})
		}
	}
	return found
}

func newTarget(settings config.Config) *target {
	if path, err := filepath.Abs(settings.Data); err == nil {
		settings.Data = path
	}
	return &target{
		config: settings.WithDemoDefaults(), running: installation.IsLocked(settings.Data), now: time.Now,
		client: discovery.NewClient(),
		resolve: func(ctx context.Context, host string) error {
			_, err := net.DefaultResolver.LookupHost(ctx, host)
			return err
		},
	}
}

// problemsOf returns problems for sentences that already say what to do.
func problemsOf(sentences []string) []problem {
	var problems []problem
	for _, one := range sentences {
		problems = append(problems, problem{what: one})
	}
	return problems
}

// checkStart looks for everything for which the server would refuse to start.
func checkStart(ctx context.Context, on *target) (string, []problem) {
	notes, faults := startFaults(ctx, on.config)
	if len(notes) > 0 {
		return strings.Join(notes, " "), problemsOf(faults)
	}
	return "the server can start", problemsOf(faults)
}
