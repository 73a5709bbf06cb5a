// Package catalog measures the catalog: import, start-up, memory, searches and updates of the real binary over HTTP.
package catalog

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/program"

	"github.com/gofrs/flock"
)

// fullEntries is the number of entries for which the aims are defined.
const fullEntries = 1_000_000

type options struct {
	entries int
	seed    uint64
	time    time.Duration // for one class, and for the mix with one number of clients
	fresh   bool
	folder  string
	binary  string
	results string
}

func parse(arguments []string, out io.Writer) (options, error) {
	var o options
	set := flag.NewFlagSet("bench catalog", flag.ContinueOnError)
	set.SetOutput(out)
	set.IntVar(&o.entries, "entries", fullEntries, "how many entries the catalog has")
	set.Uint64Var(&o.seed, "seed", corpus.Default(0).Seed, "of the generator")
	set.DurationVar(&o.time, "time", 10*time.Second, "how long each class of searches is measured at most")
	set.BoolVar(&o.fresh, "fresh", false, "import again, although the same entries were imported by an earlier run")
	set.StringVar(&o.folder, "folder", "var/bench", "for generated entries and databases")
	set.StringVar(&o.binary, "binary", "bin/cairn", "what is measured")
	set.StringVar(&o.results, "results", "", "file for the results (default: bench/RESULTS.md for the full number of entries, else one in the folder)")
	if err := set.Parse(arguments); err != nil {
		return o, err
	}
	if set.NArg() > 0 || o.entries < 1000 || o.time <= 0 {
		return o, errors.New("give flags only, at least 1,000 entries, and a time above 0; see --help")
	}
	if o.results == "" {
		o.results = filepath.Join(o.folder, fmt.Sprintf("results-%d.md", o.entries))
		if o.entries == fullEntries {
			o.results = "bench/RESULTS.md"
		}
	}
	return o, nil
}

// bench is one run of the phases, each of which adds to the findings.
type bench struct {
	options

	out     io.Writer
	entries *corpus.Corpus
	cache   string // folder that later runs with the same entries reuse
	data    string // the imported data folder in it
	scratch string // folder of this run only
	found   findings
}

// Run is the sub-command. It also returns an error when the catalog gave wrong answers.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	given, err := parse(arguments, out)
	if err != nil {
		return err
	}
	b := &bench{options: given, out: out, scratch: filepath.Join(given.folder, "run")}
	if err := os.MkdirAll(b.folder, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(b.folder, "lock"))
	if locked, err := lock.TryLock(); err != nil || !locked {
		return errors.Join(err, errors.New("another run uses "+b.folder))
	}
	defer func() { _ = lock.Unlock() }()
	// Remove what a killed run left, and afterwards what this one leaves.
	if err := os.RemoveAll(b.scratch); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.scratch) }()
	if err := os.Mkdir(b.scratch, 0o700); err != nil {
		return err
	}
	began := time.Now()
	for _, phase := range []func(context.Context) error{b.prepare, b.measure} {
		if err := phase(ctx); err != nil {
			return err
		}
	}
	b.found.took = time.Since(began)
	return b.report()
}

// say reports progress.
func (b *bench) say(format string, values ...any) {
	_, _ = fmt.Fprintf(b.out, "%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, values...))
}

// measure measures the product itself.
func (b *bench) measure(ctx context.Context) (err error) {
	cairn := program.Program{Binary: b.binary, Data: filepath.Join(b.scratch, "data")}
	// The run works on a copy, so its stars and imports don't affect the next one.
	if err := os.CopyFS(cairn.Data, os.DirFS(b.data)); err != nil {
		return err
	}
	server, err := b.start(ctx, cairn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if err := b.classes(ctx, server); err != nil {
		return err
	}
	for _, phase := range []func(context.Context, *program.Server) error{b.ceiling, b.mixes, b.besideLong} {
		if err := phase(ctx, server); err != nil {
			return err
		}
	}
	if b.found.loaded, err = server.Memory(); err != nil {
		return err
	}
	return b.updates(ctx, cairn, server)
}

// startTime limits a start that builds the index.
const startTime = 10 * time.Minute

// start starts the server twice: with only the database, and with what the first one left when it was stopped.
func (b *bench) start(ctx context.Context, cairn program.Program) (*program.Server, error) {
	search := b.entries.Queries(corpus.Common, 1)[0].Path()
	for _, one := range []struct {
		name string
		into *startFigures
	}{{"the first time", &b.found.cold}, {"again", &b.found.warm}} {
		b.say("Starting the server %s", one.name)
		server, err := cairn.Start(ctx, search, startTime)
		if err != nil {
			return nil, err
		}
		one.into.listened, one.into.ready = server.Listened, server.Ready
		var memoryErr, processorErr error
		one.into.memory, memoryErr = server.Memory()
		one.into.processor, processorErr = server.Processor()
		if err := errors.Join(memoryErr, processorErr); err != nil {
			return nil, errors.Join(err, server.Stop())
		}
		if one.into == &b.found.warm {
			return server, nil
		}
		size, sizeErr := b.pageSize(ctx, server)
		if err := errors.Join(sizeErr, server.Stop()); err != nil {
			return nil, fmt.Errorf("the server did not answer or stop well: %w", err)
		}
		site, err := b.writeSite(ctx, cairn, size)
		if err != nil {
			return nil, err
		}
		cairn.Flags = append(cairn.Flags, "--site", site)
		if err := b.bareStart(ctx, cairn); err != nil {
			return nil, err
		}
	}
	panic("unreachable")
}
