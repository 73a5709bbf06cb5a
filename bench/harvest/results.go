package harvest

import (
	"fmt"
	"strings"
	"time"

	"cairn/bench/report"
)

// figures are everything that is measured.
type figures struct {
	single   []answered
	harvests []harvested
}

// The aims, each for 95 of 100 answers.
const (
	pageAim   = 50 * time.Millisecond
	singleAim = 5 * time.Millisecond
)

// report returns the results, and whether an aim was missed.
func (b *bench) report(version string, took time.Duration) (text string, missed bool) {
	aims := report.Table{Columns: []string{"aim, p95", "at most", "measured", "verdict"}}
	aim := func(text string, limit, measured time.Duration) {
		one := report.Aim{Limit: float64(limit), Measured: float64(measured), Format: func(value float64) string { return report.Milliseconds(time.Duration(value)) + " ms" }}
		aims.Add(text, one.Format(one.Limit), one.Format(one.Measured), one.Verdict())
		missed = missed || !one.Met()
	}
	harvests := report.Table{Columns: []string{"harvest", "pages", "records", "came again", "p50 ms", "p95 ms", "p99 ms", "longest ms", "changes each second"}}
	for _, one := range b.found.harvests {
		aim("page of 100 records in "+one.prefix, pageAim, one.pages.Quantile(0.95))
		harvests.Add(
			one.prefix, report.Whole(len(one.pages.Latencies)), report.Whole(one.records), report.Whole(one.repeated), report.Milliseconds(one.pages.Quantile(0.5)),
			report.Milliseconds(one.pages.Quantile(0.95)), report.Milliseconds(one.pages.Quantile(0.99)), report.Milliseconds(one.pages.Quantile(1)),
			report.Number(float64(len(one.changes.Latencies))/one.took.Seconds()),
		)
	}
	single := report.Table{Columns: []string{"of one entry", "answers", "p50 ms", "p95 ms", "p99 ms", "processor ms"}}
	for _, one := range b.found.single {
		aim(one.name, singleAim, one.answers.Quantile(0.95))
		single.Add(
			one.name, report.Whole(len(one.answers.Latencies)), report.Milliseconds(one.answers.Quantile(0.5)), report.Milliseconds(one.answers.Quantile(0.95)),
			report.Milliseconds(one.answers.Quantile(0.99)), report.Milliseconds(one.processor/time.Duration(one.asked)),
		)
	}
	var out strings.Builder
	fmt.Fprintf(&out, `# What harvests cost

Written by `+"`make bench BENCH=harvest ARGS=\"--results bench/RESULTS.md\"`"+` on %s in %s; `+"`ARGS=\"--entries 100000\"`"+` is a shorter run.

- %s entries on SQLite and those of the demo
- %s; the load generator runs on the same cores, and the machine had other work too
- Cairn %s, over HTTP

%s
`, time.Now().UTC().Format(time.DateOnly), report.Seconds(took), report.Whole(b.entries), report.Machine(), version, aims.String())
	fmt.Fprintf(&out, `Harvests of everything by one harvester, one page after the other, while %d changes of entries are due each second; the table says how many this machine
made beside the harvest. Each record that was there throughout came, and only those came again that changed.

%s
One entry of each type of the demo with its files, asked for one after the other by one client while nothing else is asked and the server is at rest. The processor time of the
server for each depends little on what else the machine does.

%s`, b.rate, harvests.String(), single.String())
	return out.String(), missed
}
