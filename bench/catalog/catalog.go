// Package catalog measures the catalog: import, start-up, memory, searches and updates of the real binary over HTTP.
package catalog

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

// fullEntries is the number of entries for which the aims are defined.
const fullEntries = 1_000_000

// bench is one run.
type bench struct {
	*report.Setup

	count  int           // of entries
	seed   uint64        // of the generator
	time   time.Duration // for one class, and for the mix with one number of clients
	corpus *corpus.Corpus
	mixed  []corpus.Query // the mix of all classes
	cairn  program.Program
	server *program.Server
	found  findings
}

// findings are the results of a run.
type findings struct {
	version                 string
	took                    time.Duration
	imported                time.Duration
	cold, warm              start
	bareStart               time.Duration // reading the snapshot's file, and opening the database
	classes                 []searches
	mixes                   []searches
	oneCeiling, manyCeiling load.Result     // with 1 and with ratioClients clients
	alone, besideLong       load.Result     // the mix with ratioClients clients, in turns without and with long texts
	loaded                  program.Figures // after the mixes
	updates                 updates
	wrong                   int
	firstWrong              error
}

type start struct {
	listened, ready, processor time.Duration

	figures program.Figures
}

// searches are what a class of searches, or the mix with some clients, took.
type searches struct {
	class   corpus.Class
	clients int
	average int // entries that one found
	load.Result
}

// Run measures the catalog. Its error also says that the catalog gave wrong answers.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "catalog", "", arguments, out, func(flags *flag.FlagSet) report.Measure {
		b := &bench{}
		flags.IntVar(&b.count, "entries", fullEntries, "how many entries the catalog has")
		flags.Uint64Var(&b.seed, "seed", corpus.Default(0).Seed, "of the generator")
		flags.DurationVar(&b.time, "time", 10*time.Second, "how long each class of searches is measured at most")
		return b.run
	})
}

// resultsOf returns the file that gets the results unless a flag names one: runs with fewer entries don't count.
func resultsOf(entries int) string {
	if entries == fullEntries {
		return "bench/RESULTS.md"
	}
	return ""
}

func (b *bench) run(ctx context.Context, with *report.Setup) (part report.Part, err error) {
	if b.count < 1000 || b.time <= 0 {
		return part, errors.New("give at least 1,000 entries, and a time above 0; see --help")
	}
	if with.Results == "" {
		with.Results = resultsOf(b.count)
	}
	b.Setup = with
	began := time.Now()
	if err := b.prepare(ctx); err != nil {
		return part, err
	}
	defer func() {
		if b.server != nil {
			err = errors.Join(err, b.server.Stop())
		}
	}()
	for _, phase := range []func(context.Context) error{b.start, b.classes, b.ceiling, b.mixes, b.besideLong, b.update} {
		if err := phase(ctx); err != nil {
			return part, err
		}
	}
	b.found.took = time.Since(began)
	return b.results(), nil
}

// prepare generates and imports the entries.
func (b *bench) prepare(ctx context.Context) (err error) {
	parameters := corpus.Default(b.count)
	parameters.Seed = b.seed
	b.corpus = corpus.New(parameters)
	b.mixed = b.corpus.Mix(mixQueries)
	b.cairn = program.Program{Binary: b.Binary, Data: filepath.Join(b.Folder, "data")}
	if b.found.version, err = b.cairn.Version(ctx); err != nil {
		return err
	}
	b.Say("Importing %s entries", report.Whole(b.count))
	b.found.imported, err = b.cairn.Import(ctx, func(file io.Writer) error { return b.corpus.Write(ctx, file) })
	b.Say("Imported in %s", report.Seconds(b.found.imported))
	return err
}

// start starts the server twice: with only the database, and with what the first one left when it was stopped.
func (b *bench) start(ctx context.Context) (err error) {
	if err := b.startOnce(ctx, &b.found.cold); err != nil {
		return err
	}
	size, err := b.pageSize(ctx)
	if err := errors.Join(err, b.server.Stop()); err != nil {
		b.server = nil
		return fmt.Errorf("the server did not answer or stop well: %w", err)
	}
	b.server = nil
	if err := b.writeSite(ctx, size); err != nil {
		return err
	}
	if err := b.bare(ctx); err != nil {
		return err
	}
	return b.startOnce(ctx, &b.found.warm)
}

func (b *bench) startOnce(ctx context.Context, into *start) (err error) {
	b.Say("Starting the server")
	if b.server, err = b.cairn.Start(ctx, b.corpus.Queries(corpus.Common, 1)[0].Path()); err != nil {
		return err
	}
	*into = start{b.server.Listened, b.server.Ready, b.server.Processor(), b.server.Figures()}
	return nil
}

// search runs a plan and records wrong answers.
func (b *bench) search(ctx context.Context, name any, plan load.Plan) (load.Result, error) {
	plan.Address = b.server.Address
	result, err := load.Run(ctx, plan)
	b.found.wrong += result.Wrong
	if result.FirstErr != nil && b.found.firstWrong == nil {
		b.found.firstWrong = result.FirstErr
		b.Say("A wrong answer: %v", result.FirstErr)
	}
	b.Say("%-18s %2d clients  p50, p95, p99, per second: %v", name, plan.Clients, spread(result))
	return result, err
}

// spread returns the cells of a result: p50, p95, p99 and answers per second.
func spread(result load.Result) []string {
	return append(report.Quantiles(result.Latencies, 0.5, 0.95, 0.99), report.Number(result.PerSecond()))
}
