// Package runs measures how soon the runs of an entry are listed when there are very many, and what runs that compute cost
// the people who start sessions beside them.
package runs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"cairn/bench/program"
	"cairn/bench/report"
)

// fullRuns is the number of runs for which the aim is defined.
const fullRuns = 100_000

type options struct {
	binary, jupyter, results string
	runs, asked, launches    int
}

type bench struct {
	options

	folder string
	out    io.Writer
}

// Run is the sub-command. Its error says that an aim was missed or an answer was wrong.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	b := bench{out: out}
	flags := flag.NewFlagSet("runs", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&b.binary, "binary", "bin/cairn", "the program to measure")
	flags.StringVar(&b.jupyter, "jupyter", "/usr/bin/jupyter-notebook", "the Jupyter of sessions and runs: a Notebook 6")
	flags.StringVar(&b.results, "results", "", "file in which the part about runs is replaced, such as bench/RESULTS.md")
	flags.IntVar(&b.runs, "runs", fullRuns, "how many runs the entry has; 0: no lists are measured")
	flags.IntVar(&b.asked, "asked", 300, "how often each list is asked for")
	flags.IntVar(&b.launches, "launches", 30, "how often a session is launched beside runs, and without any; 0: never")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 || b.asked < 1 || b.runs < 0 || (b.runs > 0 && b.runs < 2*pageSize) || b.launches < 0 {
		return fmt.Errorf("give flags only, at least %d runs, and counts above 0; see --help", 2*pageSize)
	}
	if b.runs > 0 && program.Postgres() == "" {
		return program.WithPostgres(ctx, "runs", arguments, out)
	}
	began := time.Now()
	version, err := program.Program{Binary: b.binary}.Version(ctx)
	if err != nil {
		return err
	}
	if b.folder, err = os.MkdirTemp("", "cairn-runs-*"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	var found figures
	if b.runs > 0 {
		if found.lists, err = b.lists(ctx); err != nil {
			return err
		}
	}
	if b.launches > 0 {
		if found.quiet, found.busy, err = b.beside(ctx); err != nil {
			return err
		}
	}
	text, missed := b.report(found, version, time.Since(began))
	if _, err := fmt.Fprint(out, "\n", text); err != nil {
		return err
	}
	if b.results != "" {
		if err := report.WritePart(b.results, "runs", text); err != nil {
			return err
		}
	}
	if missed {
		return errors.New("an aim was missed")
	}
	return nil
}

// say reports progress.
func (b *bench) say(format string, values ...any) {
	_, _ = fmt.Fprintf(b.out, "%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, values...))
}

// program returns the demo with a separate data folder and without scheduled runs.
func (b *bench) program(name, config string) program.Program {
	return program.Program{
		Binary: b.binary, Data: filepath.Join(b.folder, name), Flags: []string{"--demo"},
		Config: "runs: {every: never, share: 1, timeout: 2h, per_day: 1000}\n" + config,
	}
}
