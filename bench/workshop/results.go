package workshop

import (
	"fmt"
	"time"

	"cairn/bench/program"
	"cairn/bench/report"
)

// The aims.
const (
	besideAim  = 1.5 // times what somebody else waits without the workshop
	pageAim    = 3.0 // seconds until the page of the notebook, for 95 of 100 guests
	errorAim   = 5.0 // seconds until the host sees an error
	messageAim = 5.0 // seconds until all have a message
)

func (o options) results(f figures) report.Part {
	last := func(times []time.Duration) float64 { return report.Quantile(times, 1).Seconds() }
	aims := []report.Aim{}
	for _, one := range []struct {
		text  string
		times usable
	}{{"somebody else's start while sessions get warm, until the kernel is idle, p50, beside before", f.during}, {"the same while guests join", f.while}} {
		if len(one.times.kernel) > 0 {
			aims = append(aims, report.Aim{Text: one.text, Limit: besideAim, Measured: ratio(one.times.kernel, f.before.kernel), Unit: "times"})
		}
	}
	if len(f.warm.page) > 0 {
		aims = append(aims, report.Aim{
			Text: "a guest with a warm session, until the notebook's page, p95", Limit: pageAim, Measured: report.Quantile(f.warm.page, 0.95).Seconds(), Unit: "s",
		})
	}
	aims = append(aims,
		report.Aim{Text: fmt.Sprintf("%d errors at once, until the board shows the last", len(f.errors)), Limit: errorAim, Measured: last(f.errors), Unit: "s"},
		report.Aim{Text: "a message, until the last page has it", Limit: messageAim, Measured: last(f.messages), Unit: "s"},
	)
	return report.Part{
		Name: "workshop", Title: fmt.Sprintf("A workshop of %d seats", o.guests), Aims: aims, Faults: f.faults, Text: o.starts(f) + "\n" + o.rest(f),
		About: []string{
			fmt.Sprintf("Cairn %s with its demo, %s, the demo's repository %q; a capacity of %d, sessions of %d MiB", f.version, program.Jupyter, program.Demo, f.capacity, memory),
			fmt.Sprintf("%d guests without accounts come within %s, evenly, each with a page and a kernel of their own; %d had a session that was warm, %d waited in the queue at the end",
				o.guests, o.joining, len(f.warm.page), f.waiting),
		},
	}
}

// starts returns how long it took until notebooks could be used.
func (o options) starts(f figures) string {
	table := report.Table{Columns: []string{"", "times", "page p50 ms", "page p95 ms", "kernel p50 ms", "kernel p95 ms", "the last ms"}}
	for _, row := range []struct {
		name string
		usable
	}{
		{"somebody else's start, before", f.before},
		{"while sessions get warm", f.during},
		{"while guests join", f.while},
		{"guests with a warm session", f.warm},
		{"guests without", f.cold},
		{fmt.Sprintf("%d bare Jupyters that are started by hand at once", f.bareCount), f.bare},
	} {
		if len(row.page) > 0 {
			cells := append([]string{row.name, report.Whole(len(row.page))}, report.Quantiles(row.page, 0.5, 0.95)...)
			table.Add(append(cells, report.Quantiles(row.kernel, 0.5, 0.95, 1)...)...)
		}
	}
	return "From the call that starts a session or joins, or from the start of all bare Jupyters, until the notebook's page was answered, and until its kernel had answered and was idle:\n\n" +
		table.String()
}

// rest returns everything else.
func (o options) rest(f figures) string {
	table := report.Table{Columns: []string{"what", "measured"}}
	table.Add(fmt.Sprintf("%d sessions get warm", o.guests), report.Seconds(f.warming))
	table.Add("the server, with nobody there", percent(f.idle))
	table.Add(fmt.Sprintf("the server, with %d sessions whose pages don't ask, and a host who follows the board", o.guests), percent(f.quiet))
	table.Add(fmt.Sprintf("the server, while %d pages ask every %s besides", o.guests, often), percent(f.asked))
	table.Add("an answer to a page: half of them, 99 of 100", join(report.Quantiles(f.answers, 0.5, 0.99))+" ms")
	table.Add("memory of a seat with its kernel: half of them, the largest", join([]string{report.Mebibytes(report.Quantile(f.memory, 0.5)), report.Mebibytes(report.Quantile(f.memory, 1))}))
	table.Add("an error, until its kernel has told the page: half of them, the last", join(report.Quantiles(f.told, 0.5, 1))+" ms")
	table.Add("an error, until the board shows it: half of them, the last", join(report.Quantiles(f.errors, 0.5, 1))+" ms")
	table.Add("a message, until a page has it: half of them, the last", join(report.Quantiles(f.messages, 0.5, 1))+" ms")
	table.Add(fmt.Sprintf("a file, handed out to %d seats that have their own of its name", o.guests), report.Seconds(f.handedOut))
	table.Add("the end: the host's call", report.Seconds(f.ended))
	table.Add(fmt.Sprintf("the end: until none of %d processes is left", f.processes), report.Seconds(f.stopped))
	table.Add("work fetched by all at once: half of them, the last", join(report.Quantiles(f.zips, 0.5, 1))+" ms")
	table.Add("answers that the server is busy, after which guests come again a second later", report.Whole(f.refused))
	text := table.String()
	if len(f.faults) == 0 {
		text += fmt.Sprintf("\nAll %d archives have every file of the seats, %s in all, byte for byte, and nothing else but a note of what is left out: what Git would run, and what is made again. What was handed out changed no file of a guest.\n", len(f.zips), report.Whole(f.files))
	}
	return text
}

// ratio returns how many times longer half of some take than half of others.
func ratio(some, others []time.Duration) float64 {
	if len(others) == 0 {
		return 0
	}
	return report.Quantile(some, 0.5).Seconds() / report.Quantile(others, 0.5).Seconds()
}

func percent(cores float64) string { return report.Number(cores*100) + " % of a core" }

func join(cells []string) (text string) {
	for i, cell := range cells {
		if i > 0 {
			text += ", "
		}
		text += cell
	}
	return text
}
