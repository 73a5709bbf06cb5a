// Package launch measures how soon a notebook can be used after a click on Run, beside a Jupyter that is started by hand
// on the same machine.
package launch

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"cairn/bench/program"
	"cairn/bench/report"
)

// options are how often something is measured.
type options struct{ rounds, warm, together, journeys int }

// usable says when notebooks could be used, of several starts.
type usable struct {
	page   []time.Duration // until its page is there
	kernel []time.Duration // until its kernel has answered and is idle
}

func (u *usable) add(page, kernel time.Duration) {
	u.page, u.kernel = append(u.page, page), append(u.kernel, kernel)
}

// figures are everything that is measured.
type figures struct {
	version                      string
	bare, cached, warm           usable
	bareTogether, cachedTogether usable // the last of those that start at once
	plots, warmPlots             []time.Duration
	noPlots                      string // why there are none
}

// Run measures how soon a notebook can be used. Its error says that an aim was missed.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "launch", "", arguments, out, func(flags *flag.FlagSet) report.Measure {
		var o options
		flags.IntVar(&o.rounds, "rounds", 5, "how often one start is measured in each way")
		flags.IntVar(&o.warm, "warm", 20, "how many warm sessions are claimed; 0: none")
		flags.IntVar(&o.together, "together", 16, "how many start at once; 0: none")
		flags.IntVar(&o.journeys, "journeys", 3, "how often a browser goes from the landing page to a plot; 0: never")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) {
			if o.rounds < 1 {
				return report.Part{}, errors.New("--rounds is at least 1")
			}
			found, err := o.measure(ctx, with)
			return o.results(found), err
		}
	})
}

func (o options) measure(ctx context.Context, with *report.Setup) (found figures, err error) {
	cairn := program.Program{Binary: with.Binary, Data: filepath.Join(with.Folder, "data"), Flags: []string{"--demo"}}
	if found.version, err = cairn.Version(ctx); err != nil {
		return found, err
	}
	// One account may have many sessions.
	cairn.Config = program.Config(nil, "sessions:\n  limit: 100\n  capacity: 100\n  jupyter: "+program.Jupyter+"\n")
	kept, without := max(o.warm, o.journeys), cairn
	err = serve(ctx, cairn, func(u *user) error {
		defer func() { cairn.Config += fmt.Sprintf("  warm: [{entry: %s, count: %d}]\n", u.entry, kept) }()
		with.Say("one start in each way, %d times", o.rounds)
		if err := u.start(ctx, 1, &usable{}); err != nil { // after this the repository is cached
			return err
		}
		for range o.rounds {
			if err := errors.Join(startBare(ctx, with.Folder, 1, &found.bare), u.start(ctx, 1, &found.cached)); err != nil {
				return err
			}
		}
		if o.together > 0 {
			with.Say("%d starts at once in each way", o.together)
			if err := errors.Join(startBare(ctx, with.Folder, o.together, &found.bareTogether), u.start(ctx, o.together, &found.cachedTogether)); err != nil {
				return err
			}
		}
		found.plots, found.noPlots, err = u.journeys(ctx, o.journeys)
		return err
	})
	if err != nil || o.warm == 0 {
		return found, err
	}
	defer func() { err = errors.Join(err, without.EndWarm(ctx)) }()
	return found, serve(ctx, cairn, func(u *user) error {
		with.Say("%d claims of warm sessions", o.warm)
		if err := u.claims(ctx, o.warm, kept, &found.warm); err != nil || found.noPlots != "" {
			return err
		}
		if err := u.operator.AwaitWarm(ctx, o.journeys); err != nil {
			return err
		}
		found.warmPlots, _, err = u.journeys(ctx, o.journeys)
		return err
	})
}

func (o options) results(f figures) report.Part {
	median := func(times []time.Duration) float64 { return report.Quantile(times, 0.5).Seconds() }
	beside := func(text string, limit float64, ours, theirs usable) report.Aim {
		return report.Aim{Text: text, Limit: limit, Measured: median(ours.kernel) / median(theirs.kernel), Unit: "times"}
	}
	aims := []report.Aim{beside("cached start, until the kernel is idle, beside a bare Jupyter", 1.5, f.cached, f.bare)}
	if o.together > 0 {
		aims = append(aims, beside(fmt.Sprintf("%d starts at once, until the last kernel is idle, beside as many bare Jupyters", o.together), 1.25, f.cachedTogether, f.bareTogether))
	}
	if o.warm > 0 {
		aims = append(aims, report.Aim{Text: "claim of a warm session, until the notebook's page, p95", Limit: 0.3, Measured: report.Quantile(f.warm.page, 0.95).Seconds(), Unit: "s"})
	}
	for i, times := range [][]time.Duration{f.plots, f.warmPlots} {
		if text := []string{"from the landing page to a plot, p50", "the same with a warm session, p50"}[i]; len(times) > 0 {
			aims = append(aims, report.Aim{Text: text, Limit: 4, Measured: median(times), Unit: "s"})
		}
	}
	table := report.Table{Columns: []string{"", "times", "page p50 ms", "page p95 ms", "kernel p50 ms", "kernel p95 ms"}}
	for _, row := range []struct {
		name string
		usable
	}{
		{"bare Jupyter", f.bare},
		{"session, cached", f.cached},
		{"warm session", f.warm},
		{fmt.Sprintf("the last of %d bare Jupyters", o.together), f.bareTogether},
		{fmt.Sprintf("the last of %d sessions, cached", o.together), f.cachedTogether},
	} {
		if len(row.page) > 0 {
			cells := append([]string{row.name, report.Whole(len(row.page))}, report.Quantiles(row.page, 0.5, 0.95)...)
			table.Add(append(cells, report.Quantiles(row.kernel, 0.5, 0.95)...)...)
		}
	}
	text := "From the start, or from the call that starts a session, until the notebook's page was answered, and until its kernel had answered and was idle:\n\n" + table.String()
	if f.noPlots != "" {
		text += "\nThe browser wasn't measured: " + f.noPlots + ".\n"
	}
	return report.Part{
		Name: "launch", Title: "How soon a notebook can be used", Aims: aims, Text: text,
		About: []string{fmt.Sprintf("Cairn %s, %s, the demo's repository %q with its notebook; the repository is cached", f.version, program.Jupyter, program.Demo)},
	}
}
