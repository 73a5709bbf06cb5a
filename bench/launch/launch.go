// Package launch measures how soon a notebook can be used after a click on Run, beside a Jupyter that is started by hand
// on the same machine.
package launch

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

const (
	search    = "/api/v1/rf/resources/public"
	startTime = time.Minute
	waitTime  = 3 * time.Minute // for anything that is measured
	person    = "researcher@example.org"

	repository = "First steps" // of the demo; it opens this notebook
	notebook   = "first-steps/first-steps.ipynb"
)

type options struct {
	binary, jupyter, browser, results string
	rounds, warm, together, journeys  int
}

// Usable says when a notebook can be used.
type Usable struct {
	Page   time.Duration // until its page is there
	Kernel time.Duration // until its kernel has answered and is idle
}

// figures are everything that is measured.
type figures struct {
	bare, cached, warm           []Usable
	bareTogether, cachedTogether []Usable // the last of those that start at once
	plots, warmPlots             []time.Duration
	noPlots                      string // why there are none
}

// Run measures, prints the times and, if asked, writes them into a file. Its error says that an aim was missed.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("launch", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.binary, "binary", "bin/cairn", "the program to measure")
	flags.StringVar(&o.jupyter, "jupyter", "/usr/bin/jupyter-notebook", "the Jupyter that is started by hand and in sessions: a Notebook 6")
	flags.StringVar(&o.browser, "browser", "/usr/bin/chromium-headless-shell", "the browser of the journey to a plot")
	flags.StringVar(&o.results, "results", "", "file in which the part about launches is replaced, such as bench/RESULTS.md")
	flags.IntVar(&o.rounds, "rounds", 5, "how often one start is measured in each way")
	flags.IntVar(&o.warm, "warm", 20, "how many warm sessions are claimed; 0: none")
	flags.IntVar(&o.together, "together", 16, "how many start at once; 0: none")
	flags.IntVar(&o.journeys, "journeys", 3, "how often a browser goes from the landing page to a plot; 0: never")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if o.rounds < 1 {
		return errors.New("--rounds is at least 1")
	}
	folder, err := os.MkdirTemp("", "cairn-launch-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	began := time.Now()
	found, version, err := measure(ctx, o, folder, out)
	if err != nil {
		return err
	}
	text, missed := results(found, o, version, time.Since(began))
	if _, err := fmt.Fprint(out, "\n", text); err != nil {
		return err
	}
	if o.results != "" {
		if err := report.WritePart(o.results, part, text); err != nil {
			return err
		}
	}
	if missed {
		return errors.New("an aim was missed")
	}
	return nil
}

func measure(ctx context.Context, o options, folder string, out io.Writer) (found figures, version string, err error) {
	tell := func(format string, values ...any) { _, _ = fmt.Fprintf(out, format+"\n", values...) }
	program := program.Program{Binary: o.binary, Data: filepath.Join(folder, "data"), Flags: []string{"--demo"}, Config: config(o.jupyter, "", 0)}
	if version, err = program.Version(ctx); err != nil {
		return found, version, err
	}
	jupyter := bare{program: o.jupyter, folder: folder}
	err = Serve(ctx, program, func(s *Server) error {
		tell("one start in each way, %d times", o.rounds)
		if _, err := s.Start(ctx); err != nil { // after this the repository is cached
			return err
		}
		for range o.rounds {
			one, err := jupyter.start(ctx, 1)
			if err != nil {
				return err
			}
			found.bare = append(found.bare, one)
			if one, err = s.Start(ctx); err != nil {
				return err
			}
			found.cached = append(found.cached, one)
		}
		if o.together > 0 {
			tell("%d starts at once in each way", o.together)
			one, err := jupyter.start(ctx, o.together)
			if err != nil {
				return err
			}
			found.bareTogether = append(found.bareTogether, one)
			if one, err = s.startTogether(ctx, o.together); err != nil {
				return err
			}
			found.cachedTogether = append(found.cachedTogether, one)
		}
		if found.plots, found.noPlots, err = s.journeys(ctx, o, tell); err != nil {
			return err
		}
		program.Config = config(o.jupyter, s.Entry, max(o.warm, o.journeys))
		return nil
	})
	if err == nil && o.warm > 0 {
		err = Serve(ctx, program, func(s *Server) error {
			tell("%d claims of warm sessions", o.warm)
			if found.warm, err = s.claims(ctx, o.warm, max(o.warm, o.journeys)); err != nil || found.noPlots != "" {
				return err
			}
			if err := s.awaitWarm(ctx, o.journeys); err != nil {
				return err
			}
			found.warmPlots, _, err = s.journeys(ctx, o, tell)
			return err
		})
	}
	return found, version, err
}

// config lets one account have many sessions of this Jupyter, and keeps some of an entry warm.
func config(jupyter, entry string, count int) string {
	text := "sessions:\n  limit: 100\n  capacity: 100\n  jupyter: " + jupyter + "\n"
	if entry != "" && count > 0 {
		text += fmt.Sprintf("  warm: [{entry: %s, count: %d}]\n", entry, count)
	}
	return text
}
