// Package jobs measures what it costs that a session's broker listens to its kernels, so that nothing they print is lost when a page
// closes: beside connections of pages to the same kernels without it.
package jobs

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

// options are how much is measured.
type options struct {
	kernels int
	silence time.Duration
	output  int64 // bytes that a kernel prints while its memory is looked at
	stream  time.Duration
	rounds  int
	trips   int
	only    string
}

// printers are the kernels that print without end.
var printers = []struct {
	name   string
	code   string // for the scripted kernels
	python string // for those of a real Jupyter
	size   int    // bytes in each message of a real kernel; 0: it joins what is printed
	floods bool   // the memory that it takes is looked at
}{
	{"text in messages of 1 MiB", streamCode + " 1048576", "while True: print('x' * 79)", 0, false},
	{"text in messages of 8 KiB", streamCode + " 8192", "while True: print('x' * 8191, flush=True)", 8 << 10, true},
	{"text in messages of 80 bytes", streamCode + " 80", "while True: print('x' * 79, flush=True)", 80, false},
	{
		"pictures of 100 KiB", picturesCode + " 102400",
		"from IPython.display import publish_display_data\nwhile True: publish_display_data({'image/png': 'A' * 102400})", 100 << 10, true,
	},
}

// figures are everything that is measured.
type figures struct {
	version        string
	limits         []string  // of Jupyter's output, as in a session
	jupyter        []float64 // MB/s of each printer that a real Jupyter sends to a page
	silence        silence
	memory         map[string]memory   // by the printer
	speeds         map[string][3]speed // by the printer: directly, through the broker, and with nobody who reads
	broker, direct []time.Duration
}

// Run measures everything. Its error says that an aim was missed. It is also the scripted Jupyter that a measured session has.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	if len(arguments) == 2 && arguments[0] == serveWord {
		return serve(ctx, arguments[1])
	}
	return report.Run(ctx, "jobs", "bench/RESULTS.md", arguments, out, func(flags *flag.FlagSet) report.Measure {
		var o options
		flags.IntVar(&o.kernels, "kernels", 500, "how many say nothing")
		flags.DurationVar(&o.silence, "silence", 30*time.Second, "for how long they are looked at")
		flags.Int64Var(&o.output, "output", 2<<30, "bytes that a kernel prints while its memory is looked at")
		flags.DurationVar(&o.stream, "stream", 5*time.Second, "for how long a page reads")
		flags.IntVar(&o.rounds, "rounds", 3, "how often it does in each way, in turns")
		flags.IntVar(&o.trips, "trips", 5000, "how many small executions are timed in each way")
		flags.StringVar(&o.only, "only", "", "one part, without results: jupyter, trips, speed, memory or silence")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) {
			if o.kernels < 1 || o.rounds < 1 || o.trips < 10 || o.output < 64<<20 {
				return report.Part{}, errors.New("--kernels and --rounds are at least 1, --trips 10, --output 64 MiB")
			}
			return o.run(ctx, with)
		}
	})
}

func (o options) run(ctx context.Context, with *report.Setup) (part report.Part, err error) {
	binary, err := filepath.Abs(with.Binary)
	if err != nil {
		return part, err
	}
	with.Binary = binary
	found := figures{memory: map[string]memory{}, speeds: map[string][3]speed{}}
	if found.version, err = (program.Program{Binary: binary}).Version(ctx); err != nil {
		return part, err
	}
	for _, one := range []struct {
		name string
		run  func(context.Context, *report.Setup, *figures) error
	}{{"jupyter", o.runJupyter}, {"trips", o.runTrips}, {"speed", o.runSpeed}, {"memory", o.runMemory}, {"silence", o.runSilence}} {
		if o.only != "" && o.only != one.name {
			continue
		}
		with.Say("%s", one.name)
		if err := one.run(ctx, with, &found); err != nil {
			return part, fmt.Errorf("%s: %w", one.name, err)
		}
	}
	if o.only != "" {
		with.Results = ""
		return report.Part{Name: "jobs", Title: o.only, Text: fmt.Sprintf("%+v", found)}, nil
	}
	return o.results(found), nil
}

// inBox runs something with a session of its own.
func inBox(ctx context.Context, with *report.Setup, name string, run func(*box) error) error {
	b, err := start(ctx, with.Binary, filepath.Join(with.Folder, name), scripted)
	if err != nil {
		return err
	}
	defer b.stop()
	return run(b)
}

func (o options) runTrips(ctx context.Context, with *report.Setup, found *figures) error {
	return inBox(ctx, with, "trips", func(b *box) (err error) {
		found.broker, found.direct, err = o.measureTrips(ctx, b)
		return err
	})
}

func (o options) runSpeed(ctx context.Context, with *report.Setup, found *figures) error {
	for number, printer := range printers {
		var rounds [3][]speed
		for round := range o.rounds {
			for which := range rounds {
				err := inBox(ctx, with, fmt.Sprintf("speed-%d-%d-%d", number, round, which), func(b *box) error {
					way := b.broker
					if which == 0 {
						way = b.direct
					}
					one, err := o.measureSpeed(ctx, b, way, "kernel", printer.code, which < 2)
					rounds[which] = append(rounds[which], one)
					return err
				})
				if err != nil {
					return fmt.Errorf("%s: %w", printer.name, err)
				}
			}
		}
		found.speeds[printer.name] = [3]speed{median(rounds[0]), median(rounds[1]), median(rounds[2])}
	}
	return nil
}

// median returns the medians of some rounds, and the sums of what is counted.
func median(rounds []speed) (found speed) {
	var taken, shown []float64
	for _, one := range rounds {
		taken, shown = append(taken, one.taken), append(shown, one.shown)
		found.notes += one.notes
		found.ended += one.ended
		found.peak = max(found.peak, one.peak)
	}
	found.taken, found.shown = report.Quantile(taken, 0.5), report.Quantile(shown, 0.5)
	return found
}

func (o options) runMemory(ctx context.Context, with *report.Setup, found *figures) error {
	for number, printer := range printers {
		if !printer.floods {
			continue
		}
		err := inBox(ctx, with, fmt.Sprint("memory-", number), func(b *box) (err error) {
			found.memory[printer.name], err = o.measureMemory(ctx, b, printer.code)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", printer.name, err)
		}
	}
	return nil
}

func (o options) runSilence(ctx context.Context, with *report.Setup, found *figures) error {
	return inBox(ctx, with, "silence", func(b *box) (err error) {
		found.silence, err = o.measureSilence(ctx, b)
		return err
	})
}
