package runs

import (
	"fmt"
	"strings"
	"time"

	"cairn/bench/launch"
	"cairn/bench/load"
	"cairn/bench/report"
)

// figures are everything that is measured.
type figures struct {
	lists       []listed
	quiet, busy []launch.Usable
}

// The aims: a list of runs, and a launch beside runs, times one without any.
const (
	listAim   = 50 * time.Millisecond
	besideAim = 1.25
)

func kernels(all []launch.Usable) load.Result {
	times := make([]time.Duration, len(all))
	for i, one := range all {
		times[i] = one.Kernel
	}
	return load.Of(times)
}

// report returns the results, and whether an aim was missed.
func (b *bench) report(f figures, version string, took time.Duration) (text string, missed bool) {
	quiet, busy := kernels(f.quiet), kernels(f.busy)
	aims := report.Table{Columns: []string{"aim", "at most", "measured", "verdict"}}
	aim := func(one report.Aim) {
		aims.Add(one.Text, one.Format(one.Limit), one.Format(one.Measured), one.Verdict())
		missed = missed || !one.Met()
	}
	for _, one := range f.lists {
		if one.runs {
			aim(report.Aim{
				Text: fmt.Sprintf("%s of %s, %s, p50", one.name, report.Whole(b.runs), one.database), Limit: listAim.Seconds() * 1000,
				Measured: one.answers.Quantile(0.5).Seconds() * 1000, Format: func(value float64) string { return report.Number(value) + " ms" },
			})
		}
	}
	if len(f.busy) > 0 {
		aim(report.Aim{
			Text: "start of a session beside runs that compute, until the kernel is idle, p50 beside that without runs", Limit: besideAim,
			Measured: float64(busy.Quantile(0.5)) / float64(quiet.Quantile(0.5)), Format: func(value float64) string { return report.Number(value) + " times" },
		})
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# What runs cost\n\nWritten by `make bench BENCH=runs ARGS=\"--results bench/RESULTS.md\"` on %s in %s; `bin/bench runs --help` lists the flags.\n\n- %s\n- Cairn %s; whoever asks and clicks is on the same machine\n\n%s",
		time.Now().UTC().Format(time.DateOnly), report.Seconds(took), report.Machine(), version, aims.String())
	if len(f.lists) > 0 {
		table := report.Table{Columns: []string{"list", "answers", "p50 ms", "p95 ms"}}
		for _, one := range f.lists {
			table.Add(one.name+", "+one.database, report.Whole(len(one.answers.Latencies)), report.Milliseconds(one.answers.Quantile(0.5)), report.Milliseconds(one.answers.Quantile(0.95)))
		}
		fmt.Fprintf(&out, "\nPages of %d, asked for in turn over HTTP by one client without an account. One entry has %s runs; the catalog has the demo's entries.\n\n%s", pageSize, report.Whole(b.runs), table.String())
	}
	if len(f.busy) > 0 {
		table := report.Table{Columns: []string{"starts of sessions", "times", "p50 s", "p95 s"}}
		for _, row := range []struct {
			name  string
			times load.Result
		}{{"without runs", quiet}, {fmt.Sprintf("beside runs that compute: %d, their share of this machine", atOnce()), busy}} {
			table.Add(row.name, report.Whole(len(row.times.Latencies)), report.Number(row.times.Quantile(0.5).Seconds()), report.Number(row.times.Quantile(0.95).Seconds()))
		}
		fmt.Fprintf(&out, "\nStarts of the demo's repository, which is cached, until the kernel had answered and was idle; both in turn, each first every other time. The notebooks of the runs keep a processor busy each.\n\n%s", table.String())
	}
	return out.String(), missed
}
