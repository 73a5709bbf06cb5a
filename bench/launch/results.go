package launch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cairn/bench/report"
)

// part names the part about launches in a file of results.
const part = "launch"

func pages(all []Usable) (times []time.Duration) {
	for _, one := range all {
		times = append(times, one.Page)
	}
	return times
}

func kernels(all []Usable) (times []time.Duration) {
	for _, one := range all {
		if one.Kernel > 0 {
			times = append(times, one.Kernel)
		}
	}
	return times
}

// percentile returns the nearest-rank percentile; 0 of nothing.
func percentile(times []time.Duration, percent int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[(len(sorted)*percent+99)/100-1]
}

func ratio(ours, theirs []Usable) float64 {
	return percentile(kernels(ours), 50).Seconds() / percentile(kernels(theirs), 50).Seconds()
}

// results returns the report, and whether an aim was missed.
func results(f figures, o options, version string, took time.Duration) (text string, missed bool) {
	seconds := func(value float64) string { return report.Number(value) + " s" }
	times := func(value float64) string { return report.Number(value) + " times" }
	aims := []report.Aim{{Text: "cached start, until the kernel is idle, beside a bare Jupyter", Limit: 1.5, Measured: ratio(f.cached, f.bare), Format: times}}
	if len(f.cachedTogether) > 0 {
		aims = append(aims, report.Aim{
			Text: fmt.Sprintf("%d starts at once, until the last kernel is idle, beside %d bare Jupyters", o.together, o.together), Limit: 1.25, Measured: ratio(f.cachedTogether, f.bareTogether), Format: times,
		})
	}
	if len(f.warm) > 0 {
		aims = append(aims, report.Aim{Text: "claim of a warm session, until the notebook's page, p95", Limit: 0.3, Measured: percentile(pages(f.warm), 95).Seconds(), Format: seconds})
	}
	for _, one := range []struct {
		text  string
		times []time.Duration
	}{{"from the landing page to a plot, p50", f.plots}, {"the same with a warm session, p50", f.warmPlots}} {
		if len(one.times) > 0 {
			aims = append(aims, report.Aim{Text: one.text, Limit: 4, Measured: percentile(one.times, 50).Seconds(), Format: seconds})
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# How soon a notebook can be used\n\nWritten by `make bench BENCH=launch ARGS=\"--results bench/RESULTS.md\"` on %s in %s; `bin/bench launch --help` lists the flags.\n\n",
		time.Now().UTC().Format(time.DateOnly), report.Seconds(took))
	fmt.Fprintf(&out, "- %s\n- Cairn %s, %s, the demo's repository %q with its notebook; the repository is cached\n- the clicks come from the same machine\n\n", report.Machine(), version, o.jupyter, repository)
	table := report.Table{Columns: []string{"aim", "at most", "measured", "verdict"}}
	for _, aim := range aims {
		table.Add(aim.Text, aim.Format(aim.Limit), aim.Format(aim.Measured), aim.Verdict())
		missed = missed || !aim.Met()
	}
	out.WriteString(table.String() + "\nSeconds from the start, or from the call that starts a session, until the notebook's page was answered, and until its kernel had answered and was idle:\n\n")
	table = report.Table{Columns: []string{"", "times", "page p50", "page p95", "kernel p50", "kernel p95"}}
	for _, row := range []struct {
		name string
		all  []Usable
	}{
		{"bare Jupyter", f.bare},
		{"session, cached", f.cached},
		{"warm session", f.warm},
		{fmt.Sprintf("the last of %d bare Jupyters", o.together), f.bareTogether},
		{fmt.Sprintf("the last of %d sessions, cached", o.together), f.cachedTogether},
	} {
		if len(row.all) == 0 {
			continue
		}
		cells := []string{row.name, report.Whole(len(row.all))}
		for _, values := range [][]time.Duration{pages(row.all), kernels(row.all)} {
			cells = append(cells, report.Number(percentile(values, 50).Seconds()), report.Number(percentile(values, 95).Seconds()))
		}
		table.Add(cells...)
	}
	out.WriteString(table.String())
	if f.noPlots != "" {
		fmt.Fprintf(&out, "\nThe browser wasn't measured: %s.\n", f.noPlots)
	}
	return out.String(), missed
}
